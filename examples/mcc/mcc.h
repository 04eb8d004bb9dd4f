// Multi-channel convolutions on images whose channels lie side by side, with any stride.
#pragma once

#include "examples/catalogue.h"

namespace mdh::examples {

struct Stride {
  int64_t h = 1, w = 1;
};

/// The C++ form, called like its entry.
hl::Program mcc_program(const std::string& name, const Instance& at, Stride stride);

void plain_mcc(const Instance& at, std::span<void* const> buffers, Stride stride);

}  // namespace mdh::examples
