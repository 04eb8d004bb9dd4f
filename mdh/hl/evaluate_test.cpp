#include "mdh/hl/evaluate.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/hl/testing.h"
#include "mdh/scalar/parse.h"
#include "mdh/support/testing.h"

namespace mdh::hl::evaluate_test {
namespace {

using scalar::Scalar;

// ---- plain loops, on plain C++ types

template <class T>
constexpr Scalar scalar_for() {
  if constexpr (std::is_same_v<T, float>) return Scalar::f32;
  if constexpr (std::is_same_v<T, double>) return Scalar::f64;
  if constexpr (std::is_same_v<T, int32_t>) return Scalar::i32;
  if constexpr (std::is_same_v<T, int64_t>) return Scalar::i64;
}

/// Rounded (volatile: never fused with the next operation) or wrapped around.
template <class T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    const volatile T sum = a + b;
    return sum;
  }
}

template <class T>
T times(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    const volatile T product = a * b;
    return product;
  }
}

/// Numbers that are rounded in every operation, or wrap around.
template <class T>
std::vector<T> random_data(Random& random, int64_t count) {
  std::vector<T> data;
  for (int64_t n = 0; n < count; ++n) {
    if constexpr (std::is_integral_v<T>) {
      data.push_back(static_cast<T>(random.next()));
    } else {
      data.push_back(static_cast<T>(random.between(-1000, 1000)) / static_cast<T>(7));
    }
  }
  return data;
}

template <class T>
Array array_of(const std::vector<T>& data, Extents extents) {
  EXPECT_EQ(static_cast<int64_t>(data.size()), scalar::volume(extents));
  return scalar::copy_from_memory(scalar_for<T>(), extents, data.data());
}

/// The only output, which must be wholly written and have the given extents.
template <class T>
std::vector<T> only_output(const Program& p, const std::vector<Array>& inputs, Extents extents) {
  const std::vector<Array> outputs = evaluate(p, inputs);
  EXPECT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].extents, extents);
  EXPECT_EQ(outputs[0].type, scalar_for<T>());
  EXPECT_EQ(outputs[0].defined, std::vector<uint8_t>(outputs[0].cells.size(), 1));
  std::vector<T> data(outputs[0].cells.size());
  scalar::copy_to_memory(outputs[0], data.data());
  return data;
}

template <class T>
Program concrete(const char* text, std::vector<int64_t> sizes) {
  const Program p = parse(text);
  Bindings bindings{.types = {{"T", scalar_for<T>()}}, .sizes = sizes_by_dimension(p, sizes)};
  if (p.parameters.back().symbol.name == "c") {
    bindings.values.insert({"c", scalar::parse_expression("3")});
  }
  return instantiate(p, bindings);
}

const char* const dot = R"(mdh 1
program dot<T: type, K: size> = out_view( d: T = [] ) * md_hom( k: K by pw(add) ) { d = x * y; }
* inp_view( x: T = [k]; y: T = [k] ))";

const char* const matvec = R"(mdh 1
program matvec<T: type, I: size, K: size> =
  out_view( w: T = [i] ) * md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }
* inp_view( M: T = [i, k]; v: T = [k] ))";

const char* const matmul = R"(mdh 1
program matmul<T: type, I: size, J: size, K: size> =
  out_view( C: T = [i, j] ) * md_hom( i: I by cc, j: J by cc, k: K by pw(add) ) { C = A * B; }
* inp_view( A: T = [i, k]; B: T = [k, j] ))";

const char* const jacobi = R"(mdh 1
program jacobi1d<T: type, I: size, c: T> =
  out_view( y: T = [i] ) * md_hom( i: I by cc ) { y = c * (left + mid + right); }
* inp_view( x: T = left: [i], mid: [i + 1], right: [i + 2] ))";

template <class T>
class EvaluateAgainstLoops : public testing::Test {};
using Types = testing::Types<float, double, int32_t, int64_t>;
TYPED_TEST_SUITE(EvaluateAgainstLoops, Types);

TYPED_TEST(EvaluateAgainstLoops, dot) {
  using T = TypeParam;
  Random random(51);
  for (const int64_t K : {1, 2, 13, 101}) {
    const std::vector<T> x = random_data<T>(random, K), y = random_data<T>(random, K);
    T sum = times(x[0], y[0]);
    for (int64_t k = 1; k < K; ++k) sum = plus(sum, times(x[k], y[k]));
    EXPECT_EQ(only_output<T>(concrete<T>(dot, {K}), {array_of(x, {K}), array_of(y, {K})}, {}),
              std::vector<T>{sum});
  }
}

