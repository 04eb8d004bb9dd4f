#include "mdh/passes/structured/overlap.h"

#include <algorithm>
#include <map>

#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Digit;
using loop::Element;
using loop::Expr;
using loop::How;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;

bool is_dealt(const Digit& d) { return d.how == How::cores || d.how == How::grid; }

/// What a dimension's index is multiplied with in an expression that mentions its digits, each as
/// often as it is worth; nothing if they stand for something else than the index.
std::optional<int64_t> factor(const Expr& e, const std::vector<Digit>& digits) {
  std::optional<int64_t> common;
  for (const Digit& d : digits) {
    const auto slope = scalar::coefficient(e, d.var);
    if (!slope || *slope % d.step != 0) return std::nullopt;
    const int64_t mine = *slope / d.step;
    if (common && *common != mine) return std::nullopt;
    common = mine;
  }
  return common;
}

/// The sum less an amount, which comes right behind its first term: numbers that stand at the end,
/// where loops are written out, are added up when code is printed.
Expr less_in_front(const Expr& sum, const Expr& amount) {
  const auto* b = sum.as<scalar::Binary>();
  const bool is_sum = b && (b->op == BinaryOp::add || b->op == BinaryOp::subtract);
  if (!is_sum) return sum - amount;
  return scalar::binary(b->op, less_in_front(b->left, amount), b->right);
}

/// Temporaries that hold something of a dimension: what was copied into them is found by its
/// digits, or was computed.
class Holders {
 public:
  Holders(const loop::Program& p, const std::vector<Digit>& digits) : digits_(digits) {
    for (size_t before = 1, now = 0; before != now; now = found_.size()) {
      before = found_.size();
      block(p.body);
    }
  }

  bool contain(const Symbol& buffer) const { return found_.contains(buffer); }

 private:
  void block(const Block& statements) {
    for (const Stmt& s : statements) {
      if (const auto* load = s.as<loop::Load>()) loaded_.insert_or_assign(load->result, load->from);
      if (const auto* copy = s.as<loop::AsyncCopy>(); copy && is_of_dimension(copy->from)) {
        found_.insert(copy->to.buffer);
      }
      if (const auto* store = s.as<loop::Store>()) {
        const auto from = loaded_.find(store->value);
        if (from == loaded_.end() || is_of_dimension(from->second)) found_.insert(store->to.buffer);
      }
      loop::for_each_child(s, [&](const Block& child) { block(child); });
    }
  }

  bool is_of_dimension(const Element& e) const {
    return found_.contains(e.buffer) ||
           std::any_of(e.index.begin(), e.index.end(), [&](const Expr& i) {
             return std::any_of(digits_.begin(), digits_.end(),
                                [&](const Digit& d) { return mentions(i, d.var); });
           });
  }

  const std::vector<Digit>& digits_;
  std::map<Symbol, Element> loaded_;
  std::set<Symbol> found_;
};

class Overlap {
 public:
  Overlap(const loop::Program& p, const Block& tile, int dimension)
      : program_(p), tile_(tile), defined_(defined_in(tile)) {
    for (const Digit& d : p.digits) {
      if (d.dimension != dimension) continue;
      all_.push_back(d);
      if (!defined_.contains(d.var)) outside_.push_back(d);
    }
  }

  /// Whether every statement can be shifted.
  bool is_possible() {
    const bool only_beside = std::all_of(all_.begin(), all_.end(), [&](const Digit& d) {
      return !defined_.contains(d.var) || is_replicated(d.how);
    });
    return only_beside && !outside_.empty() && is_one_piece() && has_contiguous_parts() &&
           block(tile_, nullptr);
  }

  Block result(const Expr& by) {
    Block shifted;
    block(tile_, &by, &shifted);
    return shifted;
  }

  std::optional<Expr> index_shifted(const Expr& e, const Expr& by) const { return index(e, &by); }

  const std::vector<Digit>& outside() const { return outside_; }

 private:
  /// The tile has no holes: shifted back, it would leave those elements out that lie before them.
  bool is_one_piece() const {
    return std::all_of(all_.begin(), all_.end(), [&](const Digit& d) {
      return !defined_.contains(d.var) ||
             std::all_of(outside_.begin(), outside_.end(),
                         [&](const Digit& other) { return d.step < other.step; });
    });
  }

  /// What a core computes is one piece of the dimension.
  bool has_contiguous_parts() const {
    for (const Digit& core : all_) {
      for (const Digit& d : all_) {
        if (is_dealt(core) && !is_dealt(d) && d.step > core.step) return false;
      }
    }
    return true;
  }

  bool block(const Block& statements, const Expr* by, Block* result = nullptr) {
    for (const Stmt& s : statements) {
      std::optional<Stmt> changed = statement(s, by);
      if (!changed) return false;
      if (result) result->push_back(*changed);
    }
    return true;
  }

