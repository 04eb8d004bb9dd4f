// Buffers of a call that lie in the same memory.
#pragma once

#include <span>
#include <vector>

#include "mdh/kernel/module.h"

namespace mdh::driver {

/// An output that shares bytes with another buffer is a user error (E833) that names both; inputs
/// may share theirs. The exception is an output in exactly the place of an input that the module
/// allows: see Argument::in_place. One pointer per argument.
void check_overlap(const std::vector<kernel::Argument>& arguments, std::span<void* const> pointers);

}  // namespace mdh::driver
