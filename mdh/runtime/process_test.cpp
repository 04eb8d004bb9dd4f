#include "mdh/runtime/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "mdh/runtime/testing.h"

namespace mdh::runtime::process_test {
namespace {

Exit shell(const std::string& script) {
  const TemporaryDirectory scratch;
  return run_program({"sh", "-c", script}, scratch.path());
}

TEST(Process, exit_code_is_the_status) {
  EXPECT_EQ(shell("exit 0").status, 0);
  EXPECT_EQ(shell("exit 3").status, 3);
  EXPECT_EQ(shell("exit 255").status, 255);
}

TEST(Process, both_streams_are_captured_in_order) {
  EXPECT_EQ(shell("echo one; echo two >&2; echo three").output, "one\ntwo\nthree\n");
}

TEST(Process, output_of_a_failure_is_captured) {
  const Exit exit = shell("echo broken >&2; exit 1");
  EXPECT_EQ(exit.status, 1);
  EXPECT_EQ(exit.output, "broken\n");
}

TEST(Process, silence_is_an_empty_output) { EXPECT_EQ(shell(":").output, ""); }

TEST(Process, output_larger_than_a_pipe_is_complete) {
  EXPECT_EQ(shell("head -c 1000000 /dev/zero").output, std::string(1000000, '\0'));
}

TEST(Process, signal_is_128_plus_its_number) {
  EXPECT_EQ(shell("kill -KILL $$").status, 137);
  EXPECT_EQ(shell("kill -TERM $$").status, 143);
}

TEST(Process, program_that_is_missing_cannot_be_started) {
  const TemporaryDirectory scratch;
  const Exit exit = run_program({"/nowhere/nothing", "x"}, scratch.path());
  EXPECT_EQ(exit.status, -1);
  EXPECT_EQ(exit.output, "");
}

TEST(Process, scratch_that_is_missing_starts_nothing) {
  EXPECT_EQ(run_program({"sh", "-c", "exit 0"}, "/nowhere/scratch").status, -1);
}

TEST(Process, words_reach_the_program_as_they_are) {
  const TemporaryDirectory scratch;
  EXPECT_EQ(run_program({"printf", "<%s>", "two words", "$HOME", "", "*"}, scratch.path()).output,
            "<two words><$HOME><><*>");
}

TEST(Process, standard_input_is_empty) {
  const TemporaryDirectory scratch;
  const Exit exit = run_program({"cat"}, scratch.path());
  EXPECT_EQ(exit.status, 0);
  EXPECT_EQ(exit.output, "");
}

TEST(Process, second_run_in_one_scratch_forgets_the_first) {
  const TemporaryDirectory scratch;
  run_program({"echo", "a long first text"}, scratch.path());
  EXPECT_EQ(run_program({"echo", "short"}, scratch.path()).output, "short\n");
}

// ---- time limits and several at once

TEST(Process, time_limit_ends_the_program_and_what_it_started) {
  const TemporaryDirectory scratch;
  const Exit exit =
      run_program({"sh", "-c", "echo begun; sleep 100 & sleep 100"}, scratch.path(), 0.2);
  EXPECT_TRUE(exit.timed_out);
  EXPECT_EQ(exit.status, 137);
  EXPECT_EQ(exit.output, "begun\n");
}

TEST(Process, program_within_its_time_is_left_alone) {
  const TemporaryDirectory scratch;
  const Exit exit = run_program({"sh", "-c", "exit 4"}, scratch.path(), 60);
  EXPECT_FALSE(exit.timed_out);
  EXPECT_EQ(exit.status, 4);
}

TEST(Process, exits_are_in_the_order_of_the_jobs) {
  const TemporaryDirectory one, two, three;
  const std::vector<Exit> exits =
      run_programs({{{"sh", "-c", "sleep 0.2; echo slow; exit 1"}, one.path()},
                    {{"/nowhere/nothing"}, two.path()},
                    {{"sh", "-c", "echo quick; exit 3"}, three.path()}},
                   {.at_once = 2});
  ASSERT_EQ(exits.size(), 3u);
  EXPECT_EQ(exits[0].status, 1);
  EXPECT_EQ(exits[0].output, "slow\n");
  EXPECT_EQ(exits[1].status, -1);
  EXPECT_EQ(exits[2].status, 3);
  EXPECT_EQ(exits[2].output, "quick\n");
}

TEST(Process, no_more_than_asked_run_at_once) {
  const TemporaryDirectory shared;
  const std::vector<TemporaryDirectory> scratches(6);
  std::vector<Job> jobs;
  for (const TemporaryDirectory& scratch : scratches) {
    const std::string script =
        fmt::format("cd {0}; touch {1}; ls | wc -l; sleep 0.05; rm {1}", shared.path().string(),
                    scratch.path().filename().string());
    jobs.push_back({{"sh", "-c", script}, scratch.path()});
  }
  for (const Exit& exit : run_programs(jobs, {.at_once = 2})) {
    EXPECT_TRUE(exit.output == "1\n" || exit.output == "2\n") << exit.output;
  }
  EXPECT_TRUE(run_programs({}, {.at_once = 2}).empty());
}

TEST(FindProgram, name_is_looked_up_on_the_path) {
  const Script script("exit 0", "mdh-test-program");
  const ScopedEnvironment path("PATH", "/nowhere:" + script.folder());
  EXPECT_EQ(find_program("mdh-test-program"), script.path());
  EXPECT_EQ(find_program("mdh-test-progra"), "");
}

TEST(FindProgram, first_folder_of_the_path_wins) {
  const Script first("exit 0"), second("exit 0");
  const ScopedEnvironment path("PATH", first.folder() + ":" + second.folder());
  EXPECT_EQ(find_program("script"), first.path());
}

TEST(FindProgram, without_a_path_the_usual_folders_are_searched) {
  const ScopedEnvironment path("PATH", std::nullopt);
  const std::string found = find_program("sh");
  EXPECT_TRUE(found == "/usr/bin/sh" || found == "/bin/sh") << found;
}

TEST(FindProgram, name_with_a_slash_is_taken_as_it_is) {
  const Script script("exit 0");
  EXPECT_EQ(find_program(script.path()), script.path());
  EXPECT_EQ(find_program("/nowhere/nothing"), "");
}

TEST(FindProgram, what_cannot_be_executed_is_no_program) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "text", "no program");
  EXPECT_EQ(find_program((folder.path() / "text").string()), "") << "a file without permission";
  EXPECT_EQ(find_program(folder.path().string()), "") << "a folder";
  EXPECT_EQ(find_program(""), "") << "nothing at all";
}

