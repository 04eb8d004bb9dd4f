#include "mdh/passes/structured/combine_parts.h"

#include <algorithm>

#include "mdh/loop/verify_team.h"
#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"
#include "mdh/support/power_of_two.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Counter;
using loop::Digit;
using loop::Element;
using loop::Expr;
using loop::How;
using loop::Stmt;
using loop::StmtNode;
using loop::Team;

Expr literal(int64_t n) { return scalar::index_literal(n); }

}  // namespace

Block PartCombiner::combined(const loop::TeamCombine& s, const Digits& team, const Digits& around) {
  if (!d_.domain().cores) {
    const auto shared = shared_by_groups(s, team, around);
    return {shared ? *shared : folded(s, team, around)};
  }
  switch (s.how) {
    case loop::Meeting::exchange:
      return exchanged(s, team, around);
    case loop::Meeting::tree:
      return joined_in_steps(s, team, around);
    case loop::Meeting::in_order:
    case loop::Meeting::last:
    case loop::Meeting::look_back:
    case loop::Meeting::atomic:
    case loop::Meeting::cluster:
      break;
  }
  return {folded(s, team, around)};
}

Slots PartCombiner::slots_of(const loop::TeamCombine& s, const Digits& inside) const {
  const Digit& over = find_digit(d_.program(), s.over);
  return {over.parts, trip(d_.program(), inside, over),
          [s](const Expr& number) { return with_value_of(s.from, s.over, number); }};
}

// ---- one after the other

/// Moves elements to the members until all cores have something to do; each of them has a number
/// of shares anyway.
Digits PartCombiner::with_enough(Digits members, std::vector<Symbol>& elements,
                                 int64_t shares) const {
  while (!elements.empty() && shares * loop::volume_of(counters(members)) < d_.domain().enough) {
    members.push_back(find_digit(d_.program(), elements.front()));
    elements.erase(elements.begin());
  }
  return members;
}

/// All parts of every element, in the order of the parts; `part` counts them.
Block PartCombiner::fold(loop::TeamCombine s, const Digits& around, const Symbol& part,
                         bool has_vector) const {
  const Digit& over = find_digit(d_.program(), s.over);
  const Digits inside = joined_digits(around, digits_of(d_.program(), s.elements));
  loop::Target target = s.target;
  target.first.push_back(part);
  const auto from = with_value_of(s.from, s.over, loop::index_variable(part));
  Block body = {StmtNode{loop::WriteUp{{}, from, target}}};
  if (has_vector) {
    body = looped({s.elements.back()}, body);
    s.elements.pop_back();
  }
  body = {StmtNode{
      loop::For{part, trip(d_.program(), inside, over), How::sequential, over.level, body}}};
  return looped(s.elements, body);
}

Stmt PartCombiner::folded(loop::TeamCombine s, const Digits& team, const Digits& around) const {
  Digits members = with_enough(d_.with_dealt(team, s.elements), s.elements, 1);
  const size_t left = s.elements.size();
  if (d_.domain().along_memory) {
    members = d_.side_by_side(members, s.target.elements.front(), s.elements);
  }
  const bool has_vector = s.elements.size() > left;
  const Block body = fold(s, joined_digits(around, members), s.over, has_vector);
  return d_.deal(members, around, body, true);
}

// ---- in steps

/// Slots 2tp and 2tp + t meet in the first of both, for t = 1, 2, 4, ...; the order of the parts
/// is kept, and nobody asks how many cores there are. At last slot 0 has all of them, and who
/// made it writes it up.
Block PartCombiner::joined_in_steps(const loop::TeamCombine& s, const Digits& team,
                                    const Digits& around) {
  const int64_t parts = find_digit(d_.program(), s.over).parts;
  Block steps;
  for (int64_t distance = 1; distance < parts; distance *= 2) {
    steps.push_back(met(s, distance, team, around));
  }
  return steps;
}

