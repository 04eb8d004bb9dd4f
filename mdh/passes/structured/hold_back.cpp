#include "mdh/passes/structured/hold_back.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/passes/common/names.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/structured/copy_shape.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Copy;
using loop::Expr;
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
        result.push_back(StmtNode{filling(*copy)});
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
      if (copy->roll || copy->to.buffer == copy->from.buffer) return false;
      if (!is_users(copy->from.buffer)) return filled_.contains(copy->from.buffer);
      const bool single = shape_of(program_, *copy, access_bytes_, names_).kept == 0;
      return single && std::all_of(copy->within.begin(), copy->within.end(), [&](const Expr& e) {
               return !is_edge(*copy, e) || index_at(*copy, e).has_value();
             });
    });
  }

  /// The condition is about single elements.
  static bool is_edge(const Copy& copy, const Expr& condition) {
    return std::any_of(copy.axes.begin(), copy.axes.end(),
                       [&](const loop::Counter& axis) { return mentions(condition, axis.var); });
  }

  /// Which index of the source the condition keeps inside of the buffer.
  std::optional<size_t> index_at(const Copy& copy, const Expr& condition) const {
    const auto edge = edge_of(condition);
    const loop::Buffer& from = find_buffer(program_, copy.from.buffer);
    for (size_t n = 0; edge && n < from.extents.size(); ++n) {
      if (copy.from.index[n] == edge->index && from.extents[n] == edge->extent) return n;
    }
    return std::nullopt;
  }

  Copy filling(Copy copy) const {
    const loop::Element source = copy.from;
    if (is_users(source.buffer)) {
      const loop::Buffer& from = find_buffer(program_, source.buffer);
      for (const Expr& condition : copy.within) {
        if (!is_edge(copy, condition)) continue;
        const size_t n = *index_at({.axes = copy.axes, .from = source}, condition);
        copy.from.index[n] = held_back(source.index[n], from.extents[n]);
      }
    }
    std::erase_if(copy.within, [&](const Expr& condition) { return is_edge(copy, condition); });
    return copy;
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
