#include "mdh/passes/structured/pad.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/replicated.h"
#include "mdh/passes/structured/filled_copy.h"
#include "mdh/scalar/free.h"
#include "mdh/scalar/lanes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Copy;
using loop::Element;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;

/// Loops over registers and lanes, one in the other, around one accumulation.
struct Nest {
  std::vector<Symbol> digits;
  const loop::Accumulate* what = nullptr;
};

/// For every tile the places along which all elements have to be there: numbers of its indices.
using Filled = std::map<Symbol, std::set<size_t>>;

class Padder {
 public:
  explicit Padder(const loop::Program& p) : program_(p) { collect(p.body); }

  /// The loops that run over all parts, and the tiles that must be filled for it. What is computed
  /// beyond an edge must end: no loops.
  void choose() {
    const auto is_harmless = [](const scalar::Function& f) { return is_plain(f) && lanes_ok(f); };
    const bool combines = !program_.combine.results.empty();
    const bool possible = is_harmless(program_.f) && (!combines || is_harmless(program_.combine));
    for (size_t d = 0; d < program_.dimensions.size(); ++d) {
      const int dimension = static_cast<int>(d);
      const loop::Edge edge = program_.dimensions[d].edge;
      // Not by itself where nothing is combined: nobody has measured what that gains.
      if (edge != loop::Edge::pad && (edge != loop::Edge::automatic || !combines)) continue;
      const bool chosen = possible && choose(dimension);
      const bool wanted = edge == loop::Edge::pad && has_tile_at_edge(program_, dimension);
      if (wanted && !chosen) refuse_to_pad(dimension, possible);
    }
  }

  Block rewritten(const Block& statements) const {
    Block result;
    for (const Stmt& s : statements) result.push_back(rewritten(s));
    return result;
  }

 private:
  void collect(const Block& statements) {
    for (const Stmt& s : statements) {
      if (const auto* copy = s.as<Copy>()) copies_[copy->to.buffer].push_back(copy);
      if (const auto* f = s.as<loop::Accumulate>()) nests_.push_back({{}, f});
      Nest nest;
      if (nest_of(s, nest)) {
        nests_.push_back(nest);
      } else {
        loop::for_each_child(s, [&](const Block& child) { collect(child); });
      }
    }
  }

  bool nest_of(const Stmt& s, Nest& nest) const {
    if (const auto* f = s.as<loop::Accumulate>()) nest.what = f;
    const auto* loop = s.as<loop::Loop>();
    if (!loop) return nest.what && !nest.digits.empty();
    if (!is_replicated(find_digit(program_, loop->digit).how)) return false;
    nest.digits.push_back(loop->digit);
    return loop->body.size() == 1 && nest_of(loop->body.front(), nest);
  }

  // ---- what can be computed beyond an edge

  /// There are parts without points.
  bool reaches_over(int dimension) const {
    std::vector<loop::Digit> mine;
    for (const loop::Digit& d : program_.digits) {
      if (d.dimension == dimension) mine.push_back(d);
    }
    return nonempty(program_, mine).has_value();
  }

  /// The configuration asks for what would compute something else, or nothing at all.
  [[noreturn]] void refuse_to_pad(int dimension, bool is_harmless) const {
    const std::string& name = program_.dimensions[dimension].symbol.name;
    const std::string why =
        !is_harmless ? "f or the operator may not end, or stop the program, beyond it"
        : f_takes(dimension)
            ? fmt::format("f takes the index {}", name)
            : "no tile of registers reads along it what was copied to a memory, and nothing else";
    user_error("E353", {}, fmt::format("code.edge.{}: nothing can be padded: {}", name, why),
               "auto, clamp or mask; overlap where tiles read the user's buffers");
  }

  /// Whether there is a tile that is computed whole.
  bool choose(int dimension) {
    if (program_.dimensions[dimension].kind != loop::Kind::kept || !reaches_over(dimension)) {
      return false;
    }
    if (f_takes(dimension)) return false;
    std::vector<Candidate> candidates;
    std::set<Symbol> refused;
    for (const Nest& nest : nests_) {
      Candidate c{&nest, {}};
      if (is_possible(nest, dimension, c.filled)) {
        candidates.push_back(c);
      } else {
        refuse(nest, refused);
      }
    }
    // What one nest leaves undefined, no other may combine.
    while (std::erase_if(candidates, [&](const Candidate& c) {
      return writes_any(*c.nest, refused) && refuse(*c.nest, refused);
    })) {
    }
    for (const Candidate& c : candidates) accept(c, dimension);
    return !candidates.empty();
  }

  struct Candidate {
    const Nest* nest;
    Filled filled;
  };

  static bool refuse(const Nest& nest, std::set<Symbol>& refused) {
    for (const Element& to : nest.what->target.elements) refused.insert(to.buffer);
    return true;
  }

  static bool writes_any(const Nest& nest, const std::set<Symbol>& buffers) {
    const std::vector<Element>& targets = nest.what->target.elements;
    return std::any_of(targets.begin(), targets.end(),
                       [&](const Element& to) { return buffers.contains(to.buffer); });
  }

  void accept(const Candidate& c, int dimension) {
    full_[c.nest->what].merge(digits_of_dimension(*c.nest, dimension));
    for (const auto& [tile, places] : c.filled) filled_[tile].insert(places.begin(), places.end());
  }

