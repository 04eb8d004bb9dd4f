#include "mdh/passes/common/walk.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Digit;
using loop::Stmt;

class Walker {
 public:
  Walker(const loop::Program& p, const Rewrite& rewrite) : program_(p), rewrite_(rewrite) {}

  Block block(const Block& statements, const std::vector<Digit>& around) const {
    Block result;
    for (const Stmt& s : statements) {
      const std::vector<Digit> inside = extended(s, around);
      const Stmt inner =
          loop::map_children(s, [&](const Block& child) { return block(child, inside); });
      const Block replaced = rewrite_(inner, around);
      result.insert(result.end(), replaced.begin(), replaced.end());
    }
    return result;
  }

 private:
  std::vector<Digit> extended(const Stmt& s, std::vector<Digit> around) const {
    if (const auto* loop = s.as<loop::Loop>()) add(loop->digit, around);
    if (const auto* loop = s.as<loop::For>()) add(loop->var, around);
    if (const auto* deal = s.as<loop::Deal>()) {
      for (const loop::Counter& share : deal->shares) add(share.var, around);
    }
    return around;
  }

  void add(const Symbol& symbol, std::vector<Digit>& around) const {
    if (is_digit(program_, symbol)) around.push_back(find_digit(program_, symbol));
  }

  const loop::Program& program_;
  const Rewrite& rewrite_;
};

}  // namespace

loop::Program rewritten(const loop::Program& program, const Rewrite& rewrite) {
  loop::Program result = program;
  result.body = Walker(program, rewrite).block(program.body, {});
  return result;
}

}  // namespace mdh::passes
