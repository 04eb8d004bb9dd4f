// Right results that overflow, vanish or are no numbers are right, and wrong ones among them are
// found.
#include <gtest/gtest.h>

#include <cmath>

#include "mdh/driver/run.h"
#include "mdh/hl/parse.h"
#include "mdh/runtime/testing.h"

namespace mdh::driver::overflow_test {
namespace {

using scalar::Array;
using scalar::Scalar;

RunReport run_on(const std::string& body, const std::vector<double>& x = {}, int threads = 2) {
  const hl::Program p = hl::parse("mdh 1\nprogram p = " + body);
  RunOptions options;
  options.target = &find_target("openmp");
  options.machine = machine::find_machine("cpu");
  options.config = ll::default_config(p, options.machine, threads);
  options.threads = threads;
  if (!x.empty()) {
    options.inputs = [&] {
      const Scalar type = scalar_of(p.inputs.front().type);
      Array array = Array::undefined(type, {static_cast<int64_t>(x.size())});
      for (size_t n = 0; n < x.size(); ++n) {
        array.cells[n] = scalar::from_floating(type, x[n]);
        array.defined[n] = 1;
      }
      return std::vector<Array>{array};
    };
  }
  return run(p, options);
}

std::string sum_of(const std::string& f, const std::string& type, int64_t terms) {
  return fmt::format(
      "out_view( y: f32 = [] ) * md_hom( i: {} by pw(add) ) {{ y = {}; }} * inp_view( x: {} = [i] "
      ")",
      terms, f, type);
}

void expect_right(const RunReport& report) {
  EXPECT_TRUE(report.verification.right) << report.verification.complaint;
}

TEST(Overflow, long_products_stay_in_the_range_of_the_type) {
  for (const char* f : {"x", "-x", "x + 2.0"}) {
    expect_right(
        run_on(fmt::format("out_view( y: f32 = [] ) * md_hom( i: 2000 by pw(mul) ) "
                           "{{ y = {}; }} * inp_view( x: f32 = [i] )",
                           f)));
  }
}

TEST(Overflow, factor_that_is_missing_in_a_long_product_is_found) {
  const runtime::Script compiler = runtime::sabotaged_compiler(
      "s/\\([a-z_0-9]*\\) = x\\[\\(.*\\)\\];/\\1 = \\2 == 1777 ? 1.0f : x[\\2];/");
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  EXPECT_FALSE(run_on("out_view( y: f32 = [] ) * md_hom( i: 2000 by pw(mul) ) { y = x; } "
                      "* inp_view( x: f32 = [i] )")
                   .verification.right);
}

TEST(Overflow, small_types_inside_of_f_may_overflow) {
  expect_right(run_on(sum_of("f32(x * x * x * x * x * x * x * x)", "f16", 100)));
  expect_right(run_on(sum_of("f32(1.0 / (x * x * x * x * x * x * x * x))", "f16", 100)));
}

TEST(Overflow, small_types_inside_of_f_may_round_whole_numbers) {
  expect_right(run_on(sum_of("f32(x * x * x * x * x * x)", "bf16", 100)));
}

TEST(Overflow, small_types_inside_of_f_may_lose_digits_before_a_factor) {
  expect_right(run_on(sum_of("f32(x * 0.00001 * 100.0)", "f16", 100)));
}

TEST(Overflow, infinite_and_undefined_inputs_have_their_results) {
  const double nan = std::nan("");
  for (const std::vector<double>& some :
       {std::vector<double>{HUGE_VAL}, {-HUGE_VAL}, {HUGE_VAL, -HUGE_VAL}, {nan}}) {
    std::vector<double> x(200, 1.0);
    std::copy(some.begin(), some.end(), x.begin() + 7);
    expect_right(run_on(sum_of("x", "f32", 200), x));
  }
}

TEST(Overflow, infinite_term_that_is_missing_is_found) {
  const runtime::Script compiler = runtime::sabotaged_compiler(
      "s/\\([a-z_0-9]*\\) = x\\[\\(.*\\)\\];/\\1 = \\2 == 7 ? 1.0f : x[\\2];/");
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  std::vector<double> x(200, 1.0);
  x[7] = HUGE_VAL;
  EXPECT_FALSE(run_on(sum_of("x", "f32", 200), x).verification.right);
}

TEST(Overflow, partial_sums_may_overflow) {
  std::vector<double> x(200, 3e38);
  std::fill(x.begin() + 100, x.end(), -3e38);
  expect_right(run_on(sum_of("x", "f32", 200), x));
}

TEST(Overflow, compiled_definition_may_have_another_nan_than_the_interpreter) {
  std::vector<double> x(300'000, 1.0);
  for (size_t n = 0; n < x.size(); n += 100) x[n] = std::nan("");
  expect_right(run_on(sum_of("x", "f32", 300'000), x));
}

TEST(Overflow, sums_beside_other_results_have_bounds_that_bite) {
  const RunReport report = run_on(
      "out_view( y: f32 = []; z: f32 = [] ) * md_hom( i: 1000000 by pw(add, max) ) "
      "{ y = exp(x); z = x; } * inp_view( x: f32 = [i] )");
  expect_right(report);
  EXPECT_GT(report.verification.weakness, 0);
  EXPECT_LE(report.verification.weakness, 0.125);
}

}  // namespace
}  // namespace mdh::driver::overflow_test
