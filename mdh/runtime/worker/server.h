// The worker's side: what the program mdh-worker does.
#pragma once

#include <cstdint>

namespace mdh::runtime {

/// Does what comes over the socket until the other end closes it. Every request is complete in
/// itself: the device is opened, the library is loaded, the shared buffers are copied to memory of
/// the device, the kernel runs there, and the outputs are copied back. Private memory is what a
/// kernel is timed on elsewhere, and wild writes do not reach the parent.
void serve(int socket);

/// Limits the address space of this process; 0 does not.
void limit_memory(int64_t bytes);

}  // namespace mdh::runtime
