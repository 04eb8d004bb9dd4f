#include "mdh/passes/borders.h"

#include "mdh/passes/geometry.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Digit;
using loop::Stmt;
using loop::StmtNode;

Block counted(const loop::Program& p, const Block& block, const std::vector<Digit>& around) {
  Block result;
  for (const Stmt& s : block) {
    std::vector<Digit> inside = around;
    if (const auto* digits = s.as<loop::Digits>()) {
      inside.push_back(digits->digit);
      result.push_back(
          StmtNode{loop::For{digits->digit.var, trip(p, around, digits->digit), digits->how,
                             digits->digit.level, counted(p, digits->body, inside)}});
      continue;
    }
    if (const auto* deal = s.as<loop::Deal>()) {
      inside.insert(inside.end(), deal->digits.begin(), deal->digits.end());
    }
    result.push_back(
        loop::map_children(s, [&](const Block& child) { return counted(p, child, inside); }));
  }
  return result;
}

}  // namespace

loop::Program borders(const loop::Program& program) {
  loop::Program result = program;
  result.body = counted(program, program.body, {});
  return result;
}

}  // namespace mdh::passes
