// Configurations that travel with a program: NAME.mdh.tuned, --tuned, --ship, and several sizes at
// once.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/runtime/cuda/fake/host_gpu.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "mdh/tuning/shipped.h"
#include "tests/cli/tool.h"

namespace mdh::test::tuned_test {
namespace {

using nlohmann::json;

const char* const product_text =
    "mdh 1\nprogram product<I: size = 7, K: size = 13> = out_view( y: f32 = [row] )"
    " * md_hom( row: I by cc, col: K by pw(add) ) { y = A * x; }"
    " * inp_view( A: f32 = [row, col]; x: f32 = [col] )\n";

/// A folder with a program, and a home without records.
class Tuned : public ::testing::Test {
 protected:
  Tuned() { write_file(program(), product_text); }
  std::string path(const std::string& name) const { return folder_.path() / name; }
  std::string program() const { return path("product.mdh"); }
  std::string file() const { return program() + ".tuned"; }

  /// A configuration of the program that is no default, with a time of this machine.
  tune::Record measured(int parts, double median) const {
    const hl::Program p = hl::instantiate(hl::parse(product_text), {});
    const ll::Config config = ll::parse_config(fmt::format(
        R"({{"mdh_config": 1, "layers": ["COR", "L1"], "split": {{"row": ["COR {0}", "L1 {1}"],)"
        R"( "col": ["L1 13"]}}, "order": ["COR.row", "L1.col", "L1.row"]}})",
        parts, (6 + parts) / parts));
    tune::Record record = tuning::new_record(p, machine::find_machine("cpu"), config,
                                             {.target = &driver::find_target("openmp")});
    record.time_us = {median, median, 0.1, 30};
    record.verified = "full";
    record.when = "2026-11-15T17:20:25Z";
    return record;
  }
  void ship(const tune::Record& record) const {
    tune::rewrite_tuned(file(), [&](tune::TunedFile& contents) {
      contents.entries.push_back(tune::entry_of(record, "product"));
    });
  }
  /// `config_source` of a run.
  std::string source_of(const std::string& line) const {
    const Outcome o = mdh("run " + line + " --json -q");
    EXPECT_EQ(o.exit, 0) << line << "\n" << describe(o);
    return json::parse(o.out, nullptr, false).value("config_source", "");
  }

 private:
  TemporaryDirectory folder_;
  const runtime::ScopedEnvironment data_{"XDG_DATA_HOME", path("home")};
};

// ---- runs

TEST_F(Tuned, file_beside_the_program_is_found_by_itself) {
  EXPECT_EQ(source_of(program()), "default");
  ship(measured(2, 2.5));
  const Outcome o = mdh("run " + program());
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "configuration: tuned (2.5 us, " + file() + ":3), threads")) << o.err;
  EXPECT_TRUE(contains(o.out, "verified: full")) << o.out;
  EXPECT_TRUE(contains(mdh("check " + program()).out, "configuration (tuned (2.5 us, "));
  EXPECT_TRUE(contains(mdh("show " + program() + " --ll").out, "order COR.row, L1.col, L1.row;"));
  EXPECT_EQ(source_of(program() + " --require-tuned"), "tuned");
}

TEST_F(Tuned, file_may_be_left_out_or_named) {
  ship(measured(2, 2.5));
  EXPECT_EQ(source_of(program() + " --no-tuned"), "default");
  EXPECT_EQ(source_of(program() + " --no-records"), "default");
  EXPECT_EQ(source_of("matvec --size 7,13"), "default") << "a program of the catalogue is no file";
  EXPECT_EQ(source_of("matvec --size 7,13 --tuned " + file()), "tuned");
  EXPECT_EQ(source_of("matvec --size 7,13 --no-records --tuned " + file()), "tuned");
  EXPECT_EQ(source_of(program() + " --target reference"), "default");
  EXPECT_EQ(mdh("run matvec --tuned " + file() + " --no-tuned").exit, 2);
  const Outcome none = mdh("run matvec --tuned " + file() + "x");
  EXPECT_EQ(none.exit, 2);
  EXPECT_TRUE(contains(none.err, "cannot read '" + file() + "x' [E001]")) << none.err;
}

TEST_F(Tuned, records_of_the_user_come_first) {
  ship(measured(2, 2.5));
  ASSERT_FALSE(tune::Database(path("records")).append(measured(3, 99)));
  EXPECT_EQ(source_of(program() + " --records " + path("records")), "record");
}

