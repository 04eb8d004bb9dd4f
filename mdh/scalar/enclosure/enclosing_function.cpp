#include "mdh/scalar/enclosure/enclosing_function.h"

#include <algorithm>

#include "mdh/scalar/enclosure/enclosing_mathematics.h"
#include "mdh/scalar/enclosure/enclosing_operations.h"
#include "mdh/scalar/tape/tape_compiler.h"

namespace mdh::scalar {
namespace {

using Opcode = TapeStep::Opcode;

bool is_surely_true(const Enclosure& condition) { return condition.least.bits != 0; }
bool is_surely_false(const Enclosure& condition) { return condition.greatest.bits == 0; }

/// The type of what a step gives, if it does not give what a slot has.
Scalar result_type(const TapeStep& s) {
  if (s.opcode == Opcode::cast) return s.target;
  return s.opcode == Opcode::binary && is_comparison(s.binary) ? Scalar::boolean : s.type;
}

}  // namespace

// ---- preparation

EnclosingFunction::EnclosingFunction(const Function& f, const Deviations& deviations)
    : deviations_(deviations) {
  TapeCompiler compiler(Precision::declared);
  const TapeCompiler::Environment parameters = compiler.parameters(f);
  results_ = compiler.function(f, parameters);
  slots_.resize(static_cast<size_t>(compiler.slots()));
  const std::vector<TapeStep> tape = compiler.take_steps();
  const std::vector<Factors> factors = factors_in(tape, compiler.slots());
  steps_.reserve(tape.size());
  for (const TapeStep& step : tape) add_step(step, factors);
  set_types(f);
  for (size_t n = 0; n < steps_.size(); ++n) {
    if (steps_[n].is.opcode != Opcode::jump_unless) continue;
    steps_[n].merged = is_loop(n) ? loop_variables(n) : set_by_both_branches(n);
  }
}

void EnclosingFunction::add_step(const TapeStep& step, std::span<const Factors> factors) {
  Step added = {.is = step};
  if (deviations_.contracts && is_contracted(step, factors)) {
    added.contracted = true;
    added.left = factors[static_cast<size_t>(step.a)];
    added.right = factors[static_cast<size_t>(step.b)];
  }
  added.loose = deviations_.loose_division && is_loose_division(step);
  if (step.opcode == Opcode::mathematics) added.bounds = &math_bounds(step.math->name);
  steps_.push_back(std::move(added));
}

void EnclosingFunction::set_types(const Function& f) {
  types_.reserve(slots_.size());
  for (const Parameter& p : f.parameters) {
    for (const Leaf& leaf : leaves_of(p.type)) types_.push_back(leaf.type);
  }
  types_.resize(slots_.size(), Scalar::i64);
  for (const Step& step : steps_) {
    if (step.is.opcode >= Opcode::jump) continue;
    const bool takes = step.is.opcode == Opcode::copy || step.is.opcode == Opcode::element;
    types_[static_cast<size_t>(step.is.to)] =
        takes ? types_[static_cast<size_t>(step.is.a)] : result_type(step.is);
  }
}

/// A condition of a loop goes to the step after the jump back; that of a select goes to the step
/// after the jump over the other branch.
bool EnclosingFunction::is_loop(size_t n) const {
  const auto target = static_cast<size_t>(steps_[n].is.c);
  return static_cast<size_t>(steps_[target - 1].is.c) <= n;
}

/// Both branches of a select end with copies to the same slots; nothing else of them is read later.
std::vector<int> EnclosingFunction::set_by_both_branches(size_t n) const {
  const auto otherwise = static_cast<size_t>(steps_[n].is.c);
  const auto end = static_cast<size_t>(steps_[otherwise - 1].is.c);
  std::vector<int> slots;
  for (size_t back = 1; otherwise - 1 - back > n && end - back >= otherwise; ++back) {
    const TapeStep &a = steps_[otherwise - 1 - back].is, &b = steps_[end - back].is;
    if (a.opcode != Opcode::copy || b.opcode != Opcode::copy || a.to != b.to) break;
    slots.push_back(a.to);
  }
  return slots;
}

/// A round of a loop ends with copies to its variables, which have been set before the loop, too.
std::vector<int> EnclosingFunction::loop_variables(size_t n) const {
  const auto end = static_cast<size_t>(steps_[n].is.c);
  const auto again = static_cast<size_t>(steps_[end - 1].is.c);
  std::vector<int> slots;
  for (size_t at = end - 2; at > n && steps_[at].is.opcode == Opcode::copy; --at) {
    const int to = steps_[at].is.to;
    const auto sets_it = [&](const Step& s) {
      return s.is.opcode == Opcode::copy && s.is.to == to;
    };
    const auto loop = steps_.begin() + static_cast<std::ptrdiff_t>(again);
    if (std::any_of(steps_.begin(), loop, sets_it)) slots.push_back(to);
  }
  return slots;
}

// ---- control

void EnclosingFunction::operator()(std::span<const Enclosure> arguments,
                                   std::span<Enclosure> results, int64_t most) {
  for (size_t n = 0; n < arguments.size(); ++n) slots_[n] = kept(static_cast<int>(n), arguments[n]);
  saved_.clear();
  done_ = 0;
  limit_ = most;
  run(0, steps_.size());
  for (size_t n = 0; n < results_.size(); ++n)
    results[n] = slots_[static_cast<size_t>(results_[n])];
}

void EnclosingFunction::run(size_t n, size_t end) {
  while (n < end) {
    const Step& step = steps_[n];
    ++done_;
    if (step.is.opcode < Opcode::jump) {
      slots_[static_cast<size_t>(step.is.to)] = kept(step.is.to, value_of(step));
      ++n;
    } else if (step.is.opcode == Opcode::jump) {
      check_limit();
      n = static_cast<size_t>(step.is.c);
    } else {
      n = after_condition(n);
    }
  }
}

void EnclosingFunction::check_limit() const {
  if (done_ > limit_) report_endless_loop(limit_);
}

size_t EnclosingFunction::after_condition(size_t n) {
  const TapeStep& step = steps_[n].is;
  const Enclosure& condition = slots_[static_cast<size_t>(step.a)];
  if (is_surely_true(condition)) return n + 1;
  if (is_surely_false(condition)) return static_cast<size_t>(step.c);
  return is_loop(n) ? leave_and_stay(n) : select_both(n);
}

size_t EnclosingFunction::select_both(size_t n) {
  const Step& step = steps_[n];
  const auto otherwise = static_cast<size_t>(step.is.c);
  const auto end = static_cast<size_t>(steps_[otherwise - 1].is.c);
  const size_t saved = saved_.size();
  try_open(step, [&] { run(n + 1, otherwise - 1); });
  save(step);
  try_open(step, [&] { run(otherwise, end); });
  add_to_saved(step, saved);
  restore(step, saved);
  return end;
}

size_t EnclosingFunction::leave_and_stay(size_t n) {
  const Step& step = steps_[n];
  const size_t saved = saved_.size();
  save(step);
  try_open(step, [&] { stay(n, saved); });
  add_to_saved(step, saved);
  restore(step, saved);
  return static_cast<size_t>(step.is.c);
}

/// Goes on with a loop that may have been left. At the end the variables have the values with which
/// it is surely left; those with which it may be left before are added to the saved ones.
void EnclosingFunction::stay(size_t n, size_t saved) {
  const Step& step = steps_[n];
  const auto end = static_cast<size_t>(step.is.c);
  const auto again = static_cast<size_t>(steps_[end - 1].is.c);
  for (int round = 0; round < most_open_rounds; ++round) {
    run(n + 1, end - 1);
    run(again, n);
    const Enclosure& condition = slots_[static_cast<size_t>(step.is.a)];
    if (is_surely_false(condition)) return;
    if (!is_surely_true(condition)) add_to_saved(step, saved);
  }
  forget(step);
}

/// Runs what right code may or may not run: if an error happens there, nothing is known.
template <class Part>
void EnclosingFunction::try_open(const Step& step, Part&& part) {
  const int64_t limit = limit_;
  const size_t saved = saved_.size();
  limit_ = std::min(limit_, done_ + most_open_steps);
  try {
    part();
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::user) throw;
    saved_.resize(saved);
    forget(step);
  }
  limit_ = limit;
}

