// Bank conflicts: how often a program asks shared memory for what a warp reads or writes at once
// (mdh/machine/banks.h says what that costs). It is a model: nothing is measured.
#pragma once

#include <optional>
#include <vector>

#include "mdh/loop/program.h"
#include "mdh/machine/banks.h"

namespace mdh::backend {

using machine::BankPasses;
using machine::passes_of_warp;

enum class Direction { read, written };

/// One access of a program to a temporary in shared memory.
struct BankUse {
  Symbol buffer;
  Direction direction = Direction::read;
  int64_t at_once = 1;               // neighbouring elements that a lane moves
  std::optional<BankPasses> passes;  // of the worst warp that was looked at; nothing: unknown
  friend bool operator==(const BankUse&, const BankUse&) = default;
};

/// More passes than necessary are worse; among equals, more passes.
bool is_worse(const BankPasses& a, const BankPasses& b);

/// All accesses to shared memory inside of Deals to the cores of a group, in the order of the
/// program. Some warps are looked at: the first eight that a Deal begins, and its last whole one.
/// Loops around them are in their first round, and the group is the first one. What nobody does
/// there is counted in the last rounds or in the last group. It is unknown where nobody does it
/// there either, or where data decides on it.
std::vector<BankUse> bank_uses(const loop::Program& concrete);

}  // namespace mdh::backend