TEST_F(Tuned, configuration_that_does_not_compile_here_gives_way) {
  tune::Record refused = measured(3, 1);
  refused.config.insert(refused.config.size() - 1,
                        R"(,"code":{"kernel":{"flags":["-march=of-tomorrow"]}})");
  ship(refused);
  const Outcome o = mdh("run " + program());
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(
      contains(o.err, "mdh: note: the tuned configuration (1 us, " + file() + ":3) is not used: "))
      << o.err;
  EXPECT_TRUE(contains(o.err, "configuration: default")) << o.err;
}

TEST_F(Tuned, damaged_and_foreign_entries_are_noted_with_their_places) {
  ship(measured(2, 2.5));
  tune::Record foreign = measured(3, 1);
  foreign.machine.model = "another";
  ship(foreign);
  const std::string whole = read_file(file());
  write_file(file(), whole + "\n{\"program\": torn\n");
  const Outcome o = mdh("run " + program());
  EXPECT_EQ(o.exit, 0) << describe(o);
  const auto line = split(whole, '\n').size() + 1;
  EXPECT_TRUE(contains(o.err, fmt::format("mdh: note: {}:{}: the entry is not used: it is damaged "
                                          "here\n",
                                          file(), line)))
      << o.err;
  EXPECT_TRUE(contains(o.err, "configuration: tuned (2.5 us, ")) << o.err;
  const Outcome other = mdh("run dot --size 100 --tuned " + file());
  EXPECT_EQ(other.exit, 0) << describe(other);
  EXPECT_TRUE(contains(other.err,
                       ": no entry is for this program, machine and target: 2 for other "
                       "programs, types or constants\n"))
      << other.err;
}

TEST_F(Tuned, file_of_a_later_version_is_refused_and_stops_a_run_only_if_it_is_named) {
  write_file(file(), "{\"mdh_tuned\": 2}\n");
  const Outcome found = mdh("run " + program());
  EXPECT_EQ(found.exit, 0) << describe(found);
  EXPECT_TRUE(contains(found.err, "mdh: note: '" + file() +
                                      "' is not used: the file is of version 2, and this mdh knows "
                                      "versions up to 1 [E872]\n"))
      << found.err;
  for (const char* verb : {"run ", "check ", "tune --budget 1 "}) {
    const Outcome named = mdh(verb + program() + " --tuned " + file());
    EXPECT_EQ(named.exit, 2) << verb << describe(named);
    EXPECT_TRUE(contains(named.err, file() + ":1:1: error: the file is of version 2")) << named.err;
    EXPECT_TRUE(contains(named.err, "hint: use a later version of mdh, ")) << named.err;
  }
  for (const char* verb : {"tune --ship --budget 1 ", "records ship "}) {
    const Outcome shipped = mdh(verb + program());
    EXPECT_EQ(shipped.exit, 2) << verb << describe(shipped);
    EXPECT_TRUE(contains(shipped.err, "[E872]")) << shipped.err;
  }
  EXPECT_EQ(read_file(file()), "{\"mdh_tuned\": 2}\n");
}

// ---- shipping

TEST_F(Tuned, search_ships_what_it_found_and_others_run_it) {
  tune::Record foreign = measured(3, 1);
  foreign.machine.model = "another";
  ship(foreign);
  const std::string line = "tune " + program() + " --budget 2 -q --ship";
  const Outcome first = mdh(line);
  EXPECT_EQ(first.exit, 0) << describe(first);
  EXPECT_TRUE(contains(first.out, "\nshipped     added: ")) << first.out;
  const tune::TunedFile contents = tune::load_tuned(file());
  EXPECT_EQ(contents.entries.size(), 2u) << "the other machine's is still there";
  std::filesystem::remove_all(path("home"));
  EXPECT_EQ(source_of(program()), "tuned");
}

TEST_F(Tuned, search_begins_with_what_came_with_the_program) {
  ship(measured(2, 2.5));
  const std::string records = path("records");
  const Outcome o = mdh("tune " + program() + " --budget 1 -q --records " + records);
  EXPECT_EQ(o.exit, 0) << describe(o);
  const std::vector<tune::Record> tried = tune::Database(records).load().records;
  ASSERT_EQ(tried.size(), 1u);
  EXPECT_EQ(json::parse(tried[0].config)["order"], json::parse(measured(2, 1).config)["order"]);
  EXPECT_TRUE(is_proven(tried[0]));
  EXPECT_EQ(source_of(program() + " --records " + records), "record");
}

