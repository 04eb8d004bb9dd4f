// What compiled code may do to mdh, which is nothing, and what is left of it: the cache.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "mdh/runtime/process.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::runtime_test {
namespace {

using runtime::ScopedEnvironment;
using runtime::Script;

// ---- the worker

/// The outcome of a run whose kernel first does something else.
Outcome run_doing(const std::string& statement, const std::string& options = "") {
  const Script compiler =
      runtime::sabotaged_compiler("s/run_matvec(buffers.*;/" + statement + "; &/");
  const ScopedEnvironment cc("MDH_CC", compiler.path());
  return mdh("run matvec --size 7,13 -q" + options);
}

TEST(WorkerOfRun, kernel_that_crashes_is_reported) {
  const Outcome o = run_doing("*(volatile int *)16 = 1");
  EXPECT_EQ(o.exit, 70) << describe(o);
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(
      o.err,
      "mdh: internal error: the compiled kernel crashed with signal 11 (Segmentation fault) at "
      "address 0x10 [E609]\n"
      "hint: this is a bug of mdh or of the compiler; please report it with the command "
      "that led here\n");
}

TEST(WorkerOfRun, in_this_process_the_crash_is_its_end) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends the process in its own way";
#endif
  EXPECT_EQ(run_doing("*(volatile int *)16 = 1", " --in-process").exit, 128 + 11);
}

TEST(WorkerOfRun, kernel_that_exits_is_reported) {
  const Outcome o = run_doing("void exit(int); exit(0)");
  EXPECT_EQ(o.exit, 70) << describe(o);
  EXPECT_EQ(o.out, "");
  EXPECT_TRUE(contains(o.err, "the compiled kernel ended the process with exit code 0 [E609]\n"))
      << o.err;
}

TEST(WorkerOfRun, kernel_that_hangs_is_ended) {
  const Outcome o = run_doing("for (volatile int n = 1; n;)", " --time-limit 0.5");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_EQ(o.err,
            "mdh: error: the compiled kernel did not finish within 0.5 s [E618]\n"
            "hint: allow more time with --time-limit, or use a smaller size\n");
}

TEST(WorkerOfRun, what_a_kernel_prints_does_not_mix_with_the_results) {
  const Outcome o = run_doing("int puts(const char *); puts(\"noise\")", " --json");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_FALSE(contains(o.out, "noise")) << o.out;
}

TEST(WorkerOfRun, with_and_without_it_the_results_are_the_same) {
  const TemporaryDirectory folder;
  const std::string one = folder.path() / "one.npy", two = folder.path() / "two.npy";
  const std::string line = "run matmul --size 5,7,11 -q --threads 3 --output C=";
  EXPECT_EQ(mdh(line + one).exit, 0);
  EXPECT_EQ(mdh(line + two + " --in-process").exit, 0);
  EXPECT_EQ(read_file(one), read_file(two));
}

TEST(WorkerOfRun, without_the_program_the_kernel_runs_in_the_process_of_mdh) {
  const TemporaryDirectory folder;
  const std::string alone = folder.path() / "mdh";
  std::filesystem::copy(MDH_TOOL, alone);
  const Outcome o = run_command({alone, "run", "dot", "--size", "100", "-q"});
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(run_command({alone, "doctor"}).out, "worker: none; ")) << o.out;
}

TEST(WorkerOfRun, program_that_is_named_must_be_there) {
  const ScopedEnvironment worker("MDH_WORKER", "/nonexistent");
  const Outcome o = mdh("run dot --size 100 -q");
  EXPECT_EQ(o.exit, 3);
  EXPECT_EQ(o.err,
            "mdh: error: the program '/nonexistent' named by MDH_WORKER was not found [E608]\n"
            "hint: it is called mdh-worker and is built together with mdh\n");
  EXPECT_EQ(mdh("run dot --size 100 -q --in-process").exit, 0);
  EXPECT_EQ(mdh("run dot --size 100 -q --target reference").exit, 0);
}