/// Slots at a distance of each other, in all elements.
Stmt PartCombiner::met(const loop::TeamCombine& s, int64_t distance, const Digits& team,
                       const Digits& around) {
  const Digit& over = find_digit(d_.program(), s.over);
  const int64_t pairs = (over.parts + distance - 1) / (2 * distance);
  Counter pair{names_.fresh("pair"), pairs};
  std::vector<Symbol> elements = s.elements;
  Digits members = d_.with_dealt(team, elements);
  const bool is_in_warp = elements.empty() && d_.domain().lockstep % over.parts == 0;
  if (is_in_warp) pair.count = over.parts;
  members = with_enough(members, elements, pair.count);
  const Digits inside = joined_digits(around, members);
  const Slots slots = slots_of(s, inside);
  Block body = gatherer_.meeting(slots, loop::index_variable(pair.var), distance);
  if (2 * distance >= over.parts) {
    body.push_back(StmtNode{loop::WriteUp{{}, slots.at(literal(0)), s.target}});
  }
  body = looped(elements, body);
  if (pair.count > pairs) {
    body = only_if(less(loop::index_variable(pair.var), literal(pairs)), body);
  }
  // Where pairs are in one warp, nobody waits for others; elsewhere neighbours take what lies side by
  // side.
  Digits meeting = members;
  meeting.push_back(over);
  if (d_.domain().along_memory && !is_in_warp) meeting = d_.along_memory(meeting, s.from.front());
  std::vector<Counter> shares = counters(meeting);
  for (Counter& share : shares) {
    if (share.var == s.over) share = pair;
  }
  return StmtNode{
      loop::Deal{d_.domain().together, shares, true, where_points_are(d_.program(), inside, body)}};
}

// ---- by exchanges

/// More statements than this are no straight code any more.
constexpr int64_t most_exchanged = 256;

/// Whether only the cores of these digits use a buffer, each in its own share.
class OwnersOnly {
 public:
  OwnersOnly(const Dealer& dealer, const Symbol& buffer, const Digits& members)
      : d_(dealer), buffer_(buffer) {
    for (const Digit& member : members) members_.push_back(member.var);
  }

  bool holds(const Block& block, const std::vector<Symbol>& team) const {
    return std::all_of(block.begin(), block.end(), [&](const Stmt& s) {
      bool all = s.as<loop::Alloc>() || !uses(s) || is_share(s, team);
      std::vector<Symbol> inside = team;
      if (const auto* loop = s.as<loop::Loop>(); loop && d_.deals(loop->digit)) {
        inside.push_back(loop->digit);
      }
      loop::for_each_child(s, [&](const Block& child) { all = all && holds(child, inside); });
      return all;
    });
  }

 private:
  bool uses(const Stmt& s) const {
    const loop::Uses uses = loop::uses_of(s);
    const auto has = [&](const std::vector<Symbol>& list) {
      return std::find(list.begin(), list.end(), buffer_) != list.end();
    };
    return has(uses.reads) || has(uses.writes);
  }

  bool is_share(const Stmt& s, std::vector<Symbol> team) const {
    if (const auto* parts = s.as<loop::TeamCombine>()) {
      const auto is_mine = [&](const Element& e) { return e.buffer == buffer_; };
      return std::any_of(parts->from.begin(), parts->from.end(), is_mine);
    }
    if (!s.as<loop::Accumulate>() && !s.as<loop::WriteUp>()) return false;
    if (const auto* up = s.as<loop::WriteUp>()) {
      for (const Symbol& digit : up->over) {
        if (d_.deals(digit)) team.push_back(digit);
      }
    }
    return team == members_;
  }

  const Dealer& d_;
  Symbol buffer_;
  std::vector<Symbol> members_;
};

