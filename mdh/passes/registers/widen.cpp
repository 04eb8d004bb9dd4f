#include "mdh/passes/registers/widen.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/passes/common/alignment.h"
#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/instance.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Element;
using loop::Stmt;
using loop::StmtNode;

/// Longer loops stay loops.
constexpr int64_t most_rounds = 16;

/// Compilers take long for more: then rounds that follow each other stay loops, too.
constexpr int64_t most_in_turn = 1024;

/// The same statement of all rounds.
using Rounds = std::vector<Stmt>;

class Widener {
 public:
  Widener(const loop::Program& p, int64_t bytes)
      : program_(p), bytes_(bytes), names_(p), writes_turns_(turns_in(p.body) <= most_in_turn) {}

  Block block(const Block& statements, Lets lets) {
    Block result;
    for (const Stmt& s : statements) {
      if (const auto* let = s.as<loop::Let>()) {
        lets.insert_or_assign(let->var, without_lets(let->value, lets));
      }
      const auto* lanes = s.as<loop::Lanes>();
      const auto* loop = s.as<loop::For>();
      if (lanes && lanes->count <= most_rounds) {
        append(result, straight(lanes->body, lanes->var, lanes->count, lets));
      } else if (loop && copies_one(*loop)) {
        append(result, copied(*loop, lets));
      } else if (loop && writes_turns_ && has_few_rounds(*loop)) {
        append(result, in_turn(*loop, lets));
      } else {
        result.push_back(
            loop::map_children(s, [&](const Block& inner) { return block(inner, lets); }));
      }
    }
    return gathered(result, lets);
  }

 private:
  /// Where loads of a block stand that differ by a number in their last index, by that number.
  using Neighbours = std::map<int64_t, size_t>;

  /// Inputs that straight code reads element by element, wherever it stands in the block: nobody
  /// writes them, so that they may be read together with the first.
  Block gathered(const Block& statements, const Lets& lets) const {
    std::map<std::string, Neighbours> groups;
    for (size_t n = 0; n < statements.size(); ++n) {
      const auto* load = statements[n].as<loop::Load>();
      if (!load || load->from.index.empty()) continue;
      if (find_buffer(program_, load->from.buffer).role != loop::Role::input) continue;
      const scalar::Linear last = scalar::linear(load->from.index.back());
      std::string key = load->from.buffer.name;
      for (size_t d = 0; d + 1 < load->from.index.size(); ++d) {
        key += "," + scalar::print(load->from.index[d]);
      }
      for (const auto& [term, factor] : last.terms) key += fmt::format(",{}*{}", term, factor);
      groups[key].try_emplace(last.constant, n);
    }
    std::map<size_t, Stmt> replaced;
    std::set<size_t> dropped;
    for (const auto& [key, places] : groups) {
      for (auto at = places.begin(); at != places.end();) {
        const Rounds run = run_from(statements, places, at);
        const size_t width = width_from(run, 0, lets);
        if (width > 1) {
          replaced.emplace(at->second, wide(run, 0, width));
          for (size_t n = 1; n < width; ++n) dropped.insert(std::next(at, n)->second);
        }
        std::advance(at, width);
      }
    }
    Block result;
    for (size_t n = 0; n < statements.size(); ++n) {
      if (dropped.contains(n)) continue;
      const auto found = replaced.find(n);
      result.push_back(found == replaced.end() ? statements[n] : found->second);
    }
    return result;
  }

  /// Loads of consecutive elements, none of them before the first.
  static Rounds run_from(const Block& statements, const Neighbours& places,
                         Neighbours::const_iterator at) {
    const auto& [first, place] = *at;
    Rounds run;
    for (int64_t n = 0; at != places.end() && n < most_rounds; ++n, ++at) {
      if (at->first != first + n || at->second < place) break;
      run.push_back(statements[at->second]);
    }
    return run;
  }

