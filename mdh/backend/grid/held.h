// What cores hold of their own between two steady Deals: private memory, although the program says
// that it belongs to the group.
#pragma once

#include <optional>

#include "mdh/loop/program.h"

namespace mdh::backend {

struct Held {
  int64_t shares = 0;    // of every Deal that uses it
  int64_t elements = 0;  // of one share
};

/// Nothing if somebody may use what belongs to another share.
std::optional<Held> held_by_shares(const loop::Program& p, const loop::Buffer& b);

/// The number of an element among those of its share.
scalar::Expr place_in_share(const loop::Program& p, const loop::Element& e, int64_t elements);

}  // namespace mdh::backend
