// The buffers of a kernel as the worker gives them to it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mdh/runtime/worker/shared_buffers.h"

namespace mdh::runtime {

/// Copies of shared buffers, aligned to cache lines. Each ends where a page begins that must not be
/// touched: a kernel that reads or writes behind its buffer crashes at once, instead of spoiling
/// what the process needs later. std::bad_alloc if there is no memory.
class PrivateCopies {
 public:
  explicit PrivateCopies(const SharedBuffers& shared);
  ~PrivateCopies();
  PrivateCopies(const PrivateCopies&) = delete;
  PrivateCopies& operator=(const PrivateCopies&) = delete;

  std::span<void* const> pointers() const { return pointers_; }

  /// The outputs, to where they came from.
  void copy_back(const std::vector<bool>& is_output) const;

 private:
  struct Block {
    void* begin;
    size_t size;
  };

  void release();

  const SharedBuffers& shared_;
  std::vector<Block> blocks_;
  std::vector<void*> pointers_;
};

}  // namespace mdh::runtime