TYPED_TEST(EvaluateAgainstLoops, matvec) {
  using T = TypeParam;
  Random random(52);
  for (const auto& [I, K] : {std::pair<int64_t, int64_t>{1, 1}, {1, 7}, {7, 1}, {11, 13}}) {
    const std::vector<T> M = random_data<T>(random, I * K), v = random_data<T>(random, K);
    std::vector<T> w;
    for (int64_t i = 0; i < I; ++i) {
      T sum = times(M[i * K], v[0]);
      for (int64_t k = 1; k < K; ++k) sum = plus(sum, times(M[i * K + k], v[k]));
      w.push_back(sum);
    }
    EXPECT_EQ(
        only_output<T>(concrete<T>(matvec, {I, K}), {array_of(M, {I, K}), array_of(v, {K})}, {I}),
        w);
  }
}

TYPED_TEST(EvaluateAgainstLoops, matmul) {
  using T = TypeParam;
  Random random(53);
  for (const auto& size : {std::vector<int64_t>{1, 1, 1}, {2, 3, 5}, {5, 1, 7}, {7, 11, 3}}) {
    const int64_t I = size[0], J = size[1], K = size[2];
    const std::vector<T> A = random_data<T>(random, I * K), B = random_data<T>(random, K * J);
    std::vector<T> C;
    for (int64_t i = 0; i < I; ++i) {
      for (int64_t j = 0; j < J; ++j) {
        T sum = times(A[i * K], B[j]);
        for (int64_t k = 1; k < K; ++k) sum = plus(sum, times(A[i * K + k], B[k * J + j]));
        C.push_back(sum);
      }
    }
    EXPECT_EQ(only_output<T>(concrete<T>(matmul, size), {array_of(A, {I, K}), array_of(B, {K, J})},
                             {I, J}),
              C);
  }
}

TYPED_TEST(EvaluateAgainstLoops, jacobi) {
  using T = TypeParam;
  Random random(54);
  for (const int64_t I : {1, 2, 13, 31}) {
    const std::vector<T> x = random_data<T>(random, I + 2);
    std::vector<T> y;
    for (int64_t i = 0; i < I; ++i) y.push_back(times(T{3}, plus(plus(x[i], x[i + 1]), x[i + 2])));
    EXPECT_EQ(only_output<T>(concrete<T>(jacobi, {I}), {array_of(x, {I + 2})}, {I}), y);
  }
}

// ---- other programs, by hand

std::vector<int64_t> integers(const Array& array) {
  std::vector<int64_t> all;
  for (const Value v : array.cells) all.push_back(v.as_integer());
  return all;
}

Array numbers(std::vector<int64_t> values, Extents extents) { return array_of(values, extents); }

TEST(Evaluate, several_outputs_with_an_operator_each) {
  const Program p = parse(R"(mdh 1
program p = out_view( s: i64 = []; q: i64 = []; m: i64 = [] )
* md_hom( k: 4 by pw(add, mul, max) ) { s = x; q = x; m = -x; } * inp_view( x: i64 = [k] ))");
  const auto out = evaluate(p, {numbers({3, 1, 4, 2}, {4})});
  EXPECT_EQ(integers(out[0]), (std::vector<int64_t>{10}));
  EXPECT_EQ(integers(out[1]), (std::vector<int64_t>{24}));
  EXPECT_EQ(integers(out[2]), (std::vector<int64_t>{-1}));
}

TEST(Evaluate, f_knows_the_point) {
  const Program p = parse(
      "mdh 1 program p = out_view( y: i64 = [i, j] ) * md_hom( i: 2 by cc, j: 3 by cc ) "
      "{ y = 10 * i + j; } * inp_view()");
  EXPECT_EQ(integers(evaluate(p, {})[0]), (std::vector<int64_t>{0, 1, 2, 10, 11, 12}));
}

