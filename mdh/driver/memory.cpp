#include "mdh/driver/memory.h"

#include <algorithm>
#include <cstring>

#include "mdh/hl/analysis.h"

namespace mdh::driver {
namespace {

constexpr size_t line = 64;

void* aligned(char* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  return memory + (line - address % line) % line;
}

}  // namespace

Memory::Memory(const hl::Program& p, const std::vector<scalar::Array>& inputs, Place place)
    : Memory(p, place) {
  for (size_t n = 0; n < inputs.size(); ++n) {
    copy_to_memory(inputs[n], pointers_[p.outputs.size() + n]);
  }
}

Memory::Memory(const hl::Program& p, Place place) {
  std::vector<int64_t> sizes;
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const hl::BufferView& view : *views) {
      const scalar::Extents extents = hl::extents(p, view);
      const auto used = static_cast<size_t>(scalar::volume(extents) * scalar::bytes_of(view.type));
      blocks_.push_back({view.type, extents, views == &p.outputs, used, {}});
      if (place == Place::own) blocks_.back().bytes.resize(used + line);
      sizes.push_back(static_cast<int64_t>(used));
    }
  }
  if (place == Place::shared) shared_ = std::make_unique<runtime::SharedBuffers>(sizes);
  for (size_t n = 0; n < blocks_.size(); ++n) {
    pointers_.push_back(shared_ ? shared_->pointers()[n] : aligned(blocks_[n].bytes.data()));
  }
}

void Memory::poison(int byte) {
  for (size_t n = 0; n < blocks_.size(); ++n) {
    if (blocks_[n].is_output) std::memset(pointers_[n], byte, blocks_[n].used);
  }
}

uint64_t Memory::input_hash() const {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (size_t n = 0; n < blocks_.size(); ++n) {
    if (blocks_[n].is_output) continue;
    const char* at = static_cast<const char*>(pointers_[n]);
    size_t left = blocks_[n].used;
    for (uint64_t word = 0; left >= sizeof word; left -= sizeof word, at += sizeof word) {
      std::memcpy(&word, at, sizeof word);
      hash = (hash ^ word) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
    for (; left > 0; --left, ++at) hash = (hash ^ static_cast<unsigned char>(*at)) * 0x100000001b3u;
  }
  return hash;
}

std::vector<scalar::Array> Memory::outputs() const {
  std::vector<scalar::Array> all;
  for (size_t n = 0; n < blocks_.size(); ++n) {
    if (!blocks_[n].is_output) continue;
    all.push_back(scalar::copy_from_memory(blocks_[n].type, blocks_[n].extents, pointers_[n]));
  }
  return all;
}

std::vector<scalar::Array> Memory::run_poisoned(const MemoryKernel& kernel, Bits bits) {
  const auto untouched = [&] {
    return bits == Bits::any ? outputs() : std::vector<scalar::Array>{};
  };
  poison(0xDB);
  const std::vector<scalar::Array> before_first = untouched();
  kernel(pointers_);
  std::vector<scalar::Array> first = outputs();
  poison(0x24);
  const std::vector<scalar::Array> before_second = untouched();
  kernel(pointers_);
  const std::vector<scalar::Array> second = outputs();
  for (size_t b = 0; b < first.size(); ++b) {
    const int width = first[b].width();
    const auto is_left = [&](int64_t cell) {
      const auto at = static_cast<size_t>(cell);
      if (bits == Bits::same) return !(first[b].cells[at] == second[b].cells[at]);
      return first[b].cells[at] == before_first[b].cells[at] &&
             second[b].cells[at] == before_second[b].cells[at];
    };
    for (int64_t n = 0; n < first[b].size(); ++n) {
      bool written = true;
      for (int64_t cell = n * width; cell < (n + 1) * width; ++cell) {
        written = written && !is_left(cell);
      }
      first[b].defined[n] = written ? 1 : 0;
    }
  }
  return first;
}

/// What results of a module are compared by.
Memory::Bits bits_of(const kernel::Module& module) {
  return module.combines_in_any_order ? Memory::Bits::any : Memory::Bits::same;
}

}  // namespace mdh::driver
