// NumPy's .npy files: how data get in and out of the command line.
#pragma once

#include <filesystem>
#include <string>

#include "mdh/scalar/array.h"

namespace mdh::driver {

/// Reads version 1 to 3, little-endian, row-major, of a scalar type; anything else is a user error
/// that names the file and what is wrong with it.
scalar::Array read_npy(const std::filesystem::path& path);

/// Writes version 1. Undefined elements are written as 0. bf16 and records have no type in NumPy
/// and are refused.
void write_npy(const std::filesystem::path& path, const scalar::Array& array);

}  // namespace mdh::driver
