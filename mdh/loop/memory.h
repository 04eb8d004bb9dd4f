// The memory of the loop evaluator: undefined elements and races are noticed.
#pragma once

#include <vector>

#include "mdh/loop/program.h"
#include "mdh/scalar/array.h"

namespace mdh::loop {

/// Who runs: a number per combination of dealt digits. Statements outside of Deal run on all cores
/// alike.
using Owner = int32_t;
constexpr Owner nobody = -1;

class Memory {
 public:
  explicit Memory(const Buffer& buffer);
  Memory(const Buffer& buffer, scalar::Array content);

  scalar::Value load(std::span<const int64_t> index, Owner owner, int64_t epoch);
  void store(std::span<const int64_t> index, scalar::Value value, Owner owner, int64_t epoch);
  const scalar::Array& content() const { return content_; }

 private:
  /// The last write and the last read of an element. A second reader in the same epoch makes the
  /// reader "several".
  struct Trace {
    Owner writer = nobody;
    Owner reader = nobody;
    int64_t written = -1;
    int64_t read = -1;
    bool several_readers = false;
  };

  std::string name_;
  scalar::Array content_;
  std::vector<Trace> traces_;
};

}  // namespace mdh::loop
