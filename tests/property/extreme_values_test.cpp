// Every operator on every type at extreme values has one meaning: the interpreter, compiled C with
// and without lanes, by every compiler and with the flags that `mdh run` takes, and OpenCL agree
// bit for bit. docs/ir/high_level.md says which meaning it is.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "mdh/hl/parse.h"
#include "mdh/support/text.h"
#include "tests/campaign/backends.h"
#include "tests/emulation/device.h"
#include "tests/property/printed_function.h"
#include "tests/property/samples.h"

namespace mdh::test::extreme_values_test {
namespace {

using scalar::Array;
using scalar::Scalar;
using scalar::Value;

Array array_of(Scalar type, scalar::Extents extents, const std::vector<Value>& values) {
  Array array = Array::undefined(type, std::move(extents));
  array.cells = values;
  std::fill(array.defined.begin(), array.defined.end(), uint8_t{1});
  return array;
}

/// All pairs of extreme values, twice in one list each.
std::vector<Array> pairs_of(Scalar type) {
  const std::vector<Value> values = edge_values(type);
  std::vector<Value> left, right;
  for (const Value a : values) {
    for (const Value b : values) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  const auto size = static_cast<int64_t>(left.size());
  return {array_of(type, {size}, left), array_of(type, {size}, right)};
}

/// What a program computes, as texts of values of some type.
using Results = std::vector<std::pair<std::string, Scalar>>;

Sample sample_of(const std::string& name, Scalar type, const Results& results, int64_t lanes) {
  std::vector<std::string> outputs;
  std::string body;
  for (size_t n = 0; n < results.size(); ++n) {
    outputs.push_back(fmt::format("y{}: {} = [i]", n, to_string(results[n].second)));
    body += fmt::format(" y{} = {};", n, results[n].first);
  }
  const std::vector<Array> inputs = pairs_of(type);
  const std::string text = fmt::format(
      "mdh 1\nprogram {0} =\n  out_view( {1} )\n* md_hom( i: {2} by cc ) {{{3} }}\n"
      "* inp_view( a: {4} = [i]; b: {4} = [i] )\n",
      name, join(outputs, "; "), inputs[0].size(), body, to_string(type));
  return {hl::parse(text), inputs, lanes};
}

// ---- the tables

std::string cast_to(Scalar type, const std::string& text) {
  return fmt::format("{}({})", to_string(type), text);
}

/// Comparisons are numbers here, because lanes have no outputs of truth.
std::vector<std::string> operations_with_lanes(Scalar type) {
  const std::string one = cast_to(type, "1"), none = cast_to(type, "0");
  std::vector<std::string> texts = {"a + b", "a - b", "a * b", "-a", "min(a, b)", "max(a, b)"};
  for (const char* sign : {"<", "<=", ">", ">=", "==", "!="}) {
    texts.push_back(fmt::format("if a {} b then {} else {}", sign, one, none));
  }
  texts.push_back(fmt::format("if !(a < b) || a == b && b != a then {} else a", one));
  if (!is_floating(type)) return texts;
  texts.emplace_back("a / b");
  // Compilers find out that one operand is a constant.
  for (const char* zero : {"0.0", "-0.0"}) {
    for (const char* form : {"min(a, if b != b || b == b then {0} else b)",
                             "max(if b != b || b == b then {0} else b, a)"}) {
      texts.push_back(fmt::format(fmt::runtime(form), cast_to(type, zero)));
    }
  }
  for (const char* limit : {"0.0", "-0.0", "1.5", "-1.5"}) {
    for (const char* form : {"min(a, {})", "max(a, {})", "min({}, a)", "max({}, a)"}) {
      texts.push_back(fmt::format(fmt::runtime(form), limit));
    }
  }
  return texts;
}

std::vector<std::string> other_operations(Scalar type) {
  if (is_floating(type)) return {"abs(a)", "sqrt(a)", "floor(a)", "ceil(a)"};
  return {"a / b", "a % b", "a << b", "a >> b", "~a", "a & b", "a | b", "a ^ b", "abs(a)",
          // In which some assemblers lose minus signs.
          "max(max(a, -a), -b)", "min(min(a, -a), -b)", "max(max(-a, -b), a)",
          "min(min(-a, 1 - b), a)", "max(max(~a + 1, ~b + 1), a)",
          fmt::format("max(max(a * {0}, b * {0}), a)", cast_to(type, "~0")),
          "if (if a > -a then a else -a) > -b then (if a > -a then a else -a) else -b"};
}

Results typed(const std::vector<std::string>& texts, Scalar type) {
  Results results;
  for (const std::string& text : texts) results.emplace_back(text, type);
  return results;
}

Results operations_on_truth() {
  return typed({"a && b", "a || b", "!a", "a & b", "a | b", "a ^ b", "a == b", "a != b", "a < b",
                "a <= b", "a > b", "a >= b", "if a then b else !b"},
               Scalar::boolean);
}

Results casts_of(Scalar from, bool in_lanes) {
  Results results;
  for (const Scalar to : all_scalar_types()) {
    const int width = bytes_of(from), other = bytes_of(to);
    const bool meet = width == other || (width >= 4 && other >= 4);
    const bool exact = is_floating(from) ? is_floating(to) : to != Scalar::f32 || width < 8;
    if (in_lanes && !(has_lanes(to) && meet && exact)) continue;
    results.emplace_back(cast_to(to, "a"), to);
  }
  return results;
}

std::vector<Sample> all_samples() {
  std::vector<Sample> samples = {sample_of("truth", Scalar::boolean, operations_on_truth(), 0)};
  for (const Scalar type : all_scalar_types()) {
    const std::string name = to_string(type);
    samples.push_back(sample_of("cast_" + name, type, casts_of(type, false), 0));
    if (type == Scalar::boolean) continue;
    std::vector<std::string> all = operations_with_lanes(type);
    for (const std::string& text : other_operations(type)) all.push_back(text);
    samples.push_back(sample_of("all_" + name, type, typed(all, type), 0));
    if (!has_lanes(type)) continue;
    // Smaller than a vector of the machine, as large as one, and larger.
    for (const int64_t lanes : std::set<int64_t>{2, 16 / bytes_of(type), 64 / bytes_of(type)}) {
      samples.push_back(sample_of(fmt::format("lanes_{}_{}", name, lanes), type,
                                  typed(operations_with_lanes(type), type), lanes));
    }
    samples.push_back(sample_of("lane_cast_" + name, type, casts_of(type, true), 8));
  }
  return samples;
}

// ---- reductions: whatever the order, the same bits

/// Columns of extreme values in many orders.
Sample reduction(const std::string& op, Scalar type, int64_t lanes) {
  const int64_t count = 21, columns = 200;
  const std::string text = fmt::format(
      "mdh 1\nprogram {0}_{1}_{2} =\n  out_view( y: {1} = [i] )\n"
      "* md_hom( k: {3} by pw({0}), i: {4} by cc ) {{ y = x; }}\n* inp_view( x: {1} = [k, i] )\n",
      op, to_string(type), lanes, count, columns);
  Choices choices(7);
  std::vector<Value> few;
  for (const double v : {0.0, -0.0, std::nan(""), 1.0, -1.0, HUGE_VAL, -HUGE_VAL, 0x1p-149}) {
    few.push_back(scalar::from_floating(type, v));
  }
  std::vector<Value> values(static_cast<size_t>(count * columns));
  for (int64_t column = 0; column < columns; ++column) {
    // Of some columns nothing but zeros, or nothing but NaN, is left.
    const int64_t kinds = choices.between(1, 8), first = choices.between(0, 2);
    for (int64_t k = 0; k < count; ++k) {
      const auto kind = static_cast<size_t>(first + choices.between(0, kinds - 1));
      values[static_cast<size_t>(k * columns + column)] = few[kind % few.size()];
    }
  }
  return {hl::parse(text), {array_of(type, {count, columns}, values)}, lanes};
}

std::vector<Sample> with_reductions() {
  std::vector<Sample> samples = all_samples();
  for (const Scalar type : {Scalar::f16, Scalar::bf16, Scalar::f32, Scalar::f64}) {
    for (const char* op : {"min", "max"}) {
      samples.push_back(reduction(op, type, 0));
      if (has_lanes(type)) samples.push_back(reduction(op, type, 4));
    }
  }
  return samples;
}

TEST(ExtremeValues, are_computed_in_lanes_where_they_should_be) {
  for (const Sample& sample : with_reductions()) {
    const std::string source = module_of(sample, "openmp").source;
    EXPECT_EQ(source.find("vector_size") != std::string::npos, sample.lanes > 1) << source;
  }
}

TEST(ExtremeValues, have_one_meaning_in_c) {
  const std::vector<Sample> samples = with_reductions();
  for (const tuning::CompilerChoice& choice : all_compilers()) {
    for (const std::string& found : differences_in_c(samples, choice)) EXPECT_EQ(found, "");
    if (HasFailure()) return;
  }
}

TEST(ExtremeValues, have_one_meaning_in_opencl) {
  const auto context = opencl_context();
  if (!context) GTEST_SKIP() << "SKIP: no OpenCL device";
  for (const Sample& sample : with_reductions()) {
    if (sample.lanes > 1) continue;
    ASSERT_EQ(difference_in_opencl(sample, *context), "");
  }
}

TEST(ExtremeValues, have_one_meaning_on_the_emulation) {
  const std::string lacks = emulation::missing_here();
  if (!lacks.empty()) GTEST_SKIP() << "SKIP: " << lacks;
  std::vector<Sample> samples;
  for (Sample& sample : with_reductions()) {
    if (sample.lanes <= 1) samples.push_back(std::move(sample));
  }
  for (const std::string& target : emulated_targets()) {
    for (const std::string& found : differences_on(*emulation::device(), samples, target)) {
      EXPECT_EQ(found, "") << target;
    }
  }
}

/// What is printed for one driver means the same on all.
TEST(ExtremeValues, have_one_meaning_in_opencl_as_printed_for_nvidia) {
  const auto context = opencl_context();
  if (!context) GTEST_SKIP() << "SKIP: no OpenCL device";
  const std::string macro = "#ifndef __NV_CL_C_VERSION\n#define __NV_CL_C_VERSION 120\n#endif\n";
  for (const Scalar type : all_scalar_types()) {
    if (type == Scalar::boolean || is_floating(type)) continue;
    std::vector<std::string> all = operations_with_lanes(type);
    for (const std::string& text : other_operations(type)) all.push_back(text);
    ASSERT_EQ(difference_in_opencl(sample_of("all", type, typed(all, type), 0), *context, macro),
              "");
  }
}

}  // namespace
}  // namespace mdh::test::extreme_values_test
