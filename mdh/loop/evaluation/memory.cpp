#include "mdh/loop/evaluation/memory.h"

#include <algorithm>

#include "mdh/support/diagnostic.h"

namespace mdh::loop {

namespace {

/// Both are of one member of the grid.
bool is_one_warp(const Moment& a, const Moment& b) { return a.warp >= 0 && a.warp == b.warp; }

/// What two moments that are not ordered have in common.
int meeting_place(const Moment& a, const Moment& b) {
  if (a.owner[0] != b.owner[0]) return 0;
  return is_one_warp(a, b) ? 2 : 1;
}

}  // namespace

bool is_ordered(const Moment& earlier, const Moment& later) {
  if (earlier.epoch[0] != later.epoch[0]) return true;
  if (earlier.owner[0] != later.owner[0]) {
    return later.cluster >= 0 && earlier.cluster == later.cluster && earlier.met != later.met;
  }
  if (earlier.epoch[1] != later.epoch[1] || earlier.owner[1] == later.owner[1]) return true;
  return is_one_warp(earlier, later) && earlier.warp_epoch != later.warp_epoch;
}

Memory::Memory(const std::string& name, scalar::Array content)
    : name_(name),
      content_(std::move(content)),
      width_(content_.width()),
      traces_(content_.defined.size()) {}

void Memory::load(std::span<const int64_t> index, const Moment& now,
                  std::vector<scalar::Value>& leaves) {
  const int64_t at = scalar::address(content_.extents, index);
  internal_check(content_.defined[at] != 0, "element {} of '{}' is read before it is written", at,
                 name_);
  Trace& trace = traces_[at];
  internal_check(!trace.written || is_ordered(trace.writer, now),
                 "race: element {} of '{}' is read while another part writes it", at, name_);
  if (trace.read && !is_ordered(trace.reader, now)) {
    const int where = meeting_place(trace.reader, now);
    trace.has_other[where] = true;
    trace.other[where] = trace.reader;
  }
  trace.read = true;
  trace.reader = now;
  leaves.insert(leaves.end(), content_.cells.begin() + at * width_,
                content_.cells.begin() + (at + 1) * width_);
}

void Memory::write(int64_t at, const Moment& now, bool atomically) {
  Trace& trace = traces_[at];
  const bool both = atomically && trace.atomically;
  internal_check(!trace.written || both || is_ordered(trace.writer, now),
                 "race: element {} of '{}' is written by two parts", at, name_);
  bool is_read = trace.read && !is_ordered(trace.reader, now);
  for (const int where : {0, 1, 2}) {
    is_read = is_read || (trace.has_other[where] && !is_ordered(trace.other[where], now));
    trace.has_other[where] = false;
  }
  internal_check(!is_read, "race: element {} of '{}' is written while another part reads it", at,
                 name_);
  trace.written = true;
  trace.atomically = atomically;
  trace.read = false;
  trace.writer = now;
}

void Memory::store(std::span<const int64_t> index, const Moment& now,
                   std::span<const scalar::Value> leaves) {
  const int64_t at = scalar::address(content_.extents, index);
  write(at, now);
  fill(at, leaves);
}

void Memory::store_atomically(std::span<const int64_t> index, const Moment& now,
                              std::span<const scalar::Value> leaves) {
  const int64_t at = scalar::address(content_.extents, index);
  write(at, now, true);
  fill(at, leaves);
}

void Memory::load_atomically(std::span<const int64_t> index,
                             std::vector<scalar::Value>& leaves) const {
  const int64_t at = scalar::address(content_.extents, index);
  leaves.insert(leaves.end(), content_.cells.begin() + at * width_,
                content_.cells.begin() + (at + 1) * width_);
}

void Memory::fill(int64_t at, std::span<const scalar::Value> leaves) {
  internal_check(static_cast<int>(leaves.size()) == width_, "'{}' is written with another type",
                 name_);
  std::copy(leaves.begin(), leaves.end(), content_.cells.begin() + at * width_);
  content_.defined[at] = 1;
}

void Memory::expect(std::span<const int64_t> index, const Moment& now) {
  const int64_t at = scalar::address(content_.extents, index);
  write(at, now);
  content_.defined[at] = 0;
}

bool Memory::is_defined(std::span<const int64_t> index) const {
  return content_.defined[scalar::address(content_.extents, index)] != 0;
}

bool Memory::is_empty() const {
  return std::none_of(content_.defined.begin(), content_.defined.end(),
                      [](const auto defined) { return defined != 0; });
}

void Memory::undefine() { std::fill(content_.defined.begin(), content_.defined.end(), 0); }

void Memory::undefine(int64_t part, int64_t parts) {
  const auto each = std::ssize(content_.defined) / parts;
  std::fill_n(content_.defined.begin() + part * each, each, 0);
}

Memory& Instances::at(const std::vector<int64_t>& digits) {
  const auto found = by_digits.find(digits);
  if (found != by_digits.end()) return found->second;
  const auto undefined = scalar::Array::undefined(buffer->type, buffer->extents);
  return by_digits.emplace(digits, Memory(buffer->symbol.name, undefined)).first->second;
}

bool Instances::is_among(const std::vector<int64_t>& digits,
                         const std::map<std::string, int64_t>& values) const {
  for (size_t n = 0; n < digits.size(); ++n) {
    const auto here = values.find(buffer->per[n].name);
    if (here != values.end() && here->second != digits[n]) return false;
  }
  return true;
}

}  // namespace mdh::loop
