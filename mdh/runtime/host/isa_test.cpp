#include "mdh/runtime/host/isa.h"

#include <gtest/gtest.h>

#include "mdh/runtime/host/compiler.h"
#include "mdh/runtime/host/isa_program.h"
#include "mdh/runtime/process.h"
#include "mdh/runtime/testing.h"

namespace mdh::runtime::host::isa_test {
namespace {

using Words = std::vector<std::string>;

TEST(Isa, program_is_right_without_any_flag) {
  const TemporaryDirectory folder;
  const std::string source = folder.path() / "probe.c", program = folder.path() / "probe";
  write_file(source, isa_program());
  for (const std::string& compiler : find_compilers()) {
    for (const std::string level : {"-O0", "-O3"}) {
      const Exit exit =
          run_program({compiler, level, source, "-o", program, "-lm"}, folder.path(), 60);
      ASSERT_EQ(exit.status, 0) << exit.output;
      EXPECT_EQ(run_program({program}, folder.path(), 20).status, 0) << compiler << " " << level;
    }
  }
}

/// A compiler whose programs do with each flag what the test says.
Script pretending(const std::string& cases) {
  return Script(
      "flag=none\nfor word; do case $word in -m*) flag=$word;; esac; done\n"
      "while [ $# -gt 1 ] && [ \"$1\" != -o ]; do shift; done\n"
      "program() { printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$out\"; chmod +x \"$out\"; }\n"
      "out=$2\ncase $flag in\n" +
      cases + "\nesac");
}

TEST(Isa, first_candidate_that_runs_is_taken) {
  const Script compiler = pretending(
      "-m1) exit 1;;\n"                  // the compiler does not know it
      "-m2) program 'kill -ILL $$';;\n"  // the CPU does not
      "-m3) program 'exit 1';;\n"        // runs, but computes something else
      "-m4) ;;\n"                        // claims success, and there is no program
      "*) program 'exit 0';;");
  EXPECT_EQ(first_isa_that_runs(compiler.path(), {"-m1", "-m2", "-m3", "-m4", "-m5", "-m6"}),
            "-m5");
  EXPECT_EQ(first_isa_that_runs(compiler.path(), {"-m1", "-m2", "-m3", "-m4"}), "");
  EXPECT_EQ(first_isa_that_runs(compiler.path(), {}), "");
}

TEST(Isa, what_is_proven_here_runs_here) {
  for (const std::string& compiler : find_compilers()) {
    const Words flags = proven_isa(compiler, Cache());
    ASSERT_LE(flags.size(), 1u);
    if (flags.empty()) continue;
    EXPECT_EQ(first_isa_that_runs(compiler, flags), flags[0]) << compiler;
  }
}

TEST(Isa, proof_is_kept_in_the_cache) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path() / "cache");
  const Script compiler = pretending("*) echo \"$flag\" >>\"$0.log\"; program 'exit 0';;");
  const Words flags = proven_isa(compiler.path(), cache);
  EXPECT_EQ(cache.use().files, 1);
  const std::string log = read_file(compiler.path() + ".log");
  EXPECT_EQ(proven_isa(compiler.path(), cache), flags);
  EXPECT_EQ(proven_isa(compiler.path(), Cache()), flags) << "from the memory of the process";
  EXPECT_EQ(read_file(compiler.path() + ".log").substr(log.size()), "none\nnone\n")
      << "nothing but questions for the version";
}

TEST(Isa, candidates_go_from_strong_to_weak) {
  EXPECT_EQ(isa_candidates("x86_64").front(), "-march=native");
  EXPECT_EQ(isa_candidates("x86_64").back(), "-march=x86-64-v2");
  EXPECT_EQ(isa_candidates("aarch64").front(), "-mcpu=native");
  EXPECT_FALSE(isa_candidates("riscv64").empty());
}

TEST(Isa, model_of_the_cpu_does_not_change) {
  EXPECT_EQ(cpu_model(), cpu_model());
  EXPECT_FALSE(cpu_model().empty());
}

}  // namespace
}  // namespace mdh::runtime::host::isa_test
