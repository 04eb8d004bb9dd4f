#include "mdh/passes/structured/combine_in_cluster.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/conditions.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/structured/member_slots.h"
#include "mdh/passes/structured/share_out.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Block;
using loop::Counter;
using loop::Digit;
using loop::Expr;
using loop::How;
using loop::Stmt;
using loop::StmtNode;

namespace {

/// Some members wait for others in the order in which they begin.
bool looks_back(const Stmt& s) {
  const auto* fix = s.as<loop::ScanFix>();
  return fix && fix->how == loop::Meeting::look_back;
}

}  // namespace

bool ClusterCombiner::can_meet(const loop::TeamCombine& s, const loop::Deal& made) const {
  const loop::Program& p = d_.program();
  return find_digit(p, s.over).parts <= d_.domain().most_that_meet && made.on == 0 &&
         !any_of(made.body, looks_back) &&
         users_of_slots(p.body, s.from) == users_of_slots(made.body, s.from) + 1;
}

std::optional<loop::Deal> ClusterCombiner::combined(const loop::TeamCombine& s, const Stmt& made_by,
                                                    const Digits& around) {
  if (s.how != loop::Meeting::cluster) return std::nullopt;
  const loop::Deal* made = open_share(s.over, made_by);
  if (!made || !can_meet(s, *made)) return std::nullopt;
  auto slots = KeptSlots::of(s.from, *made, s.over, d_.program());
  if (!slots) return std::nullopt;
  loop::Deal result = *made;
  result.body.clear();
  for (const loop::Buffer& buffer : slots->buffers(names_)) {
    gatherer_.add(buffer);
    result.body.push_back(StmtNode{loop::Alloc{buffer.symbol}});
  }
  for (const loop::Element& slot : s.from) unneeded_.insert(slot.buffer.name);
  loop::TeamCombine mine = s;
  mine.from = slots->here(s.from);
  append(result.body, slots->here(made->body));
  result.body.push_back(StmtNode{loop::Meet{s.over}});
  result.body.push_back(shared_out(mine, *made, around));
  result.body.push_back(StmtNode{loop::Meet{s.over}});
  return result;
}

/// Each member has its share of the elements, and its cores share that.
Stmt ClusterCombiner::shared_out(loop::TeamCombine s, const loop::Deal& made,
                                 const Digits& around) {
  Digits outside = around;
  for (const Counter& share : made.shares) {
    if (share.var != s.over) outside.push_back(find_digit(d_.program(), share.var));
  }
  std::erase_if(s.elements, [&](const Symbol& e) { return loop::has_counter(made.shares, e); });
  Digits elements = digits_of(d_.program(), s.elements);
  s.elements.clear();
  if (d_.domain().along_memory) {
    elements = d_.side_by_side(elements, s.target.elements.front(), s.elements);
  }
  const ShareOut shares(elements, find_digit(d_.program(), s.over), names_);
  const Block body = fold(s, joined_digits(outside, elements));
  return StmtNode{loop::Deal{loop::Team::cores, shares.counters(), true, shares.of_member(body)}};
}

/// All parts of an element, or of a vector of elements, in the order of the parts.
Block ClusterCombiner::fold(const loop::TeamCombine& s, const Digits& inside) {
  const loop::Program& p = d_.program();
  const Digits all = joined_digits(inside, digits_of(p, s.elements));
  const Digit& over = find_digit(p, s.over);
  const Expr filled = trip(p, all, over);
  loop::TeamCombine flat = s;
  flat.from = in_digits(p, s.from, all);
  flat.target.elements = in_digits(p, s.target.elements, all);
  Block body = constant(filled) == over.parts ? all_at_once(flat) : one_by_one(flat, filled);
  if (!s.elements.empty()) {
    const Digit& lanes = find_digit(p, s.elements.back());
    body = {StmtNode{loop::For{lanes.var, trip(p, inside, lanes), lanes.how, lanes.level, body}}};
  }
  return where_points_are(p, inside, body);
}

/// The result is written once.
Block ClusterCombiner::all_at_once(const loop::TeamCombine& s) {
  const auto part = [&](int64_t n, Block& block) {
    const std::vector<Symbol> read = values("part");
    append(block, loads(read, with_value_of(s.from, s.over, scalar::index_literal(n))));
    return read;
  };
  Block result;
  std::vector<std::vector<Symbol>> parts;
  for (int64_t n = 0; n < find_digit(d_.program(), s.over).parts; ++n) {
    parts.push_back(part(n, result));
  }
  std::vector<Symbol> sums = parts.front();
  for (size_t n = 1; n < parts.size(); ++n) {
    const std::vector<Symbol> more = values("sum");
    result.push_back(StmtNode{loop::Combine{more, sums, parts[n]}});
    sums = more;
  }
  append(result, updated(s.target, sums));
  return result;
}

/// The last parts may not be there.
Block ClusterCombiner::one_by_one(const loop::TeamCombine& s, const Expr& filled) {
  const Digit& over = find_digit(d_.program(), s.over);
  const Symbol part = names_.fresh("part");
  loop::Target target = s.target;
  target.first.push_back(part);
  const auto from = with_value_of(s.from, s.over, loop::index_variable(part));
  return {StmtNode{loop::For{
      part, filled, How::sequential, over.level, {StmtNode{loop::WriteUp{{}, from, target}}}}}};
}

Block ClusterCombiner::updated(const loop::Target& target, const std::vector<Symbol>& sums) {
  const Block overwrite = overwritten(target.elements, sums);
  if (target.first.empty()) return overwrite;
  std::vector<Expr> first;
  for (const Symbol& digit : target.first) {
    first.push_back(first_round(loop::index_variable(digit)));
  }
  const Block combine = passes::combined(target.elements, sums, values("before"), values("all"));
  return {StmtNode{loop::If{all_of(first), overwrite, combine}}};
}

std::vector<Symbol> ClusterCombiner::values(const char* name) {
  std::vector<Symbol> all;
  for (const auto& result : d_.program().f.results) {
    all.push_back(names_.fresh(fmt::format("{}_{}", result.target.name, name)));
  }
  return all;
}

}  // namespace mdh::passes