void EnclosingFunction::save(const Step& step) {
  for (const int slot : step.merged) saved_.push_back(slots_[static_cast<size_t>(slot)]);
}

void EnclosingFunction::add_to_saved(const Step& step, size_t saved) {
  for (size_t n = 0; n < step.merged.size(); ++n) {
    const auto slot = static_cast<size_t>(step.merged[n]);
    saved_[saved + n] = hull(types_[slot], saved_[saved + n], slots_[slot]);
  }
}

void EnclosingFunction::restore(const Step& step, size_t saved) {
  for (size_t n = 0; n < step.merged.size(); ++n) {
    slots_[static_cast<size_t>(step.merged[n])] = saved_[saved + n];
  }
  saved_.resize(saved);
}

void EnclosingFunction::forget(const Step& step) {
  for (const int slot : step.merged) {
    slots_[static_cast<size_t>(slot)] = everything(types_[static_cast<size_t>(slot)]);
  }
}

// ---- values

/// On devices that take subnormal numbers for zero, everything that is computed with is such.
Enclosure EnclosingFunction::kept(int slot, const Enclosure& e) const {
  if (!deviations_.flushes_subnormals) return e;
  const Scalar type = types_[static_cast<size_t>(slot)];
  return type == Scalar::f32 || type == Scalar::bf16 ? flushed(type, e) : e;
}

