#include "mdh/passes/registers/keep_values.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/scalar/linear.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Buffer;
using loop::Element;
using loop::Stmt;
using loop::StmtNode;

using Renamed = std::map<Symbol, Symbol>;

/// The statement with other names for some values, and those in its blocks.
Stmt with_names(const Stmt& s, const Renamed& renamed) {
  if (renamed.empty()) return s;
  const Stmt inner = loop::map_children(s, [&](const Block& block) {
    Block result;
    for (const Stmt& one : block) result.push_back(with_names(one, renamed));
    return result;
  });
  return loop::map_values(inner, [&](const Symbol& value) {
    const auto found = renamed.find(value);
    return found == renamed.end() ? value : found->second;
  });
}

/// Names that several statements define: what they mean depends on where they stand.
class Ambiguous {
 public:
  explicit Ambiguous(const Block& block) { collect(block); }
  bool contains(const Symbol& symbol) const { return twice_.contains(symbol.name); }

 private:
  void collect(const Block& block) {
    for (const Stmt& s : block) {
      for (const Symbol& symbol : loop::defined_by(s)) {
        if (!once_.insert(symbol.name).second) twice_.insert(symbol.name);
      }
      loop::for_each_child(s, [&](const Block& child) { collect(child); });
    }
  }

  std::set<std::string> once_, twice_;
};

/// An element, by the part of its indices that differs from element to element in known numbers, and
/// by these.
struct Place {
  std::string shape;
  std::vector<int64_t> at;
};

Place place_of(const Element& e) {
  Place place;
  for (const loop::Expr& index : e.index) {
    const scalar::Linear sum = scalar::linear(index);
    for (const auto& [term, factor] : sum.terms) place.shape += fmt::format("{}*{}+", term, factor);
    place.shape += ",";
    place.at.push_back(sum.constant);
  }
  return place;
}

/// The statements of one block, and what is known after each of them.
class Straight {
 public:
  Straight(const loop::Program& p, const Ambiguous& ambiguous)
      : program_(p), ambiguous_(ambiguous) {}

  Block block(const Block& statements) {
    for (const Stmt& original : statements) {
      const Stmt s = with_names(original, renamed_);
      if (const auto* load = s.as<loop::Load>()) {
        take(*load);
      } else if (const auto* store = s.as<loop::Store>()) {
        take(*store);
      } else if (const auto* wide = s.as<loop::WideLoad>()) {
        take(*wide);
      } else {
        take_other(s);
      }
    }
    store_pending([](const std::string&) { return true; });
    return std::move(result_);
  }

 private:
  struct Kept {
    Element element;
    Symbol value;
    size_t pending = 0;  // stores that are not done yet, in this order; 0: it is there
  };
  using Tile = std::map<std::vector<int64_t>, Kept>;

  void take(const loop::Load& load) {
    const Symbol& buffer = load.from.buffer;
    if (ambiguous_.contains(load.result)) {
      settle(buffer);
      result_.push_back(StmtNode{load});
      return;
    }
    const Place place = place_of(load.from);
    if (is_kept(buffer)) settle_others(buffer, place.shape);
    Tile& tile = tiles_[buffer.name][place.shape];
    const auto known = tile.find(place.at);
    if (known != tile.end()) {
      renamed_.insert_or_assign(load.result, known->second.value);
      return;
    }
    result_.push_back(StmtNode{load});
    tile.emplace(place.at, Kept{load.from, load.result});
  }

  void take(const loop::WideLoad& load) {
    const Symbol& buffer = load.from.buffer;
    if (is_kept(buffer)) settle(buffer);
    const std::vector<Element> elements =
        neighbours(load.from, static_cast<int64_t>(load.results.size()));
    std::vector<Symbol> known;
    for (const Element& e : elements) {
      const Place place = place_of(e);
      const Tile& tile = tiles_[buffer.name][place.shape];
      if (const auto found = tile.find(place.at); found != tile.end()) {
        known.push_back(found->second.value);
      }
    }
    const bool is_clear = std::none_of(load.results.begin(), load.results.end(),
                                       [&](const Symbol& s) { return ambiguous_.contains(s); });
    if (is_clear && known.size() == elements.size()) {
      for (size_t n = 0; n < known.size(); ++n)
        renamed_.insert_or_assign(load.results[n], known[n]);
      return;
    }
    result_.push_back(StmtNode{load});
    for (size_t n = 0; is_clear && n < elements.size(); ++n) {
      const Place place = place_of(elements[n]);
      tiles_[buffer.name][place.shape].emplace(place.at, Kept{elements[n], load.results[n]});
    }
  }