TEST_F(Tuned, search_begins_at_what_is_known_of_other_machines) {
  tune::Record foreign = measured(3, 1);
  foreign.machine.model = "another";
  ship(foreign);
  const std::string line = " --budget 1 --no-records --tuned " + file();
  // `product` is the `matvec` of the catalogue, of which mdh has two configurations.
  EXPECT_TRUE(contains(mdh("tune " + program() + line).err,
                       "mdh: beginning also at configurations that came with the program (1) and "
                       "with mdh (2)\n"));
  EXPECT_FALSE(contains(mdh("tune scan --size 64" + line).err, "beginning also at"));
}

TEST_F(Tuned, search_on_a_device_ships_for_that_device) {
  const std::string line = program() + " --size 8,16";
  {
    const runtime::cuda::HostGpu gpu;
    const std::string page = path("page.html");
    const Outcome o = mdh("tune " + line + " --target cuda --budget 2 --ship --report " + page);
    EXPECT_EQ(o.exit, 0) << describe(o);
    const std::string text = read_file(page);
    for (const char* part : {"<h2>On the device</h2>", "<td>blocks of the grid</td>",
                             "<td>shared memory of a block</td>", "<td>waves</td>"}) {
      EXPECT_TRUE(contains(text, part)) << part;
    }
    EXPECT_TRUE(contains(o.err, "came with the program (0) and with mdh (2)\n"))
        << "what is known of an H200: " << o.err;
    std::filesystem::remove_all(path("home"));
    EXPECT_EQ(source_of(line + " --target cuda"), "tuned");
  }
  ASSERT_EQ(tune::load_tuned(file()).entries.size(), 1u);
  EXPECT_EQ(tune::load_tuned(file()).entries[0].record.machine.model, "Fake GPU");
  const Outcome cpu = mdh("run " + line);
  EXPECT_TRUE(contains(cpu.err,
                       ": no entry is for this program, machine and target: 1 for other "
                       "targets\n"))
      << cpu.err;
  // Text is made without the device, and then without what was measured on it.
  const runtime::ScopedEnvironment none("MDH_LIBCUDA", "/nonexistent/libcuda.so.1");
  for (const std::string& tuned : {std::string(), " --tuned " + file()}) {
    const Outcome shown = mdh("show " + line + " --target cuda --ll" + tuned);
    EXPECT_EQ(shown.exit, 0) << describe(shown);
  }
}

TEST_F(Tuned, records_ship_writes_the_best_record) {
  const std::string records = path("records");
  ASSERT_FALSE(tune::Database(records).append(measured(2, 2.5)));
  const std::string line = "records ship " + program() + " --records " + records;
  EXPECT_EQ(mdh(line).out, "product I=7 K=13: added: 2.5 us\n");
  EXPECT_EQ(mdh(line).out, "product I=7 K=13: as before: 2.5 us\n");
  ASSERT_FALSE(tune::Database(records).append(measured(3, 2)));
  EXPECT_EQ(mdh(line).out, "product I=7 K=13: better than before: 2 us\n");
  EXPECT_EQ(tune::load_tuned(file()).entries.size(), 1u);
  const Outcome none = mdh("records ship " + program() + " --size 8,13 --records " + records);
  EXPECT_EQ(none.exit, 4) << describe(none);
  EXPECT_TRUE(contains(none.err, "no tuning record for 'product' at I=8 K=13 ")) << none.err;
}

TEST_F(Tuned, program_of_the_catalogue_needs_the_name_of_a_file) {
  for (const char* verb : {"records ship matvec", "tune matvec --ship --budget 1"}) {
    const Outcome o = mdh(verb);
    EXPECT_EQ(o.exit, 2) << describe(o);
    EXPECT_EQ(o.err,
              "mdh: error: there is no file for configurations of 'matvec', a program of the "
              "catalogue [E875]\nhint: name one by --tuned, such as --tuned matvec.mdh.tuned\n");
  }
  const std::string named = path("mine.tuned");
  const Outcome o = mdh("tune matvec --size 7,13 --budget 1 -q --ship --tuned " + named);
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(tune::load_tuned(named).entries.size(), 1u);
  EXPECT_EQ(source_of("matvec --size 7,13 --no-records --tuned " + named), "tuned");
}

