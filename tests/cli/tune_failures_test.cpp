// mdh tune when things go wrong: nothing that was measured is lost, and the search goes on.
//
// Candidates fail because of a compiler that changes the source on its way. The untuned choice is
// the first trial, as run_matvec. Then the search compiles several kernels at a time, run_matvec_0,
// run_matvec_1 and so on, in the order in which it tries them.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "mdh/runtime/testing.h"
#include "mdh/support/text.h"
#include "mdh/tune/database.h"
#include "tests/cli/tool.h"

namespace mdh::test::tune_failures_test {
namespace {

using nlohmann::json;
using runtime::ScopedEnvironment;
using runtime::Script;

// ---- candidates that fail

/// sed commands that put C into a kernel, before or after it computes. Kernels are digits: "3", or
/// "[0-6]" for several.
std::string before(const std::string& kernels, const std::string& code) {
  return fmt::format("/^void run_matvec_{}_entry(/a {}\n", kernels, code);
}
std::string after(const std::string& kernels, const std::string& code) {
  return fmt::format("/^  run_matvec_{}(buffers/a {}\n", kernels, code);
}

/// The same, of the untuned choice.
std::string before_in_untuned(const std::string& code) {
  return fmt::format("/^void run_matvec_entry(/a {}\n", code);
}

const std::string no_c = "this is no C";
const std::string crash = "*(volatile int *)16 = 1;";
const std::string wrong = "((float *)buffers[0])[0] += 1;";
const std::string ignore_signals =
    "void (*signal(int, void (*)(int)))(int);"
    " for (int s = 1; s < 32; ++s) signal(s, (void (*)(int))1);";
const std::string endless = ignore_signals + " for (volatile int n = 0;;) n = n + 1;";
const std::string greedy =
    "void *malloc(unsigned long); volatile char *block = malloc(1UL << 36); block[0] = 1;";
const std::string greedy_the_second_time =
    "char *getenv(const char *); int setenv(const char *, const char *, int);"
    " if (getenv(\"SECOND\")) { " +
    greedy + " } setenv(\"SECOND\", \"1\", 1);";

/// Lowers a limit of this process, and so of those it starts.
class ScopedLimit {
 public:
  ScopedLimit(__rlimit_resource resource, rlim_t value) : resource_(resource) {
    getrlimit(resource_, &old_);
    const rlimit lower{value, old_.rlim_max};
    setrlimit(resource_, &lower);
  }
  ~ScopedLimit() { setrlimit(resource_, &old_); }
  ScopedLimit(const ScopedLimit&) = delete;
  ScopedLimit& operator=(const ScopedLimit&) = delete;

 private:
  __rlimit_resource resource_;
  rlimit old_{};
};

class TuneFailures : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() / name; }
  std::string file() const { return path("records.jsonl"); }

  std::vector<std::string> tune(const std::string& options) const {
    return split(MDH_TOOL " tune matvec --size 16,16 --records " + file() + " " + options, ' ');
  }
  json report_of(const std::string& options) const {
    const Outcome o = run_command(tune(options + " --json -q"));
    EXPECT_EQ(o.exit, 0) << describe(o);
    return json::parse(o.out, nullptr, false);
  }

  tune::Contents contents() const { return tune::Database(file()).load(); }
  std::vector<tune::Record> with(tune::RecordOutcome outcome) const {
    std::vector<tune::Record> some = contents().records;
    std::erase_if(some, [&](const tune::Record& r) { return r.outcome != outcome; });
    return some;
  }

  /// The fastest record is used by a run, whatever became of the search.
  void expect_usable_records() const {
    const Outcome o = mdh("run matvec --size 16,16 --require-tuned -q --records " + file());
    EXPECT_EQ(o.exit, 0) << describe(o);
  }

  TemporaryDirectory folder_;
  const ScopedEnvironment cache_{"MDH_CACHE", path("cache")};
  const ScopedEnvironment temporary_{"TMPDIR", folder_.path().string()};
};

