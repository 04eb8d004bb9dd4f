#include "tests/emulation/memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "mdh/support/diagnostic.h"

namespace mdh::emulation {
namespace {

constexpr size_t alignment = 256;

size_t aligned(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Pages that are never touched cost nothing, so gaps and their cells are free.
void* reserved(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) missing("", fmt::format("no memory for an arena of {} bytes", bytes));
  return memory;
}

uint16_t flags_of(Use use, Content content) {
  int flags = Cell::is_usable;
  if (use == Use::input) flags |= Cell::is_constant;
  if (use == Use::local) flags |= Cell::is_local;
  if (content == Content::written) flags |= Cell::is_written;
  return static_cast<uint16_t>(flags);
}

}  // namespace

Arena::Arena(size_t bytes, size_t blocks)
    : size_(bytes + (blocks + 2) * (gap + 2 * alignment)),
      memory_(static_cast<char*>(reserved(size_))),
      cells_(static_cast<Cell*>(reserved(size_ * sizeof(Cell)))) {}

Arena::~Arena() {
  munmap(memory_, size_);
  munmap(cells_, size_ * sizeof(Cell));
}

bool Arena::has_room_for(size_t bytes) const {
  return used_ + alignment + aligned(bytes) + gap <= size_;
}

const Block& Arena::add(const std::string& name, size_t bytes, size_t beyond, int element, Use use,
                        Content content, int poison) {
  internal_check(has_room_for(bytes), "the arena is too small for {}", name);
  const size_t begin = used_ + beyond % alignment;
  blocks_.push_back({name, begin, bytes, element});
  const Block& block = blocks_.back();
  used_ = aligned(begin + bytes) + gap;
  std::memset(at(block), poison, bytes);
  const uint16_t flags = flags_of(use, content);
  for (size_t n = 0; n < bytes; ++n) cell(block.begin + n)->flags = flags;
  return block;
}

void Arena::forget(const Block& block, int poison) {
  std::memset(at(block), poison, block.bytes);
  if (block.bytes == 0) return;
  const auto kept = static_cast<uint16_t>(cell(block.begin)->flags &
                                          (Cell::is_usable | Cell::is_constant | Cell::is_local));
  for (size_t n = 0; n < block.bytes; ++n) {
    *cell(block.begin + n) = Cell{};
    cell(block.begin + n)->flags = kept;
  }
}

std::string Arena::describe(size_t place) const {
  const Block* nearest = nullptr;
  size_t best = SIZE_MAX;
  for (const Block& b : blocks_) {
    if (place >= b.begin && place < b.begin + b.bytes) {
      return fmt::format("element {} of {}", (place - b.begin) / static_cast<size_t>(b.element),
                         b.name);
    }
    const size_t distance = place < b.begin ? b.begin - place : place - (b.begin + b.bytes) + 1;
    if (distance < best) {
      best = distance;
      nearest = &b;
    }
  }
  if (nearest == nullptr) return "memory of nobody";
  const auto element = static_cast<int64_t>(nearest->element);
  const auto offset = static_cast<int64_t>(place) - static_cast<int64_t>(nearest->begin);
  const int64_t index = (offset < 0 ? offset - element + 1 : offset) / element;
  return fmt::format("element {} of {}, which has {}", index, nearest->name,
                     nearest->bytes / static_cast<size_t>(nearest->element));
}

}  // namespace mdh::emulation
