#include "mdh/passes/form_teams.h"

#include <algorithm>

#include "mdh/passes/geometry.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Digit;
using loop::Stmt;
using loop::StmtNode;

/// Elements of a combination are dealt until there are this many parts: enough to keep many cores
/// busy, few enough to keep inner loops long.
constexpr int64_t enough_parts = 64;

bool needs_team(const Stmt& s) {
  const auto* digits = s.as<loop::Digits>();
  if (s.as<loop::TeamCombine>() || (digits && digits->how == loop::How::cores)) return true;
  bool inside = false;
  loop::for_each_child(s, [&](const Block& block) {
    inside = inside || std::any_of(block.begin(), block.end(), needs_team);
  });
  return inside;
}

class Former {
 public:
  explicit Former(const loop::Program& p) : program_(p) {}

  /// `team`: the digits of the loops on cores around the block, not dealt yet; `around`: the
  /// sequential ones.
  Block block(const Block& statements, const std::vector<Digit>& team,
              const std::vector<Digit>& around) const {
    Block result;
    for (const Stmt& s : statements) {
      const auto* digits = s.as<loop::Digits>();
      if (!needs_team(s)) {
        result.push_back(deal(team, around, {s}));
      } else if (const auto* combine = s.as<loop::TeamCombine>()) {
        append(result, combined(*combine, team, around));
      } else if (digits->how == loop::How::cores) {
        append(result, block(digits->body, extended(team, digits->digit), around));
      } else {
        const Block body = block(digits->body, team, extended(around, digits->digit));
        result.push_back(StmtNode{loop::Digits{digits->digit, digits->how, body}});
      }
    }
    return result;
  }

 private:
  static void append(Block& block, const Block& more) {
    block.insert(block.end(), more.begin(), more.end());
  }

  static std::vector<Digit> extended(std::vector<Digit> digits, const Digit& digit) {
    digits.push_back(digit);
    return digits;
  }

  /// Only parts that hold points do anything.
  Stmt deal(const std::vector<Digit>& digits, std::vector<Digit> around, Block body) const {
    around.insert(around.end(), digits.begin(), digits.end());
    if (const auto condition = nonempty(program_, around)) {
      body = {StmtNode{loop::If{*condition, body, {}}}};
    }
    return StmtNode{loop::Deal{digits, body}};
  }

  Block combined(const loop::TeamCombine& s, const std::vector<Digit>& team,
                 const std::vector<Digit>& around) const {
    std::vector<Digit> dealt = team;
    int64_t parts = 1;
    auto element = s.elements.begin();
    for (; element != s.elements.end() && parts < enough_parts; ++element) {
      dealt.push_back(*element);
      parts *= element->parts;
    }
    loop::Target target = s.target;
    target.first.push_back(s.over.var);
    Block body = {StmtNode{
        loop::Digits{s.over, loop::How::sequential, {StmtNode{loop::WriteUp{s.from, target}}}}}};
    for (auto rest = s.elements.end(); rest != element;) {
      body = {StmtNode{loop::Digits{*--rest, loop::How::sequential, body}}};
    }
    const Stmt barrier = StmtNode{loop::Barrier{}};
    return {barrier, deal(dealt, around, body), barrier};
  }

  const loop::Program& program_;
};

}  // namespace

loop::Program form_teams(const loop::Program& program) {
  loop::Program result = program;
  result.body = Former(program).block(program.body, {}, {});
  return result;
}

}  // namespace mdh::passes
