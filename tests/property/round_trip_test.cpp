// Programs of the whole grammar: printed and read back they are equal, and compute the same.
#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/support/testing.h"
#include "tests/property/grammar_generator.h"
#include "tests/property/properties.h"
#include "tests/property/random_data.h"

namespace mdh::test {
namespace {

using hl::Bindings;
using hl::Program;
using scalar::Array;

/// A file that can be read and instantiated; others say nothing about printing.
struct Case {
  std::string text;
  Bindings bindings;
  Program generic, concrete;
};

std::optional<Case> random_case(Choices& choices) {
  RandomFile file = random_file(choices);
  try {
    Program generic = hl::parse(file.text);
    Program concrete = hl::instantiate(generic, file.bindings);
    return Case{file.text, file.bindings, std::move(generic), std::move(concrete)};
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return std::nullopt;
  }
}

std::string unequal(const Program& p) {
  const std::string text = hl::print(p);
  const Program again = hl::parse(text);
  const std::string second = hl::print(again);
  if (second != text) return fmt::format("{}is printed again as\n{}", text, second);
  return again == p ? "" : text + "is read as another program than the one that was printed\n";
}

/// Some of the bindings, and the others. A constant is bound with its type, or after it.
std::pair<Bindings, Bindings> divided(Choices& choices, const Case& c) {
  std::pair<Bindings, Bindings> parts;
  const auto part = [&]() -> Bindings& { return choices.chance(50) ? parts.second : parts.first; };
  for (const auto& [name, type] : c.bindings.types) part().types.insert_or_assign(name, type);
  for (const auto& [name, size] : c.bindings.sizes) part().sizes.insert_or_assign(name, size);
  for (const hl::Parameter& parameter : c.generic.parameters) {
    const auto value = c.bindings.values.find(parameter.symbol.name);
    if (value == c.bindings.values.end()) continue;
    const bool typed =
        parameter.type.is_scalar() || parts.first.types.contains(to_string(parameter.type));
    (typed ? part() : parts.second).values.insert(*value);
  }
  return parts;
}

/// Outputs, or the error that evaluating raises.
std::pair<std::vector<Array>, std::string> outcome(const Program& p,
                                                   const std::vector<Array>& inputs) {
  std::vector<Array> outputs;
  const auto run = [&] { outputs = hl::evaluate(p, inputs); };
  const Diagnostic d = diagnostic_of(run);
  return {outputs, d.code + d.message};
}

}  // namespace

// ---- the properties

std::string generic_programs_are_read_back_equal(Choices& choices) {
  const auto c = random_case(choices);
  return c ? unequal(c->generic) : "";
}

std::string concrete_programs_are_read_back_equal(Choices& choices) {
  const auto c = random_case(choices);
  return c ? unequal(c->concrete) : "";
}

std::string partly_bound_programs_are_read_back_equal(Choices& choices) {
  const auto c = random_case(choices);
  return c ? unequal(hl::bind(c->generic, divided(choices, *c).first)) : "";
}

std::string programs_bound_in_steps_are_those_bound_at_once(Choices& choices) {
  const auto c = random_case(choices);
  if (!c) return "";
  const auto [first, second] = divided(choices, *c);
  const Program partial = hl::bind(c->generic, first);
  if (hl::instantiate(partial, second) != c->concrete) {
    return c->text + "in steps is another program than at once; after the first step\n" +
           hl::print(partial);
  }
  if (hl::instantiate(hl::parse(hl::print(partial)), second) == c->concrete) return "";
  return hl::print(partial) + "becomes another program when it is read back first\n";
}

std::string programs_that_are_read_back_compute_the_same(Choices& choices) {
  const auto c = random_case(choices);
  if (!c) return "";
  const std::vector<Array> inputs = random_inputs(choices, c->concrete);
  const auto expected = outcome(c->concrete, inputs);
  const Program generic = hl::parse(hl::print(c->generic));
  if (outcome(hl::instantiate(generic, c->bindings), inputs) != expected) {
    return "computes something else after it was read back\n" + c->text;
  }
  if (outcome(hl::parse(hl::print(c->concrete)), inputs) == expected) return "";
  return "computes something else after it was instantiated and read back\n" + c->text;
}

namespace {

TEST(RoundTrip, generator_writes_valid_files) {
  const int count = case_count(200);
  int refused = 0;
  std::string reasons;
  for (int seed = 1; seed <= count; ++seed) {
    Choices choices(static_cast<uint64_t>(seed));
    const RandomFile file = random_file(choices);
    const auto make = [&] { hl::instantiate(hl::parse(file.text), file.bindings); };
    const Diagnostic d = diagnostic_of(make);
    if (d.code.empty()) continue;
    ++refused;
    reasons += file.text + render(d);
  }
  EXPECT_LE(refused, count / 100) << reasons;
}

TEST(RoundTrip, generator_reaches_the_whole_grammar) {
  std::string all;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Choices choices(seed);
    all += random_file(choices).text;
  }
  for (const char* part :
       {"record r1 {", "[3];",       "fun g1(",    "op o0(",     "op all(",     "): same",
        "): zero",     "last_lhs(",  "in_lhs(",    "T: type,",   "U: type = T", ": size,",
        ": size = *",  ": size = N", "md_hom()",   "inp_view()", " by cc",      " by pw(",
        " by ps(",     " by own",    "loop (",     " yield ",    "if ",         "r1{ ",
        ".f1[",        ").f",        "y0.2 = ",    "l.y0.2",     "x0_0: [",     "f32[31",
        " << ",        " >> ",       " % ",        " ^ ",        "~",           "!(",
        " && ",        " || ",       "atan2(",     "sqrt(",      "min(",        "bf16(",
        "u64(1844674", "bool(",      "-922337203", "2.5E2",      "return ",     "v0 = "}) {
    EXPECT_NE(all.find(part), std::string::npos) << part;
  }
}

TEST(RoundTrip, generic_programs_are_read_back_equal) {
  expect_holds(generic_programs_are_read_back_equal, 400);
}

TEST(RoundTrip, concrete_programs_are_read_back_equal) {
  expect_holds(concrete_programs_are_read_back_equal, 400);
}

TEST(RoundTrip, partly_bound_programs_are_read_back_equal) {
  expect_holds(partly_bound_programs_are_read_back_equal, 300);
}

TEST(RoundTrip, programs_bound_in_steps_are_those_bound_at_once) {
  expect_holds(programs_bound_in_steps_are_those_bound_at_once, 200);
}

TEST(RoundTrip, programs_that_are_read_back_compute_the_same) {
  expect_holds(programs_that_are_read_back_compute_the_same, 200);
}

}  // namespace
}  // namespace mdh::test