Enclosure EnclosingFunction::value_of(const Step& step) const {
  const TapeStep& s = step.is;
  const auto slot = [&](int n) -> const Enclosure& { return slots_[static_cast<size_t>(n)]; };
  switch (s.opcode) {
    case Opcode::constant:
      return exactly(s.type, s.value);
    case Opcode::unary:
      return enclose(s.unary, s.type, slot(s.a));
    case Opcode::binary:
      return binary(step);
    case Opcode::cast:
      return enclose_cast(s.type, s.target, slot(s.a));
    case Opcode::copy:
      return slot(s.a);
    case Opcode::element:
      return element(s);
    case Opcode::mathematics:
      return enclose_math(*s.math, *step.bounds, s.type, slot(s.a), slot(s.b), deviations_);
    case Opcode::jump:
    case Opcode::jump_unless:
      break;
  }
  return {};
}

Enclosure EnclosingFunction::binary(const Step& step) const {
  const TapeStep& s = step.is;
  const Enclosure &a = slots_[static_cast<size_t>(s.a)], &b = slots_[static_cast<size_t>(s.b)];
  if (step.loose) return enclose_loose_quotient(s.type, a, b);
  Enclosure result = enclose(s.binary, s.type, a, b);
  if (!step.contracted) return result;
  if (step.left.kind != Factors::Kind::none) result = hull(s.type, result, fused_left(step));
  if (step.right.kind != Factors::Kind::none) result = hull(s.type, result, fused_right(step));
  return result;
}

/// The product on the left is not rounded. If its factors are not known it is at most as far away
/// as the neighbours of what it was rounded to.
Enclosure EnclosingFunction::fused_left(const Step& step) const {
  const TapeStep& s = step.is;
  const Enclosure &a = slots_[static_cast<size_t>(s.a)], &b = slots_[static_cast<size_t>(s.b)];
  if (step.left.kind == Factors::Kind::unknown) {
    return enclose(s.binary, s.type, before_rounding(s.type, a), b);
  }
  const bool subtracts = s.binary == BinaryOp::subtract;
  return with_product(s.type, step.left, step.left.negated,
                      subtracts ? enclose(UnaryOp::negate, s.type, b) : b);
}

Enclosure EnclosingFunction::fused_right(const Step& step) const {
  const TapeStep& s = step.is;
  const Enclosure &a = slots_[static_cast<size_t>(s.a)], &b = slots_[static_cast<size_t>(s.b)];
  if (step.right.kind == Factors::Kind::unknown) {
    return enclose(s.binary, s.type, a, before_rounding(s.type, b));
  }
  const bool subtracts = s.binary == BinaryOp::subtract;
  return with_product(s.type, step.right, step.right.negated != subtracts, a);
}

Enclosure EnclosingFunction::with_product(Scalar type, const Factors& factors, bool negated,
                                          const Enclosure& summand) const {
  const Enclosure& x = slots_[static_cast<size_t>(factors.x)];
  return enclose_fused(type, negated ? enclose(UnaryOp::negate, type, x) : x,
                       slots_[static_cast<size_t>(factors.y)], summand);
}

/// Generated code reads the first element where an index is outside of the array.
Enclosure EnclosingFunction::element(const TapeStep& s) const {
  const Enclosure& index = slots_[static_cast<size_t>(s.b)];
  const auto at = [&](int64_t n) -> const Enclosure& {
    return slots_[static_cast<size_t>(s.a + n)];
  };
  const int64_t least = index.least.as_integer(), greatest = index.greatest.as_integer();
  if (least == greatest || greatest < 0 || least >= s.c) return at(checked_index(least, s.c));
  const Scalar type = types_[static_cast<size_t>(s.a)];
  const int64_t first = std::max<int64_t>(least, 0), last = std::min<int64_t>(greatest, s.c - 1);
  Enclosure result = at(first);
  for (int64_t n = first + 1; n <= last; ++n) result = hull(type, result, at(n));
  return least < 0 || greatest >= s.c ? hull(type, result, at(0)) : result;
}

}  // namespace mdh::scalar