  void take(const loop::Store& store) {
    const Symbol& buffer = store.to.buffer;
    if (!is_kept(buffer) || ambiguous_.contains(store.value)) {
      settle(buffer);
      result_.push_back(StmtNode{store});
      return;
    }
    const Place place = place_of(store.to);
    settle_others(buffer, place.shape);
    tiles_[buffer.name][place.shape].insert_or_assign(place.at,
                                                      Kept{store.to, store.value, ++stores_});
  }

  void take_other(const Stmt& s) {
    const bool computes =
        s.as<loop::Let>() || s.as<loop::Apply>() || s.as<loop::Combine>() || s.as<loop::Prefetch>();
    if (computes) {
      result_.push_back(s);
      return;
    }
    bool has_blocks = false;
    loop::for_each_child(s, [&](const Block&) { has_blocks = true; });
    const loop::Uses uses = loop::uses_of(s);
    const auto used = [&](const std::string& name) {
      const auto is_it = [&](const Symbol& symbol) { return symbol.name == name; };
      return has_blocks || std::any_of(uses.reads.begin(), uses.reads.end(), is_it) ||
             std::any_of(uses.writes.begin(), uses.writes.end(), is_it);
    };
    store_pending(used);
    // Barriers and copies in flight let others write.
    std::erase_if(
        tiles_, [&](const auto& of) { return used(of.first) || !is_kept(loop::named(of.first)); });
    result_.push_back(Stmt(loop::map_children(
        s, [&](const Block& inner) { return Straight(program_, ambiguous_).block(inner); })));
  }

  /// Nobody but the core itself sees it. (Halves are rounded when they are stored.)
  bool is_kept(const Symbol& buffer) const {
    const Buffer& b = find_buffer(program_, buffer);
    if (b.role != loop::Role::temporary || b.scope != loop::Scope::registers) return false;
    if (b.holds != 0 || b.opaque || b.atomic || b.across || !b.type.is_scalar()) return false;
    const scalar::Scalar type = scalar_of(b.type);
    return type != scalar::Scalar::f16 && type != scalar::Scalar::bf16;
  }

  /// Elements whose indices differ in more than numbers may be the same.
  void settle_others(const Symbol& buffer, const std::string& shape) {
    const auto tiles = tiles_.find(buffer.name);
    if (tiles == tiles_.end()) return;
    const bool has_others =
        std::any_of(tiles->second.begin(), tiles->second.end(),
                    [&](const auto& tile) { return tile.first != shape && !tile.second.empty(); });
    if (has_others) settle(buffer);
  }

  void settle(const Symbol& buffer) {
    store_pending([&](const std::string& name) { return name == buffer.name; });
    tiles_.erase(buffer.name);
  }

  /// Of the buffers of these names.
  template <class Wanted>
  void store_pending(const Wanted& wanted) {
    std::map<size_t, Kept*> in_order;
    for (auto& [buffer, shapes] : tiles_) {
      if (!wanted(buffer)) continue;
      for (auto& [shape, tile] : shapes) {
        for (auto& [at, kept] : tile) {
          if (kept.pending > 0) in_order[kept.pending] = &kept;
        }
      }
    }
    for (const auto& [number, kept] : in_order) {
      result_.push_back(StmtNode{loop::Store{kept->element, kept->value}});
      kept->pending = 0;
    }
  }

  const loop::Program& program_;
  const Ambiguous& ambiguous_;
  Block result_;
  Renamed renamed_;
  std::map<std::string, std::map<std::string, Tile>> tiles_;  // by buffer and shape
  size_t stores_ = 0;
};

}  // namespace

loop::Program keep_values(const loop::Program& program, const machine::TargetFacts& facts) {
  if (facts.access_bytes == 0) return program;
  const Ambiguous ambiguous(program.body);
  loop::Program result = program;
  result.body = Straight(program, ambiguous).block(program.body);
  return result;
}

}  // namespace mdh::passes
