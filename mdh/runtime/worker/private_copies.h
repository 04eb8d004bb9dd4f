// The buffers of a kernel as the worker gives them to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mdh/runtime/worker/shared_buffers.h"

namespace mdh::runtime {

/// Copies of shared buffers, aligned to cache lines. Each ends where a page begins that must not be
/// touched: a kernel that reads or writes behind its buffer crashes at once, instead of spoiling
/// what the process needs later. std::bad_alloc if there is no memory.
class PrivateCopies {
 public:
  PrivateCopies(const SharedBuffers& shared, std::vector<bool> is_output);
  ~PrivateCopies();
  PrivateCopies(const PrivateCopies&) = delete;
  PrivateCopies& operator=(const PrivateCopies&) = delete;

  std::span<void* const> pointers() const { return pointers_; }

  /// From now on a kernel that writes to an input crashes.
  void protect_inputs() const;

  /// They are of the same memory, and the same buffers are outputs.
  bool are_of(const SharedBuffers& shared, const std::vector<bool>& is_output) const;

  /// The outputs as they are in the shared buffers, and back.
  void fetch_outputs(const SharedBuffers& shared) const;
  void store_outputs(const SharedBuffers& shared) const;

 private:
  struct Block {
    void* begin;
    size_t size;
  };

  void add(const SharedBuffers& shared, size_t number);
  void release();

  std::vector<bool> is_output_;
  std::vector<int64_t> bytes_;
  uint64_t memory_ = 0;  // its number
  std::vector<Block> blocks_;
  std::vector<void*> pointers_;
};

}  // namespace mdh::runtime
