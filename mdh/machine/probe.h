// What the operating system reports about the CPU. Nothing is guessed: what it does not report
// stays unknown.
#pragma once

#include <optional>
#include <string>

#include "mdh/machine/machine.h"

namespace mdh::machine {

struct Probe {
  int64_t cores = 1;  // that this process may use
  std::optional<int64_t> l1_bytes, l2_bytes, l3_bytes;
  Vectors vectors;
  std::string isa;  // "neon", "sve", "avx2", "avx512", ...
};

/// Reads a file system laid out like /sys and /proc below `root`; the default is the real one.
Probe probe_host(const std::string& root = "/");

}  // namespace mdh::machine
