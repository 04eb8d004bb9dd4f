// f16 and bf16 in C: 16 bits in memory, a float that holds a value of the format in variables.
#pragma once

#include <string>

#include "mdh/backend/c/helpers.h"

namespace mdh::backend {

bool is_half(scalar::Scalar type);

/// A float rounded to the format, as it is after every operation; nearest, ties to even.
std::string rounded_half(Helpers& helpers, scalar::Scalar type, const std::string& value);

/// The float that 16 bits of memory mean, and the bits that a float of the format has.
std::string unpacked_half(Helpers& helpers, scalar::Scalar type, const std::string& bits);
std::string packed_half(Helpers& helpers, scalar::Scalar type, const std::string& value);

}  // namespace mdh::backend
