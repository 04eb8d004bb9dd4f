// Which outputs may lie in the memory of an input.
#pragma once

#include <vector>

#include "mdh/loop/program.h"

namespace mdh::loop {

/// An output and an input of one type and extents that may be one and the same memory.
struct InPlace {
  Symbol output;
  Symbol input;
  friend bool operator==(const InPlace&, const InPlace&) = default;
};

/// The pairs of a concrete program for which this is proven:
///
///   for i < n { load a = x[i]; apply b = f(a; i); store y[i] = b; }
///
/// Every round reads the element that it overwrites, before it does, and no two rounds have the
/// same element. A round is one combination of all counters around the store, whose indices have to
/// be sums of these counters from which each can be read off.
///
/// Whatever has another form is not in place, even where it would be right: tiles that are copied
/// or accumulated elsewhere, straight code for several elements. Tiles that are shifted back from
/// an edge compute elements a second time, from inputs that would be overwritten by then.
std::vector<InPlace> in_place(const Program& p);

}  // namespace mdh::loop
