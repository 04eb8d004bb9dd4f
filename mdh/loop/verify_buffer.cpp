#include "mdh/loop/verify_buffer.h"

#include "mdh/support/power_of_two.h"

namespace mdh::loop {
namespace {

/// xor with numbers below a power of two that divides the pieces of a line maps them onto
/// themselves, each to another one.
void swizzled(const Buffer& b) {
  const int64_t all = b.swizzle * scalar::elements_of_piece(b.type);
  internal_check(b.role == Role::temporary && b.extents.size() > 1, "'{}' has no lines to swizzle",
                 b.symbol.name);
  internal_check(b.swizzle > 1 && is_power_of_two(b.swizzle),
                 "'{}': {} lines, which is no power of two", b.symbol.name, b.swizzle);
  internal_check(b.extents.back() % all == 0, "'{}': lines of {} elements, not of {} each",
                 b.symbol.name, b.extents.back(), all);
}

}  // namespace

void verify_buffer(const Buffer& b) {
  internal_check(!b.opaque || b.role == Role::temporary, "'{}' is the user's, but opaque",
                 b.symbol.name);
  internal_check(!b.held || (b.role == Role::temporary && b.scope == Scope::group),
                 "'{}' is held, but not by the cores of a group", b.symbol.name);
  internal_check(!b.atomic || (b.role == Role::temporary && b.scope == Scope::all && b.depth == 1),
                 "members of a grid combine into '{}', which not all of them see", b.symbol.name);
  internal_check(!b.across || (b.role == Role::temporary && b.scope == Scope::group &&
                               b.depth == 1 && b.holds == 0 && !b.held),
                 "'{}' is kept by members of a grid, but not in their own memory", b.symbol.name);
  internal_check(!b.streaming || b.role == Role::output, "'{}' is no output, but streaming",
                 b.symbol.name);
  internal_check(b.width == 0 || b.role == Role::temporary, "'{}' is filled by no copy",
                 b.symbol.name);
  if (b.swizzle != 1) swizzled(b);
}

}  // namespace mdh::loop
