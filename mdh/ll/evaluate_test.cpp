#include "mdh/ll/evaluate.h"

#include <gtest/gtest.h>

#include "mdh/ll/parse.h"
#include "mdh/ll/print.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll::evaluate_test {
namespace {

using scalar::Array;
using Numbers = std::vector<int64_t>;

Numbers numbers_in(const Array& array) {
  Numbers all;
  for (int64_t n = 0; n < array.size(); ++n) {
    EXPECT_NE(array.defined[n], 0) << "element " << n << " was never written";
    all.push_back(array.cells[n].as_integer());
  }
  return all;
}

/// A computation as text, and as plain loops that share nothing with mdh: sizes N in the order of
/// the dimensions, inputs x in the order of the buffers.
struct Family {
  std::string text;
  std::vector<std::string> size_names;
  Numbers (*loops)(const Numbers& N, const std::vector<Numbers>& x);
};

Numbers dot(const Numbers& N, const std::vector<Numbers>& x) {
  int64_t sum = 0;
  for (int64_t k = 0; k < N[0]; ++k) sum += x[0][k] * x[1][k];
  return {sum};
}

Numbers matvec(const Numbers& N, const std::vector<Numbers>& x) {
  Numbers w(N[0], 0);
  for (int64_t i = 0; i < N[0]; ++i) {
    for (int64_t k = 0; k < N[1]; ++k) w[i] += x[0][i * N[1] + k] * x[1][k];
  }
  return w;
}

Numbers matmul(const Numbers& N, const std::vector<Numbers>& x) {
  Numbers c(N[0] * N[1], 0);
  for (int64_t i = 0; i < N[0]; ++i) {
    for (int64_t j = 0; j < N[1]; ++j) {
      for (int64_t k = 0; k < N[2]; ++k) {
        c[i * N[1] + j] += x[0][i * N[2] + k] * x[1][k * N[1] + j];
      }
    }
  }
  return c;
}

Numbers stencil(const Numbers& N, const std::vector<Numbers>& x) {
  Numbers y;
  for (int64_t i = 0; i < N[0]; ++i) y.push_back(2 * x[0][i] + 3 * x[0][i + 1] - x[0][i + 2]);
  return y;
}

Numbers histogram(const Numbers& N, const std::vector<Numbers>& x) {
  Numbers bins(N[1], 0);
  for (const int64_t e : x[0]) {
    if (e >= -4 && e < N[1] - 4) ++bins[e + 4];
  }
  return bins;
}

Numbers interleaved(const Numbers& N, const std::vector<Numbers>& x) {
  Numbers y;
  for (int64_t a = 0; a < N[0]; ++a) {
    for (int64_t c = 0; c < N[2]; ++c) {
      int64_t most = INT64_MIN;
      for (int64_t b = 0; b < N[1]; ++b) {
        for (int64_t d = 0; d < N[3]; ++d) {
          most = std::max(most, x[0][a * N[1] + b] * (d + 1) - x[1][c * N[3] + d]);
        }
      }
      y.push_back(most);
    }
  }
  return y;
}

const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {dot_text, {"K"}, dot},
      {matvec_text, {"I", "K"}, matvec},
      {matmul_text, {"I", "J", "K"}, matmul},
      {"stencil<I: size> = out_view( y: i64 = [i] )"
       " * md_hom( i: I by cc ) { y = 2 * left + 3 * mid - right; }"
       " * inp_view( x: i64 = left: [i], mid: [i + 1], right: [i + 2] )",
       {"I"},
       stencil},
      {"histogram<E: size, B: size> = out_view( h: i64 = [b] )"
       " * md_hom( e: E by pw(add), b: B by cc ) { h = if x == b - 4 then 1 else 0; }"
       " * inp_view( x: i64 = [e] )",
       {"E", "B"},
       histogram},
      {"interleaved<A: size, B: size, C: size, D: size> = out_view( y: i64 = [a, c] )"
       " * md_hom( a: A by cc, b: B by pw(max), c: C by cc, d: D by pw(max) )"
       " { y = u * (d + 1) - v; } * inp_view( u: i64 = [a, b]; v: i64 = [c, d] )",
       {"A", "B", "C", "D"},
       interleaved}};
  return all;
}

hl::Program random_member(Random& random, const Family& family, Numbers& sizes) {
  const Numbers greatest = {13, 7, 5, 3};
  Sizes bound;
  for (const std::string& name : family.size_names) {
    sizes.push_back(random.between(1, greatest[family.size_names.size() - 1]));
    bound[name] = sizes.back();
  }
  return computation(family.text, bound);
}

