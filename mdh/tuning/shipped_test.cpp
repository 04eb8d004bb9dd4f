#include "mdh/tuning/shipped.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "mdh/calibration/machine_identity.h"
#include "mdh/hl/instantiate.h"
#include "mdh/ll/print.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "mdh/support/testing.h"

namespace mdh::tuning::shipped_test {
namespace {

Site openmp() { return {.target = &driver::find_target("openmp")}; }

const char* const text =
    "mdh 1\nprogram product<I: size = 7> = out_view( y: f32 = [row] )"
    " * md_hom( row: I by cc, col: 13 by pw(add) ) { y = A * x; }"
    " * inp_view( A: f32 = [row, col]; x: f32 = [col] )\n";

/// As if it were read from a file of this name.
hl::Program product(int64_t rows = 7, const std::string& file = "product.mdh") {
  return hl::instantiate(hl::parse(text, file), {.sizes = {{"I", rows}}});
}

ll::Config tiled(int parts) {
  return ll::parse_config(fmt::format(
      R"({{"mdh_config": 1, "layers": ["COR", "L1"], "split": {{"row": ["COR {0}", "L1 {1}"],)"
      R"( "col": ["L1 13"]}}, "order": ["COR.row", "L1.col", "L1.row"]}})",
      parts, (6 + parts) / parts));
}

tune::Record measured(int parts, double median, const hl::Program& p = product()) {
  tune::Record record = new_record(p, machine::find_machine("cpu"), tiled(parts), openmp());
  record.time_us = {median, median, 0.1, 30};
  record.verified = "full";
  record.when = "2026-11-15T17:20:25Z";
  return record;
}

class Shipped : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path() / "product.mdh.tuned"; }
  std::string program_path() const { return folder_.path() / "product.mdh"; }
  tune::TunedFile contents() const { return tune::load_tuned(path()); }
  ShippedConfigs configs(const hl::Program& p) const {
    return shipped_configs(p, openmp(), contents(), "FILE");
  }
  std::optional<Shipment> add(std::vector<tune::Record> records,
                              const hl::Program& p = product()) const {
    return ship(p, openmp(), std::move(records), path());
  }
  /// Writes an entry for another machine.
  void add_foreign(const tune::Record& record) const {
    tune::Record foreign = record;
    foreign.machine.model = "another";
    tune::rewrite_tuned(path(), [&](tune::TunedFile& file) {
      file.entries.push_back(tune::entry_of(foreign, "product"));
    });
  }

 private:
  TemporaryDirectory folder_;
};

using Kind = Shipment::Kind;

// ---- writing

TEST_F(Shipped, is_the_best_that_is_valid) {
  tune::Record invalid = measured(3, 1);
  invalid.config.replace(invalid.config.find("COR 3"), 5, "COR 1");
  const auto shipment = add({measured(4, 9), invalid, measured(2, 4)});
  ASSERT_TRUE(shipment);
  EXPECT_EQ(shipment->kind, Kind::added);
  EXPECT_EQ(shipment->record.time_us.median, 4);
  ASSERT_EQ(contents().entries.size(), 1u);
  EXPECT_FALSE(add({invalid}, product(8))) << "nothing valid, nothing written";
  EXPECT_EQ(contents().entries.size(), 1u);
}