/// Of those that other programs disturbed only if there are no others.
double best_time(const std::vector<tune::Record>& records) {
  std::pair<bool, double> best{true, 1e9};
  for (const tune::Record& record : records) {
    if (record.outcome != tune::RecordOutcome::ok) continue;
    best = std::min(best, {tune::is_loaded(record), record.time_us.median});
  }
  return best.second;
}

/// What is computed and how, whoever compiles it. The other decisions about the kernel count: two
/// configurations may differ in nothing but the order in which it computes.
std::string without_compiler(const tune::Record& record) {
  json config = json::parse(record.config);
  json& kernel = config["code"]["kernel"];
  if (kernel.is_null()) kernel = json::object();
  kernel.erase("compiler");
  kernel.erase("flags");
  return config.dump();
}

TEST_F(TuneFailures, every_kind_is_recorded_with_its_reason_and_the_best_is_kept) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer needs more address space than the test leaves";
#endif
  using enum tune::RecordOutcome;
  const std::vector<std::pair<tune::RecordOutcome, std::string>> expected = {
      {ok, ""},
      {out_of_memory, "ran out of memory"},
      {compile_error, "error: unknown type name"},
      {crash, "signal 11 (Segmentation fault) at address 0x10"},
      {ok, ""},
      {timeout, "did not finish within"},
      {wrong, "element 0 of output 'w' is"},
      {ok, ""},
      {ok, ""}};
  const Script compiler =
      runtime::sabotaged_compiler(before("0", greedy_the_second_time) + before("1", no_c) +
                                  before("2", tune_failures_test::crash) + before("4", endless) +
                                  after("5", tune_failures_test::wrong));
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  const ScopedLimit memory(RLIMIT_AS, rlim_t{1} << 33);
  const json report = report_of("--budget 9");
  EXPECT_EQ(report["failures"], json({{"compile_error", 1},
                                      {"crash", 1},
                                      {"out_of_memory", 1},
                                      {"timeout", 1},
                                      {"wrong", 1}}));
  EXPECT_EQ(report["recorded"], 9);
  const std::vector<tune::Record> records = contents().records;
  ASSERT_EQ(records.size(), expected.size());
  for (size_t n = 0; n < records.size(); ++n) {
    EXPECT_EQ(to_string(records[n].outcome), to_string(expected[n].first)) << n;
    EXPECT_TRUE(contains(records[n].reason, expected[n].second)) << records[n].reason;
  }
  EXPECT_EQ(report["best_us"], best_time(records));
  expect_usable_records();
}

TEST_F(TuneFailures, are_summed_up_in_words) {
  const Script compiler =
      runtime::sabotaged_compiler(before("[13]", crash) + after("2", tune_failures_test::wrong));
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  const Outcome o = run_command(tune("--budget 6"));
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "tried       6 configurations, failed: 2 crash, 1 wrong\n")) << o.out;
}

TEST_F(TuneFailures, one_that_works_is_enough) {
  const Script compiler =
      runtime::sabotaged_compiler(before("[0-4]", crash) + after("[56]", wrong));
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  const json report = report_of("--budget 8");
  EXPECT_EQ(report["failures"], json({{"crash", 5}, {"wrong", 2}}));
  ASSERT_EQ(with(tune::RecordOutcome::ok).size(), 1u);
  EXPECT_EQ(report["best_us"], with(tune::RecordOutcome::ok).front().time_us.median);
}

