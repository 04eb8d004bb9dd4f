#include "mdh/passes/structured/stagger.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/names.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/structured/copy_shape.h"
#include "mdh/passes/structured/form_teams.h"
#include "mdh/passes/structured/rounds.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::index_literal;

/// A loop around others: what may be put before it and behind it.
struct Outside {
  loop::Digit digit;
  const Block& body;
  std::vector<loop::Digit> around;
  Block& before;
  Block& behind;
  const Block& siblings;  // the block that it is in
};

class Staggerer {
 public:
  Staggerer(const loop::Program& p, int64_t access_bytes)
      : program_(p), access_bytes_(access_bytes), names_(p) {}

  /// What cores hold of copies through registers.
  const std::vector<loop::Buffer>& held() const { return held_; }

  /// How many rounds of a digit are written out at least: a multiple of these.
  int64_t rounds_of(const Symbol& digit) const {
    const auto found = rounds_.find(digit.name);
    return found == rounds_.end() ? 1 : found->second;
  }

  /// `around`: the digits of the loops around the block; `outside`: the one whose body it is.
  Block block(const Block& statements, const std::vector<loop::Digit>& around,
              const Outside* outside = nullptr) {
    Block result;
    for (const Stmt& s : statements) {
      Block behind;
      const auto* whole = s.as<loop::Loop>();
      const Stmt inner =
          whole ? with_inner(*whole, around, result, behind, statements)
                : loop::map_children(s, [&](const Block& child) { return block(child, around); });
      const auto* loop = inner.as<loop::Loop>();
      if (loop && is_sequential(loop->digit)) {
        append(result, staggered(*loop, around, result, outside, statements));
      } else {
        result.push_back(inner);
      }
      append(result, behind);
    }
    return result;
  }

  /// Asynchronous copies that no loop staggers are waited for where their tile is needed: before
  /// anything else than more copies from other places.
  Block awaited(const Block& statements) const {
    Block result;
    std::set<std::string> open;
    const auto wait = [&] {
      if (!open.empty()) append(result, {StmtNode{loop::Commit{}}, StmtNode{loop::Wait{0}}});
      open.clear();
    };
    for (const Stmt& s : statements) {
      const auto* copy = s.as<loop::Copy>();
      const bool joins = s.as<loop::Alloc>() || (copy && !open.contains(copy->from.buffer.name));
      if (!joins) wait();
      result.push_back(loop::map_children(s, [&](const Block& child) { return awaited(child); }));
      if (copy && is_async(*copy) && !done_.contains(copy->to.buffer.name)) {
        open.insert(copy->to.buffer.name);
      }
    }
    wait();
    return result;
  }

  /// Tiles that no loop staggers live in the first part of their room.
  Block settled(const Block& statements) {
    Block result;
    const auto first_slot = [&](const Symbol& buffer) -> std::optional<Expr> {
      if (depth_of(buffer) == 1 || done_.contains(buffer.name)) return std::nullopt;
      return index_literal(0);
    };
    for (const Stmt& s : statements) {
      const Stmt inner = loop::map_children(s, [&](const Block& child) { return settled(child); });
      const auto* copy = inner.as<loop::Copy>();
      const bool is_cut = copy && is_held_here(*copy) && !is_cut_by_grid(program_, statements);
      for (const Stmt& one : is_cut ? loaded_then_stored(*copy) : Block{at_once(inner)}) {
        result.push_back(with_slots(one, first_slot));
      }
    }
    return result;
  }

 private:
  /// A copy that runs ahead by some iterations, and in groups with others.
  struct Flight {
    loop::Copy copy;
    int64_t ahead;
    Rounds rounds;
    bool across;  // the loop outside

    /// Rounds that are copied before all of them.
    int64_t ahead_of_all() const { return std::min(ahead, rounds.count()); }
  };

  bool is_sequential(const Symbol& digit) const {
    return find_digit(program_, digit).how == loop::How::sequential;
  }

  Stmt with_inner(const loop::Loop& loop, const std::vector<loop::Digit>& around, Block& before,
                  Block& behind, const Block& siblings) {
    const loop::Digit& digit = find_digit(program_, loop.digit);
    std::vector<loop::Digit> inside = around;
    inside.push_back(digit);
    const Outside outside{digit, loop.body, around, before, behind, siblings};
    const bool sequential = is_sequential(loop.digit);
    return StmtNode{
        loop::Loop{loop.digit, block(loop.body, inside, sequential ? &outside : nullptr)}};
  }

