// The operands of f at a point, read from buffers in memory.
#pragma once

#include <span>
#include <vector>

#include "mdh/hl/address.h"
#include "mdh/scalar/value.h"

namespace mdh::driver {

class InputReader {
 public:
  /// One pointer per input buffer, in declaration order.
  InputReader(const hl::Program& views, std::span<void* const> inputs);

  /// Leaf by leaf, access after access.
  void operator()(std::span<const int64_t> point, std::span<scalar::Value> leaves) const;

 private:
  struct Place {
    const char* memory;
    hl::Address address;
    int64_t bytes;  // of an element
    std::vector<scalar::Leaf> leaves;
  };
  std::vector<Place> places_;
};

}  // namespace mdh::driver
