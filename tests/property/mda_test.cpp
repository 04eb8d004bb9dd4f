// MDAs and combine operators on any index sets: with gaps, interleaved, empty.
#include <gtest/gtest.h>

#include <algorithm>

#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/support/text.h"
#include "tests/property/properties.h"
#include "tests/property/random_data.h"

namespace mdh::test {
namespace {

using hl::Mda;

/// An MDA of one to three dimensions, and one of them.
struct Whole {
  Mda a;
  int d = 0;
};

Whole random_whole(Choices& choices) {
  Whole whole;
  std::vector<Set> sets;
  for (int64_t rank = choices.between(1, 3); rank > 0; --rank) {
    sets.push_back(random_set(choices, 4));
  }
  whole.d = static_cast<int>(choices.between(0, static_cast<int64_t>(sets.size()) - 1));
  sets[whole.d] = random_set(choices, 7);
  whole.a = random_mda(choices, sets, static_cast<int>(choices.between(1, 2)));
  return whole;
}

std::string unequal(const char* what, const Mda& found, const Mda& expected) {
  if (found == expected) return "";
  return fmt::format("{}:\n{}instead of\n{}", what, describe(found), describe(expected));
}

// ---- scans

const std::vector<std::string> scan_operators = {"add", "max", "min", "mul"};

int64_t applied(const std::string& op, int64_t a, int64_t b) {
  if (op == "add") return a + b;
  if (op == "mul") return a * b;
  return op == "max" ? std::max(a, b) : std::min(a, b);
}

/// The inclusive scan by a loop of its own; `ops` are those of the components.
Mda plain_scan(const Mda& a, int d, const std::vector<std::string>& ops) {
  return hl::make_mda(a.sets, a.components, [&](auto point, auto cells) {
    Set there(point.begin(), point.end());
    for (size_t c = 0; c < cells.size(); ++c) {
      std::optional<int64_t> sum;
      for (const int64_t i : a.sets[d]) {
        if (i > point[d]) break;
        there[d] = i;
        const int64_t next = cells_at(a, there)[c].as_integer();
        sum = sum ? applied(ops[c], *sum, next) : next;
      }
      cells[c] = scalar::Value::integer(*sum);
    }
  });
}

hl::Program scan_program(const std::vector<std::string>& ops) {
  const bool two = ops.size() == 2;
  return hl::parse(fmt::format(
      "mdh 1 program p = out_view( s: i64 = [k]{} ) * md_hom( k: 2 by ps({}) ) {{ s = a; {} }} "
      "* inp_view( a: i64 = [k] )",
      two ? "; t: i64 = [k]" : "", join(ops, ", "), two ? "t = a;" : ""));
}

// ---- folds

const char* const combines = R"(
op joint(l, r) = l + r + l * r;
combine side_by_side(x): same = if in_lhs(x) then lhs[x] else rhs[x];
combine smallest(x): zero = min(lhs[0], rhs[0]);
combine running(x): same {
  l = last_lhs(x);
  r = last_rhs(x);
  return if l < 0 then rhs[r] else if r < 0 then lhs[l] else lhs[l] + rhs[r];
}
)";

/// One dimension by any operator.
hl::Program fold_program(Choices& choices) {
  static const std::vector<std::string> operators = {
      "cc",      "pw(add)", "pw(mul)", "pw(min)",      "pw(max)",  "pw(xor)", "pw(joint)",
      "ps(add)", "ps(mul)", "ps(max)", "side_by_side", "smallest", "running", "ps(joint)"};
  const std::string op = choices.pick(operators);
  const bool reduced = op[1] == 'w' || op == "smallest";
  return hl::parse(fmt::format(
      "mdh 1 {} program p = out_view( s: i64 = [{}] ) * md_hom( k: 8 by {} ) {{ s = a; }} "
      "* inp_view( a: i64 = [k] )",
      combines, reduced ? "" : "k", op));
}

/// Operands of a fold: singletons, as md_hom makes them.
std::vector<Mda> operands(Choices& choices, const hl::Program& p) {
  const bool reduced = hl::is_reduced(p.dimensions[0]);
  std::vector<Mda> parts;
  Set indices = random_set(choices, 8);
  if (indices.empty()) indices = {3};
  choices.shuffle(indices);
  for (const int64_t i : indices) parts.push_back(random_mda(choices, {{reduced ? 0 : i}}, 1));
  return parts;
}

/// Combines two neighbours until one is left.
Mda bracketed(Choices& choices, const hl::Program& p, scalar::Algebra& algebra,
              std::vector<Mda> parts) {
  while (parts.size() > 1) {
    const auto n = static_cast<size_t>(choices.between(0, static_cast<int64_t>(parts.size()) - 2));
    parts[n] = combined(p, algebra, 0, parts[n], parts[n + 1]);
    parts.erase(parts.begin() + static_cast<int64_t>(n) + 1);
  }
  return parts.front();
}

}  // namespace

