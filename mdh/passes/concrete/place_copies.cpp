#include "mdh/passes/concrete/place_copies.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/instance.h"
#include "mdh/passes/common/names.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/common/walk.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Counter;
using loop::Expr;
using loop::How;
using loop::Stmt;
using loop::StmtNode;
using machine::TargetFacts;

/// Larger tiles than any register file are filled by loops.
constexpr int64_t most_in_registers = 512;

Block in_loop(const Symbol& var, int64_t count, How how, const Block& body) {
  return {element_loop(var, scalar::index_literal(count), how, body)};
}

Block guarded(const Block& body, const std::vector<Expr>& conditions) {
  return conditions.empty() ? body : Block{StmtNode{loop::If{all_of(conditions), body, {}}}};
}

/// What is done for one element.
Block moved(const loop::Copy& copy, Names& names) {
  if (copy.transport == loop::Transport::async) {
    return element_flight(copy.to, copy.from);
  }
  return element_copy(copy.to, copy.from, names.fresh(copy.to.buffer.name + "_x"));
}

class Placer {
 public:
  Placer(const loop::Program& p, const TargetFacts& facts) : program_(p), facts_(facts), names_(p) {
    for (const loop::Digit& d : p.digits) {
      if (d.how == How::lanes) lanes_ = std::max(lanes_, d.parts);
    }
  }

