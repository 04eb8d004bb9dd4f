#include "mdh/driver/overlap.h"

#include <algorithm>
#include <cstdint>

#include "mdh/support/diagnostic.h"

namespace mdh::driver {
namespace {

bool share_bytes(const kernel::Argument& a, const void* at_a, const kernel::Argument& b,
                 const void* at_b) {
  const auto first_a = reinterpret_cast<uintptr_t>(at_a);
  const auto first_b = reinterpret_cast<uintptr_t>(at_b);
  return first_a < first_b + static_cast<uintptr_t>(b.bytes()) &&
         first_b < first_a + static_cast<uintptr_t>(a.bytes());
}

[[noreturn]] void refuse(const kernel::Argument& output, const kernel::Argument& other) {
  user_error("E833", {},
             fmt::format("output '{}' overlaps {} '{}' in memory", output.name,
                         other.is_output ? "output" : "input", other.name),
             other.is_output
                 ? "give every output memory of its own"
                 : "give the output memory of its own; the same memory for both is allowed "
                   "only where each element is read once, at the place it is written to");
}

}  // namespace

void check_overlap(const std::vector<kernel::Argument>& arguments,
                   std::span<void* const> pointers) {
  const size_t count = std::min(arguments.size(), pointers.size());
  for (size_t n = 0; n < count; ++n) {
    const kernel::Argument& output = arguments[n];
    if (!output.is_output) continue;
    for (size_t m = 0; m < count; ++m) {
      const bool is_new = m > n || !arguments[m].is_output;  // pairs of outputs once
      if (m == n || !is_new) continue;
      if (!share_bytes(output, pointers[n], arguments[m], pointers[m])) continue;
      const bool allowed =
          pointers[n] == pointers[m] && std::find(output.in_place.begin(), output.in_place.end(),
                                                  static_cast<int>(m)) != output.in_place.end();
      if (!allowed) refuse(output, arguments[m]);
    }
  }
}

}  // namespace mdh::driver
