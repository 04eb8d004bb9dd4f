// Faults that small numbers, fresh memory and a single call do not show.
#include <gtest/gtest.h>

#include "mdh/driver/run.h"
#include "mdh/hl/parse.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::driver::wide_data_test {
namespace {

RunOptions options_for(const hl::Program& p) {
  RunOptions options;
  options.target = &find_target("openmp");
  options.machine = machine::find_machine("cpu");
  options.config = ll::default_config(p, options.machine, 2);
  options.threads = 2;
  return options;
}

/// Of a kernel whose printed source a sed command changes.
Verification verified(const hl::Program& p, const std::string& sed) {
  const runtime::Script compiler = runtime::sabotaged_compiler(sed);
  const runtime::ScopedEnvironment cc("MDH_CC", compiler.path());
  return run(p, options_for(p)).verification;
}

hl::Program map_of(const std::string& f, const std::string& type) {
  return hl::parse(
      fmt::format("mdh 1\nprogram p = out_view( y: {1} = [i] ) * md_hom( i: 500 by cc )"
                  " {{ y = {0}; }} * inp_view( x: {1} = [i] )",
                  f, type));
}

TEST(WideData, large_integers_are_computed) {
  const Verification v = verified(matvec(Scalar::i64, 16, 32),
                                  "s/(unsigned long)\\(M_in_*\\) \\* (unsigned long)\\(v_in_*\\)/"
                                  "(unsigned long)(int)\\1 * (unsigned long)(int)\\2/");
  EXPECT_FALSE(v.right);
  EXPECT_EQ(v.complaint.find("on numbers of all sizes, "), 0u) << v.complaint;
}

TEST(WideData, large_floats_are_computed) {
  EXPECT_FALSE(verified(matvec(Scalar::f32, 64, 128),
                        "s/= (\\(M_in_*\\) \\* \\(v_in_*\\));/= (\\1 > 100 ? 0 : \\1 * \\2);/")
                   .right);
}

TEST(WideData, constants_of_f_and_their_neighbours_are_tried) {
  const hl::Program clamp = map_of("if x > 100.5 then 100.5 else x", "f32");
  EXPECT_TRUE(verified(clamp, "s/a/a/").right);
  EXPECT_FALSE(verified(clamp, "s/> 100.5f/> 101.0f/").right);
  const hl::Program limit = map_of("if x > 2555 then 2555 else x", "i32");
  EXPECT_TRUE(verified(limit, "s/a/a/").right);
  EXPECT_FALSE(verified(limit, "s/> 2555/> 2556/").right);
}

TEST(WideData, right_functions_of_extreme_numbers_are_right) {
  for (const char* f : {"exp(x)", "x * x * x", "1.0 / x", "sqrt(x)", "x - x * 3.0", "log(x) + x"}) {
    for (const char* type : {"f16", "bf16", "f32", "f64"}) {
      const hl::Program p = map_of(f, type);
      const Verification v = run(p, options_for(p)).verification;
      EXPECT_TRUE(v.right) << f << " in " << type << ": " << v.complaint;
    }
  }
}

TEST(WideData, loops_that_count_to_their_input_end) {
  const hl::Program p =
      map_of("loop (k = 0, s = 0) while (k < x) { s = s + k, k = k + 1 } yield s", "i64");
  EXPECT_TRUE(run(p, options_for(p)).verification.right);
}

TEST(WideData, kernel_in_this_process_that_changes_its_inputs_is_found) {
  const auto change = [] {
    verified(matvec(Scalar::f32, 64, 128),
             "s/^  run_matvec\\(_twin\\)*(buffers\\[0\\]/  ((float *)buffers[2])[3] = 0;\\n&/");
  };
  const Diagnostic d = diagnostic_of(change);
  EXPECT_EQ(d.code, "E809");
  EXPECT_EQ(d.message, "wrong result: the kernel changes its inputs");
}

// ---- operators of the user

const std::string rotations =
    "mdh 1\nop cm(l, r) { re = l.re * r.re - l.im * r.im; im = l.re * r.im + l.im * r.re; }\n"
    "program p = out_view( re: f64 = [i]; im: f64 = [i] )"
    " * md_hom( i: 4 by cc, k: 300 by pw(cm) ) { re = cos(a); im = sin(a); }"
    " * inp_view( a: f64 = [i, k] )";

TEST(WideData, bounds_of_operators_do_not_grow_with_every_combination) {
  const hl::Program p = hl::parse(rotations);
  const Verification v = run(p, options_for(p)).verification;
  EXPECT_TRUE(v.right) << v.complaint;
  EXPECT_LT(v.bound, 1e-12);
  EXPECT_FALSE(v.orders_differ);
}

TEST(WideData, operator_that_breaks_its_laws_on_the_data_is_named) {
  const hl::Program p = hl::parse(
      "mdh 1\nop pr(l, r) = l * r + (if l == 0.123456789 then 1.0 else 0.0)"
      " + (if r == 0.123456789 then 1.0 else 0.0);\n"
      "program p = out_view( y: f64 = [] ) * md_hom( k: 300 by pw(pr) ) { y = x; }"
      " * inp_view( x: f64 = [k] )");
  RunOptions options = options_for(p);
  options.inputs = [] {
    scalar::Array x = scalar::Array::undefined(Scalar::f64, {300});
    for (size_t k = 0; k < 300; ++k) {
      const double size = 1 + (static_cast<double>(k * 7 % 5) - 2) / 1000;
      x.cells[k] = scalar::Value::floating(k == 200 ? 0.123456789 : k / 3 % 2 == 0 ? size : -size);
      x.defined[k] = 1;
    }
    return std::vector<scalar::Array>{x};
  };
  EXPECT_EQ(diagnostic_of([&] { run(p, options); }).code, "E229");
}

}  // namespace
}  // namespace mdh::driver::wide_data_test
