#include "mdh/tuning/records.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "mdh/calibration/machine_identity.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"

namespace mdh::tuning::records_test {
namespace {

const machine::Machine& cpu() { return machine::find_machine("cpu"); }

Site openmp() { return {.target = &driver::find_target("openmp")}; }

/// w = M v with other names and its sizes as numbers.
hl::Program product(int64_t rows, int64_t columns) {
  return hl::parse(
      fmt::format("mdh 1\nprogram product = out_view( y: f32 = [row] )"
                  " * md_hom( row: {} by cc, col: {} by pw(add) ) {{ y = A * x; }}"
                  " * inp_view( A: f32 = [row, col]; x: f32 = [col] )",
                  rows, columns));
}

ll::Config tiled(const std::string& code = "") {
  return config_of(R"("layers": ["COR", "L1"], "split": {"i": ["COR 2", "L1 4"], "k": ["L1 13"]},)"
                   R"( "order": ["COR.i", "L1.k", "L1.i"])" +
                   code);
}

tune::Record measured(const ll::Config& config, double median,
                      const hl::Program& p = matvec(Scalar::f32, 7, 13)) {
  tune::Record record = new_record(p, cpu(), config, openmp());
  record.time_us = {median, median, 0.1, 30};
  record.verified = "full";
  return record;
}

TEST(NewRecord, has_everything_that_is_known_before_a_run) {
  const tune::Record r = measured(tiled(), 2);
  EXPECT_EQ(r.sizes, (std::map<std::string, int64_t>{{"N1", 7}, {"N2", 13}}));
  EXPECT_EQ(r.types.at("in2"), "f32");
  EXPECT_EQ(r.target, "openmp");
  EXPECT_FALSE(r.version.empty());
  EXPECT_FALSE(r.when.empty());
  EXPECT_TRUE(is_same(r.machine, calibration::host_identity()));
  const ll::Config stored = ll::parse_config(r.config);
  EXPECT_EQ(stored.program, "matvec");
  EXPECT_EQ(stored.machine, "cpu");
  EXPECT_TRUE(stored.split.contains("d1")) << r.config;
  EXPECT_TRUE(tune::parse_record(print(r)).has_value());
}

TEST(BestConfigOf, program_is_in_its_own_names) {
  const std::vector<tune::Record> records = {measured(tiled(), 2)};
  const BestConfig best = best_config(product(7, 13), openmp(), records);
  ASSERT_TRUE(best.found);
  EXPECT_TRUE(best.skipped.empty());
  const ll::Config& config = best.found->config;
  EXPECT_EQ(config.program, "product");
  EXPECT_EQ(config.order,
            (std::vector<ll::LevelName>{{"COR", "row"}, {"L1", "col"}, {"L1", "row"}}));
  EXPECT_EQ(best.found->machine.name, "cpu");
  ll::Config back = best_config(matvec(Scalar::f32, 7, 13), openmp(), records).found->config;
  back.program = back.machine = "";
  EXPECT_EQ(back, tiled());
}

TEST(BestConfigOf, what_was_ignored_when_it_was_measured_is_not_carried_out) {
  const ll::Config decided = tiled(R"(, "code": {"edge": {"i": "clamp"}})");
  tune::Record record = measured(decided, 2);
  const auto found = [&] {
    const auto parsed = tune::parse_record(print(record));
    return best_config(matvec(Scalar::f32, 7, 13), openmp(), {*parsed}).found->config.code;
  };
  EXPECT_EQ(found(), decided.code);
  record.decides = false;  // as in records of earlier versions
  EXPECT_EQ(found(), ll::Code{});
}

TEST(BestConfigOf, other_sizes_types_or_hardware_is_none) {
  const std::vector<tune::Record> records = {measured(tiled(), 2)};
  EXPECT_FALSE(best_config(matvec(Scalar::f32, 7, 14), openmp(), records).found);
  EXPECT_FALSE(best_config(matvec(Scalar::f64, 7, 13), openmp(), records).found);
  EXPECT_FALSE(best_config(sum(Scalar::f32, 7), openmp(), records).found);
  tune::MachineIdentity other = calibration::host_identity();
  other.cores += 1;
  Site there = openmp();
  there.hardware = &other;
  EXPECT_FALSE(best_config(matvec(Scalar::f32, 7, 13), there, records).found);
}

TEST(BestConfigOf, fastest_that_is_not_valid_is_skipped_and_said_why) {
  tune::Record foreign = measured(tiled(), 3);
  foreign.config = R"({"mdh_config": 1, "surprise": 2})";
  ll::Config invalid = tiled();
  invalid.split["i"] = {{"COR", 2}};  // too few parts
  const std::vector<tune::Record> records = {
      measured(tiled(), 9), measured(invalid, 1), foreign,
      measured(tiled(R"(, "code": {"kernel": {"compiler": "gcc-99"}})"), 2)};
  const BestConfig best = best_config(matvec(Scalar::f32, 7, 13), openmp(), records);
  ASSERT_TRUE(best.found);
  EXPECT_EQ(best.found->record.time_us.median, 9);
  ASSERT_EQ(best.skipped.size(), 3u);
  EXPECT_NE(best.skipped[0].find("the record (1 us, "), std::string::npos) << best.skipped[0];
  EXPECT_NE(best.skipped[1].find("[E604]"), std::string::npos) << best.skipped[1];
  EXPECT_NE(best.skipped[2].find("[E314]"), std::string::npos) << best.skipped[2];
}

TEST(BestConfigOf, machine_that_is_asked_for_decides) {
  const std::vector<tune::Record> records = {measured(tiled(), 2)};
  Site there = openmp();
  there.machine = &machine::find_machine("host");
  EXPECT_EQ(best_config(matvec(Scalar::f32, 7, 13), there, records).found->machine.name, "host");
  there.machine = &machine::find_machine("gpu");
  const BestConfig none = best_config(matvec(Scalar::f32, 7, 13), there, records);
  EXPECT_FALSE(none.found);
  EXPECT_EQ(none.skipped.size(), 1u) << "its layers are not those of the machine";
}

TEST(KnownConfigsOf, program_begin_with_a_valid_one_and_have_failures_apart) {
  ll::Config invalid = tiled();
  invalid.order.pop_back();
  tune::Record crashed = measured(tiled(R"(, "tags": {"L1.i": "vectorize"})"), 0);
  crashed.outcome = tune::RecordOutcome::crash;
  const KnownConfigs known = known_configs(product(7, 13), openmp(),
                                           {measured(tiled(), 2), measured(invalid, 1), crashed});
  ASSERT_EQ(known.proven.size(), 1u);
  EXPECT_EQ(known.proven[0].record.time_us.median, 2);
  EXPECT_EQ(known.proven[0].config.order.front().dimension, "row");
  ASSERT_EQ(known.failed.size(), 1u);
  EXPECT_EQ(known.failed[0].record.outcome, tune::RecordOutcome::crash);
  EXPECT_TRUE(known_configs(product(7, 14), openmp(), {crashed}).failed.empty());
}

TEST(NeighboursOf, program_are_translated_and_nearest_first) {
  const std::vector<tune::Record> records = {measured(tiled(), 1, matvec(Scalar::f32, 700, 13)),
                                             measured(tiled(), 1, matvec(Scalar::f32, 8, 13)),
                                             measured(tiled(), 1, matvec(Scalar::f32, 14, 26)),
                                             measured(tiled(), 1)};
  const auto near = neighbours(product(7, 13), openmp(), records, 2);
  ASSERT_EQ(near.size(), 2u);
  EXPECT_EQ(near[0].record.sizes.at("N1"), 8);
  EXPECT_EQ(near[1].record.sizes.at("N1"), 14);
  EXPECT_EQ(near[0].config.order.front().dimension, "row");
}

TEST(SelectConfig, is_the_record_or_the_default_and_says_which) {
  const hl::Program p = product(7, 13);
  const Selection tuned = select_config(p, openmp(), {measured(tiled(), 2)}, 3);
  EXPECT_EQ(tuned.chosen.source, ConfigSource::record);
  EXPECT_EQ(describe(tuned.chosen).find("record (2 us, 20"), 0u) << describe(tuned.chosen);
  const Selection usual = select_config(p, openmp(), {}, 3);
  EXPECT_EQ(usual.chosen.source, ConfigSource::usual);
  EXPECT_EQ(usual.chosen.config, ll::default_config(p, cpu(), 3));
  EXPECT_EQ(usual.machine.name, "cpu");
}

TEST(SelectConfig, of_a_large_program_without_a_record_is_what_the_model_chooses) {
  const hl::Program p = product(512, 512);
  const Selection chosen = select_config(p, openmp(), {}, 2);
  EXPECT_EQ(chosen.chosen.source, ConfigSource::model);
  EXPECT_EQ(chosen.machine.name, "cpu");
  const Selection usual = select_config(p, openmp(), {}, 2, WithoutRecord::usual);
  EXPECT_EQ(usual.chosen.source, ConfigSource::usual);
  EXPECT_EQ(usual.chosen.config, ll::default_config(p, cpu(), 2));
  Site device = openmp();
  device.target = &driver::find_target("reference");
  EXPECT_EQ(select_config(p, device, {}, 2).chosen.source, ConfigSource::usual);
  // Records of other sizes are where it begins; they are not used as they are.
  const std::vector<tune::Record> near = {measured(tiled(), 1)};
  EXPECT_EQ(select_config(p, openmp(), near, 2).chosen.source, ConfigSource::model);
  const std::vector<tune::Record> own = {measured(chosen.chosen.config, 1, p)};
  EXPECT_EQ(select_config(p, openmp(), own, 2).chosen.source, ConfigSource::record);
}

TEST(CompileTuned, without_a_record_computes_what_the_model_chooses) {
  const driver::Executable run = compile_tuned(product(300, 300), driver::find_target("openmp"));
  std::vector<float> y(300, -1), A(90000, 1), x(300, 2);
  void* const buffers[] = {y.data(), A.data(), x.data()};
  run(buffers, 2);
  EXPECT_EQ(y, std::vector<float>(300, 600));
}

TEST(CompileTuned, uses_the_records_of_the_user) {
  const TemporaryDirectory folder;
  const runtime::ScopedEnvironment data("XDG_DATA_HOME", folder.path().string());
  const tune::Database database(tune::Database::file_of_user());
  ASSERT_FALSE(database.append(measured(tiled(), 2)));
  const driver::Executable run = compile_tuned(product(7, 13), driver::find_target("openmp"));
  EXPECT_EQ(run.stages().low.decompose.size(), 3u) << "three levels, as the record says";
  std::vector<float> y(7, -1), A(91, 1), x(13, 2);
  void* const buffers[] = {y.data(), A.data(), x.data()};
  run(buffers, 2);
  EXPECT_EQ(y, std::vector<float>(7, 26));
}

TEST(CompileTuned, passes_over_records_that_do_not_compile_here) {
  const TemporaryDirectory folder;
  const runtime::ScopedEnvironment data("XDG_DATA_HOME", folder.path().string());
  const tune::Database database(tune::Database::file_of_user());
  const auto with_flag = [](const std::string& flag) {
    return tiled(R"(, "code": {"kernel": {"flags": [")" + flag + R"("]}})");
  };
  ASSERT_FALSE(database.append(measured(with_flag("-march=of-tomorrow"), 1)));
  ASSERT_FALSE(database.append(measured(tiled(), 2)));
  driver::Executable run = compile_tuned(product(7, 13), driver::find_target("openmp"));
  EXPECT_EQ(run.stages().low.decompose.size(), 3u) << "the second one";
  EXPECT_TRUE(run.stages().module.flags.empty());
  for (const char* flag : {"-march=two", "-march=three", "-march=four", "-march=five"}) {
    ASSERT_FALSE(database.append(measured(with_flag(flag), 1.5)));
  }
  run = compile_tuned(product(7, 13), driver::find_target("openmp"));
  EXPECT_TRUE(run.stages().module.flags.empty()) << "after three of them no record is tried";
}

TEST(BestConfigOf, flags_and_compilers_that_may_do_anything_are_not_obeyed) {
  const std::string flags = R"("flags":["-fplugin=evil.so"])", none = R"("flags":["-O2"])";
  tune::Record foreign = measured(tiled(R"(, "code": {"kernel": {"flags": ["-O2"]}})"), 1);
  foreign.config.replace(foreign.config.find(none), none.size(), flags);
  const std::vector<tune::Record> records = {
      foreign, measured(tiled(R"(, "code": {"kernel": {"compiler": "/tmp/evil"}})"), 2),
      measured(tiled(), 3)};
  const BestConfig best = best_config(matvec(Scalar::f32, 7, 13), openmp(), records);
  ASSERT_TRUE(best.found);
  EXPECT_EQ(best.found->record.time_us.median, 3);
  ASSERT_EQ(best.skipped.size(), 2u);
  EXPECT_NE(best.skipped[0].find("'-fplugin=evil.so' is none of the flags"), std::string::npos);
  EXPECT_NE(best.skipped[0].find("[E355]"), std::string::npos) << best.skipped[0];
  EXPECT_NE(best.skipped[1].find("[E620]"), std::string::npos) << best.skipped[1];
}

}  // namespace
}  // namespace mdh::tuning::records_test