// ---- several calls at the same time

TEST(Process, slots_are_shared_by_all_who_have_them) {
  Slots slots(2);
  EXPECT_TRUE(slots.take());
  EXPECT_TRUE(slots.take());
  EXPECT_FALSE(slots.take());
  slots.give_back();
  EXPECT_TRUE(slots.take());
}

TEST(Process, calls_that_share_slots_run_no_more_programs_than_there_are) {
  const TemporaryDirectory running;
  const auto slots = std::make_shared<Slots>(1);
  std::vector<std::string> counts;
  std::mutex mutex;
  const auto work = [&] {
    const TemporaryDirectory scratch;
    const std::string script =
        fmt::format("cd {}; touch $$; ls | wc -l; sleep 0.05; rm $$", running.path().string());
    const std::vector<Job> jobs(3, {{"sh", "-c", script}, scratch.path()});
    for (const Exit& exit : run_programs(jobs, {.at_once = 3, .slots = slots})) {
      const std::lock_guard<std::mutex> lock(mutex);
      counts.push_back(exit.output);
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(counts, std::vector<std::string>(6, "1\n"));
  EXPECT_TRUE(slots->take()) << "all are given back";
}

TEST(Process, programs_in_the_background_get_out_of_the_way) {
  const TemporaryDirectory scratch;
  const std::vector<Job> jobs = {{{"sh", "-c", "sleep 0.2; nice"}, scratch.path()}};
  EXPECT_EQ(run_programs(jobs, {.is_background = true}).front().output, "10\n");
}

TEST(Process, what_is_cancelled_ends_at_once_with_all_that_it_started) {
  const TemporaryDirectory one, two;
  const auto slots = std::make_shared<Slots>(1);
  const std::string script =
      fmt::format("sleep 100 & echo $! > {}/child; wait", one.path().string());
  const std::vector<Job> jobs = {{{"sh", "-c", script}, one.path()},
                                 {{"sh", "-c", "touch begun"}, two.path()}};
  const auto is_begun = [&] { return std::filesystem::exists(one.path() / "child"); };
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Exit> exits = run_programs(jobs, {.slots = slots, .is_cancelled = is_begun});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(exits.size(), 2u);
  EXPECT_NE(exits[0].status, 0);
  EXPECT_NE(exits[1].status, 0) << "it was never started";
  EXPECT_TRUE(slots->take()) << "what was taken is given back";
}

}  // namespace
}  // namespace mdh::runtime::process_test
