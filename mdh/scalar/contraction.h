// Where compilers may contract a * b + c to one operation that rounds once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mdh/scalar/enclosure/deviations.h"
#include "mdh/scalar/function.h"
#include "mdh/scalar/tape/tape.h"

namespace mdh::scalar {

/// An add or subtract somewhere has an operand that is a product of f32 or f64, or may be one. f16
/// and bf16 round after each operation. A product that is a result of f may also be fused with an
/// addition that follows f: that is not counted.
bool can_contract(const Function& f);

/// All right code gives the same results: no contraction, no mathematics that may be off, no loose
/// division and no flushing under these deviations.
bool is_deterministic(const Function& f, const Deviations& deviations);

/// Whether the value of a slot is a product: one of two slots that still have their values, or one
/// of unknown factors, because a condition or a loop chose it.
struct Factors {
  enum class Kind : uint8_t { none, known, unknown };
  Kind kind = Kind::none;
  bool negated = false;  // it is -(x * y)
  int x = 0, y = 0;
};

/// Of every slot of a tape.
std::vector<Factors> factors_in(std::span<const TapeStep> steps, int slots);

/// An add or subtract that is one operation with the product that is an operand.
bool is_contracted(const TapeStep& step, std::span<const Factors> factors);

/// A division that devices with loose division carry out in f32.
bool is_loose_division(const TapeStep& step);

}  // namespace mdh::scalar
