// Where temporaries are kept when a program runs on threads.
#pragma once

#include <map>
#include <string>

#include "mdh/loop/program.h"

namespace mdh::backend {

enum class Keeping {
  automatic,  // a variable of the function: small, and used by one share at a time
  per_core,   // a piece of the workspace that every core has one of
  shared,     // a piece of the workspace for every instance: it outlives a share
};

struct Kept {
  Keeping keeping = Keeping::automatic;
  int64_t offset = 0;  // in the workspace, or in the piece of a core
};

struct Storage {
  std::map<std::string, Kept> buffers;  // temporaries, by name
  int64_t shared_bytes = 0;
  int64_t bytes_per_core = 0;

  const Kept& of(const Symbol& buffer) const { return buffers.at(buffer.name); }
};

/// All pieces are aligned to cache lines. What begins anew inside of a Deal belongs to the core.
Storage storage_of(const loop::Program& p);

}  // namespace mdh::backend