TEST(LowLevelEvaluate, random_decompositions_compute_what_plain_loops_compute) {
  Random random(1);
  for (int n = 0; n < 360; ++n) {
    const Family& family = families()[n % families().size()];
    Numbers sizes;
    const hl::Program p = random_member(random, family, sizes);
    const std::vector<Array> inputs = random_inputs(random, p);
    std::vector<Numbers> x;
    for (const Array& input : inputs) x.push_back(numbers_in(input));
    const Program decomposed = random_program(random, p);
    const std::vector<Array> outputs = evaluate(decomposed, inputs);
    ASSERT_EQ(outputs.size(), 1u);
    ASSERT_EQ(numbers_in(outputs[0]), family.loops(sizes, x)) << print(decomposed);
  }
}

TEST(LowLevelEvaluate, random_decompositions_of_random_programs_agree_with_the_high_level) {
  Random random(2);
  for (int n = 0; n < 400; ++n) {
    const hl::Program p = random_computation(random);
    const std::vector<Array> inputs = random_inputs(random, p);
    const Program decomposed = random_program(random, p);
    ASSERT_EQ(evaluate(decomposed, inputs), hl::evaluate(p, inputs)) << print(decomposed);
  }
}

// ---- every point exactly once

/// Coordinates of a point number in the concatenated dimensions.
Numbers kept_coordinates(const hl::Program& p, int64_t number) {
  const Numbers sizes = hl::sizes(p);
  Numbers kept;
  for (size_t d = sizes.size(); d-- > 0; number /= sizes[d]) {
    if (p.dimensions[d].combine.shape == hl::Shape::concatenate) kept.push_back(number % sizes[d]);
  }
  return kept;
}

