#include "mdh/passes/structured/dealer.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/linear.h"

namespace mdh::passes {
namespace {

using loop::Digit;
using loop::StmtNode;
using loop::Team;

bool has(const loop::Cores& cores, const Digit& digit) {
  return std::find(cores.digits.begin(), cores.digits.end(), digit.var) != cores.digits.end();
}

int64_t cores_of(const loop::Cores& cores, const Digits& digits) {
  int64_t parts = 1;
  for (const Digit& digit : digits) parts *= has(cores, digit) ? digit.parts : 1;
  return cores.count == 0 ? parts : std::min(parts, cores.count);
}

}  // namespace

Digits joined_digits(Digits a, const Digits& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<loop::Counter> counters(const Digits& digits) {
  std::vector<loop::Counter> shares;
  for (const Digit& d : digits) shares.push_back({d.var, d.parts});
  return shares;
}

bool Dealer::deals_any(const std::vector<Symbol>& digits) const {
  return std::any_of(digits.begin(), digits.end(), [&](const Symbol& d) { return deals(d); });
}

loop::Stmt Dealer::deal(const Digits& digits, const Digits& around, const loop::Block& body,
                        bool collective) const {
  const loop::Block guarded = where_points_are(program_, joined_digits(around, digits), body);
  const Team team = collective ? domain_.together : domain_.team;
  loop::Deal deal{team, counters(digits), collective, guarded};
  // The cores of a group have one share each.
  if (!collective && domain_.grid) deal_as_asked(deal, digits);
  return StmtNode{deal};
}

/// The outermost layer that says something about its cores says how shares are dealt; every
/// layer, how many cores there are.
void Dealer::deal_as_asked(loop::Deal& deal, const Digits& digits) const {
  int64_t cores = 1;
  std::vector<std::string> asked;
  for (const Digit& digit : digits) {
    const auto mine = std::find_if(program_.cores.begin(), program_.cores.end(),
                                   [&](const loop::Cores& c) { return has(c, digit); });
    if (mine == program_.cores.end()) {
      cores *= digit.parts;
      continue;
    }
    if (asked.empty()) deal.dealing = mine->dealing;
    if (asked.empty() && deal.team == Team::grid) deal.swizzle = mine->swizzle;
    if (std::find(asked.begin(), asked.end(), mine->layer) != asked.end()) continue;
    asked.push_back(mine->layer);
    cores *= cores_of(*mine, digits);
  }
  if (cores < loop::volume_of(deal.shares)) deal.on = cores;
}

int64_t Dealer::stride_of(const Digit& digit, const loop::Element& e) const {
  const loop::Element flat = in_digits(program_, {e}, {digit}).front();
  return std::abs(scalar::coefficient(address_of(program_, flat), digit.var).value_or(0));
}

Digits Dealer::along_memory(Digits digits, const loop::Element& e) const {
  std::stable_sort(digits.begin(), digits.end(), [&](const Digit& a, const Digit& b) {
    return stride_of(a, e) > stride_of(b, e);
  });
  return digits;
}

Digits Dealer::side_by_side(Digits members, const loop::Element& result,
                            std::vector<Symbol>& in_core) const {
  members = along_memory(members, result);
  if (members.size() > 1 && members.back().how == loop::How::lanes &&
      stride_of(members.back(), result) == 1 && may_end_anywhere(members.back())) {
    in_core.push_back(members.back().var);
    members.pop_back();
  }
  return members;
}

bool Dealer::may_end_anywhere(const Digit& digit) const {
  const loop::Edge edge = program_.dimensions[static_cast<size_t>(digit.dimension)].edge;
  return edge != loop::Edge::overlap && edge != loop::Edge::pad;
}

Digits Dealer::with_dealt(Digits team, std::vector<Symbol>& digits) const {
  for (auto d = digits.begin(); d != digits.end();) {
    const bool now = deals(*d);
    if (now) team.push_back(find_digit(program_, *d));
    d = now ? digits.erase(d) : std::next(d);
  }
  return team;
}

}  // namespace mdh::passes
