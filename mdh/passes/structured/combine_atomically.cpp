#include "mdh/passes/structured/combine_atomically.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/structured/member_slots.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Counter;
using loop::Element;
using loop::Stmt;
using loop::StmtNode;

/// Lets the statement that fills slots combine into other elements, if it does so once for each.
class Redirection {
 public:
  Redirection(const Elements& slots, const Elements& sums) : slots_(slots), sums_(sums) {}

  Block block(const Block& statements, const std::vector<Symbol>& loops) {
    Block result;
    for (const Stmt& s : statements) {
      std::vector<Symbol> inside = loops;
      if (const auto* loop = s.as<loop::Loop>()) inside.push_back(loop->digit);
      if (const auto* loop = s.as<loop::For>()) inside.push_back(loop->var);
      result.push_back(statement(
          loop::map_children(s, [&](const Block& child) { return block(child, inside); }), loops));
    }
    return result;
  }

  bool is_done() const { return done_; }

 private:
  Stmt statement(const Stmt& s, std::vector<Symbol> loops) {
    StmtNode node = s.node();
    if (auto* up = std::get_if<loop::WriteUp>(&node.is)) {
      loops.insert(loops.end(), up->over.begin(), up->over.end());
      redirect(up->target, loops);
    } else if (auto* parts = std::get_if<loop::TeamCombine>(&node.is)) {
      // One after the other, every part would be combined by itself.
      const bool is_one_value =
          parts->how == loop::Meeting::tree || parts->how == loop::Meeting::exchange;
      loops.insert(loops.end(), parts->elements.begin(), parts->elements.end());
      if (is_one_value) redirect(parts->target, loops);
    }
    return node == s.node() ? s : Stmt(std::move(node));
  }

  void redirect(loop::Target& target, const std::vector<Symbol>& loops) {
    if (!target.first.empty() || target.elements != slots_) return;
    for (const Symbol& loop : loops) {
      if (!axis_of_member(slots_.front(), loop)) return;  // it would come several times
    }
    target.elements = sums_;
    done_ = true;
  }

  const Elements& slots_;
  const Elements& sums_;
  bool done_ = false;
};

}  // namespace

std::optional<Block> AtomicCombiner::combined(const loop::TeamCombine& s, const Stmt& made_by,
                                              const Digits& around) {
  if (s.how != loop::Meeting::atomic || !d_.domain().atomics) return std::nullopt;
  const loop::Deal* made = open_share(s.over, made_by);
  const bool fits = std::all_of(s.from.begin(), s.from.end(), [&](const Element& slot) {
    // Where grids are inside of each other, some slots are not for all members.
    const bool is_for_all = find_buffer(d_.program(), slot.buffer).scope == loop::Scope::all;
    return is_for_all && axis_of_member(slot, s.over) && slot.index == s.from.front().index;
  });
  if (!made || !fits) return std::nullopt;
  Digits mine = around, others = around;
  for (const Counter& share : made->shares) {
    const loop::Digit& digit = find_digit(d_.program(), share.var);
    mine.push_back(digit);
    if (share.var != s.over) others.push_back(digit);
  }
  std::vector<Symbol> elements = s.elements;
  std::erase_if(elements, [&](const Symbol& e) { return loop::has_counter(made->shares, e); });
  Digits members = digits_of(d_.program(), elements);
  // Both sides in the order in which the results lie.
  if (d_.domain().along_memory) members = d_.along_memory(members, s.target.elements.front());

  Block result;
  loop::TeamCombine put = s, take = s;
  take.from = put.target.elements = sums_of(s, result);
  put.target.first.clear();
  Block body = without_guard(d_.program(), mine, made->body);
  if (const auto straight = redirected(s, body, take.from)) {
    body = *straight;
    for (const Element& slot : s.from) unneeded_.insert(slot.buffer.name);
  } else {
    body.push_back(dealt(put, members, mine));
  }
  loop::Deal deal = *made;
  deal.body = where_points_are(d_.program(), mine, body);
  deal.body.push_back(StmtNode{loop::Last{s.over, {dealt(take, members, others)}}});
  result.push_back(StmtNode{deal});
  return result;
}

/// An element for those of all members.
Elements AtomicCombiner::sums_of(const loop::TeamCombine& s, Block& allocs) {
  Elements result;
  for (const Element& slot : s.from) {
    loop::Buffer buffer = find_buffer(d_.program(), slot.buffer);
    const auto axis = static_cast<std::ptrdiff_t>(*axis_of_member(slot, s.over));
    buffer.symbol = names_.fresh(slot.buffer.name + "_all");
    buffer.extents.erase(buffer.extents.begin() + axis);
    buffer.atomic = true;
    Element sum{buffer.symbol, slot.index};
    sum.index.erase(sum.index.begin() + axis);
    gatherer_.add(buffer);
    allocs.push_back(StmtNode{loop::Alloc{buffer.symbol}});
    result.push_back(sum);
  }
  return result;
}

/// Where nothing is done with a slot but filling it once, what fills it combines instead.
std::optional<Block> AtomicCombiner::redirected(const loop::TeamCombine& s, const Block& body,
                                                const Elements& sums) const {
  const bool is_all =
      users_of_slots(d_.program().body, s.from) == 2 && users_of_slots(body, s.from) == 1;
  if (!is_all || !end_anywhere(s.elements)) return std::nullopt;
  Redirection redirection(s.from, sums);
  const Block result = redirection.block(body, {});
  return redirection.is_done() ? std::optional(result) : std::nullopt;
}

/// Tiles that are shifted back or padded at an edge write some elements twice, and may not combine
/// them.
bool AtomicCombiner::end_anywhere(const std::vector<Symbol>& elements) const {
  return std::all_of(elements.begin(), elements.end(), [&](const Symbol& e) {
    return d_.may_end_anywhere(find_digit(d_.program(), e));
  });
}

/// The cores of a member share the elements.
Stmt AtomicCombiner::dealt(const loop::TeamCombine& s, const Digits& members,
                           const Digits& inside) const {
  const Block body = {StmtNode{loop::WriteUp{{}, s.from, s.target}}};
  // Where cores have one each, it is their own.
  const bool is_own = std::all_of(members.begin(), members.end(),
                                  [](const loop::Digit& d) { return d.how == loop::How::cores; });
  return StmtNode{loop::Deal{loop::Team::cores, counters(members), !is_own,
                             where_points_are(d_.program(), joined_digits(inside, members), body)}};
}

}  // namespace mdh::passes
