#include "mdh/report/tree.h"

#include <algorithm>

#include "mdh/model/nest.h"
#include "mdh/passes/lower/fuse.h"
#include "mdh/support/text.h"

namespace mdh::report {
namespace {

NodeKind kind_of(const model::Level& level) {
  switch (level.kind) {
    case machine::LayerKind::loop:
      return NodeKind::loop;
    case machine::LayerKind::cores:
      return NodeKind::threads;
    case machine::LayerKind::replicated:
      break;
  }
  return level.lanes ? NodeKind::lanes : NodeKind::registers;
}

class TreeBuilder {
 public:
  TreeBuilder(const hl::Program& program, const machine::Machine& machine, const ll::Config& config)
      : shape_(model::shape_of(passes::fuse(program, config.fuse))),
        machine_(machine),
        config_(config),
        nest_(model::nest_of(shape_, machine, config)) {}

  Tree build() {
    Tree tree;
    for (const model::DimensionShape& d : shape_.dimensions) tree.dimensions.push_back(d.name);
    tree.nodes.push_back({NodeKind::whole, "all", 1, inside(0), {}});
    for (size_t n = 0; n < nest_.levels.size(); ++n) {
      const model::Level& level = nest_.levels[n];
      tree.nodes.push_back({kind_of(level), to_string(level.name), level.parts, inside(n + 1), {}});
    }
    add_places(config_.stage, tree);
    add_places(config_.acc, tree);
    tree.nodes.push_back({NodeKind::function, "f", 1, inside(nest_.levels.size()), {}});
    return tree;
  }

 private:
  std::vector<int64_t> inside(size_t from) const {
    std::vector<int64_t> points;
    for (size_t d = 0; d < shape_.dimensions.size(); ++d) {
      points.push_back(
          std::min(nest_.points(static_cast<int>(d), from), shape_.dimensions[d].size));
    }
    return points;
  }

  /// A buffer that moves at a level does so in each part of the level around it: the node with the
  /// position of the level, because the whole computation is the first one.
  void add_places(const ll::Relocations& relocations, Tree& tree) const {
    for (const model::BufferShape& buffer : shape_.buffers) {
      const auto found = relocations.find(buffer.name);
      if (found == relocations.end()) continue;
      for (const ll::Relocation& place : found->second) {
        const size_t at = nest_.position(place.from);
        tree.nodes[at].places.push_back(place_of(buffer, place, at));
      }
    }
  }

  TreePlace place_of(const model::BufferShape& buffer, const ll::Relocation& place,
                     size_t at) const {
    const machine::Region* region = machine_.find_region(place.region);
    const bool is_copied = !place.layout.empty() || (region && region->is_explicit);
    std::vector<std::string> axes;
    for (const ll::LayoutAxis& axis : place.layout) axes.push_back(to_string(axis));
    const model::Tile tile = tile_of(shape_, nest_, buffer, at);
    return {buffer.is_output ? PlaceKind::accumulator
            : is_copied      ? PlaceKind::copy
                             : PlaceKind::stays,
            buffer.name,
            place.region,
            join(axes, ", "),
            tile.extents,
            tile.elements,
            tile.elements * buffer.element_bytes};
  }

  const model::Shape shape_;
  const machine::Machine& machine_;
  const ll::Config& config_;
  const model::Nest nest_;
};

}  // namespace

const char* to_string(NodeKind kind) {
  switch (kind) {
    case NodeKind::whole:
      return "whole computation";
    case NodeKind::threads:
      return "threads";
    case NodeKind::loop:
      return "loop";
    case NodeKind::registers:
      return "registers";
    case NodeKind::lanes:
      return "lanes";
    case NodeKind::function:
      break;
  }
  return "scalar function";
}

Tree tree_of(const hl::Program& program, const machine::Machine& machine,
             const ll::Config& config) {
  return TreeBuilder(program, machine, config).build();
}

}  // namespace mdh::report
