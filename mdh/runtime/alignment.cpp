#include "mdh/runtime/alignment.h"

#include <cstdint>

#include "mdh/support/diagnostic.h"

namespace mdh::runtime {

void require_aligned(std::span<const kernel::Argument> arguments, std::span<void* const> pointers) {
  for (size_t n = 0; n < arguments.size(); ++n) {
    const auto address = reinterpret_cast<uintptr_t>(pointers[n]);
    const auto needed = static_cast<uintptr_t>(arguments[n].aligned_to());
    if (address % needed == 0) continue;
    user_error("E640", {},
               fmt::format("the memory of '{}' is at address {:#x}, which is not a multiple of {} "
                           "bytes, as the compiled code needs it",
                           arguments[n].name, address, needed),
               fmt::format("pass memory that is aligned to {} bytes", needed));
  }
}

}  // namespace mdh::runtime
