#include "mdh/support/hash.h"

#include <fmt/format.h>

namespace mdh {

uint64_t hash(std::string_view text) {
  uint64_t value = 0xcbf29ce484222325u;
  for (const unsigned char c : text) value = (value ^ c) * 0x100000001b3u;
  return value;
}

std::string hash_name(std::string_view text) { return fmt::format("{:016x}", hash(text)); }

}  // namespace mdh
