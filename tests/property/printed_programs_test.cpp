// Functions with records, lets, loops and calls, printed and compiled: random ones and those of the
// catalogue.
#include <gtest/gtest.h>

#include "examples/catalogue.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/support/text.h"
#include "tests/property/grammar_generator.h"
#include "tests/property/printed_function.h"
#include "tests/property/properties.h"

namespace mdh::test::printed_programs_test {
namespace {

using backend::Dialect;
using scalar::Function;

std::vector<Trial> random_trials(Choices& choices, int files) {
  std::vector<Trial> trials;
  for (int n = 0; n < files; ++n) {
    for (const Function& f : random_functions(choices)) {
      trials.push_back({f, random_cases(choices, f, 40)});
    }
  }
  return trials;
}

Function function_in(const std::string& text) {
  return hl::scalar_function(hl::instantiate(hl::parse("mdh 1\n" + text), {}));
}

void expect_interpreters_results(const std::vector<Trial>& trials) {
  for (const Translation& t : translations()) {
    const std::string found = difference(trials, t);
    EXPECT_TRUE(found.empty()) << found;
  }
}

void expect_interpreters_results(const Function& f) {
  Choices choices(1);
  expect_interpreters_results({{f, random_cases(choices, f, 500)}});
}

/// A function of OpenCL C that has the arguments by value and stores the results.
std::string opencl_function(const Function& f, size_t number) {
  backend::ExprPrinter printer(Dialect::opencl);
  std::vector<std::string> arguments, results, parameters;
  std::string stores;
  for (size_t n = 0; n < f.parameters.size(); ++n) {
    arguments.push_back(fmt::format("a{}", n));
    parameters.push_back(fmt::format("{} a{}", printer.value_type(f.parameters[n].type), n));
  }
  for (size_t n = 0; n < f.results.size(); ++n) {
    const scalar::Type& type = f.results[n].value.type();
    results.push_back(fmt::format("r{}", n));
    parameters.push_back(fmt::format("global {} *to{}", printer.storage_type(type), n));
    stores += printer.store(type, fmt::format("*to{}", n), results.back());
  }
  const std::string body = printer.call(f, arguments, results) + stores;
  return fmt::format("{}void function_{}({}) {{\n{}}}\n", printer.helpers(), number,
                     join(parameters, ", "), body);
}

void expect_opencl(const std::vector<Function>& functions) {
  std::string source;
  for (size_t n = 0; n < functions.size(); ++n) source += opencl_function(functions[n], n);
  const std::string refused = refused_as_opencl(source);
  EXPECT_TRUE(refused.empty()) << refused;
}

// ---- the whole grammar

TEST(PrintedPrograms, random_functions_are_those_of_the_interpreter) {
  Choices choices(1);
  constexpr int at_once = 100;  // files in one translation unit
  for (int left = case_count(at_once); left > 0 && !HasFailure(); left -= at_once) {
    expect_interpreters_results(random_trials(choices, std::min(left, at_once)));
  }
}

TEST(PrintedPrograms, random_functions_are_opencl) {
  if (!can_read_opencl()) GTEST_SKIP() << "no clang";
  std::vector<Function> functions;
  Choices choices(2);
  for (int n = 0; n < case_count(100); ++n) {
    for (const Function& f : random_functions(choices)) functions.push_back(f);
  }
  expect_opencl(functions);
}

// ---- the catalogue

std::vector<Function> functions_of_the_catalogue() {
  std::vector<Function> functions;
  for (const examples::Entry& entry : examples::catalogue()) {
    for (const Function& f : functions_of(hl::instantiate(entry.generic(), {}))) {
      functions.push_back(f);
    }
  }
  return functions;
}

TEST(PrintedPrograms, functions_of_the_catalogue_are_those_of_the_interpreter) {
  std::vector<Trial> trials;
  Choices choices(3);
  for (const Function& f : functions_of_the_catalogue()) {
    trials.push_back({f, random_cases(choices, f, 200)});
  }
  expect_interpreters_results(trials);
}

TEST(PrintedPrograms, functions_of_the_catalogue_are_opencl) {
  if (!can_read_opencl()) GTEST_SKIP() << "no clang";
  expect_opencl(functions_of_the_catalogue());
}

// ---- what is rare in random functions

TEST(PrintedPrograms, what_is_not_chosen_is_not_computed) {
  const std::string endless = "loop (k = 0) while (k >= 0) { k = 0 } yield k == 1";
  expect_interpreters_results(function_in(fmt::format(R"(
    fun wait(b: bool): bool = {0};
    program p = out_view( y: bool = [i]; z: bool = [i] ) * md_hom( i: 4 by cc ) {{
      y = x || !x || ({0});
      z = if x && !x && wait(x) then wait(x) else x;
    }} * inp_view( x: bool = [i] ))",
                                                      endless)));
}

TEST(PrintedPrograms, indices_outside_of_array_fields_read_nothing_else) {
  expect_interpreters_results(function_in(R"(
    record r { f: i8; a: f16[3]; b: bool[2]; }
    program p = out_view( y: f16 = [i]; z: bool = [i] ) * md_hom( i: 4 by cc ) {
      y = x.a[k] + x.a[2];
      z = x.b[k] || x.b[0];
    } * inp_view( x: r = [i]; k: i64 = [i] ))"));
}

TEST(PrintedPrograms, array_fields_are_values) {
  expect_interpreters_results(function_in(R"(
    record r { f: i8; a: i16[3]; g: f64; }
    fun first(x: r): i16 = x.a[0];
    program p = out_view( y: r = [i]; z: i16 = [i] ) * md_hom( i: 4 by cc ) {
      a = if x.g > w.g then x.a else w.a;
      y = loop (s = x, b = a, k = 0) while (k < 3)
          { s = r{ f = s.f + 1, a = b, g = s.g + 0.5 }, b = s.a, k = k + 1 } yield s;
      z = a[1] + first(r{ g = 1.0, a = w.a, f = 2 }) + first(if x.f < 3 then x else w);
    } * inp_view( x: r = [i]; w: r = [i] ))"));
}

TEST(PrintedPrograms, names_of_c_and_names_that_look_alike_are_kept_apart) {
  expect_interpreters_results(function_in(R"(
    record struct { int: i32; kernel: f32; }
    fun exp2f(half: i32, mdh_half: i32): i32 { next_k = half * 2; x_1 = next_k + mdh_half; return x_1; }
    program p = out_view( double: i32 = [i] ) * md_hom( i: 4 by cc ) {
      x_1 = x.1 + x.2;
      next_k = 5;
      while_ = loop (k = i32(0), next = x_1) while (k < 3)
               { k = k + 1, next = next * x.1 + i32(next_k) } yield next;
      double = exp2f(while_, x_1) + for.int + i32(i);
    } * inp_view( x: i32 = [i], [i + 1]; for: struct = [i] ))"));
}

/// Each calls the one before twice: the interpreter expands them, printed code must not.
TEST(PrintedPrograms, functions_are_printed_once) {
  std::string functions = "fun f0(x: i32): i32 { y = x + 1; return y * y; }\n";
  for (int n = 1; n <= 12; ++n) {
    functions += fmt::format("fun f{0}(x: i32): i32 = f{1}(x) + f{1}(x + 1);\n", n, n - 1);
  }
  const Function f = function_in(functions +
                                 "program p = out_view( y: i32 = [i] ) * md_hom( i: 4 by cc ) "
                                 "{ y = f12(x); } * inp_view( x: i32 = [i] )");
  EXPECT_LT(printed_module(f, Dialect::c, "f").source.size(), 6000u);
  expect_interpreters_results(f);
}

}  // namespace
}  // namespace mdh::test::printed_programs_test
