// The memory that a kernel sees: blocks with names, far apart from one another, and what is known
// about every byte of them.
//
// All blocks lie in one arena. What lies between them belongs to nobody: an access there is out of
// bounds. Every byte has a cell that says whether it may be used and who used it last (watch.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace mdh::emulation {

/// What is known about a byte. Epochs count the steps in which accesses are not ordered; 0 is
/// before all of them.
struct Cell {
  enum Flag : uint16_t {
    is_usable = 1,      // belongs to a block
    is_written = 2,     // somebody has written it: the host, or a kernel
    is_constant = 4,    // only the host writes it
    is_local = 8,       // of one group
    is_in_flight = 16,  // an asynchronous copy may write it at any time
    is_source = 32      // an asynchronous copy may read it at any time
  };
  uint32_t write_epoch;
  uint32_t read_epoch;              // of the last read
  uint32_t second_epoch;            // of one before it, by another warp of the same group
  uint32_t foreign_epoch;           // of one before it, by another group
  uint16_t writer, reader, second;  // items of the group, or several of a warp (watch.h)
  uint16_t flags;
};

/// A piece of memory that kernels know by a name.
struct Block {
  std::string name;  // "buffer 'A'", "local memory 'A_tile'"
  size_t begin = 0;  // in the arena
  size_t bytes = 0;
  int element = 1;  // bytes of one of its elements, for messages
};

enum class Content { written, unwritten };
enum class Use { input, output, local };

/// Memory for one run of a module.
class Arena {
 public:
  /// Bytes between blocks: a few rows of a matrix too far is still nobody's.
  static constexpr size_t gap = size_t{1} << 16;

  /// For blocks of so many bytes altogether.
  Arena(size_t bytes, size_t blocks);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// A new block behind the last one, so many bytes beyond a multiple of 256. Its bytes are all
  /// `poison`.
  const Block& add(const std::string& name, size_t bytes, size_t beyond, int element, Use use,
                   Content content, int poison);

  bool has_room_for(size_t bytes) const;

  /// Nobody has written the block, or read it.
  void forget(const Block& block, int poison);

  char* at(const Block& block) const { return memory_ + block.begin; }
  bool contains(const void* address) const {
    return address >= memory_ && address < memory_ + size_;
  }
  size_t place_of(const void* address) const {
    return static_cast<size_t>(static_cast<const char*>(address) - memory_);
  }
  Cell* cell(size_t place) const { return cells_ + place; }
  size_t size() const { return size_; }

  /// "element 3 of buffer 'A'", or which block is near.
  std::string describe(size_t place) const;

 private:
  size_t size_;
  size_t used_ = gap;
  char* memory_;
  Cell* cells_;
  std::deque<Block> blocks_;  // stay where they are when others are added
};

}  // namespace mdh::emulation