TEST(WorkerOfRun, program_started_by_hand_says_what_it_is) {
  const std::filesystem::path folder = std::filesystem::path(MDH_TOOL).parent_path();
  for (const std::string argument : {"", "0"}) {
    std::vector<std::string> words = {(folder / "mdh-worker").string()};
    if (!argument.empty()) words.push_back(argument);
    const Outcome o = run_command(words);
    EXPECT_EQ(o.exit, 2);
    EXPECT_TRUE(contains(o.err, "mdh-worker is started by mdh")) << o.err;
  }
}

// ---- compilers and flags of configurations

Outcome run_with_kernel(const std::string& kernel) {
  const TemporaryDirectory folder;
  const std::string file = folder.path() / "config.json";
  write_file(file,
             "{\"mdh_config\": 1, \"layers\": [\"MM\"], \"split\": {\"i\": [\"MM 7\"], \"k\": "
             "[\"MM 13\"]},"
             " \"order\": [\"MM.i\", \"MM.k\"], \"code\": {\"kernel\": " +
                 kernel + "}}");
  return mdh("run matvec --size 7,13 -q --config " + file);
}

TEST(CompilerOfConfig, compiler_and_flags_are_those_of_the_configuration) {
  const Script compiler("echo \" $* \" >\"$0.log\"\nexec cc \"$@\"");
  const ScopedEnvironment cc("MDH_CC", "gcc:" + compiler.path());
  const Outcome o = run_with_kernel("{\"compiler\": \"" + compiler.path() +
                                    "\", \"flags\": [\"-O1\", \"-fno-unroll-loops\"]}");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(read_file(compiler.path() + ".log"), " -O1 -fno-unroll-loops "));
}

TEST(CompilerOfConfig, flag_that_is_refused_is_a_mistake) {
  const Outcome o = run_with_kernel("{\"flags\": [\"-march=no-such-cpu\"]}");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err, " refused a kernel with the flags '-march=no-such-cpu' of the"))
      << o.err;
  EXPECT_TRUE(contains(o.err, "[E605]\nhint: it compiles without them: take them out\n")) << o.err;
}

TEST(CompilerOfConfig, flags_that_may_do_anything_are_refused_where_they_stand) {
  for (const std::string flag : {"-Ofast", "-ffast-math", "-fplugin=x.so", "-specs=x", "@file",
                                 "-o", "-wrapper", "-DX", "-include", "x.c"}) {
    const Outcome o = run_with_kernel("{\"flags\": [\"-O2\", \"" + flag + "\"]}");
    EXPECT_EQ(o.exit, 2) << describe(o);
    EXPECT_TRUE(contains(o.err, "config.json:1:")) << o.err;
    EXPECT_TRUE(contains(o.err, "error: \"flags\": '" + flag +
                                    "' is none of the flags that are known to change neither "
                                    "results nor files [E355]\n"))
        << o.err;
    EXPECT_TRUE(contains(o.err, "configurations may have -O0 to -O3, switches of ")) << o.err;
  }
}

TEST(CompilerOfConfig, program_that_the_user_did_not_name_is_not_run) {
  const Script program("touch \"$0.ran\"\nexec cc \"$@\"");
  const Outcome o = run_with_kernel("{\"compiler\": \"" + program.path() + "\"}");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err, "code.kernel.compiler: '" + program.path() +
                                  "' is no C compiler that a configuration may name [E620]\n"
                                  "hint: write gcc, clang, or one with a version such as gcc-13;"))
      << o.err;
  EXPECT_FALSE(std::filesystem::exists(program.path() + ".ran"));
}

TEST(CompilerOfConfig, compiler_that_is_missing_is_named) {
  const Outcome o = run_with_kernel("{\"compiler\": \"gcc-99\"}");
  EXPECT_EQ(o.exit, 3) << describe(o);
  EXPECT_TRUE(contains(
      o.err, "the C compiler 'gcc-99' that the configuration names was not found [E604]\n"))
      << o.err;
}

TEST(CompilerOfConfig, other_choices_for_the_code_do_not_change_the_result) {
  const Outcome o = run_with_kernel("{\"compiler\": \"gcc\", \"launch_bounds\": [64]}");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "\nverified: full")) << o.out;
}

// ---- the cache