TEST_F(Shipped, makes_no_file_for_nothing) {
  EXPECT_FALSE(add({}));
  EXPECT_FALSE(add({measured(2, 4, product(8))}));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(Shipped, replaces_only_what_is_worse) {
  add({measured(2, 4)});
  EXPECT_EQ(add({measured(3, 5)})->kind, Kind::kept);
  EXPECT_EQ(contents().entries[0].record.time_us.median, 4);
  EXPECT_EQ(add({measured(3, 3)})->kind, Kind::replaced);
  ASSERT_EQ(contents().entries.size(), 1u);
  EXPECT_EQ(contents().entries[0].record.time_us.median, 3);
  tune::Record winner = measured(4, 6);
  winner.final_result = tune::FinalResult::won;
  EXPECT_EQ(add({winner})->kind, Kind::replaced) << "by the rules for records";
}

TEST_F(Shipped, changes_nothing_for_another_time_of_the_same_configuration) {
  add({measured(2, 4)});
  const std::string before = read_file(path());
  tune::Record again = measured(2, 3.5);
  again.when = "2026-11-16T00:00:00Z";
  const auto shipment = add({again});
  EXPECT_EQ(shipment->kind, Kind::kept);
  EXPECT_EQ(shipment->record.time_us.median, 4) << "what the file says";
  EXPECT_EQ(read_file(path()), before);
}

TEST_F(Shipped, gives_way_where_its_own_time_was_luck) {
  add({measured(2, 1)});
  tune::Record again = measured(2, 8);
  again.when = "2026-11-16T00:00:00Z";
  EXPECT_EQ(add({again, measured(3, 5)})->kind, Kind::replaced);
  EXPECT_EQ(contents().entries[0].record.time_us.median, 5);
}

TEST_F(Shipped, that_is_not_valid_any_more_is_replaced_by_slower_ones) {
  tune::Record invalid = measured(3, 1);
  invalid.config.replace(invalid.config.find("COR 3"), 5, "COR 1");
  tune::rewrite_tuned(path(), [&](tune::TunedFile& file) {
    file.entries.push_back(tune::entry_of(invalid, "product"));
  });
  EXPECT_EQ(add({measured(2, 4)})->kind, Kind::replaced);
  EXPECT_EQ(contents().entries.size(), 1u);
}

TEST_F(Shipped, keeps_entries_of_other_machines_and_sizes_and_what_is_damaged) {
  add_foreign(measured(3, 1));
  add({measured(2, 4, product(8))}, product(8));
  write_file(path(), read_file(path()) + "\n{torn\n");
  add({measured(2, 4)});
  EXPECT_EQ(contents().entries.size(), 3u);
  EXPECT_EQ(contents().damaged.size(), 1u);
}

// ---- reading

TEST_F(Shipped, is_used_if_the_user_has_no_record) {
  add({measured(2, 4)});
  const std::vector<tune::Record> records = configs(product()).records;
  const Selection shipped = select_config(product(), openmp(), records, 2);
  EXPECT_EQ(shipped.chosen.source, ConfigSource::tuned);
  EXPECT_EQ(describe(shipped.chosen), "tuned (4 us, " + path() + ":3)");
  std::vector<tune::Record> both = records;
  both.push_back(measured(3, 99));
  EXPECT_EQ(select_config(product(), openmp(), both, 2).chosen.source, ConfigSource::record);
}

TEST_F(Shipped, is_found_under_other_names_of_the_program) {
  add({measured(2, 4)});
  const hl::Program renamed = hl::parse(
      "mdh 1\nprogram mv = out_view( w: f32 = [i] )"
      " * md_hom( i: 7 by cc, k: 13 by pw(add) ) { w = M * v; }"
      " * inp_view( M: f32 = [i, k]; v: f32 = [k] )");
  const Selection s = select_config(renamed, openmp(), configs(renamed).records, 2);
  EXPECT_EQ(s.chosen.source, ConfigSource::tuned);
  EXPECT_EQ(s.chosen.config.order.front().dimension, "i");
}

TEST_F(Shipped, that_is_not_valid_is_noted_with_its_place) {
  tune::Record invalid = measured(3, 1);
  invalid.config.replace(invalid.config.find("COR 3"), 5, "COR 1");
  tune::rewrite_tuned(path(), [&](tune::TunedFile& file) {
    file.entries.push_back(tune::entry_of(invalid, "product"));
  });
  const Selection s = select_config(product(), openmp(), configs(product()).records, 2);
  EXPECT_EQ(s.chosen.source, ConfigSource::usual);
  ASSERT_EQ(s.skipped.size(), 1u);
  EXPECT_EQ(s.skipped[0].find("the tuned configuration (1 us, " + path() + ":3) is not used: "), 0u)
      << s.skipped[0];
}

TEST_F(Shipped, of_other_machines_programs_and_targets_is_counted) {
  add_foreign(measured(2, 4));
  add_foreign(measured(2, 4, product(8)));
  EXPECT_EQ(configs(product()).notes,
            std::vector<std::string>{
                "FILE: no entry is for this program, machine and target: 2 for other machines"});
  tune::Record elsewhere = measured(2, 4);
  elsewhere.target = "opencl";
  tune::rewrite_tuned(path(), [&](tune::TunedFile& file) {
    file.entries.push_back(tune::entry_of(elsewhere, "product"));
  });
  EXPECT_EQ(configs(product()).notes.front(),
            "FILE: no entry is for this program, machine and target: 1 for other targets, 2 for "
            "other machines");
  const hl::Program other = sum(Scalar::f32, 7);
  EXPECT_EQ(configs(other).notes.front(),
            "FILE: no entry is for this program, machine and target: 3 for other programs, types "
            "or constants");
  EXPECT_TRUE(configs(other).records.empty());
}

TEST_F(Shipped, of_a_program_that_changed_since_is_noted_with_its_place) {
  add({measured(2, 4)});
  std::string changed = text;
  changed.replace(changed.find("A * x"), 5, "A + x");
  const hl::Program p = hl::instantiate(hl::parse(changed), {});
  const ShippedConfigs found = configs(p);
  EXPECT_TRUE(found.records.empty());
  EXPECT_EQ(found.notes,
            std::vector<std::string>{path() + ":3: the entry is not used: it is for another "
                                              "version of the program, or other constants"});
}

TEST_F(Shipped, of_another_size_needs_no_note) {
  add({measured(2, 4)});
  const ShippedConfigs found = configs(product(8));
  EXPECT_TRUE(found.notes.empty());
  EXPECT_EQ(neighbours(product(8), openmp(), found.records, 4).size(), 1u);
}

TEST_F(Shipped, for_similar_machines_is_where_searches_begin) {
  add_foreign(measured(2, 4));
  const std::vector<tune::Record> records = configs(product()).records;
  EXPECT_FALSE(best_config(product(), openmp(), records).found);
  const auto near = similar(product(), openmp(), records, 4);
  ASSERT_EQ(near.size(), 1u);
  EXPECT_EQ(near[0].config.split, tiled(2).split);
}

// ---- beside the program

TEST_F(Shipped, lies_beside_the_file_of_the_program) {
  const hl::Program p = product(7, program_path());
  EXPECT_EQ(tuned_file_of(p), "") << "neither is there";
  write_file(path(), "");
  EXPECT_EQ(tuned_file_of(p), "") << "the program is not";
  write_file(program_path(), text);
  EXPECT_EQ(tuned_file_of(p), path());
  EXPECT_EQ(tuned_file_of(product()), "") << "another folder";
  EXPECT_EQ(tuned_file_of(sum(Scalar::f32, 7)), "") << "no file at all";
}

TEST_F(Shipped, is_compiled_by_compile_tuned) {
  const runtime::ScopedEnvironment data("XDG_DATA_HOME", path() + ".home");
  write_file(program_path(), text);
  add({measured(2, 4)});
  const driver::Target& target = driver::find_target("openmp");
  const std::string shipped_order = "order COR.row, L1.col, L1.row;";
  const auto has = [](const driver::Executable& e, const std::string& order) {
    return ll::print(e.stages().low).find(order) != std::string::npos;
  };
  const driver::Executable found = compile_tuned(product(7, program_path()), target);
  EXPECT_TRUE(has(found, shipped_order));
  std::vector<float> y(7, -1), A(91, 1), x(13, 2);
  void* const buffers[] = {y.data(), A.data(), x.data()};
  found(buffers, 2);
  EXPECT_EQ(y, std::vector<float>(7, 26));
  EXPECT_FALSE(has(compile_tuned(product(), target), shipped_order));
  EXPECT_TRUE(has(compile_tuned(product(), target, {}, path()), shipped_order));
}

TEST_F(Shipped, that_cannot_be_read_stops_compile_tuned_only_if_it_is_named) {
  const runtime::ScopedEnvironment data("XDG_DATA_HOME", path() + ".home");
  write_file(program_path(), text);
  write_file(path(), "{\"mdh_tuned\": 2}\n");
  const driver::Target& target = driver::find_target("openmp");
  compile_tuned(product(7, program_path()), target);
  EXPECT_EQ(diagnostic_of([&] { compile_tuned(product(), target, {}, path()); }).code, "E872");
  EXPECT_EQ(diagnostic_of([&] { compile_tuned(product(), target, {}, path() + "x"); }).code,
            "E001");
}

}  // namespace
}  // namespace mdh::tuning::shipped_test
