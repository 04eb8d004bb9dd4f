// Enclosures of random functions: they have what the interpreter gives on all values inside of
// their arguments, and what compilers make of the printed functions.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "mdh/hl/analysis.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/runtime/process.h"
#include "mdh/scalar/enclosure/enclosing_function.h"
#include "mdh/support/text.h"
#include "tests/property/grammar_generator.h"
#include "tests/property/printed_function.h"
#include "tests/property/properties.h"

namespace mdh::test::enclosures_test {
namespace {

using scalar::Deviations;
using scalar::EnclosingFunction;
using scalar::Enclosure;
using scalar::Function;
using scalar::Scalar;
using scalar::Value;

std::vector<Scalar> argument_types(const Function& f) {
  std::vector<Scalar> types;
  for (const scalar::Parameter& p : f.parameters) {
    for (const scalar::Leaf& leaf : leaves_of(p.type)) types.push_back(leaf.type);
  }
  return types;
}

bool is_nan(Scalar type, Value v) { return is_floating(type) && std::isnan(v.as_floating()); }

/// A point, two neighbours that are close, or two that are not.
Enclosure around(Choices& choices, Scalar type, Value v) {
  Enclosure e = exactly(type, v);
  if (is_nan(type, v) || choices.chance(40)) return e;
  Value other = any_value(choices, type);
  if (is_floating(type) && choices.chance(60)) {
    const double far = std::ldexp(v.as_floating(), -static_cast<int>(choices.between(1, 20)));
    other = scalar::from_floating(type, v.as_floating() + far);
  } else if (is_integer(type) && choices.chance(60)) {
    const auto near = static_cast<uint64_t>(choices.between(-3, 3));  // wraps around at the ends
    other = scalar::from_integer(type, static_cast<int64_t>(v.bits + near));
  }
  if (!is_nan(type, other)) e = hull(type, e, exactly(type, other));
  e.no_number = is_floating(type) && choices.chance(5);
  return e;
}

/// The value of a rank: the other way round than rank_of.
Value at_rank(Scalar type, int64_t rank) {
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  if (scalar::is_signed(type)) return Value::integer(rank);
  if (!is_floating(type)) return Value::integer(rank ^ least);
  const auto v = std::bit_cast<double>(rank < 0 ? rank ^ ~least : rank);
  return scalar::from_floating(type, v);
}

/// An end, or something between: what is inside stays so when it is rounded.
Value inside(Choices& choices, Scalar type, const Enclosure& e) {
  if (!e.has_numbers() || (e.no_number && choices.chance(30))) return Value::floating(NAN);
  if (choices.chance(30)) return choices.chance(50) ? e.least : e.greatest;
  Random random(choices.next());
  const int64_t least = rank_of(type, e.least), greatest = rank_of(type, e.greatest);
  return at_rank(type, random.between(least, greatest));
}

std::string shown(const std::vector<Scalar>& types, const std::vector<Enclosure>& enclosures) {
  std::vector<std::string> all;
  for (size_t n = 0; n < types.size(); ++n) all.push_back(to_string(types[n], enclosures[n]));
  return join(all, ", ");
}

std::string outside(const Function& f, const std::vector<Enclosure>& arguments,
                    const std::vector<Enclosure>& enclosed, const std::vector<Value>& found) {
  const std::vector<Scalar> types = leaf_types(f);
  for (size_t n = 0; n < types.size(); ++n) {
    if (contains(types[n], enclosed[n], found[n])) continue;
    return fmt::format("{}of ({}): {} is not in {}", description(f),
                       shown(argument_types(f), arguments), to_string(types[n], found[n]),
                       to_string(types[n], enclosed[n]));
  }
  return "";
}

/// Short, because random functions with undecided loops take long.
constexpr int64_t most_steps = 100'000;

/// Whether there is an enclosure: errors are certain only where every value makes them.
bool evaluate(EnclosingFunction& f, const std::vector<Enclosure>& arguments,
              std::vector<Enclosure>& results) {
  try {
    f(arguments, results, most_steps);
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool evaluate(const scalar::Tape& f, const std::vector<Value>& arguments,
              std::vector<Value>& results) {
  try {
    f.run(arguments, results, most_steps / 10);
    return true;
  } catch (const Error&) {
    return false;
  }
}

const std::vector<Deviations>& all_deviations() {
  static const std::vector<Deviations> all = {
      {},
      {.contracts = true},
      {.contracts = true,
       .mathematics = scalar::MathLibrary::opencl,
       .loose_division = true,
       .flushes_subnormals = true},
  };
  return all;
}

/// How an enclosure of f lacks a value that the interpreter gives.
std::string missing_value(Choices& choices, const Function& f) {
  const std::vector<Scalar> types = argument_types(f);
  const scalar::Tape tape(f);
  EnclosingFunction enclosing(f, choices.pick(all_deviations()));
  std::vector<Enclosure> enclosed(leaf_types(f).size());
  std::vector<Value> results(enclosed.size());
  for (const std::vector<Value>& values : random_cases(choices, f, 10)) {
    std::vector<Enclosure> arguments;
    for (size_t n = 0; n < types.size(); ++n) {
      arguments.push_back(around(choices, types[n], values[n]));
    }
    const bool possible = evaluate(enclosing, arguments, enclosed);
    for (int sample = 0; sample < 10; ++sample) {
      std::vector<Value> point;
      for (size_t n = 0; n < types.size(); ++n) {
        point.push_back(inside(choices, types[n], arguments[n]));
      }
      if (!evaluate(tape, point, results)) continue;
      if (!possible) return description(f) + "has an enclosure, not an error";
      const std::string found = outside(f, arguments, enclosed, results);
      if (!found.empty()) return found;
    }
  }
  return "";
}

std::string enclosures_have_what_the_interpreter_gives(Choices& choices) {
  for (const Function& f : random_functions(choices)) {
    const std::string found = missing_value(choices, f);
    if (!found.empty()) return found;
  }
  return "";
}

TEST(Enclosures, have_what_the_interpreter_gives_on_values_inside) {
  expect_holds(enclosures_have_what_the_interpreter_gives, 200);
}

/// Points of functions that deviate in nothing stay points, but for zeros of min and max.
std::string exact_functions_keep_points(Choices& choices) {
  for (const Function& f : random_functions(choices)) {
    if (!is_deterministic(f, {})) continue;
    const std::vector<Scalar> types = argument_types(f), result_types = leaf_types(f);
    const scalar::Tape tape(f);
    EnclosingFunction enclosing(f);
    std::vector<Enclosure> enclosed(result_types.size());
    std::vector<Value> results(enclosed.size());
    for (const std::vector<Value>& values : random_cases(choices, f, 20)) {
      std::vector<Enclosure> points;
      for (size_t n = 0; n < types.size(); ++n) points.push_back(exactly(types[n], values[n]));
      if (!evaluate(tape, values, results)) continue;
      enclosing(points, enclosed);
      for (size_t n = 0; n < enclosed.size(); ++n) {
        const bool zeros = enclosed[n].least.as_floating() == enclosed[n].greatest.as_floating();
        if (enclosed[n] == exactly(result_types[n], results[n]) || zeros) continue;
        return fmt::format("{}of ({}) is {}", description(f), shown(types, points),
                           to_string(result_types[n], enclosed[n]));
      }
    }
  }
  return "";
}

TEST(Enclosures, points_stay_points_where_nothing_deviates) {
  expect_holds(exact_functions_keep_points, 300);
}

// ---- compiled code

std::vector<Translation> contracting_compilers() {
  std::vector<Translation> all;
  for (const char* name : {"gcc", "clang"}) {
    const std::string path = runtime::find_program(name);
    if (path.empty()) continue;
    const std::vector<std::string> flags = {"-O3", "-march=native"};
    all.push_back({name, backend::Dialect::c, {path, flags}, true});
  }
  return all;
}

void expect_inside(const std::vector<Trial>& trials, const Translation& translation) {
  const std::vector<Cases> computed = compiled_results(trials, translation);
  for (size_t t = 0; t < trials.size(); ++t) {
    const Function& f = trials[t].f;
    const std::vector<Scalar> types = argument_types(f);
    EnclosingFunction enclosing(f, {.contracts = true});
    std::vector<Enclosure> enclosed(leaf_types(f).size());
    for (size_t c = 0; c < trials[t].cases.size(); ++c) {
      std::vector<Enclosure> points;
      for (size_t n = 0; n < types.size(); ++n) {
        points.push_back(exactly(types[n], trials[t].cases[c][n]));
      }
      if (!evaluate(enclosing, points, enclosed)) continue;
      const std::string found = outside(f, points, enclosed, computed[t][c]);
      ASSERT_TRUE(found.empty()) << translation.name << ":\n" << found;
    }
  }
}

/// Whatever is printed, not only what back ends allow to be contracted.
TEST(Enclosures, have_what_contracting_compilers_make_of_random_functions) {
  if (contracting_compilers().empty()) GTEST_SKIP() << "no gcc and no clang";
  Choices choices(4);
  std::vector<Trial> trials;
  for (int file = case_count(20); file > 0; --file) {
    for (const Function& f : random_functions(choices)) {
      trials.push_back({f, random_cases(choices, f, 40)});
    }
  }
  for (const Translation& t : contracting_compilers()) expect_inside(trials, t);
}

/// Sums of products, on numbers that have to be rounded.
Trial sums_of_products(Choices& choices, const std::string& type) {
  const std::string text = fmt::format(R"(mdh 1
    program p = out_view( r: {0} = [i]; s: {0} = [i]; t: {0} = [i] ) * md_hom( i: 4 by cc ) {{
      u = -(x * y);
      r = x * y + z;
      s = z * z - x * y;
      t = (u - z) * x + (loop (k = 0, m = x) while (k < 3) {{ m = m * y + z, k = k + 1 }} yield m);
    }} * inp_view( x: {0} = [i]; y: {0} = [i]; z: {0} = [i] ))",
                                       type);
  const Function f = hl::scalar_function(hl::instantiate(hl::parse(text), {}));
  Trial trial = {f, Cases(500)};
  for (std::vector<Value>& one : trial.cases) {
    for (const Scalar leaf : argument_types(f)) {
      const double v = 1 + static_cast<double>(choices.between(-1000, 1000)) / 999;
      one.push_back(scalar::from_floating(leaf, v));
    }
  }
  return trial;
}

/// How many cases have a result that is not the declared one.
int deviating_cases(const Trial& trial, const Cases& computed) {
  const scalar::Tape tape(trial.f);
  std::vector<Value> declared(computed.front().size());
  int count = 0;
  for (size_t c = 0; c < computed.size(); ++c) {
    tape.run(trial.cases[c], declared);
    if (declared != computed[c]) ++count;
  }
  return count;
}

TEST(Enclosures, have_what_contracting_compilers_make_of_sums_of_products) {
  Choices choices(5);
  const std::vector<Trial> trials = {sums_of_products(choices, "f32"),
                                     sums_of_products(choices, "f64"),
                                     sums_of_products(choices, "f16")};
  int deviating = 0;
  for (const Translation& t : contracting_compilers()) {
    expect_inside(trials, t);
    const std::vector<Cases> computed = compiled_results(trials, t);
    deviating += deviating_cases(trials[0], computed[0]) + deviating_cases(trials[1], computed[1]);
    EXPECT_EQ(deviating_cases(trials[2], computed[2]), 0) << "f16 is contracted by " << t.name;
  }
  if (deviating == 0) GTEST_SKIP() << "no compiler contracts for this machine";
}

}  // namespace
}  // namespace mdh::test::enclosures_test