bool PartCombiner::can_exchange(const loop::TeamCombine& s, const Digits& members,
                                const std::vector<Symbol>& elements) const {
  if (!d_.domain().exchanges) return false;
  if (loop::has_axes(d_.program())) return false;
  const auto has_one_each = [&](const Element& e) {
    std::vector<Symbol> cores = find_buffer(d_.program(), e.buffer).per;
    std::erase_if(cores, [&](const Symbol& digit) { return !d_.deals(digit); });
    return std::equal(cores.begin(), cores.end(), members.begin(), members.end(),
                      [](const Symbol& a, const Digit& b) { return a == b.var; });
  };
  if (!std::all_of(s.from.begin(), s.from.end(), has_one_each)) return false;
  if (!loop::is_in_one_warp(counters(members), s.over, d_.domain().lockstep)) return false;
  const auto tile = counters(digits_of(d_.program(), elements));
  if (loop::volume_of(tile) * std::ssize(s.from) > most_exchanged) return false;
  return std::all_of(s.from.begin(), s.from.end(), [&](const Element& e) {
    return OwnersOnly(d_, e.buffer, members).holds(d_.program().body, {});
  });
}

/// What is private to a core goes to the one before it, at distances of 1, 2, 4, ...; the order of
/// the parts is kept.
Block PartCombiner::exchanged(const loop::TeamCombine& s, const Digits& team,
                              const Digits& around) {
  const Digit& over = find_digit(d_.program(), s.over);
  std::vector<Symbol> elements = s.elements;
  const Digits members = d_.with_dealt(joined_digits(team, {over}), elements);
  if (!can_exchange(s, members, elements)) return in_group_memory(s, team, around);
  exchanges_ = true;
  Block result;
  Elements got = s.from;
  for (Element& e : got) {
    loop::Buffer buffer = find_buffer(d_.program(), e.buffer);
    buffer.symbol = names_.fresh("got");
    e.buffer = buffer.symbol;
    gatherer_.add(buffer);
    result.push_back(StmtNode{loop::Alloc{buffer.symbol}});
  }
  Digits others = around;
  for (const Digit& member : members) {
    if (member.var != s.over) others.push_back(member);
  }
  const Expr filled = trip(d_.program(), others, over), me = loop::index_variable(over.var);
  const bool all_have_partners = constant(filled) == over.parts && is_power_of_two(over.parts);
  for (int64_t distance = 1; distance < over.parts; distance *= 2) {
    append(result, gatherer_.handed_over(got, s.from, members, over.var, distance, elements));
    const Expr takes = scalar::binary(
        scalar::BinaryOp::equal,
        scalar::binary(scalar::BinaryOp::remainder, me, literal(2 * distance)), literal(0));
    Block body = looped(elements, gatherer_.combined_slots(s.from, got));
    if (!all_have_partners) body = only_if(less(me + literal(distance), filled), body);
    body = only_if(takes, body);
    if (2 * distance >= over.parts) {
      append(body, only_if(first_round(me), {StmtNode{loop::WriteUp{elements, s.from, s.target}}}));
    }
    result.push_back(d_.deal(members, around, body));
  }
  return result;
}

/// Cores that do not hand each other anything show it to all others, and then it is as if they had
/// shared it from the beginning.
Block PartCombiner::in_group_memory(const loop::TeamCombine& s, const Digits& team,
                                    const Digits& around) {
  Block result;
  loop::TeamCombine shared = s;
  std::vector<Symbol> axes = {s.over};
  axes.insert(axes.end(), s.elements.begin(), s.elements.end());
  shared.from = gatherer_.in_group(s.from, counters(digits_of(d_.program(), axes)), "shown",
                                   find_buffer(d_.program(), s.from.front().buffer).per, result);
  std::vector<Symbol> elements = s.elements;
  const Digit& over = find_digit(d_.program(), s.over);
  const Digits members = d_.with_dealt(joined_digits(team, {over}), elements);
  result.push_back(
      d_.deal(members, around, {StmtNode{loop::WriteUp{elements, s.from, {shared.from, {}}}}}));
  append(result, joined_in_steps(shared, team, around));
  return result;
}

// ---- by groups

/// Cores share the parts of an element, too, where there are fewer elements than this, until there are
/// so many shares, or they are so many bytes; each has so many parts at least. Groups have at least 32
/// KiB on the devices we know, and shares of shares need some of that, too.
constexpr int64_t few_elements = 64, most_shares = 256, most_bytes = 16 << 10, fewest_parts = 4;

