#include "tests/emulation/copies.h"

#include <cstring>

namespace mdh::emulation {

void Copies::begin_groups() {
  for (const OfItem& item : items_) {
    for (const Copy& copy : item.copies) unmark(copy);
  }
  items_.assign(watch_.numbers(), {});
}

std::optional<std::string> Copies::issue(char* to, const char* from, size_t bytes) {
  for (const char* address : {static_cast<const char*>(to), from}) {
    if (!arena_.contains(address)) return "out of bounds: an asynchronous copy of no memory";
    if (reinterpret_cast<uintptr_t>(address) % bytes != 0) {
      return "misaligned: an asynchronous copy at " + arena_.describe(arena_.place_of(address));
    }
  }
  if (auto wrong = watch_.touch(from, bytes, Access::read)) return wrong;
  if (auto wrong = watch_.touch(to, bytes, Access::write)) return wrong;
  OfItem& mine = items_[watch_.number()];
  mine.copies.push_back({to, from, bytes, mine.batches});
  mark(mine.copies.back());
  return std::nullopt;
}

void Copies::commit() { ++items_[watch_.number()].batches; }

std::optional<std::string> Copies::wait(int64_t left) {
  OfItem& mine = items_[watch_.number()];
  std::vector<Copy> open;
  for (const Copy& copy : mine.copies) {
    if (copy.batch >= mine.batches - left) {
      open.push_back(copy);
    } else if (auto wrong = land(copy)) {
      return wrong;
    }
  }
  mine.copies = std::move(open);
  return std::nullopt;
}

void Copies::mark(const Copy& copy) {
  for (size_t n = 0; n < copy.bytes; ++n) {
    arena_.cell(arena_.place_of(copy.to) + n)->flags |= Cell::is_in_flight;
    const size_t source = arena_.place_of(copy.from) + n;
    arena_.cell(source)->flags |= Cell::is_source;
    ++sources_[source];
  }
}

void Copies::unmark(const Copy& copy) {
  for (size_t n = 0; n < copy.bytes; ++n) {
    uint16_t& to = arena_.cell(arena_.place_of(copy.to) + n)->flags;
    to = static_cast<uint16_t>(to & ~Cell::is_in_flight);
    const size_t source = arena_.place_of(copy.from) + n;
    if (--sources_[source] > 0) continue;
    uint16_t& from = arena_.cell(source)->flags;
    from = static_cast<uint16_t>(from & ~Cell::is_source);
  }
}

std::optional<std::string> Copies::land(const Copy& copy) {
  unmark(copy);
  std::memcpy(copy.to, copy.from, copy.bytes);
  if (auto wrong = watch_.touch(copy.from, copy.bytes, Access::read)) return wrong;
  return watch_.touch(copy.to, copy.bytes, Access::write);
}

}  // namespace mdh::emulation
