#include "mdh/scalar/contraction.h"

#include <algorithm>

#include "mdh/scalar/enclosure/enclosing_mathematics.h"
#include "mdh/scalar/tape/tape_compiler.h"

namespace mdh::scalar {
namespace {

using Opcode = TapeStep::Opcode;
using Kind = Factors::Kind;

bool is_fused_type(Scalar type) { return type == Scalar::f32 || type == Scalar::f64; }

bool is_product(const TapeStep& s) {
  return s.opcode == Opcode::binary && s.binary == BinaryOp::multiply && is_fused_type(s.type);
}

/// A copy and a negation round nothing, so that a compiler sees the product through them.
Factors factors_of(const TapeStep& s, std::span<const Factors> all) {
  if (is_product(s)) return {Kind::known, false, s.a, s.b};
  const auto of = [&](int slot) { return all[static_cast<size_t>(slot)]; };
  if (s.opcode == Opcode::copy) return of(s.a);
  if (s.opcode == Opcode::unary && s.unary == UnaryOp::negate && is_fused_type(s.type)) {
    Factors factors = of(s.a);
    factors.negated = !factors.negated;
    return factors;
  }
  if (s.opcode == Opcode::element) {
    for (int n = 0; n < s.c; ++n) {
      if (of(s.a + n).kind != Kind::none) return {.kind = Kind::unknown};
    }
  }
  return {};
}

struct Steps {
  std::vector<TapeStep> steps;
  int slots;
};

Steps steps_of(const Function& f) {
  TapeCompiler compiler(Precision::declared);
  compiler.function(f, compiler.parameters(f));
  const int slots = compiler.slots();
  return {compiler.take_steps(), slots};
}

bool computes_in_f32(const TapeStep& s) {
  const bool small = s.type == Scalar::f32 || s.type == Scalar::bf16;
  const bool computes = s.opcode == Opcode::binary || s.opcode == Opcode::mathematics ||
                        s.opcode == Opcode::unary || s.opcode == Opcode::cast;
  const bool casts_to =
      s.opcode == Opcode::cast && (s.target == Scalar::f32 || s.target == Scalar::bf16);
  return (small && computes) || casts_to;
}

}  // namespace

std::vector<Factors> factors_in(std::span<const TapeStep> steps, int slots) {
  std::vector<int> definitions(static_cast<size_t>(slots));
  for (const TapeStep& s : steps) {
    if (s.opcode < Opcode::jump) ++definitions[static_cast<size_t>(s.to)];
  }
  std::vector<Factors> all(static_cast<size_t>(slots));
  // What a loop sets at its end is read at its beginning: again, until nothing new is found.
  for (bool changed = true; changed;) {
    changed = false;
    for (const TapeStep& s : steps) {
      if (s.opcode >= Opcode::jump || all[static_cast<size_t>(s.to)].kind != Kind::none) continue;
      Factors found = factors_of(s, all);
      if (found.kind == Kind::none) continue;
      if (definitions[static_cast<size_t>(s.to)] > 1) found = {.kind = Kind::unknown};
      all[static_cast<size_t>(s.to)] = found;
      changed = true;
    }
  }
  return all;
}

bool is_contracted(const TapeStep& s, std::span<const Factors> factors) {
  const bool sum = s.opcode == Opcode::binary && is_fused_type(s.type) &&
                   (s.binary == BinaryOp::add || s.binary == BinaryOp::subtract);
  return sum && (factors[static_cast<size_t>(s.a)].kind != Kind::none ||
                 factors[static_cast<size_t>(s.b)].kind != Kind::none);
}

bool is_loose_division(const TapeStep& s) {
  return s.opcode == Opcode::binary && s.binary == BinaryOp::divide && is_floating(s.type) &&
         s.type != Scalar::f64;
}

bool can_contract(const Function& f) {
  const Steps tape = steps_of(f);
  const std::vector<Factors> factors = factors_in(tape.steps, tape.slots);
  return std::any_of(tape.steps.begin(), tape.steps.end(),
                     [&](const TapeStep& s) { return is_contracted(s, factors); });
}

bool is_deterministic(const Function& f, const Deviations& deviations) {
  if (deviations.contracts && can_contract(f)) return false;
  const std::vector<TapeStep> steps = steps_of(f).steps;
  return std::none_of(steps.begin(), steps.end(), [&](const TapeStep& s) {
    if (deviations.loose_division && is_loose_division(s)) return true;
    if (deviations.flushes_subnormals && computes_in_f32(s)) return true;
    return s.opcode == Opcode::mathematics &&
           !is_exact(math_bounds(s.math->name), s.type, deviations);
  });
}

}  // namespace mdh::scalar