/// Of so many elements for each set of slots.
int64_t PartCombiner::shares_of(const loop::TeamCombine& s, int64_t elements) const {
  const int64_t parts = find_digit(d_.program(), s.over).parts;
  int64_t bytes = 0;
  for (const Element& e : s.from) {
    bytes += elements * scalar::bytes_of(find_buffer(d_.program(), e.buffer).type) *
             loop::volume_of(counters(digits_of(d_.program(), s.elements)));
  }
  int64_t shares = 1;
  while (2 * shares * elements <= most_shares && 2 * shares * bytes <= most_bytes &&
         2 * shares * fewest_parts <= parts) {
    shares *= 2;
  }
  return shares;
}

Block PartCombiner::gathered(const loop::TeamCombine& s, const Digits& members,
                             const Digits& around, int64_t shares, const std::vector<Symbol>& per) {
  const Digits inside =
      joined_digits(joined_digits(around, members), digits_of(d_.program(), s.elements));
  return gatherer_.gathered({.from = slots_of(s, inside),
                             .elements = s.elements,
                             .target = s.target,
                             .members = members,
                             .around = around,
                             .per = per,
                             .level = find_digit(d_.program(), s.over).level},
                            shares);
}

/// Few elements of many parts are a group each: one core after the other would wait for memory.
std::optional<Stmt> PartCombiner::shared_by_groups(const loop::TeamCombine& s, const Digits& team,
                                                   const Digits& around) {
  if (!d_.domain().along_memory) return std::nullopt;
  loop::TeamCombine mine = s;
  const Digits members = with_enough(d_.with_dealt(team, mine.elements), mine.elements, 1);
  const int64_t parts = find_digit(d_.program(), s.over).parts, shares = shares_of(mine, 1);
  if (loop::volume_of(counters(members)) >= few_elements) return std::nullopt;
  if (parts < few_elements || shares == 1) return std::nullopt;
  const Digits inside = joined_digits(around, members);
  std::vector<Symbol> per;
  for (const Digit& member : members) per.push_back(member.var);
  const Block body = gathered(mine, {}, inside, shares, per);
  return StmtNode{loop::Deal{Team::grid, counters(members), true, body}};
}

// ---- by the last one

std::optional<loop::Deal> PartCombiner::done_last(const loop::TeamCombine& s, const Stmt& made_by,
                                                  const Digits& around) {
  const loop::Deal* made = open_share(s.over, made_by);
  if (s.how != loop::Meeting::last || !d_.domain().has_last || !made) return std::nullopt;
  Digits outside = around;
  for (const Counter& share : made->shares) {
    if (share.var != s.over) outside.push_back(find_digit(d_.program(), share.var));
  }
  loop::TeamCombine mine = s;
  std::erase_if(mine.elements, [&](const Symbol& e) { return loop::has_counter(made->shares, e); });
  Digits members = digits_of(d_.program(), mine.elements);
  mine.elements.clear();
  if (d_.domain().along_memory) {
    members = d_.side_by_side(members, mine.target.elements.front(), mine.elements);
  }
  loop::Deal result = *made;
  result.body.push_back(StmtNode{loop::Last{s.over, many_parts(mine, members, outside)}});
  return result;
}

/// The cores of a group share the elements and, if they are few, neighbouring parts of them, which
/// then meet in steps.
Block PartCombiner::many_parts(const loop::TeamCombine& s, const Digits& members,
                               const Digits& around) {
  const Digits inside = joined_digits(around, members);
  const int64_t elements = loop::volume_of(counters(members)), shares = shares_of(s, elements);
  if (elements < few_elements && shares > 1) {
    const auto& per = find_buffer(d_.program(), s.from.front().buffer).per;
    return gathered(s, members, around, shares, per);
  }
  const bool has_vector = !s.elements.empty();
  const Block body = fold(s, inside, names_.fresh("part"), has_vector);
  return {StmtNode{loop::Deal{Team::cores, counters(members), true,
                              where_points_are(d_.program(), inside, body)}}};
}

}  // namespace mdh::passes