// ---- the properties

std::string concatenation_is_commutative_and_associative(Choices& choices) {
  const auto [whole, d] = random_whole(choices);
  std::vector<Mda> parts;
  for (const Set& set : dealt(choices, whole.sets[d], 3)) {
    parts.push_back(restricted(whole, d, set));
  }
  const Mda &a = parts[0], &b = parts[1], &c = parts[2];
  const Mda ab = concatenated(a, b, d);
  const std::string commutes = unequal("b ++ a is not a ++ b", concatenated(b, a, d), ab);
  if (!commutes.empty()) return commutes;
  const Mda left = concatenated(ab, c, d), right = concatenated(a, concatenated(b, c, d), d);
  const std::string associates = unequal("a ++ (b ++ c) is not (a ++ b) ++ c", right, left);
  return associates.empty() ? unequal("all parts are not the whole", left, whole) : associates;
}

std::string split_and_concatenation_are_inverse(Choices& choices) {
  const auto [whole, d] = random_whole(choices);
  const std::vector<Set> sets = dealt(choices, whole.sets[d], 2);
  const auto [a, b] = split(whole, d, sets[0], sets[1]);
  if (a.sets[d] != sets[0] || b.sets[d] != sets[1]) return "parts have other indices than asked";
  const std::string restored =
      unequal("the concatenation of both parts", concatenated(a, b, d), whole);
  if (!restored.empty()) return restored;
  // The other way round, with parts that never were one.
  const Mda other = random_mda(choices, b.sets, b.components);
  const auto [first, second] = split(concatenated(a, other, d), d, sets[0], sets[1]);
  const std::string kept = unequal("the first part", first, a);
  return kept.empty() ? unequal("the second part", second, other) : kept;
}

std::string scan_of_a_whole_is_the_combination_of_the_scans_of_its_parts(Choices& choices) {
  const auto [whole, d] = random_whole(choices);
  std::vector<std::string> ops;
  for (int c = 0; c < whole.components; ++c) ops.push_back(choices.pick(scan_operators));
  scalar::ScalarAlgebra algebra = hl::algebra_of(scan_program(ops));
  const std::vector<Set> sets = dealt(choices, whole.sets[d], 2);
  const Mda a = plain_scan(restricted(whole, d, sets[0]), d, ops);
  const Mda b = plain_scan(restricted(whole, d, sets[1]), d, ops);
  const std::string what = fmt::format("ps({}) in dimension {} of\n{}and\n{}", join(ops, ", "), d,
                                       describe(a), describe(b));
  return unequal(what.c_str(), scanned(a, b, d, algebra), plain_scan(whole, d, ops));
}

std::string every_bracketing_of_a_fold_is_the_left_fold(Choices& choices) {
  const hl::Program p = fold_program(choices);
  scalar::ScalarAlgebra algebra = hl::algebra_of(p);
  const std::vector<Mda> parts = operands(choices, p);
  Mda left = parts.front();
  for (size_t n = 1; n < parts.size(); ++n) left = combined(p, algebra, 0, left, parts[n]);
  const std::string what = "a bracketing by " + hl::print(p.dimensions[0].combine);
  return unequal(what.c_str(), bracketed(choices, p, algebra, parts), left);
}

namespace {

TEST(Concatenation, is_commutative_and_associative) {
  expect_holds(concatenation_is_commutative_and_associative, 500);
}

TEST(Concatenation, is_the_inverse_of_splitting) {
  expect_holds(split_and_concatenation_are_inverse, 500);
}

TEST(Scan, of_a_whole_is_the_combination_of_the_scans_of_its_parts) {
  expect_holds(scan_of_a_whole_is_the_combination_of_the_scans_of_its_parts, 300);
}

TEST(Fold, in_every_bracketing_is_the_left_fold) {
  expect_holds(every_bracketing_of_a_fold_is_the_left_fold, 300);
}

}  // namespace
}  // namespace mdh::test
