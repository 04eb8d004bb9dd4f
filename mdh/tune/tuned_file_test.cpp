#include "mdh/tune/tuned_file.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "mdh/support/files.h"
#include "mdh/support/hash.h"
#include "mdh/support/testing.h"
#include "mdh/tune/testing.h"

namespace mdh::tune::tuned_file_test {
namespace {

namespace fs = std::filesystem;

TunedEntry entry(int config, int64_t size, const std::string& target = "openmp") {
  Record record = some_record(config, 171.5, "2026-11-15T17:20:25Z");
  record.sizes = {{"N1", size}};
  record.target = target;
  record.decides = true;
  return entry_of(record, "p");
}

TunedFile file_of(std::vector<TunedEntry> entries) { return {std::move(entries), {}}; }

std::vector<std::string> configs_of(const TunedFile& file) {
  std::vector<std::string> configs;
  for (const TunedEntry& one : file.entries) configs.push_back(one.record.config);
  return configs;
}

const std::string header =
    "{\"mdh_tuned\": 1, \"about\": \"the best known configurations, from 'mdh tune --ship'\"}\n";

// ---- text

TEST(TunedText, has_a_line_for_everything_that_may_change_alone) {
  TunedEntry one = entry(1, 8);
  one.record.config =
      R"({"mdh_config":1,"machine":"cpu","layers":["L1"],"split":{"d1":["L1 8"],"d2":["L1 4"]}})";
  one.record.time_us = {171.54321, 171.6, 1.2345678, 30};
  one.record.final_result = FinalResult::won;
  EXPECT_EQ(print(file_of({one})),
            header + "\n{\"program\": \"p\", \"key\": \"" + one.key +
                "\",\n"
                " \"sizes\": {\"N1\": 8},\n"
                " \"types\": {\"out1\": \"f32\"},\n"
                " \"target\": \"openmp\",\n"
                " \"machine\": {\"vendor\": \"ARM\", \"model\": \"0xd40\", \"cores\": 2, \"isa\": "
                "\"neon\", \"caches\": {\"L1\": 65536, \"L2\": 1048576}},\n"
                " \"time_us\": {\"median\": 171.5, \"mean\": 171.6, \"ci99\": 1.235, \"n\": 30},\n"
                " \"verified\": \"full\", \"final\": \"won\", \"decides\": true, \"version\": "
                "\"0.1.0\",\n"
                " \"when\": \"2026-11-15T17:20:25Z\",\n"
                " \"config\":\n"
                " {\"mdh_config\": 1, \"machine\": \"cpu\",\n"
                "  \"layers\": [\"L1\"],\n"
                "  \"split\": {\"d1\": [\"L1 8\"], \"d2\": [\"L1 4\"]}}}\n");
}

TEST(TunedText, is_read_back_as_records) {
  const std::string text = print(file_of({entry(1, 8)}));
  const TunedFile file = parse_tuned(text, "p.mdh.tuned");
  ASSERT_EQ(file.entries.size(), 1u);
  EXPECT_TRUE(file.damaged.empty());
  const TunedEntry& one = file.entries[0];
  EXPECT_EQ(one.name, "p");
  EXPECT_EQ(one.record.origin, "p.mdh.tuned:3");
  const Record original = some_record(1, 171.5);
  EXPECT_FALSE(record_for(one, "mdh 1\nprogram q = ...\n"));
  const auto record = record_for(one, original.program);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->program, original.program);
  EXPECT_EQ(record->config, original.config) << "letter by letter, as records are compared";
  EXPECT_EQ(record->time_us, original.time_us);
  EXPECT_TRUE(is_proven(*record));
  EXPECT_TRUE(is_shipped(*record));
  EXPECT_TRUE(record->decides);
  EXPECT_TRUE(is_same(record->machine, original.machine));
}

TEST(TunedText, is_sorted_by_size_as_a_number_then_target_and_machine) {
  TunedEntry other_machine = entry(5, 8);
  other_machine.record.machine.model = "0xd0c";
  const TunedFile file =
      file_of({entry(1, 100), entry(2, 9), entry(3, 8, "opencl"), entry(4, 8), other_machine});
  const std::vector<std::string> expected = {R"({"number":3})", R"({"number":5})",
                                             R"({"number":4})", R"({"number":2})",
                                             R"({"number":1})"};
  const std::string text = print(file);
  EXPECT_EQ(configs_of(parse_tuned(text, "f")), expected);
  TunedFile turned = file;
  std::reverse(turned.entries.begin(), turned.entries.end());
  EXPECT_EQ(print(turned), text) << "in whichever order they were found";
  EXPECT_EQ(print(parse_tuned(text, "f")), text);
}

TEST(TunedText, of_an_entry_that_stays_is_kept_with_what_later_versions_wrote) {
  std::string text = print(file_of({entry(1, 8)}));
  text.replace(text.find(" \"verified\""), 1, " \"future\":   [1],\n ");
  TunedFile file = parse_tuned(text, "f");
  ASSERT_EQ(file.entries.size(), 1u);
  file.entries.push_back(entry(2, 4));
  const std::string changed = print(file);
  EXPECT_NE(changed.find(" \"future\":   [1],\n"), std::string::npos) << changed;
  EXPECT_EQ(changed.find(text.substr(header.size())), changed.size() - text.size() + header.size());
}

TEST(TunedText, without_a_time_is_no_result) {
  TunedEntry one = entry(1, 8);
  one.record.time_us = {};
  one.record.when.clear();
  const std::string text = print(file_of({one}));
  EXPECT_EQ(text.find("time_us"), std::string::npos);
  EXPECT_EQ(text.find("verified"), std::string::npos);
  EXPECT_EQ(text.find("when"), std::string::npos);
  const TunedFile file = parse_tuned(text, "f");
  ASSERT_EQ(file.entries.size(), 1u);
  EXPECT_FALSE(is_proven(file.entries[0].record));
}

TEST(TunedText, of_a_program_that_changed_is_for_another_problem) {
  const TunedEntry one = entry(1, 8);
  TunedEntry other = entry(2, 8);
  EXPECT_TRUE(is_same_problem(one, other));
  other.record.machine.vendor = "Arm Ltd.";
  EXPECT_TRUE(is_same_problem(one, other)) << "vendors are names for people";
  other.key = hash_name("another text");
  EXPECT_FALSE(is_same_problem(one, other));
}

// ---- damage

TEST(TunedDamage, costs_one_entry_and_says_where) {
  std::string text = print(file_of({entry(1, 8), entry(2, 9), entry(3, 10)}));
  const size_t second = text.find("{\"program\"", text.find("{\"program\"") + 1);
  text.replace(text.find("\"openmp\"", second), 8, "openmp");
  const TunedFile file = parse_tuned(text, "dir/p.mdh.tuned");
  EXPECT_EQ(configs_of(file), (std::vector<std::string>{R"({"number":1})", R"({"number":3})"}));
  ASSERT_EQ(file.damaged.size(), 1u);
  const auto line =
      std::count(text.begin(),
                 text.begin() + static_cast<std::ptrdiff_t>(text.find("openmp,", second)), '\n') +
      1;
  EXPECT_EQ(file.damaged[0].complaint,
            fmt::format("dir/p.mdh.tuned:{}: the entry is not used: it is damaged here", line));
  const std::string printed = print(file);
  EXPECT_NE(printed.find("\"target\": openmp,"), std::string::npos) << "nothing is lost";
  EXPECT_EQ(parse_tuned(printed, "f").entries.size(), 2u);
}

TEST(TunedDamage, of_every_kind_is_a_complaint) {
  const auto complaint_about = [](const std::string& block) {
    const TunedFile file = parse_tuned(header + block + "\n", "f");
    EXPECT_TRUE(file.entries.empty());
    return file.damaged.empty() ? "" : file.damaged[0].complaint;
  };
  const std::string form =
      "f:2: the entry is not used: a field has another form than that of entries";
  EXPECT_EQ(complaint_about("{}"), "f:2: the entry is not used: it has no \"key\"");
  EXPECT_EQ(complaint_about(R"({"key": 7, "sizes": {}, "types": {}, "target": "openmp",)"
                            R"( "machine": {}, "config": {}})"),
            "f:2: the entry is not used: \"key\" is no text");
  EXPECT_EQ(complaint_about(R"({"key": "7", "sizes": 8, "types": {}, "target": "openmp",)"
                            R"( "machine": {"cores": 2, "caches": {}}, "config": {}})"),
            form);
  EXPECT_EQ(complaint_about(R"({"key": "7", "sizes": {}, "types": {}, "target": "openmp",)"
                            R"( "machine": {"cores": 2, "caches": {}}, "config": []})"),
            form);
  EXPECT_EQ(complaint_about("{\"key\": \"\xff\"}"),
            "f:2: the entry is not used: it is damaged here");
  EXPECT_EQ(complaint_about("{\n<<<<<<< HEAD\n \"key\": 1}"),
            "f:3: the entry is not used: it is damaged here");
  EXPECT_EQ(complaint_about("{\"key\":"), "f:2: the entry is not used: it is damaged here");
}

TEST(TunedDamage, anywhere_never_crashes) {
  const std::string text = print(file_of({entry(1, 8), entry(2, 9)}));
  for (size_t at = header.size(); at < text.size(); ++at) {
    std::string torn = text.substr(0, at);
    EXPECT_LE(parse_tuned(torn, "f").entries.size(), 2u);
    std::string changed = text;
    changed[at] = '{';
    EXPECT_LE(parse_tuned(changed, "f").entries.size(), 3u);
  }
}

TEST(TunedVersion, that_is_not_known_is_refused) {
  const Diagnostic newer = diagnostic_of([] { parse_tuned("{\"mdh_tuned\": 2}\n{}", "p.tuned"); });
  EXPECT_EQ(newer.code, "E872");
  EXPECT_EQ(to_string(newer.where), "p.tuned:1:1");
  EXPECT_EQ(newer.message, "the file is of version 2, and this mdh knows versions up to 1");
  for (const char* text : {"mdh 1\n", "{\"mdh_record\": 1}\n", "[]", "{\"mdh_tuned\": \"1\"}",
                           "{\"mdh_tuned\": 0}", "{\"mdh_tuned\": "}) {
    EXPECT_EQ(diagnostic_of([&] { parse_tuned(text, "f"); }).code, "E872") << text;
  }
  EXPECT_TRUE(parse_tuned("", "f").entries.empty()) << "a file that was made and not written yet";
  EXPECT_TRUE(parse_tuned(" \n\n", "f").entries.empty());
}

// ---- writing

class TunedFileOnDisk : public ::testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "p.mdh.tuned"; }
  void add(const TunedEntry& one) const {
    rewrite_tuned(path(), [&](TunedFile& file) { file.entries.push_back(one); });
  }

 private:
  TemporaryDirectory folder_;
};