  /// The statement shifted, or nothing if it cannot be.
  std::optional<Stmt> statement(const Stmt& s, const Expr* by) {
    if (const auto* alloc = s.as<loop::Alloc>()) {
      mine_.insert(alloc->buffer);
      return s;
    }
    if (const auto* load = s.as<loop::Load>()) {
      const auto from = element(load->from, by);
      return from ? std::optional<Stmt>(StmtNode{loop::Load{load->result, *from}}) : std::nullopt;
    }
    if (const auto* ahead = s.as<loop::Prefetch>()) {
      const auto what = element(ahead->what, by);
      return what ? std::optional<Stmt>(StmtNode{loop::Prefetch{*what}}) : std::nullopt;
    }
    if (const auto* store = s.as<loop::Store>()) {
      if (is_combined(store->to.buffer)) return std::nullopt;
      const auto to = element(store->to, by);
      return to ? std::optional<Stmt>(StmtNode{loop::Store{*to, store->value}}) : std::nullopt;
    }
    if (const auto* let = s.as<loop::Let>()) {
      const auto value = index(let->value, by);
      if (!value) return std::nullopt;
      if (is_of_dimension(let->value)) lets_.insert(let->var);
      return StmtNode{loop::Let{let->var, *value}};
    }
    if (const auto* f = s.as<loop::Apply>()) {
      loop::Apply changed = *f;
      for (Expr& e : changed.point) {
        const auto shifted = index(e, by);
        if (!shifted) return std::nullopt;
        e = *shifted;
      }
      return StmtNode{changed};
    }
    if (s.as<loop::Combine>()) return s;
    return nest(s, by);
  }

  /// Loops and choices go on as they are.
  std::optional<Stmt> nest(const Stmt& s, const Expr* by) {
    bool possible = s.as<loop::For>() || s.as<loop::If>();
    loop::map_expressions(s, [&](const Expr& e) {
      possible = possible && !is_of_dimension(e);
      return e;
    });
    const Stmt changed = loop::map_children(s, [&](const Block& inner) {
      Block result;
      possible = possible && block(inner, by, &result);
      return result;
    });
    return possible ? std::optional(changed) : std::nullopt;
  }

  bool is_of_dimension(const Expr& e) const {
    return std::any_of(all_.begin(), all_.end(),
                       [&](const Digit& d) { return mentions(e, d.var); }) ||
           std::any_of(lets_.begin(), lets_.end(),
                       [&](const Symbol& let) { return mentions(e, let); });
  }

  std::optional<Element> element(const Element& e, const Expr* by) const {
    const loop::Buffer& b = find_buffer(program_, e.buffer);
    Element result = e;
    const bool elsewhere = b.role == loop::Role::temporary && !mine_.contains(e.buffer);
    if (elsewhere && holders().contain(e.buffer)) return std::nullopt;
    for (Expr& i : result.index) {
      if (b.role == loop::Role::temporary) {
        const bool placed = std::any_of(lets_.begin(), lets_.end(),
                                        [&](const Symbol& let) { return mentions(i, let); });
        if (placed || (elsewhere && is_of_dimension(i))) return std::nullopt;
        if (mine_.contains(e.buffer) && mentions_outside(i)) return std::nullopt;
        continue;
      }
      const auto shifted = index(i, by);
      if (!shifted) return std::nullopt;
      i = *shifted;
    }
    return result;
  }

  const Holders& holders() const {
    if (!holders_) holders_.emplace(program_, all_);
    return *holders_;
  }

  /// The user's buffer is read somewhere: what is in it may be combined with more, here or later,
  /// and must not begin anew.
  bool is_combined(const Symbol& buffer) const {
    if (find_buffer(program_, buffer).role != loop::Role::output) return false;
    return any_of(program_.body, [&](const Stmt& s) {
      const auto* load = s.as<loop::Load>();
      return load && load->from.buffer == buffer;
    });
  }

  bool mentions_outside(const Expr& e) const {
    return std::any_of(outside_.begin(), outside_.end(),
                       [&](const Digit& d) { return mentions(e, d.var); });
  }

  std::optional<Expr> index(const Expr& e, const Expr* by) const {
    const auto times = factor(e, outside_);
    if (!times) return std::nullopt;
    // Digits inside must say the same, unless axes of a tile take their place.
    for (const Digit& d : all_) {
      if (defined_.contains(d.var) && mentions(e, d.var) &&
          scalar::coefficient(e, d.var) != *times * d.step) {
        return std::nullopt;
      }
    }
    if (!by || *times == 0) return e;
    return less_in_front(e, *by * scalar::index_literal(*times));
  }

  const loop::Program& program_;
  const Block& tile_;
  std::set<Symbol> defined_;
  std::vector<Digit> all_, outside_;
  mutable std::optional<Holders> holders_;
  std::set<Symbol> mine_, lets_;  // temporaries that begin in the tile; indices that are shifted
};

}  // namespace

std::optional<Shift> shift_of(const loop::Program& p, const Block& tile, int dimension,
                              const Expr& room, int64_t parts) {
  if (p.dimensions[dimension].kind != loop::Kind::kept) return std::nullopt;
  Overlap overlap(p, tile, dimension);
  if (!overlap.is_possible()) return std::nullopt;
  const Expr by = shift_by(scalar::index_literal(parts) - room);
  std::vector<Digit> own;
  for (const Digit& d : overlap.outside()) {
    if (!is_dealt(d)) own.push_back(d);
  }
  return Shift{dimension, by, base(own, dimension)};
}

Block shifted(const loop::Program& p, const Block& tile, int dimension, const Expr& by) {
  Overlap overlap(p, tile, dimension);
  return overlap.result(by);
}

std::optional<Expr> shifted_index(const loop::Program& p, const Block& tile, int dimension,
                                  const Expr& index, const Expr& by) {
  return Overlap(p, tile, dimension).index_shifted(index, by);
}

}  // namespace mdh::passes
