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
  const auto taken = [&](int64_t by) {
    return gatherer_.handed_over(mine.offset, mine.totals, team.owners, over, by, team.lines);
  };
  result.push_back(d_.deal(team.owners, around, code_.totals(mine, all)));
  for (int64_t distance = 1; distance < find_digit(d_.program(), over).parts; distance *= 2) {
    append(result, taken(-distance));
    const Block sums =
        looped(team.lines, gatherer_.joined_into(mine.totals, mine.offset, mine.totals));
    const Block whole = code_.where_whole(s, all, sums);
    result.push_back(
        d_.deal(team.owners, around, only_if(less(index_literal(distance - 1), me), whole)));
  }
  append(result, taken(-1));
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
    // Loops on cores around the grid are loops of the host: none of its cores has them.
    const std::vector<Counter> owners = counters(team.owners);
    std::erase_if(buffer.per, [&](const Symbol& digit) {
      return d_.deals(digit) && !loop::has_counter(owners, digit);
    });
    for (const Digit& owner : team.owners) {
      if (!contains(buffer.per, owner.var)) buffer.per.push_back(owner.var);
    }
    gatherer_.add(buffer);
    allocs.push_back(StmtNode{loop::Alloc{buffer.symbol}});
    result.push_back(element);
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
  const loop::Deal* made = open_share(s.shape.digit, made_by);
  if (s.how != loop::Meeting::look_back || !d_.domain().follows || !made) return std::nullopt;
  const bool in_order =
      made->on == 0 && made->swizzle == 1 && made->dealing == loop::Dealing::block;
  const bool is_cut = std::any_of(s.shape.fine.begin(), s.shape.fine.end(), [&](const Symbol& d) {
    return loop::has_counter(made->shares, d);
  });
  if (!in_order || is_cut || !s.shape.coarse.empty()) return std::nullopt;
  Digits inside = around;
  for (const Counter& share : made->shares) {
    inside.push_back(find_digit(d_.program(), share.var));
    if (inside.back().axis) return std::nullopt;
  }
  loop::Deal result = *made;
  result.body = without_guard(d_.program(), inside, made->body);
  loop::ScanFix fix = s;
  std::erase_if(fix.shape.lines,
                [&](const Symbol& d) { return loop::has_counter(made->shares, d); });
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
  if (is_told(s)) {
    drop(s.totals);
    mine.totals = in_group("mine");
  }
  result.push_back(
      d_.deal(all.owners, around, code_.totals(mine, joined_digits(around, all.owners))));
  append(result, before_all(mine, who));
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

/// Members with one total tell it each other. Those with several of them have them in memory that all
/// members see.
bool ScanJoiner::is_told(const loop::ScanFix& s) { return s.shape.lines.empty(); }

/// What comes before the parts of this member. Many parts are looked at in groups: each member has
/// what its group makes so far, and whoever comes later looks at the last one of every group.
Block ScanJoiner::before_all(const loop::ScanFix& s, const Lookers& who) {
  const Digit& over = who.over;
  const Expr me = loop::index_variable(over.var);
  Block result;
  if (over.parts <= most_looked_at) {
    const Slots all = looked_at(s, s.totals, {over.parts, me, index_literal(0), 1}, who, result);
    append(result, gathered(all, s.offset, who));
    return result;
  }
  const int64_t size = parts_of_group(over.parts), groups = (over.parts + size - 1) / size;
  const Expr group = divided(me, size), place = rest_of(me, size);
  const Elements near = gatherer_.in_group(
      s.totals, counters(digits_of(d_.program(), s.shape.lines)), "near", who.per, result);
  const Elements so_far = is_told(s) ? gatherer_.in_group(s.totals, {}, "so_far", who.per, result)
                                     : seen_by_all(s.totals, "so_far");
  const Slots neighbours =
      looked_at(s, s.totals, {size, place, group * index_literal(size), 1}, who, result);
  append(result, gathered(neighbours, near, who));
  const Block told = {either(place, gatherer_.joined_into(so_far, near, s.totals),
                             {StmtNode{loop::WriteUp{{}, s.totals, {so_far, {}}}}})};
  result.push_back(dealt(who, who.has_total ? only_if(*who.has_total, told) : told));
  const Slots others =
      looked_at(s, so_far, {groups, group, index_literal(size - 1), size}, who, result);
  append(result, gathered(others, s.offset, who));
  const Stmt joined = either(group, gatherer_.combined_slots(s.offset, near),
                             {StmtNode{loop::WriteUp{{}, near, {s.offset, {}}}}});
  result.push_back(dealt(who, only_if(later_round(place), {joined})));
  return result;
}

/// Waits for some of the members before this one, and has what they made.
Slots ScanJoiner::looked_at(const loop::ScanFix& s, const Elements& made, const Some& some,
                            const Lookers& who, Block& result) {
  loop::Follow follow{who.over.var, some.first, some.step};
  if (!is_told(s)) {
    result.push_back(StmtNode{follow});
    return {some.parts, some.filled, [=](const Expr& n) {
              return with_value_of(made, follow.over, some.first + n * index_literal(some.step));
            }};
  }
  const Counter nth{names_.fresh("nth"), some.parts};
  follow.tells = made;
  follow.hears = gatherer_.in_group(made, {nth}, "heard", who.per, result);
  follow.nth = nth.var;
  follow.has_any = who.has_total;
  result.push_back(StmtNode{follow});
  return {some.parts, some.filled,
          [=](const Expr& n) { return with_value_of(follow.hears, nth.var, n); }};
}

/// More elements of all members, where others are.
Elements ScanJoiner::seen_by_all(const Elements& like, const std::string& name) {
  Elements result = like;
  for (Element& e : result) {
    loop::Buffer buffer = find_buffer(d_.program(), e.buffer);
    buffer.symbol = names_.fresh(e.buffer.name + "_" + name);
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
