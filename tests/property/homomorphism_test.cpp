// h(a ++ b) = h(a) ⊛ h(b) in every dimension: any decomposition computes the same.
#include <gtest/gtest.h>

#include "examples/catalogue.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/support/testing.h"
#include "mdh/support/text.h"
#include "tests/property/properties.h"
#include "tests/property/random_data.h"

namespace mdh::test {
namespace {

using hl::Mda;
using hl::Program;
using scalar::Array;

/// Compares h of the whole with the combination of h of two interleaved parts, both ways round.
std::string broken_in(const Program& p, const Mda& whole, const Mda& expected, int d,
                      Choices& choices) {
  if (whole.sets[d].size() < 2) return "";
  scalar::ScalarAlgebra algebra = hl::algebra_of(p);
  const auto [P, Q] = halved(choices, whole.sets[d]);
  const auto [first, second] = split(whole, d, P, Q);
  const Mda a = md_hom(p, algebra, first), b = md_hom(p, algebra, second);
  if (combined(p, algebra, d, a, b) == expected && combined(p, algebra, d, b, a) == expected) {
    return "";
  }
  return fmt::format("{}split in dimension {}: h of\n{}is\n{}instead of\n{}", hl::print(p), d,
                     describe(first), describe(combined(p, algebra, d, a, b)), describe(expected));
}

std::string broken(const Program& p, const std::vector<Array>& inputs, Choices& choices) {
  scalar::ScalarAlgebra algebra = hl::algebra_of(p);
  const Mda whole = inp_view(p, inputs);
  const Mda expected = md_hom(p, algebra, whole);
  for (size_t d = 0; d < whole.sets.size(); ++d) {
    const std::string found = broken_in(p, whole, expected, static_cast<int>(d), choices);
    if (!found.empty()) return found;
  }
  if (out_view(p, expected) == evaluate(p, inputs)) return "";
  return "the evaluator computes something else than the definition\n" + hl::print(p);
}

// ---- the catalogue

/// Odd sizes; those of many dimensions are so small that the definition can be evaluated.
std::string broken_entry(const examples::Entry& entry, Choices& choices) {
  examples::Instance at{choices.pick(entry.types), {}};
  int64_t volume = 1;
  for (size_t d = entry.generic().dimensions.size(); d > 0; --d) {
    const int64_t size = choices.pick<int64_t>({3, 1, 5, 2, 7});
    at.sizes.push_back(volume * size > 200 ? choices.between(1, volume > 400 ? 1 : 2) : size);
    volume *= at.sizes.back();
  }
  choices.shuffle(at.sizes);
  const Program p = entry.build(at);
  return broken(p, entry.inputs ? entry.inputs(at, p, choices.next()) : random_inputs(choices, p),
                choices);
}

// ---- mixes of operators

constexpr const char* joint = "op joint(l, r) = l + r + l * r;\n";

/// One operator, or one for each of two outputs.
std::string random_operators(Choices& choices, bool two) {
  static const std::vector<std::string> all = {"add", "mul", "min", "max",
                                               "and", "or",  "xor", "joint"};
  const std::string first = choices.pick(all);
  // A single operator of the user would be one on both outputs at once.
  const bool each = two && (first == "joint" || choices.chance(50));
  return each ? first + ", " + choices.pick(all) : first;
}

struct Mix {
  std::string type = "i64";
  std::vector<std::string> shapes;  // of each dimension: cc, pw(..), ps(..)
  bool two = false;                 // outputs
};

std::string text_of(const Mix& mix, Choices& choices) {
  std::vector<std::string> names, dimensions, kept, index;
  for (size_t d = 0; d < mix.shapes.size(); ++d) {
    names.push_back(std::string(1, static_cast<char>('i' + d)));
    dimensions.push_back(
        fmt::format("{}: {} by {}", names[d], choices.between(2, 4), mix.shapes[d]));
    if (mix.shapes[d][1] != 'w') kept.push_back(names[d]);
  }
  const std::string at = join(kept, ", ");
  return fmt::format(
      "mdh 1\n{}program mix =\n  out_view( y: {} = [{}]{} )\n* md_hom( {} ) {{ y = x + {}({}); {} "
      "}}\n* inp_view( x: {} = [{}] )\n",
      joint, mix.type, at, mix.two ? fmt::format("; z: {} = [{}]", mix.type, at) : "",
      join(dimensions, ", "), mix.type, names[0], mix.two ? "z = x;" : "", mix.type,
      join(names, ", "));
}

/// Splits at random down to single points, and combines on the way back.
Mda decomposed(const Program& p, scalar::Algebra& algebra, const Mda& input, Choices& choices) {
  std::vector<int> splittable;
  for (size_t d = 0; d < input.sets.size(); ++d) {
    if (input.sets[d].size() > 1) splittable.push_back(static_cast<int>(d));
  }
  if (splittable.empty()) return md_hom(p, algebra, input);
  const int d = choices.pick(splittable);
  const auto [P, Q] = halved(choices, input.sets[d]);
  const auto [first, second] = split(input, d, P, Q);
  const Mda a = decomposed(p, algebra, first, choices), b = decomposed(p, algebra, second, choices);
  return combined(p, algebra, d, a, b);
}

}  // namespace

// ---- the properties

std::string catalogue_programs_are_homomorphisms(Choices& choices) {
  return broken_entry(choices.pick(examples::catalogue()), choices);
}

std::string mixes_with_one_operator_are_homomorphisms(Choices& choices) {
  Mix mix{choices.pick<std::string>({"i64", "i32", "u8"}), {}, choices.chance(30)};
  const std::string op = random_operators(choices, mix.two);
  for (int64_t rank = choices.between(1, 3); rank > 0; --rank) {
    mix.shapes.push_back(choices.pick<std::string>({"cc", "pw(" + op + ")", "ps(" + op + ")"}));
  }
  const Program p = hl::parse(text_of(mix, choices));
  const std::vector<Array> inputs = random_inputs(choices, p);
  const std::string found = broken(p, inputs, choices);
  if (!found.empty()) return found;
  scalar::ScalarAlgebra algebra = hl::algebra_of(p);
  if (out_view(p, decomposed(p, algebra, inp_view(p, inputs), choices)) == evaluate(p, inputs)) {
    return "";
  }
  return "a decomposition down to single points computes something else\n" + hl::print(p);
}

std::string mixes_with_two_operators_are_refused(Choices& choices) {
  const bool two = choices.chance(30);
  const std::string first = random_operators(choices, two), second = random_operators(choices, two);
  if (first == second || first + ", " + first == second || second + ", " + second == first) {
    return "";  // one and the same function
  }
  Mix mix{"i32", {}, two};
  for (const std::string& op : {first, second}) {
    mix.shapes.push_back(choices.pick<std::string>({"pw(" + op + ")", "ps(" + op + ")"}));
  }
  if (choices.chance(50)) mix.shapes.emplace_back("cc");
  choices.shuffle(mix.shapes);
  const std::string text = text_of(mix, choices);
  const Diagnostic d = diagnostic_of([&] { hl::parse(text); });
  const bool shown =
      d.hint.find("the result would depend on the order, as for [[") != std::string::npos;
  return d.code == "E226" && shown ? "" : text + render(d);
}

namespace {

TEST(Homomorphism, catalogue_programs_are_some_in_every_dimension) {
  const int rounds = std::max(case_count(180) / 30, 1);
  for (const examples::Entry& entry : examples::catalogue()) {
    for (int seed = 1; seed <= rounds; ++seed) {
      Choices choices(static_cast<uint64_t>(seed));
      const std::string found = broken_entry(entry, choices);
      ASSERT_TRUE(found.empty()) << entry.name << ", seed " << seed << "\n" << found;
    }
  }
}

TEST(Homomorphism, mixes_with_one_operator_are_some) {
  expect_holds(mixes_with_one_operator_are_homomorphisms, 200);
}

TEST(Homomorphism, mixes_with_two_operators_are_refused_with_a_counterexample) {
  expect_holds(mixes_with_two_operators_are_refused, 200);
}

}  // namespace
}  // namespace mdh::test