TEST(Evaluate, elements_that_no_access_writes_stay_undefined) {
  const Program p = parse(
      "mdh 1 program p = out_view( y: i64[6] = [2 * i + 1] ) * md_hom( i: 2 by cc ) { y = x; } "
      "* inp_view( x: i64 = [1 - i] )");
  const Array y = evaluate(p, {numbers({7, 8}, {2})})[0];
  EXPECT_EQ(y.defined, (std::vector<uint8_t>{0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(y.cells[1].as_integer(), 8);
  EXPECT_EQ(y.cells[3].as_integer(), 7);
}

TEST(Evaluate, several_accesses_write_one_buffer) {
  const Program p = parse(
      "mdh 1 program p = out_view( y: i64 = [i], [i + 2] ) * md_hom( i: 2 by cc ) "
      "{ y.1 = x; y.2 = 10 * x; } * inp_view( x: i64 = [i] )");
  EXPECT_EQ(integers(evaluate(p, {numbers({7, 8}, {2})})[0]), (std::vector<int64_t>{7, 8, 70, 80}));
}

TEST(Evaluate, program_without_dimensions_has_one_point) {
  const Program p = parse(
      "mdh 1 program p = out_view( y: i64 = [] ) * md_hom() { y = x + 1; } "
      "* inp_view( x: i64 = [] )");
  EXPECT_EQ(integers(evaluate(p, {numbers({41}, {})})[0]), (std::vector<int64_t>{42}));
}

const char* const diagonal =
    "mdh 1 program p = out_view( y: i64 = [i + j] ) * md_hom( i: 2 by cc, j: 2 by cc ) "
    "{ y = x; } * inp_view( x: i64 = [i, j] )";

TEST(Evaluate, points_that_meet_with_different_values_are_a_user_error) {
  const Diagnostic d = diagnostic_of([] {
    evaluate(parse(diagonal), {numbers({1, 2, 3, 4}, {2, 2})});
  });
  EXPECT_EQ(d.code, "E233");
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.message,
            "element 1 of output 'y' is written with different values, the second time at "
            "i = 1, j = 0");
}

TEST(Evaluate, points_that_meet_with_equal_values_are_welcome) {
  EXPECT_EQ(integers(evaluate(parse(diagonal), {numbers({1, 2, 2, 4}, {2, 2})})[0]),
            (std::vector<int64_t>{1, 2, 4}));
}

TEST(Evaluate, wrong_inputs_are_user_errors) {
  const Program p = concrete<int64_t>(dot, {3});
  const Array good = numbers({1, 2, 3}, {3});
  const auto error_of = [&](const std::vector<Array>& inputs) {
    return diagnostic_of([&] { evaluate(p, inputs); });
  };
  EXPECT_EQ(error_of({good}).code, "E230");
  EXPECT_EQ(error_of({good}).message, "program 'dot' reads 2 buffers, got 1");
  EXPECT_EQ(error_of({good, numbers({1, 2}, {2})}).code, "E231");
  EXPECT_EQ(error_of({good, numbers({1, 2}, {2})}).message,
            "buffer 'y' must have extents [3], got [2]");
  EXPECT_EQ(error_of({good, array_of<double>({1, 2, 3}, {3})}).code, "E232");
  EXPECT_EQ(error_of({good, array_of<double>({1, 2, 3}, {3})}).message,
            "buffer 'y' must have type i64, got f64");
}

// Element (i, j) of a 2 x 2 x 3 matrix product comes from the points (i, j, 0), (i, j, 1), (i, j,
// 2).
TEST(Evaluate, every_result_comes_from_its_points_and_each_is_used_once) {
  const Program p = concrete<int64_t>(matmul, {2, 2, 3});
  scalar::ProvenanceAlgebra algebra(sizes(p), 1);
  Random random(55);
  const Array C = evaluate(p, random_inputs(p, random), algebra)[0];
  for (int64_t n = 0; n < 4; ++n) {
    EXPECT_EQ(algebra.points(C.cells[n]), (std::vector<int64_t>{3 * n, 3 * n + 1, 3 * n + 2}));
  }
}

TEST(Evaluate, wide_precision_keeps_what_f32_would_lose) {
  const Program p = concrete<float>(dot, {3});
  const std::vector<Array> inputs = {array_of<float>({1e8f, 1, -1e8f}, {3}),
                                     array_of<float>({1, 1, 1}, {3})};
  EXPECT_EQ(evaluate(p, inputs)[0].cells[0].as_floating(), 0.0);
  scalar::ScalarAlgebra wide = algebra_of(p, scalar::Precision::wide);
  EXPECT_EQ(evaluate(p, inputs, wide)[0].cells[0].as_floating(), 1.0);
}

// ---- the fast evaluator against the definitions

TEST(Evaluate, equals_the_composition_of_the_three_functions) {
  Random random(56);
  for (int n = 0; n < 300; ++n) {
    const Program p = random_program(random);
    const std::vector<Array> inputs = random_inputs(p, random);
    scalar::ScalarAlgebra algebra = algebra_of(p);
    const std::vector<Array> literal = out_view(p, md_hom(p, algebra, inp_view(p, inputs)));
    ASSERT_EQ(evaluate(p, inputs), literal) << print(p);
  }
}

TEST(EvaluateAt, is_the_element_of_the_whole_result) {
  Random random(57);
  for (int n = 0; n < 100; ++n) {
    const Program p = random_program(random);
    const std::vector<Array> inputs = random_inputs(p, random);
    scalar::ScalarAlgebra algebra = algebra_of(p);
    const Mda whole = md_hom(p, algebra, inp_view(p, inputs));
    make_mda(whole.sets, 0, [&](auto point, auto) {
      const auto expected = cells_at(whole, point);
      EXPECT_EQ(evaluate_at(p, inputs, algebra, point),
                std::vector<Value>(expected.begin(), expected.end()))
          << print(p);
    });
  }
}

}  // namespace
}  // namespace mdh::hl::evaluate_test
