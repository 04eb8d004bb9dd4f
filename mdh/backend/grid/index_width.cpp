#include "mdh/backend/grid/index_width.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "mdh/scalar/linear.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Stmt;
using scalar::BinaryOp;
using scalar::Expr;

/// Flat counters of kernels step by the items of a whole grid: what they may be beyond their end.
constexpr int64_t most_beyond = int64_t{1} << 20;
constexpr int64_t most = INT32_MAX - most_beyond;

struct Range {
  int64_t least = 0, greatest = 0;
};

bool fits(const Range& r) { return r.least >= -most && r.greatest <= most; }

/// All that is computed fits, so that products of two such numbers fit 64 bits.
class Widths {
 public:
  explicit Widths(const loop::Program& p) : program_(p) {
    for (const loop::Digit& d : p.digits) known_[d.var.name] = {0, d.parts - 1};
    for (const loop::Buffer& b : p.buffers) {
      if (b.role == loop::Role::temporary) needs(b.depth, loop::instances_of(p, b));
      needs(loop::elements_of(b), b.role == loop::Role::temporary ? loop::instances_of(p, b) : 1);
    }
    for (const loop::Dimension& d : p.dimensions) known_[d.symbol.name] = {0, d.size - 1};
  }

  bool run() {
    block(program_.body);
    return fit_;
  }

 private:
  /// So many of so many are counted.
  void needs(int64_t count, int64_t times) {
    fit_ = fit_ && count <= most && times <= most && count * times <= most;
  }

  void counters(const std::vector<loop::Counter>& all) {
    int64_t volume = 1;
    for (const loop::Counter& c : all) {
      known_[c.var.name] = {0, c.count - 1};
      needs(volume, c.count);
      if (fit_) volume *= c.count;
    }
  }

  void element(const loop::Element& e) { value(grid_address(program_, e)); }

  void block(const Block& statements) {
    for (const Stmt& s : statements) {
      if (!fit_) return;
      statement(s);
      loop::for_each_child(s, [&](const Block& b) { block(b); });
    }
  }

  void statement(const Stmt& s) {
    if (const auto* loop = s.as<loop::For>()) {
      const Range trip = value(loop->trip);
      known_[loop->var.name] = {0, std::max<int64_t>({trip.greatest, loop->first, 1}) - 1};
    } else if (const auto* lanes = s.as<loop::Lanes>()) {
      known_[lanes->var.name] = {0, lanes->count - 1};
    } else if (const auto* deal = s.as<loop::Deal>()) {
      counters(deal->shares);
    } else if (const auto* let = s.as<loop::Let>()) {
      known_[let->var.name] = value(let->value);
    } else if (const auto* transpose = s.as<loop::Transpose>()) {
      counters({transpose->stored, transpose->loaded});
      element(transpose->to);
      element(transpose->from);
    } else if (const auto* follow = s.as<loop::Follow>()) {
      value(follow->first);
      if (follow->tells.empty()) return;
      counters({{follow->nth, find_digit(program_, follow->over).parts}});
      if (follow->has_any) value(*follow->has_any);
      for (const auto* elements : {&follow->tells, &follow->hears}) {
        for (const loop::Element& e : *elements) element(e);
      }
    } else if (const auto* choice = s.as<loop::If>()) {
      value(choice->condition);
    } else if (const auto* load = s.as<loop::Load>()) {
      element(load->from);
    } else if (const auto* store = s.as<loop::Store>()) {
      element(store->to);
    } else if (const auto* many = s.as<loop::WideLoad>()) {
      element(neighbour(many->from, std::ssize(many->results)));
    } else if (const auto* all = s.as<loop::WideStore>()) {
      element(neighbour(all->to, std::ssize(all->values)));
    } else if (const auto* copy = s.as<loop::AsyncCopy>()) {
      element(neighbour(copy->to, copy->width - 1));
      element(neighbour(copy->from, copy->width - 1));
    } else if (const auto* ahead = s.as<loop::Prefetch>()) {
      element(ahead->what);
    } else if (s.as<loop::AtomicCombine>() || s.as<loop::AtomicTake>()) {
      for (const loop::Access& access : loop::accesses_of(s)) element(*access.element);
    } else if (const auto* apply = s.as<loop::Apply>()) {
      for (const Expr& index : apply->point) value(index);
    }
  }