  /// Each round moves one element, and none of them reads what another one has written.
  static bool copies_one(const loop::For& loop) {
    if (loop.first != 0 || loop.body.empty() || loop.body.size() > 2) return false;
    if (const auto* copy = loop.body[0].as<loop::AsyncCopy>()) {
      return loop.body.size() == 1 && copy->to.buffer != copy->from.buffer;
    }
    const auto* load = loop.body[0].as<loop::Load>();
    const auto* store = loop.body.back().as<loop::Store>();
    return load && store && store->value == load->result && !store->streaming &&
           store->to.buffer != load->from.buffer;
  }

  Block copied(const loop::For& loop, const Lets& lets) {
    if (const auto trip = constant(loop.trip)) {
      if (*trip < 2 || *trip > most_rounds) return {StmtNode{loop}};
      return straight(loop.body, loop.var, *trip, lets);
    }
    // min(4, what is left): all of them, or as many as there are.
    const auto* bound = loop.trip.as<scalar::Binary>();
    if (!bound || bound->op != scalar::BinaryOp::minimum) return {StmtNode{loop}};
    const auto count = constant(bound->left);
    if (!count || *count < 2 || *count > most_rounds) return {StmtNode{loop}};
    const Block whole = straight(loop.body, loop.var, *count, lets);
    if (!has_wide(whole)) return {StmtNode{loop}};
    const loop::Expr fits = scalar::binary(scalar::BinaryOp::greater_equal, bound->right,
                                           scalar::index_literal(*count));
    return {StmtNode{loop::If{fits, whole, {StmtNode{loop}}}}};
  }

  /// On lanes, and straight inside.
  static bool has_few_rounds(const loop::For& loop) {
    const int64_t trip = constant(loop.trip).value_or(0);
    return loop.how == loop::How::lanes && loop.first == 0 && trip >= 2 && trip <= most_rounds &&
           std::all_of(loop.body.begin(), loop.body.end(),
                       [](const Stmt& s) { return s.as<loop::Let>() || is_leaf(s); });
  }

  /// Statements that such loops become.
  static int64_t turns_in(const Block& block) {
    int64_t count = 0;
    for (const Stmt& s : block) {
      const auto* loop = s.as<loop::For>();
      if (loop && has_few_rounds(*loop)) count += *constant(loop->trip) * std::ssize(loop->body);
      loop::for_each_child(s, [&](const Block& child) { count += turns_in(child); });
    }
    return count;
  }

  /// Round after round; what they only read comes first.
  Block in_turn(const loop::For& loop, const Lets& lets) {
    std::vector<Block> rounds;
    for (int64_t n = 0; n < *constant(loop.trip); ++n) rounds.push_back(round(loop, n));
    Block first;
    std::vector<Block> rest(rounds.size());
    for (size_t at = 0; at < rounds.front().size(); ++at) {
      Rounds all;
      for (const Block& one : rounds) all.push_back(one[at]);
      const auto* load = all.front().as<loop::Load>();
      if (load && !any_of(loop.body, [&](const Stmt& s) { return writes(s, load->from.buffer); })) {
        append(first, joined(all, lets));
        continue;
      }
      for (size_t n = 0; n < all.size(); ++n) rest[n].push_back(all[n]);
    }
    if (!has_wide(first)) return {StmtNode{loop}};
    for (const Block& one : rest) append(first, one);
    return first;
  }

  Block round(const loop::For& loop, int64_t number) {
    Instance instance(names_);
    instance.set(loop.var, scalar::index_literal(number));
    Block result;
    for (const Stmt& s : loop.body) {
      if (const auto* let = s.as<loop::Let>()) {
        instance.set(let->var, instance.expression(let->value));
      } else {
        result.push_back(instance.statement(s));
      }
    }
    return result;
  }

  static bool has_wide(const Block& block) {
    return std::any_of(block.begin(), block.end(), [](const Stmt& s) {
      const auto* copy = s.as<loop::AsyncCopy>();
      return s.as<loop::WideLoad>() || s.as<loop::WideStore>() || (copy && copy->width > 1);
    });
  }