TEST_F(Tuned, file_that_cannot_be_written_is_refused_before_the_search) {
  const Outcome o = mdh("tune " + program() + " --ship --tuned /nonexistent/f");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err, "cannot write '/nonexistent/f' [E002]")) << o.err;
  EXPECT_FALSE(std::filesystem::exists(path("home")));
}

TEST_F(Tuned, two_searches_at_once_lose_nothing) {
  const auto words = [&](const std::string& size, const std::string& records) {
    return split(MDH_TOOL " tune " + program() + " --ship -q --budget 2 --size " + size +
                     " --records " + path(records),
                 ' ');
  };
  Started first(words("16,8", "one")), second(words("8,16", "two"));
  EXPECT_EQ(first.wait().exit, 0);
  EXPECT_EQ(second.wait().exit, 0);
  const tune::TunedFile contents = tune::load_tuned(file());
  ASSERT_EQ(contents.entries.size(), 2u);
  EXPECT_EQ(contents.entries[0].record.sizes.at("N1"), 8) << "sorted, whoever came first";
}

// ---- several sizes

TEST_F(Tuned, sizes_of_a_file_are_searched_one_after_the_other) {
  write_file(path("sizes"), "# shapes\nI=8, K=16\n\n 16,8  # positions\n");
  const Outcome o = mdh("tune " + program() + " --budget 2 -q --ship --sizes " + path("sizes"));
  EXPECT_EQ(o.exit, 0) << describe(o);
  const std::vector<std::string> lines = split(o.out, '\n');
  ASSERT_EQ(lines.size(), 4u) << o.out;
  EXPECT_EQ(lines[0], "sizes of product  tried  best us  gain  verified  shipped");
  EXPECT_EQ(lines[1].find("I=8 K=16          2      "), 0u) << lines[1];
  EXPECT_EQ(lines[2].find("I=16 K=8          2      "), 0u) << lines[2];
  EXPECT_TRUE(contains(lines[2], "  full      added: ")) << lines[2];
  EXPECT_EQ(tune::load_tuned(file()).entries.size(), 2u);
  EXPECT_EQ(source_of(program() + " --size 16,8"), "record");
  EXPECT_EQ(mdh("records ship " + program() + " --sizes " + path("sizes") + " --tuned " + path("f"))
                .out.find("product I=8 K=16: added: "),
            0u);
  const Outcome again = mdh("tune " + program() + " --budget 1 -q --json --sizes " + path("sizes"));
  const json report = json::parse(again.out, nullptr, false);
  EXPECT_EQ(report["schema"], "mdh_tune_sizes 1");
  EXPECT_EQ(report["sizes"][1]["sizes"], json::parse(R"({"I": 16, "K": 8})"));
  EXPECT_EQ(report["sizes"][1]["outcome"], "ok");
  EXPECT_EQ(report["sizes"][1]["search"]["verified"], "full");
}

TEST_F(Tuned, mistakes_in_a_file_of_sizes_are_answered_with_their_lines_before_any_search) {
  const auto refused = [&](const std::string& text, const std::string& error) {
    write_file(path("sizes"), text);
    const Outcome o = mdh("tune " + program() + " --budget 1 --sizes " + path("sizes"));
    EXPECT_EQ(o.exit, 2) << text << describe(o);
    EXPECT_EQ(o.err.find(path("sizes") + error), 0u) << o.err;
  };
  refused("8,16\nI=x\n", ":2:1: error: --size: 'x' is not an integer [E802]\n  I=x\n");
  refused("8,16\n\n#\nJ=3\n", ":4:1: error: program 'product' has no size 'J' [E210]\n");
  refused("8,16\nI=8,16\n", ":2:1: error: --size mixes names and positions [E804]\n");
  refused("8,16\n7,7\n8, 16\n", ":3:1: error: line 1 has these sizes, too [E873]\n");
  refused("# nothing\n", ":1:1: error: the file has no sizes [E873]\n");
  refused("0,8\n", ":1:1: error: ");
  EXPECT_FALSE(std::filesystem::exists(path("home")));
  EXPECT_EQ(mdh("tune " + program() + " --sizes " + path("none")).exit, 2);
  const Outcome both = mdh("tune " + program() + " --size 8,8 --sizes " + path("sizes"));
  EXPECT_TRUE(contains(both.err, "--size and --sizes exclude each other [E800]")) << both.err;
}