  /// Copies of the tile may run ahead into the next iteration of the loop outside: all rounds of
  /// the inner one are there, and what they copy from stays as it is.
  bool goes_across(const loop::Loop& loop, const Symbol& tile,
                   const std::vector<loop::Digit>& around, const Outside* outside) const {
    if (!outside || find_buffer(program_, tile).scope == loop::Scope::registers) return false;
    const loop::Digit& digit = find_digit(program_, loop.digit);
    if (outside->digit.parts > INT32_MAX / digit.parts) return false;
    const bool wanted = std::all_of(loop.body.begin(), loop.body.end(), [&](const Stmt& s) {
      const auto* copy = s.as<loop::Copy>();
      return !copy || copy->to.buffer != tile || copy->across == outside->digit.var;
    });
    return wanted && is_full(digit, around) && comes_from_outside(outside->body, tile);
  }

  /// All parts hold points, always.
  bool is_full(const loop::Digit& digit, const std::vector<loop::Digit>& around) const {
    return constant(trip(program_, around, digit)) == digit.parts;
  }

  static bool is_async(const loop::Copy& copy) { return copy.transport == loop::Transport::async; }

  /// Several cores copy together: only then each has a share of its own, twice.
  bool is_held(const loop::Copy& copy) const {
    return copy.transport == loop::Transport::registers && access_bytes_ > 0 &&
           find_buffer(program_, copy.to.buffer).scope == loop::Scope::group &&
           std::any_of(copy.team.begin(), copy.team.end(), [&](const Symbol& digit) {
             return find_digit(program_, digit).how == loop::How::cores;
           });
  }

  /// A copy that no loop staggers. What it reads has one place only, which `shape_of` knows.
  bool is_held_here(const loop::Copy& copy) const {
    return is_held(copy) && !done_.contains(copy.to.buffer.name) && depth_of(copy.from.buffer) == 1;
  }

  /// Nothing that is held has slots.
  int64_t depth_of(const Symbol& buffer) const {
    const bool is_held = std::any_of(held_.begin(), held_.end(),
                                     [&](const loop::Buffer& b) { return b.symbol == buffer; });
    return is_held ? 1 : find_buffer(program_, buffer).depth;
  }

  /// Copies at the beginning of the body that depend on the loop run ahead.
  Block staggered(const loop::Loop& loop, const std::vector<loop::Digit>& around, Block& before,
                  const Outside* outside, const Block& siblings) {
    loop::Loop result{loop.digit, {}};
    const loop::Digit& digit = find_digit(program_, loop.digit);
    std::map<std::string, Expr> mine;  // the slots of this round
    std::vector<Flight> flights;
    Block asked;
    size_t stored = 0;  // behind the last half that stores
    bool at_beginning = true;
    for (const Stmt& s : loop.body) {
      const auto* copy = s.as<loop::Copy>();
      const auto* alloc = s.as<loop::Alloc>();
      at_beginning = at_beginning && (copy || alloc);
      const Symbol* buffer = copy ? &copy->to.buffer : alloc ? &alloc->buffer : nullptr;
      // An inner loop may have put the first copies of its own tiles here.
      const bool is_done =
          at_beginning && done_.contains(buffer->name) && !mine.contains(buffer->name);
      if (!at_beginning || is_done || depth_of(*buffer) == 1 ||
          !comes_from_outside(loop.body, *buffer)) {
        result.body.push_back(s);
        continue;
      }
      const bool across = goes_across(loop, *buffer, around, outside);
      const Rounds rounds = across ? Rounds(digit, outside->digit) : Rounds(digit);
      Block& first = across ? outside->before : before;
      mine.emplace(buffer->name, rounds.slot(rounds.later(0), depth_of(*buffer)));
      done_.insert(buffer->name);
      note_rounds(loop.digit, *buffer);
      if (alloc) {
        first.push_back(s);
        continue;
      }
      const Flight flight{*copy, depth_of(*buffer) - 1, rounds, across};
      if (is_async(*copy)) {
        flights.push_back(flight);
      } else if (is_held(*copy) &&
                 !is_cut_by_grid(program_, across ? outside->siblings : siblings)) {
        const Halves halves = through_registers(flight, first);
        result.body.push_back(halves.stored);
        stored = result.body.size();
        asked.push_back(halves.asked);
      } else {
        for (int64_t n = 0; n < flight.ahead_of_all(); ++n) first.push_back(at_first(flight, n));
        result.body.push_back(next(flight));
      }
    }
    // Everything that was asked for is stored before anything new is.
    result.body.insert(result.body.begin() + static_cast<std::ptrdiff_t>(stored), asked.begin(),
                       asked.end());
    result.body = with_slots_of(result.body, mine);
    if (flights.empty()) return {StmtNode{result}};
    return in_groups(flights, result, around, before, outside);
  }

