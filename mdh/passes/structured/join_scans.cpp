#include "mdh/passes/structured/join_scans.h"

#include <algorithm>

#include "mdh/loop/verify_team.h"
#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Block;
using loop::Counter;
using loop::Digit;
using loop::Element;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;
using scalar::index_literal;

namespace {

bool contains(const std::vector<Symbol>& list, const Symbol& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

bool has_share(const loop::Deal& deal, const Symbol& digit) {
  return std::any_of(deal.shares.begin(), deal.shares.end(),
                     [&](const Counter& share) { return share.var == digit; });
}

Expr divided(const Expr& e, int64_t by) {
  return scalar::binary(BinaryOp::divide, e, index_literal(by));
}

Expr rest_of(const Expr& e, int64_t by) {
  return scalar::binary(BinaryOp::remainder, e, index_literal(by));
}

/// Where there are points and the other condition holds; nothing: everywhere.
std::optional<Expr> with_points(const loop::Program& p, const Digits& inside,
                                std::optional<Expr> condition) {
  Block rest = where_points_are(p, inside, {StmtNode{loop::Commit{}}});
  while (const auto* choice = rest.front().as<loop::If>()) {
    condition = condition ? scalar::binary(BinaryOp::logical_and, choice->condition, *condition)
                          : choice->condition;
    rest = Block(choice->then);
  }
  return condition;
}

/// Whether there are any before.
Stmt either(const Expr& before, const Block& then, const Block& otherwise) {
  return StmtNode{loop::If{later_round(before), then, otherwise}};
}

}  // namespace

/// Cores that have elements of a part are those of its finer digits, too, in the order in which
/// loops deal them.
ScanJoiner::Team ScanJoiner::team_of(const loop::ScanFix& s, const Digits& team) const {
  Team result{.members = team, .owners = {}, .lines = s.shape.lines};
  // Who looks back is a member of the grid already.
  if (!looks_back(s)) result.members.push_back(find_digit(d_.program(), s.shape.digit));
  result.members = d_.with_dealt(result.members, result.lines);
  for (const Digit& d : d_.program().digits) {
    const bool is_member =
        std::find(result.members.begin(), result.members.end(), d) != result.members.end();
    if (is_member || (contains(s.shape.fine, d.var) && d_.domain().deals(d))) {
      result.owners.push_back(d);
    }
  }
  return result;
}

Block ScanJoiner::joined(const loop::ScanFix& s, const Digits& team, const Digits& around) {
  if (looks_back(s)) return by_looking_back(s, team, around);
  const Team all = team_of(s, team);
  if (can_exchange(s, all)) return by_exchanges(s, all, around);
  return in_order(s, all, around);
}

/// First everybody tells, then members put together what they were told, and at last everybody
/// changes what he has.
Block ScanJoiner::in_order(const loop::ScanFix& s, const Team& team, const Digits& around) const {
  const Digits inside = joined_digits(around, team.members);
  const Digits all = joined_digits(around, team.owners);
  const bool others = d_.deals_any(s.shape.coarse);
  Block result = {d_.deal(team.owners, around, code_.totals(s, all), others)};
  // Who puts totals together goes on with them, where nobody else has elements of the part.
  const bool is_own = team.owners.size() == team.members.size();
  const auto then = is_own ? ScanCode::Then::prepend : ScanCode::Then::stop;
  result.push_back(d_.deal(team.members, around, code_.offsets(s, inside, then), true));
  if (is_own) return result;
  result.push_back(d_.deal(team.owners, around, code_.prepends(s, all), others));
  return result;
}

// ---- by exchanges

/// More statements than this are no straight code any more.
constexpr int64_t most_totals = 64;

bool ScanJoiner::can_exchange(const loop::ScanFix& s, const Team& team) const {
  if (s.how != loop::Meeting::exchange || !d_.domain().exchanges) return false;
  if (!s.shape.coarse.empty() || loop::has_axes(d_.program())) return false;
  if (team.owners.size() != team.members.size()) return false;
  const std::vector<Counter> shares = counters(team.owners);
  if (!loop::is_in_one_warp(shares, s.shape.digit, d_.domain().lockstep)) return false;
  return loop::volume_of(counters(digits_of(d_.program(), team.lines))) * std::ssize(s.elements) <=
         most_totals;
}

/// Totals become those of 1, 2, 4, ... parts that end with a core's own; then everybody takes that
/// of the part before its own.
Block ScanJoiner::by_exchanges(const loop::ScanFix& s, const Team& team, const Digits& around) {
  exchanges_ = true;
  drop(s.totals);
  drop(s.offset);
  const Digits all = joined_digits(around, team.owners);
  const Symbol& over = s.shape.digit;
  const Expr me = loop::index_variable(over);
  Block result;
  loop::ScanFix mine = s;
  mine.totals = private_like(s.totals, team, "told", result);
  mine.offset = private_like(s.totals, team, "got", result);
  result.push_back(d_.deal(team.owners, around, code_.totals(mine, all)));
  for (int64_t distance = 1; distance < find_digit(d_.program(), over).parts; distance *= 2) {
    append(result, taken(mine.offset, mine.totals, team, over, distance));
    const Block sums = looped(team.lines, gatherer_.combined_before(mine.totals, mine.offset));
    const Block whole = code_.where_whole(s, all, sums);
    result.push_back(
        d_.deal(team.owners, around, only_if(less(index_literal(distance - 1), me), whole)));
  }
  append(result, taken(mine.offset, mine.totals, team, over, 1));
  result.push_back(d_.deal(team.owners, around, code_.prepends(mine, all)));
  return result;
}

/// One for each line, private to the cores that own elements.
Elements ScanJoiner::private_like(const Elements& like, const Team& team, const char* name,
                                  Block& allocs) {
  Elements result;
  for (const Element& e : like) {
    loop::Buffer buffer = find_buffer(d_.program(), e.buffer);
    buffer.symbol = names_.fresh(name);
    buffer.region = "registers";
    buffer.scope = loop::Scope::registers;
    buffer.extents.clear();
    Element element{buffer.symbol, {}};
    for (const Counter& axis : counters(digits_of(d_.program(), team.lines))) {
      buffer.extents.push_back(axis.count);
      element.index.push_back(loop::index_variable(axis.var));
    }
    for (const Digit& owner : team.owners) {
      if (!contains(buffer.per, owner.var)) buffer.per.push_back(owner.var);
    }
    gatherer_.add(buffer);
    allocs.push_back(StmtNode{loop::Alloc{buffer.symbol}});
    result.push_back(element);
  }
  return result;
}

/// From the core so far before, every line by itself, so that its place is known.
Block ScanJoiner::taken(const Elements& to, const Elements& from, const Team& team,
                        const Symbol& over, int64_t distance) const {
  Block result;
  const std::vector<Counter> tile = counters(digits_of(d_.program(), team.lines));
  for (int64_t at = 0; at < loop::volume_of(tile); ++at) {
    Elements to_here = to, from_here = from;
    int64_t rest = at;
    for (auto axis = tile.rbegin(); axis != tile.rend(); ++axis) {
      to_here = with_value_of(to_here, axis->var, index_literal(rest % axis->count));
      from_here = with_value_of(from_here, axis->var, index_literal(rest % axis->count));
      rest /= axis->count;
    }
    for (size_t n = 0; n < to.size(); ++n) {
      result.push_back(StmtNode{
          loop::Exchange{counters(team.owners), over, -distance, to_here[n], from_here[n]}});
    }
  }
  return result;
}

void ScanJoiner::drop(const Elements& elements) {
  for (const Element& e : elements) unneeded_.insert(e.buffer.name);
}

// ---- by looking back

bool ScanJoiner::looks_back(const loop::ScanFix& s) const {
  return s.how == loop::Meeting::look_back && !d_.domain().grid;
}

std::optional<loop::Deal> ScanJoiner::looking_back(const loop::ScanFix& s,
                                                   const loop::Stmt& made_by,
                                                   const Digits& around) const {
  const auto* made = made_by.as<loop::Deal>();
  if (s.how != loop::Meeting::look_back || !d_.domain().follows || !made) return std::nullopt;
  if (made->collective || made->team != loop::Team::grid || !has_share(*made, s.shape.digit)) {
    return std::nullopt;
  }
  const bool in_order =
      made->on == 0 && made->swizzle == 1 && made->dealing == loop::Dealing::block;
  const bool is_cut = std::any_of(s.shape.fine.begin(), s.shape.fine.end(),
                                  [&](const Symbol& d) { return has_share(*made, d); });
  if (!in_order || is_cut || !s.shape.coarse.empty()) return std::nullopt;
  Digits inside = around;
  for (const Counter& share : made->shares) {
    inside.push_back(find_digit(d_.program(), share.var));
    if (inside.back().axis) return std::nullopt;
  }
  loop::Deal result = *made;
  result.body = without_guard(d_.program(), inside, made->body);
  loop::ScanFix fix = s;
  std::erase_if(fix.shape.lines, [&](const Symbol& d) { return has_share(*made, d); });
  // What is written up at last is joined before.
  auto at = result.body.end();
  for (; at != result.body.begin(); --at) {
    const auto* up = std::prev(at)->as<loop::WriteUp>();
    if (!up || !up->target.first.empty()) break;
    const Digits all = joined_digits(inside, digits_of(d_.program(), up->over));
    if (in_digits(d_.program(), up->target.elements, all) != fix.elements) break;
    fix.elements = up->from;
  }
  result.body.insert(at, StmtNode{fix});
  return result;
}

/// Who looks at more parts than this looks at groups of them first.
constexpr int64_t most_looked_at = 128;

/// A group of parts before which there are as many groups as it has parts, at most.
int64_t parts_of_group(int64_t parts) {
  int64_t group = 1;
  while (group * group < parts) group *= 2;
  return group;
}

Block ScanJoiner::by_looking_back(const loop::ScanFix& s, const Digits& team,
                                  const Digits& around) {
  const Team all = team_of(s, team);
  drop(s.offset);
  Block result;
  const Lookers who{all.members,
                    all.lines,
                    around,
                    grid_of(around),
                    find_digit(d_.program(), s.shape.digit),
                    with_points(d_.program(), joined_digits(around, all.members),
                                code_.is_whole(s, joined_digits(around, all.members)))};
  const auto in_group = [&](const char* name) {
    return gatherer_.in_group(s.totals, counters(digits_of(d_.program(), s.shape.lines)), name,
                              who.per, result);
  };
  loop::ScanFix mine = s;
  mine.offset = in_group("before");
  const bool is_told = s.shape.lines.empty();
  if (is_told) {
    drop(s.totals);
    mine.totals = in_group("mine");
  }
  result.push_back(
      d_.deal(all.owners, around, code_.totals(mine, joined_digits(around, all.owners))));
  append(result, is_told ? before_told(mine, who) : before_all(mine, who));
  result.push_back(
      d_.deal(all.owners, around, code_.prepends(mine, joined_digits(around, all.owners))));
  return result;
}

/// Digits of the members of the grid.
std::vector<Symbol> ScanJoiner::grid_of(const Digits& around) {
  std::vector<Symbol> grid;
  for (const Digit& d : around) {
    if (d.how == loop::How::grid) grid.push_back(d.var);
  }
  return grid;
}

Stmt ScanJoiner::dealt(const Lookers& who, const Block& body) const {
  return d_.deal(who.members, who.around, looped(who.lines, body), true);
}

/// What comes before the parts of this member, where each has one total: they tell it each other.
/// Many parts are heard in groups: each tells what its group has so far, and whoever comes later
/// listens to the last one of every group.
Block ScanJoiner::before_told(const loop::ScanFix& s, const Lookers& who) {
  const Digit& over = who.over;
  const Expr me = loop::index_variable(over.var);
  Block result;
  if (over.parts <= most_looked_at) {
    const Slots heard = heard_by(s.totals, over.parts, me, index_literal(0), 1, who, result);
    append(result, gathered(heard, s.offset, who));
    return result;
  }
  const int64_t size = parts_of_group(over.parts), groups = (over.parts + size - 1) / size;
  const Expr group = divided(me, size), place = rest_of(me, size);
  const Elements near = gatherer_.in_group(s.totals, {}, "near", who.per, result);
  const Elements so_far = gatherer_.in_group(s.totals, {}, "so_far", who.per, result);
  const Slots neighbours =
      heard_by(s.totals, size, place, group * index_literal(size), 1, who, result);
  append(result, gathered(neighbours, near, who));
  result.push_back(dealt(
      who, where_whole(who, {either(place, joined_into(so_far, near, s.totals),
                                    {StmtNode{loop::WriteUp{{}, s.totals, {so_far, {}}}}})})));
  const Slots others = heard_by(so_far, groups, group, index_literal(size - 1), size, who, result);
  append(result, gathered(others, s.offset, who));
  result.push_back(dealt(who, only_if(later_round(place), {nearest(group, s.offset, near)})));
  return result;
}

/// Each tells what it has, and hears those that count `first`, `first + step`, ...: so many at most.
Slots ScanJoiner::heard_by(const Elements& told, int64_t parts, const Expr& filled,
                           const Expr& first, int64_t step, const Lookers& who, Block& result) {
  const Counter nth{names_.fresh("nth"), parts};
  const Elements heard = gatherer_.in_group(told, {nth}, "heard", who.per, result);
  result.push_back(
      StmtNode{loop::Follow{who.over.var, first, step, told, heard, nth.var, who.is_whole}});
  return {parts, filled, [=](const Expr& n) { return with_value_of(heard, nth.var, n); }};
}

/// Who does not have all of its elements has no total, and nobody comes after it.
Block ScanJoiner::where_whole(const Lookers& who, const Block& body) {
  return who.is_whole ? only_if(*who.is_whole, body) : body;
}

/// to = left ⊕ right
Block ScanJoiner::joined_into(const Elements& to, const Elements& left, const Elements& right) {
  Block result = {StmtNode{loop::WriteUp{{}, left, {to, {}}}}};
  append(result, gatherer_.combined_slots(to, right));
  return result;
}

/// What groups before this one have comes before what is near.
Stmt ScanJoiner::nearest(const Expr& group, const Elements& before, const Elements& near) {
  return either(group, gatherer_.combined_slots(before, near),
                {StmtNode{loop::WriteUp{{}, near, {before, {}}}}});
}

/// The same in the memory of all members, where they have totals of several lines.
Block ScanJoiner::before_all(const loop::ScanFix& s, const Lookers& who) {
  const Digit& over = who.over;
  const Expr me = loop::index_variable(over.var);
  const auto total = [&](const Expr& n) { return with_value_of(s.totals, over.var, n); };
  if (over.parts <= most_looked_at) {
    Block result = {StmtNode{loop::Follow{over.var, index_literal(0), 1}}};
    append(result, gathered({over.parts, me, total}, s.offset, who));
    return result;
  }
  const int64_t size = parts_of_group(over.parts), groups = (over.parts + size - 1) / size;
  const Expr group = divided(me, size), place = rest_of(me, size);
  const Expr first = group * index_literal(size);
  Block result;
  const Elements near = gatherer_.in_group(
      s.totals, counters(digits_of(d_.program(), s.shape.lines)), "near", who.per, result);
  const Elements of_group = groups_of(s, groups);
  const auto group_total = [&](const Expr& n) { return with_value_of(of_group, over.var, n); };
  result.push_back(StmtNode{loop::Follow{over.var, first, 1}});
  append(result,
         gathered({size, place, [&](const Expr& n) { return total(first + n); }}, near, who));
  const Expr is_last = scalar::binary(BinaryOp::equal, place, index_literal(size - 1));
  const Block told = where_whole(who, joined_into(group_total(group), near, s.totals));
  result.push_back(dealt(who, only_if(is_last, told)));
  result.push_back(StmtNode{loop::Follow{over.var, index_literal(size - 1), size}});
  append(result, gathered({groups, group, group_total}, s.offset, who));
  result.push_back(dealt(who, only_if(later_round(place), {nearest(group, s.offset, near)})));
  return result;
}

/// Totals of groups of parts, where those of parts are.
Elements ScanJoiner::groups_of(const loop::ScanFix& s, int64_t groups) {
  Elements result = s.totals;
  for (Element& e : result) {
    loop::Buffer buffer = find_buffer(d_.program(), e.buffer);
    buffer.symbol = names_.fresh(e.buffer.name + "_groups");
    buffer.extents.back() = groups;
    e.buffer = buffer.symbol;
    gatherer_.add(buffer);
    shared_.push_back(StmtNode{loop::Alloc{buffer.symbol}});
  }
  return result;
}

/// Lines are shared by cores, and so are parts, where lines are few.
Block ScanJoiner::gathered(const Slots& from, const Elements& to, const Lookers& who) {
  constexpr int64_t few_lines = 16, most_shares = 256;
  const int64_t all = loop::volume_of(counters(who.members)) *
                      loop::volume_of(counters(digits_of(d_.program(), who.lines)));
  int64_t shares = 1;
  while (all <= few_lines && 4 * shares <= from.parts && 2 * shares * all <= most_shares) {
    shares *= 2;
  }
  return gatherer_.gathered({.from = from,
                             .elements = who.lines,
                             .target = {to, {}},
                             .members = who.members,
                             .around = who.around,
                             .per = who.per,
                             .level = who.over.level,
                             .may_be_empty = true},
                            shares);
}

}  // namespace mdh::passes