TEST(CacheVerb, shows_and_clears_what_runs_leave) {
  const TemporaryDirectory folder;
  const std::string path = folder.path() / "cache";
  const ScopedEnvironment cache("MDH_CACHE", path), limit("MDH_CACHE_LIMIT", "5M");
  EXPECT_EQ(mdh("cache").out,
            "folder: " + path + "\nholds: 0 files, 0 bytes\nlimit: 5242880 bytes\n");
  EXPECT_EQ(mdh("cache clear").out, "removed: 0 files, 0 bytes\n");
  ASSERT_EQ(mdh("run dot --size 100 -q").exit, 0);
  const std::string full = mdh("cache").out;
  std::smatch match;
  ASSERT_TRUE(std::regex_search(full, match, std::regex("holds: (3 files, [0-9]+ bytes)\n")))
      << full << "one kernel, its twin, and one proof of an instruction set";
  EXPECT_EQ(mdh("cache clear").out, "removed: " + match[1].str() + "\n");
  EXPECT_TRUE(std::filesystem::is_empty(path));
}

TEST(CacheVerb, kernel_and_twin_are_compiled_once) {
  const TemporaryDirectory folder;
  const Script compiler(
      "for word; do [ \"$word\" = -shared ] && echo x >>\"$0.log\"; done\nexec cc \"$@\"");
  const ScopedEnvironment cache("MDH_CACHE", folder.path().string()), cc("MDH_CC", compiler.path());
  for (const std::string line : {"run dot --size 100 -q", "run dot --size 100 -q --seed 2",
                                 "run dot --size 100 -q --in-process"}) {
    EXPECT_EQ(mdh(line).exit, 0);
    EXPECT_EQ(read_file(compiler.path() + ".log"), "x\nx\n") << line;
  }
  EXPECT_EQ(mdh("run dot --size 101 -q").exit, 0);
  EXPECT_EQ(read_file(compiler.path() + ".log"), "x\nx\nx\nx\n");
}

TEST(CacheVerb, can_be_switched_off) {
  const ScopedEnvironment cache("MDH_CACHE", "off");
  EXPECT_EQ(mdh("cache").out, "off (MDH_CACHE names a folder)\n");
  EXPECT_EQ(mdh("cache clear").out, "removed: 0 files, 0 bytes\n");
  EXPECT_EQ(mdh("run dot --size 100 -q").exit, 0);
}

TEST(CacheVerb, folder_that_cannot_be_written_does_not_fail_a_run) {
  const ScopedEnvironment cache("MDH_CACHE", "/proc/nothing");
  const Outcome o = mdh("run dot --size 100 -q");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.err, "");
}

TEST(CacheVerb, limit_that_cannot_be_read_is_a_mistake) {
  const ScopedEnvironment limit("MDH_CACHE_LIMIT", "much");
  const Outcome o = mdh("cache");
  EXPECT_EQ(o.exit, 2);
  EXPECT_EQ(o.err,
            "mdh: error: MDH_CACHE_LIMIT: cannot read 'much' [E606]\n"
            "hint: write a number of bytes, or one such as 500M or 2G\n");
}

TEST(CacheVerb, knows_no_other_verb) { EXPECT_EQ(mdh("cache empty").exit, 2); }

// ---- devices

TEST(DevicesVerb, lists_the_host_with_its_compilers) {
  const Outcome o = mdh("devices");
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_EQ(o.out.find("host: "), 0u) << o.out;
  EXPECT_TRUE(std::regex_search(o.out, std::regex("\n  cores: [0-9]+\n"))) << o.out;
  EXPECT_TRUE(std::regex_search(
      o.out, std::regex("\n  compiler /[^ ]+: .* version .*; instruction set: .*\n")))
      << o.out;
}

TEST(DevicesVerb, every_compiler_of_the_variable_has_a_line) {
  const Script one("exec cc \"$@\"", "one"), two("exec cc \"$@\"", "two");
  const ScopedEnvironment cc("MDH_CC", one.path() + ":" + two.path());
  const std::string out = mdh("devices").out;
  EXPECT_TRUE(contains(out, "  compiler " + one.path() + ": ")) << out;
  EXPECT_TRUE(contains(out, "  compiler " + two.path() + ": ")) << out;
}

}  // namespace
}  // namespace mdh::test::runtime_test
