#include "mdh/passes/structured/interchange.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::How;
using loop::Stmt;
using loop::StmtNode;

/// Cores outermost, then loops, then what lies side by side in one core; the grid before all.
int rank(How how) {
  switch (how) {
    case How::grid:
      return 0;
    case How::cores:
      return 1;
    case How::sequential:
      return 2;
    case How::unrolled:
      return 3;
    case How::lanes:
      return 4;
  }
  return 2;
}

class Interchanger {
 public:
  explicit Interchanger(const loop::Program& p) : program_(p) {}

  Block block(const Block& statements) const {
    Block result;
    for (const Stmt& s : statements) {
      const Stmt inner = loop::map_children(s, [&](const Block& child) { return block(child); });
      result.push_back(sunk(inner));
    }
    return result;
  }

 private:
  /// The loop moves inwards over loops that belong outside of it.
  Stmt sunk(const Stmt& s) const {
    const auto* outer = s.as<loop::Loop>();
    if (!outer || outer->body.size() != 1) return s;
    const auto* inner = outer->body.front().as<loop::Loop>();
    if (!inner || rank_of(*inner) >= rank_of(*outer)) return s;
    const Stmt moved = sunk(StmtNode{loop::Loop{outer->digit, inner->body}});
    return StmtNode{loop::Loop{inner->digit, {moved}}};
  }

  int rank_of(const loop::Loop& loop) const { return rank(find_digit(program_, loop.digit).how); }

  const loop::Program& program_;
};

}  // namespace

loop::Program interchange(const loop::Program& program) {
  loop::Program result = program;
  result.body = Interchanger(program).block(program.body);
  return result;
}

}  // namespace mdh::passes