TEST_F(TuneFailures, what_crashed_or_was_wrong_is_not_tried_again) {
  {
    const Script compiler =
        runtime::sabotaged_compiler(before("1", crash) + after("2", wrong) + before("3", no_c));
    const ScopedEnvironment cc("MDH_CC", compiler.path());
    report_of("--budget 5");
  }
  const std::vector<tune::Record> first = contents().records;
  EXPECT_EQ(report_of("--budget 5")["failures"], json::object());
  const std::vector<tune::Record> all = contents().records;
  ASSERT_EQ(all.size(), 10u);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin(),
                         [](const auto& a, const auto& b) { return print(a) == print(b); }));
  // What a compiler refused may be tried once more, nothing else.
  for (size_t old = 0; old < first.size(); ++old) {
    for (size_t n = first.size(); n < all.size(); ++n) {
      const bool may_come_again = old == 4 || tune::is_loaded(first[old]);
      EXPECT_TRUE(may_come_again || without_compiler(all[n]) != without_compiler(first[old]))
          << first[old].config;
    }
  }
}

TEST_F(TuneFailures, if_nothing_works_the_reasons_are_told) {
  const Script compiler = runtime::sabotaged_compiler(
      before_in_untuned(crash) + before("[01]", crash) + after("[2-6]", wrong));
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  const Outcome o = run_command(tune("--budget 8 -q"));
  EXPECT_EQ(o.exit, 4) << describe(o);
  EXPECT_TRUE(contains(o.err, "no configuration works [E880]")) << o.err;
  EXPECT_TRUE(contains(o.err, "note: 3 crash, the first: crashed with signal 11")) << o.err;
  EXPECT_TRUE(contains(o.err, "note: 5 wrong, the first: element 0 of output 'w' is")) << o.err;
  EXPECT_EQ(contents().records.size(), 8u);
}

TEST_F(TuneFailures, search_with_a_final_survives_them) {
  const std::string command =
      "tune matvec --size 1,1 --restricted --budget 10m --json -q --records " + file();
  const Script compiler =
      runtime::sabotaged_compiler(before("1", crash) + after("2", wrong) + before("4", no_c));
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  const Outcome o = mdh(command);
  ASSERT_EQ(o.exit, 0) << describe(o);
  const json report = json::parse(o.out, nullptr, false);
  EXPECT_EQ(report["stopped_by"], "space exhausted");
  EXPECT_EQ(report["evaluations"], contents().records.size());
  const auto in_final = [](const tune::Record& r) { return contains(r.compiler, "-O3"); };
  const std::vector<tune::Record> good = with(tune::RecordOutcome::ok);
  EXPECT_TRUE(std::any_of(good.begin(), good.end(), in_final));
  const std::vector<tune::Record> crashed = with(tune::RecordOutcome::crash);
  EXPECT_TRUE(std::any_of(crashed.begin(), crashed.end(), in_final));
  // With nothing left to try, there is still a final among what is known.
  const Outcome again = mdh(command);
  ASSERT_EQ(again.exit, 0) << describe(again);
  EXPECT_EQ(json::parse(again.out, nullptr, false)["stopped_by"], "space exhausted");
}

TEST_F(TuneFailures, compiler_that_is_gone_ends_the_search_and_keeps_the_best) {
  // It compiles what has the first kernel of a batch, once, and all twins: what is not verified is
  // not kept.
  const Script compiler(
      "for word; do case \"$word\" in */kernels.c) grep -q _twin \"$word\" && exec cc \"$@\"; grep "
      "-q run_matvec_0_entry \"$word\" || exit 1;"
      " [ -e \"$0.used\" ] && exit 1; touch \"$0.used\";; esac; done\nexec cc \"$@\"");
  Outcome o;
  {
    const ScopedEnvironment cc("MDH_CC", compiler.path());
    o = run_command(tune("--budget 10000"));
  }
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "the search ended early: nothing compiles: " + compiler.path() +
                                  " ended with exit code 1, without a word"))
      << o.err;
  EXPECT_GE(with(tune::RecordOutcome::ok).size(), 1u);
  EXPECT_LT(with(tune::RecordOutcome::compile_error).size(), 100u);
  expect_usable_records();
}

// ---- records that cannot be written or read

