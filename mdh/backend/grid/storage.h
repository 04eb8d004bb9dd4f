// Where temporaries are kept when a program runs on work-groups and work-items.
#pragma once

#include <map>
#include <string>

#include "mdh/backend/grid/held.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

enum class Space { in_private, in_local, in_workspace };

struct Placed {
  Space space = Space::in_workspace;
  int64_t offset = 0;  // in the workspace
  Held held = {};      // in private: by the shares of steady Deals, if there are any
};

/// A number for each group of members of a grid: how many of them have arrived.
struct Arrivals {
  int64_t offset = 0;  // in the workspace
  int64_t all = 1;     // members of a group
  std::vector<loop::Counter> group;
};

/// What members of a grid tell where they get to, one after the other: in which launch they did, and
/// what else. What is small enough is told in the same word.
struct Told {
  int64_t words = 0;  // in the workspace; of 8 bytes, if they have it all
  bool has_it_all = false;
  std::vector<int64_t> others;  // in the workspace: what those words do not tell
};

/// Members of a grid that follow each other: the next number to take, and what they tell.
struct Followers {
  int64_t begun = 0;  // in the workspace: how many members have begun, in all launches
  std::map<const loop::Follow*, Told> told;
};

struct GridStorage {
  std::map<std::string, Placed> buffers;  // temporaries, by name
  std::map<const loop::Last*, Arrivals> arrivals;
  std::map<const loop::Deal*, Followers> followers;
  std::map<std::string, int64_t> states;  // of elements that are used alone, in the workspace
  int64_t workspace_bytes = 0;
  int64_t zeroed_bytes = 0;  // of them, at the beginning: 0 before the first run

  const Placed& of(const Symbol& buffer) const { return buffers.at(buffer.name); }
};

/// By who uses a temporary, not only by the region it was asked to be in: what outlives a kernel is
/// in the workspace, what several work-items exchange at least in local memory.
GridStorage grid_storage_of(const loop::Program& p);

/// The digits of a temporary's instances that one work-group holds: those of its cores.
std::vector<Symbol> group_digits(const loop::Program& p, const loop::Buffer& b);

}  // namespace mdh::backend
