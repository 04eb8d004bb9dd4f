// How many statements of a kind there are.
#pragma once

#include "mdh/loop/program.h"

namespace mdh::loop {

/// In a block and those inside of it.
template <class... Kinds>
int64_t count_of(const Block& block) {
  int64_t count = 0;
  for (const Stmt& s : block) {
    if ((s.as<Kinds>() || ...)) ++count;
    for_each_child(s, [&](const Block& child) { count += count_of<Kinds...>(child); });
  }
  return count;
}

}  // namespace mdh::loop