TEST_F(TuneFailures, full_disk_keeps_what_is_there_and_the_best) {
  ASSERT_EQ(run_command(tune("--budget 2 -q")).exit, 0);
  // The file may grow by little more than one record.
  const std::string two = read_file(file());
  constexpr size_t limit = 4 << 20;
  std::string many;
  while (many.size() + 2 * two.size() < limit) many += two;
  write_file(file(), many);
  const size_t count = contents().records.size();
  Outcome o;
  {
    const ScopedLimit size(RLIMIT_FSIZE, many.size() + two.size());
    o = run_command(tune("--budget 8"));
  }
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "results are not recorded: cannot write the tuning records '" +
                                  file() + "': File too large"))
      << o.err;
  EXPECT_EQ(o.err.find("not recorded"), o.err.rfind("not recorded")) << "said once";
  EXPECT_TRUE(contains(o.out, "tried       8 configurations\nbest ")) << o.out;
  const tune::Contents left = contents();
  EXPECT_EQ(left.unreadable, 0);
  EXPECT_GT(left.records.size(), count) << "there was room for one";
  EXPECT_LT(left.records.size(), count + 8);
  EXPECT_TRUE(contains(
      o.out, fmt::format("recorded    {} of 8 results, {}\n", left.records.size() - count, file())))
      << o.out;
  EXPECT_EQ(read_file(file()).substr(0, many.size()), many);
  expect_usable_records();
}

TEST_F(TuneFailures, limit_that_is_too_small_for_anything_is_an_error_and_not_a_signal) {
  const ScopedLimit size(RLIMIT_FSIZE, 4096);
  const Outcome o = run_command(tune("--budget 2 -q"));
  EXPECT_EQ(o.exit, 3);
  EXPECT_TRUE(contains(o.err, "File too large [E603]")) << o.err;
}

TEST_F(TuneFailures, messages_that_nobody_can_read_do_not_end_the_search) {
  std::vector<std::string> words = {"/bin/sh", "-c", "exec \"$@\" 2>/dev/full", "sh"};
  for (const std::string& word : tune("--budget 3")) words.push_back(word);
  const Outcome o = run_command(words);
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(contents().records.size(), 3u);
}

TEST_F(TuneFailures, torn_last_line_costs_nothing_but_itself) {
  ASSERT_EQ(run_command(tune("--budget 4 -q")).exit, 0);
  const std::string whole = read_file(file());
  for (const size_t missing : {size_t{1}, size_t{2}, size_t{200}}) {
    write_file(file(), whole.substr(0, whole.size() - missing));
    const size_t before_ = contents().records.size();
    EXPECT_EQ(before_, missing == 1 ? 4u : 3u) << "a line without its end is whole";
    EXPECT_EQ(report_of("--budget 2")["recorded"], 2);
    EXPECT_EQ(contents().records.size(), before_ + 2);
    EXPECT_EQ(contents().unreadable, missing == 1 ? 0 : 1);
    expect_usable_records();
  }
}

TEST_F(TuneFailures, records_of_the_user_that_cannot_be_read_are_noted) {
  std::filesystem::create_directories(path("mdh/records.jsonl"));
  const ScopedEnvironment data("XDG_DATA_HOME", folder_.path().string());
  const Outcome o = mdh("tune matvec --size 16,16 --budget 2");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.err, "mdh: note: no records: cannot read '")) << o.err;
  EXPECT_TRUE(contains(o.err, "results are not recorded: ")) << o.err;
}

TEST_F(TuneFailures, two_searches_at_the_same_time_share_a_file) {
  Started one(tune("--budget 12 --seed 1 -q")), other(tune("--budget 12 --seed 2 -q"));
  EXPECT_EQ(one.wait().exit, 0);
  EXPECT_EQ(other.wait().exit, 0);
  EXPECT_EQ(contents().records.size(), 24u);
  EXPECT_EQ(contents().unreadable, 0);
  expect_usable_records();
}

// ---- a search that is ended from outside

