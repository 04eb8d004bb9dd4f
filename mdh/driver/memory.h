// The memory of a program's buffers, as compiled code and plain loops see it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/kernel/module.h"
#include "mdh/runtime/worker/shared_buffers.h"
#include "mdh/scalar/array.h"

namespace mdh::driver {

/// Anything that computes outputs from inputs in memory: one pointer per buffer, outputs first.
using MemoryKernel = std::function<void(std::span<void* const> buffers)>;

/// All buffers of a program, outputs first, row-major, aligned to cache lines; records as C lays
/// them out.
class Memory {
 public:
  /// Memory of this process, or memory that a worker can map.
  enum class Place { own, shared };

  Memory(const hl::Program& p, const std::vector<scalar::Array>& inputs, Place place = Place::own);

  /// Inputs are left for others to fill.
  explicit Memory(const hl::Program& p, Place place = Place::own);

  std::span<void* const> pointers() const { return pointers_; }

  /// Only for shared memory.
  const runtime::SharedBuffers& shared() const { return *shared_; }

  /// Whether a kernel computes the same bits whenever it runs, or rounds floats differently.
  enum class Bits { same, any };

  /// Runs a kernel twice on differently poisoned outputs. Elements that differ between the two runs
  /// were not written and come back undefined. Those of kernels without the same bits are undefined
  /// where a number is still what it was in both runs.
  std::vector<scalar::Array> run_poisoned(const MemoryKernel& kernel, Bits bits = Bits::same);

  /// Every byte of every output.
  void poison(int byte);

  /// Of all bytes of all inputs: changes if a kernel writes where it should only read.
  uint64_t input_hash() const;

 private:
  struct Block {
    scalar::Type type;
    scalar::Extents extents;
    bool is_output;
    size_t used;
    std::vector<char> bytes;  // with room to align; none if shared
  };

  std::vector<scalar::Array> outputs() const;

  std::vector<Block> blocks_;
  std::unique_ptr<runtime::SharedBuffers> shared_;
  std::vector<void*> pointers_;
};

Memory::Bits bits_of(const kernel::Module& module);

}  // namespace mdh::driver
