// The property that gives multi-dimensional homomorphisms their name, h(a ++ b) = h(a) ⊛ h(b) in
// every dimension: any decomposition computes the same.
#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/print.h"
#include "mdh/hl/testing.h"

namespace mdh::hl::homomorphism_test {
namespace {

using Set = std::vector<int64_t>;

/// Two non-empty, interleaved parts of a set with at least two elements.
std::pair<Set, Set> dealt(Random& random, const Set& set) {
  for (;;) {
    std::pair<Set, Set> parts;
    for (const int64_t i : set) (random.chance(50) ? parts.first : parts.second).push_back(i);
    if (!parts.first.empty() && !parts.second.empty()) return parts;
  }
}

/// A dimension that can be split, or nothing.
std::optional<int> splittable(Random& random, const Mda& a) {
  std::vector<int> all;
  for (size_t d = 0; d < a.sets.size(); ++d) {
    if (a.sets[d].size() > 1) all.push_back(static_cast<int>(d));
  }
  return all.empty() ? std::nullopt : std::optional(random.pick(all));
}

TEST(Homomorphism, result_of_a_concatenation_is_the_combination_of_the_results) {
  Random random(61);
  int checked = 0;
  for (int n = 0; n < 400; ++n) {
    const Program p = random_program(random);
    scalar::ScalarAlgebra algebra = algebra_of(p);
    const Mda whole = inp_view(p, random_inputs(p, random));
    const auto d = splittable(random, whole);
    if (!d) continue;
    const auto [P, Q] = dealt(random, whole.sets[static_cast<size_t>(*d)]);
    const auto [first, second] = split(whole, *d, P, Q);
    const Mda a = md_hom(p, algebra, first), b = md_hom(p, algebra, second);
    const Mda expected = md_hom(p, algebra, whole);
    ASSERT_EQ(combined(p, algebra, *d, a, b), expected) << "in dimension " << *d << " of\n"
                                                        << print(p);
    ASSERT_EQ(combined(p, algebra, *d, b, a), expected) << "the other way round\n" << print(p);
    ++checked;
  }
  EXPECT_GT(checked, 200);
}

/// Splits at random down to single points, and combines on the way back.
Mda decomposed(const Program& p, scalar::Algebra& algebra, const Mda& input, Random& random) {
  const auto d = splittable(random, input);
  if (!d) return md_hom(p, algebra, input);
  const auto [P, Q] = dealt(random, input.sets[static_cast<size_t>(*d)]);
  const auto [first, second] = split(input, *d, P, Q);
  const Mda a = decomposed(p, algebra, first, random), b = decomposed(p, algebra, second, random);
  return combined(p, algebra, *d, a, b);
}

TEST(Homomorphism, decomposition_down_to_single_points_computes_the_same) {
  Random random(62);
  for (int n = 0; n < 100; ++n) {
    const Program p = random_program(random);
    const std::vector<Array> inputs = random_inputs(p, random);
    scalar::ScalarAlgebra algebra = algebra_of(p);
    const Mda result = decomposed(p, algebra, inp_view(p, inputs), random);
    ASSERT_EQ(out_view(p, result), evaluate(p, inputs)) << print(p);
  }
}

// All reductions use one operator for a reason: with two of them the property fails.
TEST(Homomorphism, fails_for_reductions_with_different_operators) {
  Program p = parse(
      "mdh 1 program p = out_view( y: i64 = [] ) * md_hom( i: 2 by pw(add), k: 2 by pw(add) ) "
      "{ y = x; } * inp_view( x: i64 = [i, k] )");
  // Behind verify's back: f stays, but the tuple is combined by mul in the second dimension.
  Program q = p;
  q.dimensions[0].combine.operators = {"mul"};
  scalar::ScalarAlgebra add = algebra_of(p), mul = algebra_of(q);
  const std::vector<int64_t> data = {1, 2, 3, 4};
  const Mda whole =
      inp_view(p, {scalar::copy_from_memory(scalar::Scalar::i64, {2, 2}, data.data())});
  const auto row = [&](int64_t i) { return restricted(whole, 0, {i}); };
  const auto column = [&](int64_t k) { return restricted(whole, 1, {k}); };
  const Mda rows_first = combined(md_hom(p, mul, row(0)), md_hom(p, mul, row(1)), add);
  const Mda columns_first = combined(md_hom(p, add, column(0)), md_hom(p, add, column(1)), mul);
  EXPECT_EQ(rows_first.cells[0].as_integer(), 1 * 2 + 3 * 4);
  EXPECT_EQ(columns_first.cells[0].as_integer(), (1 + 3) * (2 + 4));
}

}  // namespace
}  // namespace mdh::hl::homomorphism_test