  bool f_takes(int dimension) const {
    const auto& parameters = program_.f.parameters;
    const Symbol& index =
        parameters[parameters.size() - program_.dimensions.size() + dimension].symbol;
    return std::any_of(program_.f.results.begin(), program_.f.results.end(),
                       [&](const auto& result) { return mentions(result.value, index); });
  }

  std::set<Symbol> digits_of_dimension(const Nest& nest, int dimension) const {
    std::set<Symbol> mine;
    for (const Symbol& digit : nest.digits) {
      if (find_digit(program_, digit).dimension == dimension) mine.insert(digit);
    }
    return mine;
  }

  bool is_possible(const Nest& nest, int dimension, Filled& filled) const {
    std::set<Symbol> varying = digits_of_dimension(nest, dimension);
    if (varying.empty()) return false;
    for (const Element& to : nest.what->target.elements) {
      const bool apart = std::all_of(varying.begin(), varying.end(), [&](const Symbol& digit) {
        return std::any_of(to.index.begin(), to.index.end(),
                           [&](const Expr& e) { return mentions(e, digit); });
      });
      if (!apart || !is_register(to.buffer)) return false;
    }
    varying.insert(program_.dimensions[dimension].symbol);
    for (const Element& from : nest.what->reads) {
      if (!is_there(from, varying, filled)) return false;
    }
    return std::any_of(filled.begin(), filled.end(),
                       [&](const auto& tile) { return !is_register(tile.first); });
  }

  bool is_register(const Symbol& buffer) const {
    return find_buffer(program_, buffer).scope == loop::Scope::registers;
  }

  /// The element exists for all values of the varying names, if tiles are filled.
  bool is_there(const Element& e, const std::set<Symbol>& varying, Filled& filled) const {
    std::set<size_t> places;
    for (size_t n = 0; n < e.index.size(); ++n) {
      if (!is_free_of(e.index[n], varying)) places.insert(n);
    }
    if (places.empty()) return true;
    const auto copies = copies_.find(e.buffer);
    if (copies == copies_.end()) return false;
    filled[e.buffer].insert(places.begin(), places.end());
    return std::all_of(copies->second.begin(), copies->second.end(), [&](const Copy* copy) {
      return can_fill(*copy, filled.at(e.buffer), filled);
    });
  }

  bool can_fill(const Copy& copy, const std::set<size_t>& places, Filled& filled) const {
    const auto axes = axes_at(copy, places);
    if (!axes || !can_be_filled(copy, *axes)) return false;
    const bool from_user = find_buffer(program_, copy.from.buffer).role != loop::Role::temporary;
    return from_user || is_there(copy.from, *axes, filled);
  }

  /// The axes that run along some places of the tile, several where a padded line is one index of
  /// all its dimensions; nothing if anything else moves along them, so that parts are not filled.
  static std::optional<std::set<Symbol>> axes_at(const Copy& copy, const std::set<size_t>& places) {
    std::set<Symbol> axes;
    for (const size_t n : places) {
      const auto along = free_variables(copy.to.index[n]);
      if (along.empty()) return std::nullopt;
      for (const auto& [name, type] : along) {
        if (!is_axis(copy, name)) return std::nullopt;
        axes.insert(name);
      }
    }
    return axes;
  }

  static bool is_axis(const Copy& copy, const Symbol& name) {
    return std::any_of(copy.axes.begin(), copy.axes.end(),
                       [&](const loop::Counter& axis) { return axis.var == name; });
  }

  // ---- the new program

  Stmt rewritten(const Stmt& s) const {
    if (const auto* copy = s.as<Copy>()) {
      const auto mine = filled_.find(copy->to.buffer);
      if (mine == filled_.end()) return s;
      return StmtNode{filled(program_, *copy, *axes_at(*copy, mine->second))};
    }
    Nest nest;
    const auto full = nest_of(s, nest) ? full_.find(nest.what) : full_.end();
    if (full != full_.end()) return with_all_parts(s, full->second);
    return loop::map_children(s, [&](const Block& child) { return rewritten(child); });
  }

  Stmt with_all_parts(const Stmt& s, const std::set<Symbol>& digits) const {
    const auto inside = [&](const Block& child) -> Block {
      return {with_all_parts(child.front(), digits)};
    };
    const auto* loop = s.as<loop::Loop>();
    if (!loop || !digits.contains(loop->digit)) return loop::map_children(s, inside);
    const loop::Digit& digit = find_digit(program_, loop->digit);
    return StmtNode{loop::For{digit.var, scalar::index_literal(digit.parts), digit.how, digit.level,
                              inside(loop->body)}};
  }

  const loop::Program& program_;
  std::map<Symbol, std::vector<const Copy*>> copies_;
  std::vector<Nest> nests_;
  std::map<const loop::Accumulate*, std::set<Symbol>> full_;  // digits that run over all parts
  Filled filled_;
};

}  // namespace

loop::Program pad(const loop::Program& program) {
  Padder padder(program);
  padder.choose();
  loop::Program result = program;
  result.body = padder.rewritten(program.body);
  return result;
}

}  // namespace mdh::passes
