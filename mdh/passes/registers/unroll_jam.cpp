#include "mdh/passes/registers/unroll_jam.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/instance.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;

/// About 1400 multiply-adds. Longer code is slower to compile, and to run.
constexpr int64_t most_statements = 8192;

/// Rounds that end at a border, each with its condition, are only worth their code if they are few.
constexpr int64_t most_guarded = 1024;

using Buffers = std::set<Symbol>;

void add_registers(const loop::Program& p, const Block& block, Buffers& found) {
  for (const Stmt& s : block) {
    const loop::Uses uses = loop::uses_of(s);
    for (const auto* symbols : {&uses.reads, &uses.writes}) {
      for (const Symbol& b : *symbols) {
        if (find_buffer(p, b).scope == loop::Scope::registers) found.insert(b);
      }
    }
    loop::for_each_child(s, [&](const Block& child) { add_registers(p, child, found); });
  }
}

/// Rounds that a loop may have: all of min(parts, room), and of others nobody knows.
int64_t parts_of(const loop::For& loop) {
  if (const auto trip = constant(loop.trip)) return *trip;
  const auto bound = bound_of(loop);
  return bound ? bound->parts : most_statements + 1;
}

/// Statements that a nest of loops becomes when all of them are written out.
int64_t written_out(const Block& block, bool with_lanes) {
  int64_t size = 0;
  for (const Stmt& s : block) {
    int64_t inside = 0;
    loop::for_each_child(s, [&](const Block& b) { inside += written_out(b, with_lanes); });
    const loop::For* loop = as_replicated(s);
    const bool repeats = loop && (with_lanes || loop->how == loop::How::unrolled);
    const bool too_much = inside > most_statements;
    size += inside * (repeats && !too_much ? parts_of(*loop) : 1) + (is_leaf(s) ? 1 : 0);
  }
  return size;
}

/// No loop over registers or lanes in it may end at a border.
bool is_whole(const Stmt& s) {
  return !any_of({s}, [](const Stmt& inner) {
    const loop::For* loop = as_replicated(inner);
    return loop && !constant(loop->trip);
  });
}

class Unroller {
 public:
  explicit Unroller(const loop::Program& p) : program_(p), names_(p) {}

  /// `straight` are registers that straight code uses somewhere in their lifetime.
  Block block(const Block& statements, Buffers straight) {
    for (const Stmt& s : statements) {
      if (const auto* alloc = s.as<loop::Alloc>()) {
        straight.erase(alloc->buffer);
        if (is_in_straight_code(alloc->buffer, statements)) straight.insert(alloc->buffer);
      }
    }
    Block result;
    for (const Stmt& s : statements) append(result, statement(s, straight));
    return result;
  }

 private:
  Block statement(const Stmt& s, const Buffers& straight) {
    const loop::For* loop = as_replicated(s);
    if (!loop) return {loop::map_children(s, [&](const Block& b) { return block(b, straight); })};
    if (!is_whole(s)) {
      return needs_conditions(*loop, straight) ? with_conditions(*loop) : Block{s};
    }
    const int64_t size = written_out({s}, false);
    loop::For result = *loop;
    result.body = block(loop->body, straight);
    if (size > most_statements || loop->how == loop::How::lanes) return {StmtNode{result}};
    return copies(result, nullptr);
  }

  /// Straight code: a nest of which all loops can be written out, or are whole lanes.
  bool is_in_straight_code(const Symbol& buffer, const Block& statements) const {
    return any_of(statements, [&](const Stmt& s) {
      const loop::For* loop = as_replicated(s);
      if (!loop || !is_whole(s)) return false;
      Buffers used;
      add_registers(program_, {s}, used);
      return used.contains(buffer) && written_out({s}, false) <= most_statements;
    });
  }

  bool needs_conditions(const loop::For& loop, const Buffers& straight) const {
    Buffers used;
    add_registers(program_, loop.body, used);
    const bool shares = std::any_of(used.begin(), used.end(),
                                    [&](const Symbol& b) { return straight.contains(b); });
    const int64_t size = written_out({StmtNode{loop}}, true);
    return shares && size > 0 && size <= most_guarded;
  }

  /// All rounds that there may be; also those of lanes, and of the loops inside.
  Block with_conditions(const loop::For& loop) {
    loop::For result = loop;
    result.body = {};
    for (const Stmt& s : loop.body) {
      const loop::For* inner = as_replicated(s);
      append(result.body, inner ? with_conditions(*inner) : Block{s});
    }
    return copies(result, constant(loop.trip) ? nullptr : &loop.trip);
  }

  Block copies(const loop::For& loop, const Expr* trip) {
    Block result;
    const int64_t parts = parts_of(loop);
    for (int64_t n = loop.first; n < parts; ++n) {
      Block body = round_of(loop, n, names_);
      if (trip) {
        const Expr exists = scalar::binary(BinaryOp::greater, *trip, scalar::index_literal(n));
        body = {StmtNode{loop::If{exists, body, {}}}};
      }
      append(result, body);
    }
    return result;
  }

  const loop::Program& program_;
  Names names_;
};

}  // namespace

loop::Program unroll_jam(const loop::Program& program) {
  loop::Program result = program;
  result.body = Unroller(program).block(program.body, {});
  return result;
}

}  // namespace mdh::passes
