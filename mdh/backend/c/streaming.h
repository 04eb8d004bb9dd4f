// Stores past the caches, in C for gcc and clang.
#pragma once

#include <string>

#include "mdh/backend/c/helpers.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// Whether a vector is large enough to be stored past the caches.
bool can_stream(scalar::Scalar type, int64_t lanes);

/// A function (void *to, VECTOR v) for such a vector.
std::string streaming_store(Helpers& helpers, scalar::Scalar type, int64_t lanes);

/// A function () that waits until other threads see what this one has stored.
std::string streaming_fence(Helpers& helpers);

/// Whether there is a streaming store inside.
bool has_streaming_store(const loop::Block& block);

}  // namespace mdh::backend