  /// Registers have no numbers: where no vectors are made of them, as many rounds are written out as
  /// there are slots, so that each of them knows which one it uses.
  void note_rounds(const Symbol& digit, const Symbol& buffer) {
    if (access_bytes_ == 0 || find_buffer(program_, buffer).scope != loop::Scope::registers) return;
    int64_t& rounds = rounds_[digit.name];
    rounds = std::lcm(std::max<int64_t>(rounds, 1), depth_of(buffer));
  }

  struct Halves {
    Stmt stored, asked;
  };

  /// What is held of a copy has its shape, in the order in which cores take it: all of its elements.
  loop::Element held_of(const loop::Copy& copy) {
    loop::Buffer held = find_buffer(program_, copy.to.buffer);
    held.symbol = names_.fresh(held.symbol.name + "_held");
    held.extents.clear();
    held.depth = 1;
    held.holds = 0;
    held.held = true;
    held.swizzle = 1;
    loop::Element all{held.symbol, {}};
    for (const loop::Counter& axis : copy.axes) {
      held.extents.push_back(axis.count);
      all.index.push_back(loop::index_variable(axis.var));
    }
    held_.push_back(std::move(held));
    return all;
  }

  /// A copy through registers, as two.
  struct Cut {
    loop::Copy ask, store;
  };

  Cut cut(const loop::Copy& copy) {
    const CopyShape shape = shape_of(program_, copy, access_bytes_, names_);
    const loop::Element all = held_of(shape.copy);
    Cut result{shape.copy, shape.copy};
    for (loop::Copy* half : {&result.ask, &result.store}) {
      half->transport = loop::Transport::plain;
      half->whole = static_cast<int64_t>(shape.kept);
      half->across.reset();
    }
    result.ask.to = result.store.from = all;
    return result;
  }

  Block loaded_then_stored(const loop::Copy& copy) {
    const Cut both = cut(copy);
    return {StmtNode{loop::Alloc{both.ask.to.buffer}}, StmtNode{both.ask}, StmtNode{both.store}};
  }

  Halves through_registers(const Flight& flight, Block& before) {
    auto [ask, store] = cut(flight.copy);
    const Rounds& rounds = flight.rounds;
    const int64_t ahead = flight.ahead;
    for (int64_t n = 0; n < std::min(ahead - 1, rounds.count()); ++n) {
      before.push_back(at_first(flight, n));
    }
    before.push_back(StmtNode{loop::Alloc{ask.to.buffer}});
    if (ahead - 1 < rounds.count()) before.push_back(loaded(ask, rounds, rounds.first(ahead - 1)));
    const Rounds::Round soon = rounds.later(ahead - 1), later = rounds.later(ahead);
    if (ahead > 1) store.within.insert(store.within.begin(), rounds.exists(soon));
    ask.within.insert(ask.within.begin(), rounds.exists(later));
    return {at(store, rounds, soon, ahead + 1, ahead > 1 ? 1 : 0), loaded(ask, rounds, later, 1)};
  }

  /// The copy as a round needs it, where no slot is; the first `kept` conditions stay.
  static Stmt loaded(loop::Copy copy, const Rounds& rounds, const Rounds::Round& when,
                     size_t kept = 0) {
    for (size_t n = kept; n < copy.within.size(); ++n) {
      copy.within[n] = rounds.at(copy.within[n], when);
    }
    for (Expr& index : copy.from.index) index = rounds.at(index, when);
    copy.across.reset();
    return StmtNode{copy};
  }

  static Stmt at_first(const Flight& flight, int64_t n) {
    return at(flight.copy, flight.rounds, flight.rounds.first(n), flight.ahead + 1);
  }

  /// The copy for the round that comes later, if there is one.
  static Stmt next(const Flight& flight) {
    const Rounds::Round when = flight.rounds.later(flight.ahead);
    loop::Copy copy = flight.copy;
    copy.within.insert(copy.within.begin(), flight.rounds.exists(when));
    return at(copy, flight.rounds, when, flight.ahead + 1, 1);
  }

  /// One group for each of the first rounds, before the loop, and one in each round, empty ones
  /// included: then the copies for this round are always in the group that is `least` from the end,
  /// or before it. The wait comes first, so that one barrier behind it is for both: what has landed,
  /// and what is overwritten next.
  Block in_groups(const std::vector<Flight>& flights, loop::Loop loop,
                  const std::vector<loop::Digit>& around, Block& before,
                  const Outside* outside) const {
    Block begin = {StmtNode{loop::Wait{}}};
    int64_t least = INT64_MAX;
    for (const Flight& flight : flights) {
      least = std::min(least, flight.ahead_of_all());
      begin.push_back(next(flight));
    }
    begin.front() = StmtNode{loop::Wait{least - 1}};
    begin.push_back(StmtNode{loop::Commit{}});
    loop.body.insert(loop.body.begin(), begin.begin(), begin.end());
    std::vector<Flight> across, here;
    for (const Flight& f : flights) (f.across ? across : here).push_back(f);
    append(before, first_groups(here));
    Block result = {StmtNode{loop}};
    if (!here.empty()) append(result, last_wait(find_digit(program_, loop.digit), around));
    if (!across.empty()) {
      append(outside->before, first_groups(across));
      append(outside->behind, last_wait(outside->digit, outside->around));
    }
    return result;
  }