  Range unknown() {
    fit_ = false;
    return {};
  }

  Range checked(const Range& r) {
    fit_ = fit_ && fits(r);
    return fit_ ? r : Range{};
  }

  Range value(const Expr& e) {
    if (const auto number = constant(e)) return checked({*number, *number});
    if (const auto* v = e.as<scalar::Variable>()) {
      const auto found = known_.find(v->symbol.name);
      return found == known_.end() ? unknown() : checked(found->second);
    }
    if (const auto* s = e.as<scalar::Select>()) {
      value(s->condition);
      const Range a = value(s->then), b = value(s->otherwise);
      return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
    }
    const auto* b = e.as<scalar::Binary>();
    if (!b) return unknown();
    // Compilers that lose minus signs do so in extremes of 32 bits: nothing is subtracted there
    // from what may become 0.
    const bool is_extreme = b->op == BinaryOp::minimum || b->op == BinaryOp::maximum;
    if (is_extreme && (may_negate(b->left) || may_negate(b->right))) return unknown();
    const Range left = value(b->left), right = value(b->right);
    return fit_ ? checked(combined(b->op, left, right)) : Range{};
  }

  /// A difference whose left side is no number but 0, or that of one.
  static bool may_negate(const Expr& e) {
    const auto* b = e.as<scalar::Binary>();
    if (!b) return false;
    const auto left = constant(b->left);
    if (b->op == BinaryOp::subtract && (!left || *left == 0)) return true;
    return may_negate(b->left) || may_negate(b->right);
  }

  Range combined(BinaryOp op, const Range& a, const Range& b) {
    switch (op) {
      case BinaryOp::add:
        return {a.least + b.least, a.greatest + b.greatest};
      case BinaryOp::subtract:
        return {a.least - b.greatest, a.greatest - b.least};
      case BinaryOp::multiply: {
        const auto [least, greatest] = std::minmax({a.least * b.least, a.least * b.greatest,
                                                    a.greatest * b.least, a.greatest * b.greatest});
        return {least, greatest};
      }
      case BinaryOp::divide:
      case BinaryOp::remainder: {
        // The result is no farther from 0 than what is divided; divisors are never 0.
        int64_t farthest = std::max(std::abs(a.least), std::abs(a.greatest));
        // What is left is less than the divisor, too.
        const int64_t divisor = std::max(std::abs(b.least), std::abs(b.greatest));
        if (op == BinaryOp::remainder) farthest = std::min(farthest, divisor - 1);
        return {a.least < 0 || b.least < 0 ? -farthest : 0, farthest};
      }
      case BinaryOp::bit_xor: {
        if (a.least < 0 || b.least < 0) return unknown();
        // No bit above the highest one of both.
        const auto all = static_cast<uint64_t>(std::max(a.greatest, b.greatest));
        return {0, static_cast<int64_t>(std::bit_ceil(all + 1)) - 1};
      }
      case BinaryOp::minimum:
        return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
      case BinaryOp::maximum:
        return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
      case BinaryOp::less:
      case BinaryOp::less_equal:
      case BinaryOp::greater:
      case BinaryOp::greater_equal:
      case BinaryOp::equal:
      case BinaryOp::not_equal:
      case BinaryOp::logical_and:
      case BinaryOp::logical_or:
        return {0, 1};
      default:
        return unknown();
    }
  }

  const loop::Program& program_;
  std::map<std::string, Range> known_;
  bool fit_ = true;
};

}  // namespace

scalar::Expr grid_address(const loop::Program& p, const loop::Element& e) {
  loop::Element here = e;
  if (find_buffer(p, e.buffer).across) here.index.front() = scalar::index_literal(0);
  return scalar::constant_last(address_of(p, here));
}

bool counts_in_32_bits(const loop::Program& p) { return Widths(p).run(); }

}  // namespace mdh::backend
