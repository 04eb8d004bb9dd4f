// A decomposition as a tree: every part of a level is taken apart by the next one. All parts of a
// level look alike, so one node stands for all of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"

namespace mdh::report {

enum class NodeKind { whole, blocks, warps, threads, loop, registers, lanes, function };

const char* to_string(NodeKind kind);

enum class PlaceKind {
  copy,        // an input, into another region or layout
  stays,       // an input that a cache is expected to hold; nothing is copied
  accumulator  // an output
};

/// Where a buffer is kept from here on inwards.
struct TreePlace {
  PlaceKind kind = PlaceKind::copy;
  std::string buffer;
  std::string region;
  std::string layout;            // "j@L1, k@L1"; empty: as outside
  std::vector<int64_t> extents;  // of the box around the tile
  int64_t elements = 0;          // fewer than the box has if parts of other levels lie between
  int64_t bytes = 0;
};

struct TreeNode {
  NodeKind kind = NodeKind::whole;
  std::string name;               // "COR.j"
  int64_t parts = 1;              // that the node above is taken apart into
  std::vector<int64_t> inside;    // points of one part, by dimension
  std::vector<TreePlace> places;  // what each part does before its own parts begin
};

struct Tree {
  std::vector<std::string> dimensions;
  std::vector<TreeNode> nodes;  // from the whole computation down to f
};

/// The configuration is valid for the program.
Tree tree_of(const hl::Program& program, const machine::Machine& machine, const ll::Config& config);

}  // namespace mdh::report