TEST_F(TunedFileOnDisk, is_made_and_extended) {
  EXPECT_TRUE(load_tuned(path()).entries.empty());
  add(entry(2, 9));
  add(entry(1, 8));
  EXPECT_EQ(read_file(path()), print(file_of({entry(1, 8), entry(2, 9)})));
}

TEST_F(TunedFileOnDisk, stays_untouched_if_nothing_changes) {
  add(entry(1, 8));
  const auto before = fs::last_write_time(path());
  rewrite_tuned(path(), [](TunedFile&) {});
  EXPECT_EQ(fs::last_write_time(path()), before);
}

TEST_F(TunedFileOnDisk, of_a_later_version_is_not_overwritten) {
  write_file(path(), "{\"mdh_tuned\": 2}\n");
  EXPECT_EQ(diagnostic_of([&] { add(entry(1, 8)); }).code, "E872");
  EXPECT_EQ(read_file(path()), "{\"mdh_tuned\": 2}\n");
}

TEST_F(TunedFileOnDisk, that_cannot_be_written_stays_as_it_was) {
  add(entry(1, 8));
  const std::string before = read_file(path());
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{100, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const Diagnostic d = diagnostic_of([&] { add(entry(2, 9)); });
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(d.code, "E870");
  EXPECT_EQ(read_file(path()), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(path().parent_path()), {}), 1)
      << "no temporary file stays";
  const Diagnostic folder =
      diagnostic_of([&] { rewrite_tuned(path().parent_path(), [](TunedFile&) {}); });
  EXPECT_EQ(folder.code, "E870");
}

TEST_F(TunedFileOnDisk, keeps_what_several_writers_add_at_once) {
  constexpr int writers = 4, each = 5;
  std::vector<pid_t> children;
  for (int w = 0; w < writers; ++w) {
    const pid_t child = fork();
    if (child == 0) {
      for (int n = 0; n < each; ++n) add(entry(w, 100 * w + n + 1));
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const TunedFile file = load_tuned(path());
  EXPECT_EQ(file.entries.size(), static_cast<size_t>(writers * each));
  EXPECT_TRUE(file.damaged.empty());
}

}  // namespace
}  // namespace mdh::tune::tuned_file_test
