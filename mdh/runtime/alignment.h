// Whether the memory of a caller lies where compiled code may use it.
#pragma once

#include <span>

#include "mdh/kernel/module.h"

namespace mdh::runtime {

/// A user error (E640) that names the first argument whose pointer is not aligned as the code needs
/// it. One pointer per argument; those of empty buffers may be null.
void require_aligned(std::span<const kernel::Argument> arguments, std::span<void* const> pointers);

}  // namespace mdh::runtime
