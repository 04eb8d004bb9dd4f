#include "mdh/report/tree.h"

#include <algorithm>

#include "mdh/ll/names.h"
#include "mdh/ll/roles.h"
#include "mdh/model/structure.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/support/text.h"

namespace mdh::report {
namespace {

/// Cores that cannot wait for each other are blocks; of those inside of blocks the innermost are
/// threads.
NodeKind kind_of_cores(const std::string& layer, const ll::Roles& roles) {
  if (roles.threads.empty() || layer == roles.threads) return NodeKind::threads;
  const auto at = [&](const std::string& name) {
    return std::find(roles.cores.begin(), roles.cores.end(), name);
  };
  return at(layer) <= at(roles.groups) ? NodeKind::blocks : NodeKind::warps;
}

NodeKind kind_of(const machine::Layer& layer, const ll::Roles& roles) {
  switch (layer.kind) {
    case machine::LayerKind::loop:
      return NodeKind::loop;
    case machine::LayerKind::cores:
      return kind_of_cores(layer.name, roles);
    case machine::LayerKind::replicated:
      break;
  }
  return layer.lanes ? NodeKind::lanes : NodeKind::registers;
}

class TreeBuilder {
 public:
  explicit TreeBuilder(const ll::Decomposition& d)
      : d_(d),
        roles_(ll::roles_of(d.machine())),
        shape_(model::shape_of(d.computation())),
        loops_(model::structure_of(d).whole) {}

  Tree build() {
    Tree tree;
    for (const model::DimensionShape& d : shape_.dimensions) tree.dimensions.push_back(d.name);
    tree.nodes.push_back({NodeKind::whole, "all", 1, inside(0), {}});
    for (size_t n = 0; n < loops_.size(); ++n) {
      tree.nodes.push_back({kind_of(*loops_[n]->layer, roles_),
                            to_string(d_.program(), loops_[n]->level),
                            loops_[n]->parts,
                            inside(n + 1),
                            {}});
    }
    add_stagings(tree);
    add_accumulators(tree);
    tree.nodes.push_back({NodeKind::function, "f", 1, inside(loops_.size()), {}});
    return tree;
  }

 private:
  std::vector<int64_t> inside(size_t from) const {
    std::vector<int64_t> all;
    for (size_t d = 0; d < shape_.dimensions.size(); ++d) {
      const int64_t count = model::points(loops_, static_cast<int>(d), from);
      all.push_back(std::min(count, shape_.dimensions[d].size));
    }
    return all;
  }

  // A buffer that moves at a loop does so in each part of the loop around it: the node with the
  // position of the loop, because the whole computation is the first one.

  void add_stagings(Tree& tree) const {
    std::vector<ll::Layout> outside;
    for (const hl::BufferView& view : d_.computation().inputs) {
      outside.push_back(ll::row_major(view));
    }
    for (const ll::Staging& s : d_.stagings()) {
      if (s.accesses.front() != 0) continue;  // one family of accesses stands for all
      TreePlace place = place_of(shape_.buffers[s.buffer], s.position, s.place.region);
      place.kind = s.is_hint ? PlaceKind::stays : PlaceKind::copy;
      if (s.place.layout != outside[s.buffer]) {
        place.layout = layout_text(d_.computation().inputs[s.buffer], s.place.layout);
      }
      outside[s.buffer] = s.place.layout;
      tree.nodes[static_cast<size_t>(s.position)].places.push_back(std::move(place));
    }
  }

  void add_accumulators(Tree& tree) const {
    const size_t inputs = d_.computation().inputs.size();
    for (size_t b = 0; b < d_.computation().outputs.size(); ++b) {
      for (const ll::Run& run : d_.runs()) {
        if (run.start < 0) continue;
        const int at = position_of(run.start);
        TreePlace place = place_of(shape_.buffers[inputs + b], at, run.places[b].region);
        place.kind = PlaceKind::accumulator;
        tree.nodes[static_cast<size_t>(at)].places.push_back(std::move(place));
      }
    }
  }

  /// The tree has the order of de-composition; re-composition may have another one.
  int position_of(int start) const {
    if (start == d_.outputs().depth()) return start;
    const auto same = [&](const ll::NestLoop* loop) {
      return loop->level == d_.outputs().loops[start].level;
    };
    return static_cast<int>(std::find_if(loops_.begin(), loops_.end(), same) - loops_.begin());
  }

  TreePlace place_of(const model::BufferShape& buffer, int position,
                     const std::string& region) const {
    const model::Touched box = touched(shape_, loops_, buffer, static_cast<size_t>(position));
    return {.buffer = buffer.name,
            .region = region,
            .layout = {},
            .extents = box.extents,
            .elements = box.elements,
            .bytes = box.elements * buffer.element_bytes};
  }

  std::string layout_text(const hl::BufferView& view, const ll::Layout& layout) const {
    std::vector<std::string> axes;
    for (const ll::Axis& axis : layout) {
      axes.push_back(to_string(layout_axis(d_.computation(), view, axis)));
    }
    return join(axes, ", ");
  }

  const ll::Decomposition& d_;
  const ll::Roles roles_;
  const model::Shape shape_;
  const model::Loops loops_;
};

}  // namespace

const char* to_string(NodeKind kind) {
  switch (kind) {
    case NodeKind::whole:
      return "whole computation";
    case NodeKind::blocks:
      return "blocks";
    case NodeKind::warps:
      return "warps";
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
  const ll::Program low = passes::lower(program, machine, config);
  return TreeBuilder(ll::Decomposition(low, machine)).build();
}

}  // namespace mdh::report