  static Block first_groups(const std::vector<Flight>& flights) {
    Block result;
    int64_t most = 0;
    for (const Flight& f : flights) most = std::max(most, f.ahead_of_all());
    for (int64_t n = 0; n < most; ++n) {
      for (const Flight& f : flights) {
        if (n < f.ahead) result.push_back(at_first(f, n));
      }
      result.push_back(StmtNode{loop::Commit{}});
    }
    return result;
  }

  /// Copies for rounds that hold no points may still be in flight.
  Block last_wait(const loop::Digit& digit, const std::vector<loop::Digit>& around) const {
    return is_full(digit, around) ? Block{} : Block{StmtNode{loop::Wait{0}}};
  }

  static Stmt at_once(const Stmt& s) {
    const auto* copy = s.as<loop::Copy>();
    if (!copy) return s;
    loop::Copy plain = *copy;
    if (copy->transport == loop::Transport::registers) plain.transport = loop::Transport::plain;
    plain.across.reset();
    return plain == *copy ? s : StmtNode{plain};
  }

  /// What copies to the buffer read is there before the loop with this body begins.
  static bool comes_from_outside(const Block& body, const Symbol& buffer) {
    return !any_of(body, [&](const Stmt& s) {
      const auto* copy = s.as<loop::Copy>();
      return copy && copy->to.buffer == buffer && any_of(body, [&](const Stmt& other) {
               const auto* written = other.as<loop::Copy>();
               return written && written->to.buffer == copy->from.buffer;
             });
    });
  }

  /// The copy as a round needs it, into its slot; the first `kept` conditions stay.
  static Stmt at(loop::Copy copy, const Rounds& rounds, const Rounds::Round& when, int64_t depth,
                 size_t kept = 0) {
    copy.to.index.insert(copy.to.index.begin(), rounds.slot(when, depth));
    return loaded(copy, rounds, when, kept);
  }

  Block with_slots_of(const Block& body, const std::map<std::string, Expr>& mine) const {
    Block result;
    for (const Stmt& s : body) {
      const auto* copy = s.as<loop::Copy>();
      if (copy && mine.contains(copy->to.buffer.name)) {
        result.push_back(s);  // has its slot
        continue;
      }
      const Stmt inner =
          loop::map_children(s, [&](const Block& child) { return with_slots_of(child, mine); });
      result.push_back(with_slots(inner, [&](const Symbol& buffer) -> std::optional<Expr> {
        const auto slot = mine.find(buffer.name);
        return slot == mine.end() ? std::nullopt : std::optional(slot->second);
      }));
    }
    return result;
  }

  /// Elements of buffers that have slots get one more index.
  static Stmt with_slots(const Stmt& s,
                         const std::function<std::optional<Expr>(const Symbol&)>& slot) {
    StmtNode node = s.node();
    const auto change = [&](loop::Element& e) {
      if (const auto index = slot(e.buffer)) e.index.insert(e.index.begin(), *index);
    };
    if (auto* copy = std::get_if<loop::Copy>(&node.is)) {
      change(copy->to);
      change(copy->from);
    }
    if (auto* f = std::get_if<loop::Accumulate>(&node.is)) {
      for (loop::Element& e : f->reads) change(e);
    }
    return node == s.node() ? s : Stmt(std::move(node));
  }

  const loop::Program& program_;
  int64_t access_bytes_;
  Names names_;
  std::set<std::string> done_;
  std::vector<loop::Buffer> held_;
  std::map<std::string, int64_t> rounds_;
};

}  // namespace

loop::Program stagger(const loop::Program& program, const machine::TargetFacts& facts) {
  Staggerer staggerer(program, facts.access_bytes);
  loop::Program result = program;
  const Block body = staggerer.block(program.body, {});
  result.body = staggerer.awaited(staggerer.settled(body));
  for (loop::Buffer& b : result.buffers) {
    if (b.depth == 1) continue;
    b.extents.insert(b.extents.begin(), b.depth);
    if (b.holds > 0) b.holds *= b.depth;
    b.depth = 1;
  }
  for (loop::Digit& d : result.digits) d.unroll = std::lcm(d.unroll, staggerer.rounds_of(d.var));
  result.buffers.insert(result.buffers.end(), staggerer.held().begin(), staggerer.held().end());
  return result;
}

}  // namespace mdh::passes