/// Processes that run this program.
size_t processes_of(const std::string& program) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream line(entry.path() / "cmdline", std::ios::binary);
    std::string first;
    std::getline(line, first, '\0');
    if (first == program) ++count;
  }
  return count;
}

bool soon(const std::function<bool()>& holds) {
  for (int turn = 0; turn < 100; ++turn) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

class TuneEnded : public TuneFailures {
 protected:
  TuneEnded() {
    std::filesystem::create_symlink(std::filesystem::path(MDH_TOOL).parent_path() / "mdh-worker",
                                    worker());
  }
  std::string worker() const { return path("worker-of-this-test"); }

  const ScopedEnvironment worker_{"MDH_WORKER", worker()};
};

TEST_F(TuneEnded, killed_in_the_middle_it_leaves_no_worker_and_is_resumed) {
  {
    // The fourth candidate kills the search that measures it, and then never ends.
    const Script compiler = runtime::sabotaged_compiler(
        before("3", "int getppid(void), kill(int, int); kill(getppid(), 9); " + endless));
    const ScopedEnvironment cc("MDH_CC", compiler.path());
    EXPECT_EQ(run_command(tune("--budget 8 -q")).exit, 128 + SIGKILL);
  }
  EXPECT_TRUE(soon([&] { return processes_of(worker()) == 0; })) << "a worker is left";
  const std::vector<tune::Record> first = with(tune::RecordOutcome::ok);
  ASSERT_EQ(first.size(), 4u);
  EXPECT_EQ(contents().unreadable, 0);
  const json report = report_of("--budget 8");
  EXPECT_EQ(report["evaluations"], 8);
  const std::vector<tune::Record> all = contents().records;
  ASSERT_EQ(all.size(), 12u);
  // Compilers differ between the two, which is why the configurations are compared without them.
  std::set<std::string> known;
  for (const tune::Record& record : all) {
    EXPECT_FALSE(known.contains(without_compiler(record))) << "measured again: " << record.config;
    if (!tune::is_loaded(record)) known.insert(without_compiler(record));
  }
  EXPECT_EQ(report["best_us"], best_time(all)) << "whichever of the two found it";
}

TEST_F(TuneEnded, killed_at_any_time_it_leaves_whole_records) {
  size_t known = 0;
  for (const int milliseconds : {150, 250, 350, 450, 600}) {
    {
      const Started search(tune("--budget 1000 -q"));
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }  // kills it
    EXPECT_TRUE(soon([&] { return processes_of(worker()) == 0; })) << "a worker is left";
    EXPECT_LE(contents().unreadable, 1);
    EXPECT_GE(contents().records.size(), known);
    known = contents().records.size();
  }
  const json report = report_of("--budget 3");
  EXPECT_EQ(report["recorded"], 3);
  EXPECT_EQ(contents().records.size(), known + 3);
  expect_usable_records();
}

TEST_F(TuneEnded, interrupted_it_keeps_the_best_and_blames_no_candidate) {
  // The fourth candidate presses Ctrl-C, once: everybody of the group hears of it, the worker, too.
  const Script compiler = runtime::sabotaged_compiler(
      before("3", "int kill(int, int), mkdir(const char *, unsigned); if (mkdir(\"" + file() +
                      ".pressed\", 448) == 0) kill(0, 2);"));
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  const Outcome o = Started(tune("--budget 8 -q --json")).wait();
  EXPECT_EQ(o.exit, 130) << describe(o);
  const json report = json::parse(o.out, nullptr, false);
  EXPECT_EQ(report["stopped_by"], "interrupted");
  EXPECT_EQ(report["failures"], json::object());
  EXPECT_EQ(with(tune::RecordOutcome::ok).size(), 5u);
  EXPECT_EQ(contents().records.size(), 5u);
  EXPECT_EQ(report["no_gain_because"], "the search was interrupted");
  EXPECT_TRUE(soon([&] { return processes_of(worker()) == 0; })) << "a worker is left";
}

}  // namespace
}  // namespace mdh::test::tune_failures_test
