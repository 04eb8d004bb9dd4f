// What compile time gives run time: source text and how to call it. Knows nothing of IRs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mdh::kernel {

/// One buffer of a kernel. Arguments are passed outputs first, in declaration order, row-major.
struct Argument {
  std::string name;
  std::string type;  // "f32"
  int bytes_per_element = 0;
  std::vector<int64_t> extents;
  bool is_output = false;

  int64_t elements() const;
  int64_t bytes() const { return elements() * bytes_per_element; }
};

/// One call that the host makes, in order.
struct Launch {
  std::string function;
};

struct Module {
  std::string language;  // "c"
  std::string name;
  std::string source;
  std::vector<Launch> launches;
  std::vector<Argument> arguments;
  int64_t workspace_bytes = 0;
  int parts_on_cores = 1;        // more threads than this have nothing to do
  bool contract_allowed = true;  // fused multiply-add does not change decisions
};

}  // namespace mdh::kernel
