#include "mdh/passes/structured/hold_back.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/passes/common/names.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/structured/copy_shape.h"
#include "mdh/passes/structured/filled_copy.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Copy;
using loop::Stmt;
using loop::StmtNode;

class Holder {
 public:
  Holder(const loop::Program& p, int64_t access_bytes)
      : program_(p), names_(p), access_bytes_(access_bytes) {
    collect(p.body);
    // A tile that is copied from another one has everything if that has.
    size_t before;
    do {
      before = filled_.size();
      for (const auto& [tile, copies] : copies_) {
        if (is_group_tile(tile) && can_fill(copies)) filled_.insert(tile);
      }
    } while (filled_.size() > before);
  }

  Block block(const Block& statements) const {
    Block result;
    for (const Stmt& s : statements) {
      const auto* copy = s.as<Copy>();
      if (copy && filled_.contains(copy->to.buffer)) {
        result.push_back(StmtNode{filled(program_, *copy, axes_of(*copy))});
      } else {
        result.push_back(loop::map_children(s, [&](const Block& child) { return block(child); }));
      }
    }
    return result;
  }

 private:
  void collect(const Block& statements) {
    for (const Stmt& s : statements) {
      if (const auto* copy = s.as<Copy>()) copies_[copy->to.buffer].push_back(copy);
      loop::for_each_child(s, [&](const Block& child) { collect(child); });
    }
  }

  bool is_group_tile(const Symbol& tile) const {
    const loop::Buffer& buffer = find_buffer(program_, tile);
    return buffer.role == loop::Role::temporary && buffer.scope == loop::Scope::group;
  }

  bool is_users(const Symbol& buffer) const {
    return find_buffer(program_, buffer).role != loop::Role::temporary;
  }

  bool can_fill(const std::vector<const Copy*>& copies) {
    return std::all_of(copies.begin(), copies.end(), [&](const Copy* copy) {
      if (!can_be_filled(*copy, axes_of(*copy))) return false;
      if (!is_users(copy->from.buffer)) return filled_.contains(copy->from.buffer);
      return shape_of(program_, *copy, access_bytes_, names_).kept == 0;
    });
  }

  static std::set<Symbol> axes_of(const Copy& copy) {
    std::set<Symbol> all;
    for (const loop::Counter& axis : copy.axes) all.insert(axis.var);
    return all;
  }

  const loop::Program& program_;
  Names names_;
  int64_t access_bytes_;
  std::map<Symbol, std::vector<const Copy*>> copies_;
  std::set<Symbol> filled_;
};

}  // namespace

loop::Program hold_back(const loop::Program& program, const machine::TargetFacts& facts) {
  loop::Program result = program;
  const bool asks = std::any_of(program.dimensions.begin(), program.dimensions.end(),
                                [](const auto& d) { return d.edge == loop::Edge::mask; });
  if (facts.access_bytes > 0 && !asks) {
    result.body = Holder(program, facts.access_bytes).block(program.body);
  }
  return result;
}

}  // namespace mdh::passes
