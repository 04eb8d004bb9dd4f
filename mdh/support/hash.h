// Stable hashing of text: the same value on every machine and in every build.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mdh {

/// 64-bit FNV-1a.
uint64_t hash(std::string_view text);

/// The hash as 16 hexadecimal digits.
std::string hash_name(std::string_view text);

}  // namespace mdh
