#include "mdh/passes/concrete/borders.h"

#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/walk.h"

namespace mdh::passes {

loop::Program borders(const loop::Program& program) {
  return rewritten(program, [&](const loop::Stmt& s, const std::vector<loop::Digit>& around) {
    const auto* loop = s.as<loop::Loop>();
    if (!loop) return loop::Block{s};
    const loop::Digit& digit = find_digit(program, loop->digit);
    // Cores outside of the grid that they belong to: every member does their parts one by one.
    const bool dealt = digit.how == loop::How::cores || digit.how == loop::How::grid;
    const loop::How how = dealt ? loop::How::sequential : digit.how;
    return loop::Block{loop::StmtNode{
        loop::For{digit.var, trip(program, around, digit), how, digit.level, loop->body}}};
  });
}

}  // namespace mdh::passes
