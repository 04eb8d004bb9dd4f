// Values that C compilers take for new ones, for gcc and clang.
#pragma once

#include <string>

#include "mdh/backend/c/helpers.h"

namespace mdh::backend {

/// A statement after which compilers do not know what a variable in registers holds, a vector or
/// (one lane) a scalar. Where it has no place in one register of the machine: nothing.
std::string made_opaque(Helpers& helpers, scalar::Scalar type, int64_t lanes,
                        const std::string& variable);

}  // namespace mdh::backend
