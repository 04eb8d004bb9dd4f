// Flags of C compilers that configurations may have.
//
// A configuration decides how fast a kernel is, never what it computes, which files are written or
// which programs run. So its flags are those of a list: -Ofast changes results, -o writes files,
// -fplugin= runs code, and a flag that nobody has looked at may do any of it.
#pragma once

#include <string>

namespace mdh::ll {

/// Optimisation levels, switches of single optimisations (-fno-unroll-loops), instruction sets
/// (-mavx2, -march=native) and tuning for a CPU.
bool is_known_flag(const std::string& flag);

/// What a refusal says, and what it suggests instead.
std::string unknown_flag(const std::string& flag);
std::string hint_for_flag(const std::string& flag);

}  // namespace mdh::ll