TEST_F(Tuned, interrupted_search_of_several_sizes_keeps_what_is_done) {
  write_file(path("sizes"), "8,16\n16,8\n");
  Started search(split(MDH_TOOL " tune " + program() + " --budget 120s --ship --sizes " +
                           path("sizes") + " --records " + path("records"),
                       ' '));
  const auto records = [&] { return tune::Database(path("records")).load().records.size(); };
  for (int n = 0; n < 600 && records() == 0; ++n) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  ASSERT_GT(records(), 0u);
  kill(search.process(), SIGINT);
  const Outcome o = search.wait();
  EXPECT_EQ(o.exit, 130) << describe(o);
  EXPECT_TRUE(contains(o.out, "\nI=8 K=16  ")) << o.out;
  EXPECT_TRUE(contains(o.out, "\nI=16 K=8          0      not tried  ")) << o.out;
  EXPECT_EQ(tune::load_tuned(file()).entries.size(), 1u);
}

TEST_F(Tuned, size_for_which_nothing_works_does_not_end_the_others) {
  // The compiler fails on kernels of the second size.
  const runtime::Script compiler(
      "for word; do case \"$word\" in *.c) grep -q '\\b16\\b' \"$word\" || exit 1;; esac; done\n"
      "exec cc \"$@\"");
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  const runtime::ScopedEnvironment cache("MDH_CACHE", path("cache"));
  write_file(path("sizes"), "5,7\n16,16\n");
  const Outcome o =
      mdh("tune " + program() + " --budget 2 -q --no-records --sizes " + path("sizes"));
  EXPECT_EQ(o.exit, 4) << describe(o);
  EXPECT_TRUE(contains(o.out, "nothing works")) << o.out;
  EXPECT_TRUE(contains(o.err, "mdh: note: I=5 K=7: no configuration works [E880]\n")) << o.err;
  const std::vector<std::string> lines = split(o.out, '\n');
  ASSERT_EQ(lines.size(), 4u) << o.out;
  EXPECT_TRUE(contains(lines[2], "  full ")) << lines[2];
}

// ---- export and import

TEST_F(Tuned, records_travel_as_t4) {
  const std::string records = path("records"), others = path("others");
  tune::Record failed = measured(3, 0);
  failed.outcome = tune::RecordOutcome::crash;
  failed.reason = "signal 11";
  ASSERT_FALSE(tune::Database(records).append(measured(2, 2.5)));
  ASSERT_FALSE(tune::Database(records).append(failed));
  EXPECT_EQ(mdh("records export --t4 " + path("t4.json") + " --records " + records).out,
            "exported: 2 records\n");
  const json root = json::parse(read_file(path("t4.json")));
  EXPECT_EQ(root["results"][0]["invalidity"], "correct");
  EXPECT_EQ(root["results"][1]["invalidity"], "runtime");
  const std::string line = "records import " + path("t4.json") + " --records " + others;
  EXPECT_EQ(mdh(line).out, "added: 2 records, known: 0\n");
  EXPECT_EQ(mdh(line).out, "added: 0 records, known: 2\n");
  EXPECT_EQ(read_file(others), read_file(records));
  EXPECT_EQ(source_of(program() + " --records " + others), "record");
  EXPECT_EQ(mdh("records import " + records + " --records " + path("third")).out,
            "added: 2 records, known: 0\n");
}

TEST_F(Tuned, files_that_cannot_be_imported_are_refused) {
  const auto refused = [&](const std::string& text, const std::string& error) {
    write_file(path("file"), text);
    const Outcome o = mdh("records import " + path("file") + " --records " + path("records"));
    EXPECT_EQ(o.exit, 2) << describe(o);
    EXPECT_EQ(o.err.find("mdh: error: '" + path("file") + "' is not read: " + error), 0u) << o.err;
    EXPECT_FALSE(std::filesystem::exists(path("records")));
  };
  refused(R"({"schema_version": "1.0.0", "results": [{"configuration": {"block_size_x": 32}}]})",
          "of its 1 result, none is a record of mdh [E874]\n");
  refused(R"({"schema_version": "9.0.0", "results": []})", "its schema is of version 9.0.0, ");
  refused("rubbish\n\nmore\n", "of its 2 lines, none is a record of mdh [E874]\n");
  refused("{\"mdh_tuned\": 1}\n", "it has tuned configurations, and no records [E874]\n");
  EXPECT_EQ(mdh("records import " + path("none")).exit, 2);
  EXPECT_EQ(mdh("records import").exit, 2);
}

}  // namespace
}  // namespace mdh::test::tuned_test