  /// Every statement for all rounds before the next one.
  Block straight(const Block& body, const Symbol& var, int64_t count, const Lets& lets) {
    std::vector<Instance> instances(static_cast<size_t>(count), Instance(names_));
    for (int64_t n = 0; n < count; ++n) {
      instances[static_cast<size_t>(n)].set(var, scalar::index_literal(n));
    }
    Block result;
    for (const Stmt& s : body) {
      Rounds rounds;
      for (Instance& instance : instances) {
        if (const auto* let = s.as<loop::Let>()) {
          instance.set(let->var, instance.expression(let->value));
        } else {
          rounds.push_back(instance.statement(s));
        }
      }
      append(result, joined(rounds, lets));
    }
    return result;
  }

  /// As few statements as their places allow.
  Block joined(Rounds rounds, const Lets& lets) const {
    if (run_backwards(rounds)) std::reverse(rounds.begin(), rounds.end());
    Block result;
    for (size_t n = 0; n < rounds.size();) {
      const size_t width = width_from(rounds, n, lets);
      result.push_back(width == 1 ? rounds[n] : wide(rounds, n, width));
      n += width;
    }
    return result;
  }

  static bool run_backwards(const Rounds& rounds) {
    if (rounds.empty()) return false;
    const Element* first = element_of(rounds.front());
    const Element* last = element_of(rounds.back());
    return first && last && !first->index.empty() &&
           distance(first->index.back(), last->index.back()) == 1 - std::ssize(rounds);
  }

  size_t width_from(const Rounds& rounds, size_t first, const Lets& lets) const {
    const Stmt& s = rounds[first];
    const auto* copy = s.as<loop::AsyncCopy>();
    if (!copy && !element_of(s)) return 1;
    const auto fits = [&](size_t width, const auto& side) {
      return widest_access(program_, side(s)->buffer, bytes_) >= static_cast<int64_t>(width) &&
             alignment_of(program_, *side(s), lets) % static_cast<int64_t>(width) == 0 &&
             are_neighbours(rounds, first, width, side);
    };
    const auto to = [](const Stmt& one) { return &one.as<loop::AsyncCopy>()->to; };
    const auto from = [](const Stmt& one) { return &one.as<loop::AsyncCopy>()->from; };
    size_t width = 1;
    while (first + 2 * width <= rounds.size() &&
           (copy ? fits(2 * width, to) && fits(2 * width, from) : fits(2 * width, element_of))) {
      width *= 2;
    }
    return width;
  }

  /// Of a load or a store.
  static const Element* element_of(const Stmt& s) {
    if (const auto* load = s.as<loop::Load>()) return &load->from;
    const auto* store = s.as<loop::Store>();
    return store ? &store->to : nullptr;
  }

  template <class Side>
  bool are_neighbours(const Rounds& rounds, size_t first, size_t width, const Side& side) const {
    for (size_t n = 1; n < width; ++n) {
      const Element &here = *side(rounds[first]), &there = *side(rounds[first + n]);
      // Along the last axis, so that no row ends between them.
      if (!std::equal(here.index.begin(), here.index.end() - 1, there.index.begin())) return false;
      if (distance(here.index.back(), there.index.back()) != static_cast<int64_t>(n)) return false;
    }
    return true;
  }

  static Stmt wide(const Rounds& rounds, size_t first, size_t width) {
    if (const auto* copy = rounds[first].as<loop::AsyncCopy>()) {
      return StmtNode{loop::AsyncCopy{copy->to, copy->from, static_cast<int64_t>(width)}};
    }
    std::vector<Symbol> values;
    for (size_t n = first; n < first + width; ++n) {
      const auto* load = rounds[n].as<loop::Load>();
      values.push_back(load ? load->result : rounds[n].as<loop::Store>()->value);
    }
    const Element& where = *element_of(rounds[first]);
    if (rounds[first].as<loop::Load>()) return StmtNode{loop::WideLoad{values, where}};
    return StmtNode{loop::WideStore{where, values, rounds[first].as<loop::Store>()->streaming}};
  }

  const loop::Program& program_;
  int64_t bytes_;
  Names names_;
  bool writes_turns_;
};

}  // namespace

loop::Program widen(const loop::Program& program, const machine::TargetFacts& facts) {
  if (facts.access_bytes == 0) return program;
  loop::Program result = program;
  result.body = Widener(program, facts.access_bytes).block(program.body, {});
  return result;
}

}  // namespace mdh::passes