/// All points behind one output, element by element; those of one element must agree in all
/// dimensions that are not reduced.
Numbers points_behind(const Program& p, const Array& output,
                      const scalar::ProvenanceAlgebra& algebra) {
  Numbers all;
  for (int64_t n = 0; n < output.size(); ++n) {
    EXPECT_NE(output.defined[n], 0);
    const Numbers& points = algebra.points(output.cells[n]);
    for (const int64_t point : points) {
      EXPECT_EQ(kept_coordinates(p.computation, point),
                kept_coordinates(p.computation, points.front()));
    }
    all.insert(all.end(), points.begin(), points.end());
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(LowLevelEvaluate, every_point_contributes_exactly_once) {
  Random random(4);
  for (int n = 0; n < 200; ++n) {
    const hl::Program computation = random_computation(random);
    const Program p = random_program(random, computation);
    const Numbers sizes = hl::sizes(computation);
    scalar::ProvenanceAlgebra algebra(sizes, static_cast<int>(computation.outputs.size()));
    Numbers everything(scalar::volume(sizes));
    std::iota(everything.begin(), everything.end(), int64_t{0});
    for (const Array& output : evaluate(p, random_inputs(random, computation), algebra)) {
      ASSERT_EQ(points_behind(p, output, algebra), everything) << print(p);
    }
  }
}

// ---- all orders

/// All ways to order the levels of a program with n levels.
std::vector<std::vector<int>> permutations(int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<int>> all;
  do {
    all.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

template <class T>
std::vector<T> reordered(const std::vector<T>& items, const std::vector<int>& order) {
  std::vector<T> result;
  for (const int n : order) result.push_back(items[n]);
  return result;
}

/// MatVec 3 x 5, i over 2 x 2 and k over 3 x 2 parts: the last part of k is half empty, the last of
/// i holds one index.
Program small_matvec() {
  return parse(R"(mdh_ll 1
machine artificial
layers COR, L1
decompose {
  COR.i: cc_inv 2 on COR.x reads M: HM[1, 2], v: HM[1];
  COR.k: cc_inv 3 on COR.y reads M: HM[1, 2], v: HM[1];
  L1.i:  cc_inv 2 on L1.x  reads M: HM[1, 2], v: HM[1];
  L1.k:  cc_inv 2 on L1.y  reads M: HM[1, 2], v: HM[1];
}
scalar {
  order COR.i, COR.k, L1.i, L1.k;
  reads M: HM[1, 2], v: HM[1];
  writes w: HM[1];
}
recompose {
  COR.i: cc      2 on COR.x writes w: HM[1];
  COR.k: pw(add) 3 on COR.y writes w: HM[1];
  L1.i:  cc      2 on L1.x  writes w: HM[1];
  L1.k:  pw(add) 2 on L1.y  writes w: HM[1];
}
program matvec = out_view( w: i64 = [i] )
  * md_hom( i: 3 by cc, k: 5 by pw(add) ) { w = M * v; }
  * inp_view( M: i64 = [i, k]; v: i64 = [k] )
)");
}

Array array_of(const scalar::Extents& extents, const Numbers& numbers) {
  Array array = Array::undefined(scalar::Scalar::i64, extents);
  for (size_t n = 0; n < numbers.size(); ++n) {
    array.cells[n] = scalar::Value::integer(numbers[n]);
    array.defined[n] = 1;
  }
  return array;
}

TEST(LowLevelEvaluate, every_order_of_every_phase_computes_the_same) {
  const std::vector<Array> inputs = {
      array_of({3, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
      array_of({5}, {1, 10, 100, 1000, 10000})};
  const Numbers expected = {54321, 109876, 165431};
  const Program p = small_matvec();
  const auto orders = permutations(4);
  for (const auto& decompose : orders) {
    for (const auto& scalar : orders) {
      for (const auto& recompose : orders) {
        Program q = p;
        q.decompose = reordered(p.decompose, decompose);
        q.scalar.order = reordered(p.scalar.order, scalar);
        q.recompose = reordered(p.recompose, recompose);
        ASSERT_EQ(numbers_in(evaluate(q, inputs)[0]), expected) << print(q);
      }
    }
  }
}

TEST(LowLevelEvaluate, layouts_regions_and_tags_do_not_change_the_result) {
  Random random(6);
  const Program p = small_matvec();
  const machine::Machine& m = machine::find_machine("artificial");
  const std::vector<Array> inputs = random_inputs(random, p.computation);
  const std::vector<Array> expected = evaluate(p, inputs);
  for (int n = 0; n < 10; ++n) {
    Program q = p;
    for (TaggedOperator& op : q.decompose) {
      op.places = random_places(random, p.computation.inputs, m);
      op.layer = random.pick(m.layers).name;
    }
    q.scalar.reads = random_places(random, p.computation.inputs, m);
    EXPECT_EQ(evaluate(q, inputs), expected);
  }
}

// ---- what happens when

/// Values are texts: f writes down its point, ⊕ its two operands.
class TracingAlgebra : public scalar::Algebra {
 public:
  void f(std::span<const scalar::Value>, std::span<const int64_t> point,
         std::span<scalar::Value> results) override {
    std::vector<std::string> coordinates;
    for (const int64_t i : point) coordinates.push_back(std::to_string(i));
    visited += (visited.empty() ? "" : " ") + join(coordinates, "");
    results[0] = keep(join(coordinates, ""));
  }

  void combine(std::span<const scalar::Value> left, std::span<const scalar::Value> right,
               std::span<scalar::Value> results) override {
    results[0] = keep("(" + texts_[left[0].bits] + "+" + texts_[right[0].bits] + ")");
  }

  const std::string& text(scalar::Value v) const { return texts_[v.bits]; }

  std::string visited;  // the points in the order of f's calls

 private:
  scalar::Value keep(std::string text) {
    texts_.push_back(std::move(text));
    return {texts_.size() - 1};
  }

  std::vector<std::string> texts_;
};

/// The sum of seven numbers, over 2 x 2 x 2 parts, most significant HM.
Program sum_of_seven() {
  return parse(R"(mdh_ll 1
machine artificial
layers HM, COR, L1
decompose {
  HM.k:  cc_inv 2 on HM.x  reads x: HM[1];
  COR.k: cc_inv 2 on COR.x reads x: HM[1];
  L1.k:  cc_inv 2 on L1.x  reads x: HM[1];
}
scalar { order HM.k, COR.k, L1.k; reads x: HM[1]; writes s: HM[]; }
recompose {
  HM.k:  pw(add) 2 on HM.x  writes s: HM[];
  COR.k: pw(add) 2 on COR.x writes s: HM[];
  L1.k:  pw(add) 2 on L1.x  writes s: HM[];
}
program sum = out_view( s: i64 = [] ) * md_hom( k: 7 by pw(add) ) { s = x; }
  * inp_view( x: i64 = [k] )
)");
}

/// "points in the order of f | tree of combinations" with the phases in these orders of HM, COR,
/// L1.
std::string trace(const std::vector<int>& scalar, const std::vector<int>& recompose) {
  Program p = sum_of_seven();
  p.scalar.order = reordered(p.scalar.order, scalar);
  p.recompose = reordered(p.recompose, recompose);
  TracingAlgebra algebra;
  const std::vector<Array> outputs = evaluate(p, {array_of({7}, {0, 0, 0, 0, 0, 0, 0})}, algebra);
  return algebra.visited + " | " + algebra.text(outputs[0].cells[0]);
}

TEST(LowLevelEvaluate, phases_run_in_their_own_orders_on_parts_given_by_significance) {
  EXPECT_EQ(trace({0, 1, 2}, {0, 1, 2}), "0 1 2 3 4 5 6 | (((0+1)+(2+3))+((4+5)+6))");
  EXPECT_EQ(trace({2, 1, 0}, {0, 1, 2}), "0 4 2 6 1 5 3 | (((0+1)+(2+3))+((4+5)+6))");
  EXPECT_EQ(trace({0, 1, 2}, {2, 1, 0}), "0 1 2 3 4 5 6 | (((0+4)+(2+6))+((1+5)+3))");
  EXPECT_EQ(trace({1, 2, 0}, {1, 0, 2}), "0 4 1 5 2 6 3 | (((0+1)+(4+5))+((2+3)+6))");
}

TEST(LowLevelEvaluate, concatenated_parts_are_combined_with_nobody) {
  const Program p = small_matvec();
  TracingAlgebra algebra;
  const std::vector<Array> outputs =
      evaluate(p, {array_of({3, 5}, Numbers(15, 0)), array_of({5}, Numbers(5, 0))}, algebra);
  EXPECT_EQ(algebra.visited, "00 01 10 11 02 03 12 13 04 14 20 21 22 23 24");
  ASSERT_EQ(outputs[0].size(), 3);
  EXPECT_EQ(algebra.text(outputs[0].cells[1]), "(((10+11)+(12+13))+14)");
  EXPECT_EQ(algebra.text(outputs[0].cells[2]), "(((20+21)+(22+23))+24)");
}

// ---- special cases

TEST(LowLevelEvaluate, a_program_of_one_point_needs_no_level) {
  const Program p = parse(R"(mdh_ll 1
machine cpu
layers none
decompose {}
scalar { order none; reads x: MM[1]; writes y: MM[]; }
recompose {}
program one = out_view( y: i64 = [] ) * md_hom( i: 1 by pw(add) ) { y = 3 * x + i; }
  * inp_view( x: i64 = [i] )
)");
  EXPECT_EQ(numbers_in(evaluate(p, {array_of({1}, {14})})[0]), Numbers{42});
}

TEST(LowLevelEvaluate, a_program_without_dimensions_applies_f_once) {
  const Program p = parse(R"(mdh_ll 1
machine cpu
layers none
decompose {}
scalar { order none; reads x: MM[]; writes y: MM[]; }
recompose {}
program one = out_view( y: i64 = [] ) * md_hom() { y = x - 1; } * inp_view( x: i64 = [] )
)");
  EXPECT_EQ(numbers_in(evaluate(p, {array_of({}, {43})})[0]), Numbers{42});
}

TEST(LowLevelEvaluate, wholly_empty_parts_have_no_value) {
  // Four parts for three points, and max, for which no neutral element could stand in.
  const Program p = parse(R"(mdh_ll 1
machine artificial
layers HM, L1
decompose {
  L1.i: cc_inv 2 on L1.x reads x: HM[1];
  HM.i: cc_inv 4 on HM.x reads x: HM[1];
}
scalar { order HM.i, L1.i; reads x: HM[1]; writes y: HM[]; }
recompose {
  HM.i: pw(max) 4 on HM.x writes y: HM[];
  L1.i: pw(max) 2 on L1.x writes y: HM[];
}
program greatest = out_view( y: i64 = [] ) * md_hom( i: 3 by pw(max) ) { y = x; }
  * inp_view( x: i64 = [i] )
)");
  EXPECT_EQ(numbers_in(evaluate(p, {array_of({3}, {-7, -5, -9})})[0]), Numbers{-5});
}

TEST(LowLevelEvaluate, inputs_that_do_not_fit_are_refused) {
  const Diagnostic d = diagnostic_of([] {
    evaluate(small_matvec(), {array_of({5}, {1, 2, 3, 4, 5})});
  });
  EXPECT_EQ(d.code, "E230");
  EXPECT_EQ(d.message, "program 'matvec' reads 2 buffers, got 1");
}

}  // namespace
}  // namespace mdh::ll::evaluate_test
