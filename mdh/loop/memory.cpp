#include "mdh/loop/memory.h"

#include "mdh/support/diagnostic.h"

namespace mdh::loop {

Memory::Memory(const Buffer& buffer)
    : Memory(buffer, scalar::Array::undefined(buffer.type, buffer.extents)) {}

Memory::Memory(const Buffer& buffer, scalar::Array content)
    : name_(buffer.symbol.name), content_(std::move(content)), traces_(content_.cells.size()) {
  internal_check(content_.extents == buffer.extents, "'{}' is given with other extents", name_);
}

scalar::Value Memory::load(std::span<const int64_t> index, Owner owner, int64_t epoch) {
  const int64_t at = scalar::address(content_.extents, index);
  internal_check(content_.defined[at] != 0, "element {} of '{}' is read before it is written", at,
                 name_);
  Trace& trace = traces_[at];
  internal_check(trace.written != epoch || trace.writer == owner,
                 "race: element {} of '{}' is read while another part writes it", at, name_);
  trace.several_readers = trace.read == epoch && (trace.several_readers || trace.reader != owner);
  trace.read = epoch;
  trace.reader = owner;
  return content_.cells[at];
}

void Memory::store(std::span<const int64_t> index, scalar::Value value, Owner owner,
                   int64_t epoch) {
  const int64_t at = scalar::address(content_.extents, index);
  Trace& trace = traces_[at];
  internal_check(trace.written != epoch || trace.writer == owner,
                 "race: element {} of '{}' is written by two parts", at, name_);
  internal_check(trace.read != epoch || (trace.reader == owner && !trace.several_readers),
                 "race: element {} of '{}' is written while another part reads it", at, name_);
  trace.written = epoch;
  trace.writer = owner;
  content_.cells[at] = value;
  content_.defined[at] = 1;
}

}  // namespace mdh::loop
