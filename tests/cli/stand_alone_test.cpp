// mdh show --stand-alone: source that a program which knows nothing of mdh can compile and call.
#include <gtest/gtest.h>

#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::stand_alone_test {
namespace {

/// Calls the function on small integers, whose products and sums are exact, and compares.
const char* const matvec_main = R"(
#include <stdio.h>
int run_matvec_call(float *w, const float *M, const float *v);
static float w[7], M[7][13], v[13];
int main(void) {
  for (int k = 0; k < 13; ++k) {
    v[k] = k - 5;
    for (int i = 0; i < 7; ++i) M[i][k] = 3 * i - k;
  }
  for (int i = 0; i < 7; ++i) w[i] = 1e30f;
  if (run_matvec_call(w, &M[0][0], v) != 0) return 2;
  for (int i = 0; i < 7; ++i) {
    float sum = 0;
    for (int k = 0; k < 13; ++k) sum += M[i][k] * v[k];
    if (sum != w[i]) return printf("w[%d] is %g, not %g\n", i, w[i], sum), 1;
  }
  return 0;
}
)";

const std::vector<std::vector<std::string>> with_and_without_openmp = {
    {"-fopenmp"}, {"-Wno-unknown-pragmas", "-Wno-unused-parameter"}};

Outcome compiled_and_run(const std::string& source, const std::string& main,
                         const std::vector<std::string>& flags) {
  const TemporaryDirectory folder;
  const std::string kernel = (folder.path() / "kernel.c").string(),
                    caller = (folder.path() / "main.c").string(),
                    program = (folder.path() / "program").string();
  write_file(kernel, source);
  write_file(caller, main);
  std::vector<std::string> words = {"/usr/bin/env", "cc", "-O2", "-Wall", "-Wextra", "-Werror"};
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {kernel, caller, "-o", program});
  const Outcome built = run_command(words);
  return built.exit == 0 ? run_command({program}) : built;
}

TEST(StandAlone, is_called_by_a_program_with_and_without_openmp) {
  const Outcome shown = mdh("show matvec --size 7,13 --stand-alone");
  ASSERT_EQ(shown.exit, 0) << describe(shown);
  EXPECT_TRUE(contains(shown.out, "w: f32[7], written")) << shown.out;
  for (const auto& flags : with_and_without_openmp) {
    const Outcome outcome = compiled_and_run(shown.out, matvec_main, flags);
    EXPECT_EQ(outcome.exit, 0) << flags.front() << "\n" << describe(outcome) << shown.out;
  }
}

/// Partial results of cores are in a workspace that the caller does not have to know.
TEST(StandAlone, brings_its_workspace) {
  const TemporaryDirectory folder;
  const std::string config = (folder.path() / "config.json").string();
  write_file(config, R"({"mdh_config": 1, "layers": ["COR", "L1"],
    "split": {"k": ["COR 4", "L1 250"]}, "order": ["COR.k", "L1.k"]})");
  const Outcome shown =
      mdh({"show", "dot", "--size", "1000", "--type", "i64", "--config", config, "--stand-alone"});
  ASSERT_EQ(shown.exit, 0) << describe(shown);
  const char* const main = R"(
int run_dot_call(long *z, const long *x, const long *y);
static long z, x[1000], y[1000];
int main(void) {
  long sum = 0;
  for (long k = 0; k < 1000; ++k) sum += (x[k] = k * k) * (y[k] = 7 - k);
  return run_dot_call(&z, x, y) != 0 ? 2 : z != sum;
}
)";
  for (const auto& flags : with_and_without_openmp) {
    const Outcome outcome = compiled_and_run(shown.out, main, flags);
    EXPECT_EQ(outcome.exit, 0) << flags.front() << "\n" << describe(outcome) << shown.out;
  }
}

/// Names of the user's buffers are those of the function's parameters.
TEST(StandAlone, buffers_may_be_called_like_functions_of_c) {
  const TemporaryDirectory folder;
  const std::string program = (folder.path() / "p.mdh").string();
  write_file(
      program,
      "mdh 1\nprogram p = out_view( most: i32 = [i] ) * md_hom( i: 9 by cc ) { most = free + 1; }"
      " * inp_view( free: i32 = [i] )\n");
  const Outcome shown = mdh({"show", program, "--stand-alone"});
  ASSERT_EQ(shown.exit, 0) << describe(shown);
  const char* const main = R"(
int run_p_call(int *most, const int *in);
static int most[9], in[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
int main(void) {
  int wrong = run_p_call(most, in) != 0;
  for (int i = 0; i < 9; ++i) wrong |= most[i] != in[i] + 1;
  return wrong;
}
)";
  const Outcome outcome = compiled_and_run(shown.out, main, {"-fopenmp"});
  EXPECT_EQ(outcome.exit, 0) << describe(outcome) << shown.out;
}

TEST(StandAlone, is_refused_where_there_is_none) {
  const Outcome outcome = mdh("show dot --size 100 --target opencl --stand-alone");
  EXPECT_EQ(outcome.exit, 2) << describe(outcome);
  EXPECT_TRUE(
      contains(outcome.err, "not supported: a stand-alone source for the target 'opencl' [E703]"))
      << outcome.err;
}

}  // namespace
}  // namespace mdh::test::stand_alone_test