  /// Conditions that are the same for the whole tile are decided before it.
  Block placed(const loop::Copy& copy) {
    Block body = moved(copy, names_);
    std::vector<Expr> before, inside;
    for (const Expr& condition : copy.within) {
      const bool varies = std::any_of(copy.axes.begin(), copy.axes.end(), [&](const auto& axis) {
        return mentions(condition, axis.var);
      });
      (varies ? inside : before).push_back(condition);
    }
    body = guarded(body, inside);
    std::vector<Counter> axes = copy.axes;
    const loop::Buffer& tile = find_buffer(program_, copy.to.buffer);
    const bool registers =
        tile.scope == loop::Scope::registers && loop::volume_of(axes) <= most_in_registers;
    if (registers) {
      body = in_vectors(copy, tile, body, axes);
      for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        body = in_loop(axis->var, axis->count, How::unrolled, body);
      }
    } else {
      loop::Copy rest = copy;
      if (inside.empty() && can_be_vectors(copy)) body = as_vectors(body, rest.axes);
      body = in_blocks(rest, body);
    }
    body = guarded(body, before);
    append(body, asked_ahead(copy));
    return body;
  }

 private:
  /// The last axis is made of whole vectors that lie side by side in both places.
  bool can_be_vectors(const loop::Copy& copy) const {
    if (copy.axes.empty() || lanes_ < 2 || copy.transport != loop::Transport::plain) return false;
    const Counter& last = copy.axes.back();
    const bool in_blocks = std::any_of(copy.blocks.begin(), copy.blocks.end(),
                                       [&](const Counter& b) { return b.var == last.var; });
    return !in_blocks && last.count % lanes_ == 0 && is_contiguous(copy, last, 1);
  }

  /// No compiler has to find them; takes the axis off the others, or leaves one over vectors.
  Block as_vectors(const Block& body, std::vector<Counter>& axes) {
    const Counter last = axes.back();
    if (last.count == lanes_) {
      axes.pop_back();
      return in_loop(last.var, lanes_, How::lanes, body);
    }
    const Symbol lane = names_.fresh(last.var.name + "_n");
    Instance moved(names_);
    moved.set(last.var, loop::index_variable(last.var) * scalar::index_literal(lanes_) +
                            loop::index_variable(lane));
    axes.back().count = last.count / lanes_;
    return in_loop(lane, lanes_, How::lanes, moved.without_lets(body));
  }

  /// Loops over the axes; blocks of them are outside of all others.
  Block in_blocks(const loop::Copy& copy, Block body) {
    std::vector<Counter> outside;
    for (auto axis = copy.axes.rbegin(); axis != copy.axes.rend(); ++axis) {
      const auto block = std::find_if(copy.blocks.begin(), copy.blocks.end(),
                                      [&](const Counter& b) { return b.var == axis->var; });
      if (block == copy.blocks.end() || block->count >= axis->count) {
        body = in_loop(axis->var, axis->count, How::sequential, body);
        continue;
      }
      const Expr size = scalar::index_literal(block->count);
      const Counter blocks{names_.fresh(axis->var.name + "_block"),
                           (axis->count + block->count - 1) / block->count};
      const Expr begin = loop::index_variable(blocks.var) * size;
      Instance moved(names_);
      moved.set(axis->var, begin + loop::index_variable(axis->var));
      const bool divides = axis->count % block->count == 0;
      const Expr room = scalar::index_literal(axis->count) - begin;
      body = {element_loop(axis->var, divides ? size : bounded(size, room), How::sequential,
                           moved.without_lets(body))};
      outside.push_back(blocks);
    }
    for (const Counter& blocks : outside) {
      body = in_loop(blocks.var, blocks.count, How::sequential, body);
    }
    return body;
  }

  /// Every line of what the copy will read some iterations later. Tiles are near anyway.
  Block asked_ahead(const loop::Copy& copy) {
    if (!copy.ahead || find_buffer(program_, copy.from.buffer).role == loop::Role::temporary) {
      return {};
    }
    Instance later(names_);
    later.set(copy.ahead->digit,
              loop::index_variable(copy.ahead->digit) + scalar::index_literal(copy.ahead->by));
    const Stmt now = StmtNode{loop::Prefetch{copy.from}};
    const Stmt then = later.statement(now);
    if (then == now) return {};
    const int64_t bytes = scalar::bytes_of(find_buffer(program_, copy.from.buffer).type);
    const int64_t line = std::max<int64_t>(1, facts_.line_bytes / bytes);  // a record may be longer
    std::vector<Counter> axes = copy.axes, along;
    int64_t volume = 1;
    while (!axes.empty() && stride_in(copy.from, axes.back()) == volume) {
      volume *= axes.back().count;
      along.insert(along.begin(), axes.back());
      axes.pop_back();
    }
    Block body = {then};
    if (!along.empty()) {
      const Symbol n = names_.fresh(copy.to.buffer.name + "_line");
      body = in_loop(n, (volume + line - 1) / line, How::unrolled,
                     with(along, loop::index_variable(n) * scalar::index_literal(line), body));
    }
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
      body = in_loop(axis->var, axis->count, How::unrolled, body);
    }
    return body;
  }

  std::optional<int64_t> stride_in(const loop::Element& e, const Counter& axis) const {
    return scalar::coefficient(address_of(program_, e), axis.var);
  }

  /// The innermost axes as vectors and what is left of them, if they lie side by side on both
  /// sides; takes them off the axes.
  Block in_vectors(const loop::Copy& copy, const loop::Buffer& tile, const Block& body,
                   std::vector<Counter>& axes) {
    const bool one_vector = !axes.empty() && axes.back().count == lanes_;
    // Single lanes of vectors of this size can be multiplied with whole vectors, so that a tile may
    // be many of them.
    const bool many = lanes_ * scalar::bytes_of(tile.type) == facts_.indexed_bytes;
    if (lanes_ < 2 || !(one_vector || many)) return body;
    size_t kept = axes.size();
    int64_t volume = 1;
    while (kept > 0 && is_contiguous(copy, axes[kept - 1], volume)) {
      volume *= axes[--kept].count;
      if (one_vector) break;
    }
    if (volume < lanes_) return body;
    const std::vector<Counter> inner(axes.begin() + static_cast<std::ptrdiff_t>(kept), axes.end());
    axes.resize(kept);
    if (one_vector) return in_loop(inner.front().var, lanes_, How::lanes, body);
    const Symbol vector = names_.fresh(tile.symbol.name + "_v");
    const Symbol lane = names_.fresh(tile.symbol.name + "_n");
    const Expr at =
        loop::index_variable(vector) * scalar::index_literal(lanes_) + loop::index_variable(lane);
    Block result = in_loop(vector, volume / lanes_, How::unrolled,
                           in_loop(lane, lanes_, How::lanes, with(inner, at, body)));
    if (volume % lanes_ == 0) return result;
    const Symbol rest = names_.fresh(tile.symbol.name + "_r");
    const Expr beyond =
        loop::index_variable(rest) + scalar::index_literal(volume / lanes_ * lanes_);
    append(result, in_loop(rest, volume % lanes_, How::unrolled, with(inner, beyond, body)));
    return result;
  }

  bool is_contiguous(const loop::Copy& copy, const Counter& axis, int64_t stride) const {
    return stride_in(copy.to, axis) == stride && stride_in(copy.from, axis) == stride;
  }

  /// The body with the axes as digits of one number.
  Block with(const std::vector<Counter>& axes, const Expr& at, const Block& body) {
    Instance instance(names_);
    int64_t stride = loop::volume_of(axes);
    for (const Counter& axis : axes) {
      const bool is_first = stride == loop::volume_of(axes);
      stride /= axis.count;
      const Expr above = quotient(at, scalar::index_literal(stride));
      instance.set(axis.var, is_first ? above
                                      : scalar::binary(scalar::BinaryOp::remainder, above,
                                                       scalar::index_literal(axis.count)));
    }
    return instance.without_lets(body);
  }

  const loop::Program& program_;
  const TargetFacts& facts_;
  Names names_;
  int64_t lanes_ = 0;
};

}  // namespace

loop::Program place_copies(const loop::Program& program, const machine::TargetFacts& facts) {
  Placer placer(program, facts);
  return rewritten(program, [&](const loop::Stmt& s, const std::vector<loop::Digit>&) {
    const auto* copy = s.as<loop::Copy>();
    return copy ? placer.placed(*copy) : Block{s};
  });
}

}  // namespace mdh::passes
