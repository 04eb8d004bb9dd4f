#include "tests/faults/places.h"

#include <algorithm>

namespace mdh::test {

using loop::Block;
using loop::Stmt;
using loop::StmtNode;
using scalar::index_literal;

namespace {

/// Numbers all statements, the ones inside of a statement behind it.
class Collector {
 public:
  void block(const Block& statements) {
    for (const Stmt& s : statements) statement(s);
  }

  std::vector<Site> sites;

 private:
  void statement(const Stmt& s) {
    const size_t number = sites.size(), depth = around_.size();
    sites.push_back({number, s, around_, lanes_ ? lanes_->number : number,
                     lanes_ ? lanes_->outside : depth, lanes_.has_value(), in_grid_});
    const auto before = lanes_;
    const bool grid = in_grid_;
    if (const auto* loop = s.as<loop::For>()) {
      around_.push_back({loop->var, index_literal(loop->first), loop->trip});
    }
    if (const auto* deal = s.as<loop::Deal>()) {
      in_grid_ = true;
      for (const loop::Counter& c : deal->shares) add(c);
    }
    if (const auto* lanes = s.as<loop::Lanes>()) {
      lanes_ = InLanes{number, depth};
      add({lanes->var, lanes->count});
    }
    loop::for_each_child(s, [&](const Block& b) { block(b); });
    around_.erase(around_.begin() + static_cast<std::ptrdiff_t>(depth), around_.end());
    lanes_ = before;
    in_grid_ = grid;
  }

  void add(const loop::Counter& c) {
    around_.push_back({c.var, index_literal(0), index_literal(c.count)});
  }

  struct InLanes {
    size_t number, outside;
  };
  std::vector<Around> around_;
  std::optional<InLanes> lanes_;
  bool in_grid_ = false;
};

Block with_replaced(const Block& block, size_t& next, size_t number, const Block& with) {
  Block result;
  for (const Stmt& s : block) {
    const bool found = next++ == number;
    const Stmt inner =
        loop::map_children(s, [&](const Block& b) { return with_replaced(b, next, number, with); });
    if (found) {
      result.insert(result.end(), with.begin(), with.end());
    } else {
      result.push_back(inner);
    }
  }
  return result;
}

Block with_value(const Block& block, const Symbol& value, const Symbol& other) {
  const auto change = [&](Symbol& s) { s = s == value ? other : s; };
  const auto change_all = [&](std::vector<Symbol>& all) {
    std::for_each(all.begin(), all.end(), change);
  };
  Block result;
  for (const Stmt& s : block) {
    StmtNode node =
        loop::map_children(s, [&](const Block& b) { return with_value(b, value, other); }).node();
    if (auto* store = std::get_if<loop::Store>(&node.is)) change(store->value);
    if (auto* f = std::get_if<loop::Apply>(&node.is)) change_all(f->inputs);
    if (auto* sum = std::get_if<loop::Combine>(&node.is)) {
      change_all(sum->left);
      change_all(sum->right);
    }
    result.push_back(node);
  }
  return result;
}

}  // namespace

std::vector<Site> sites_of(const loop::Program& p) {
  Collector collector;
  collector.block(p.body);
  return collector.sites;
}

std::optional<Site> pick(const std::vector<Site>& sites, const IsPlace& holds, uint64_t place) {
  std::vector<const Site*> found;
  for (const Site& site : sites) {
    if (holds(site)) found.push_back(&site);
  }
  if (found.empty()) return std::nullopt;
  return *found[place % found.size()];
}

loop::Program replaced(const loop::Program& p, size_t number, const Block& with) {
  loop::Program result = p;
  size_t next = 0;
  result.body = with_replaced(p.body, next, number, with);
  return result;
}

loop::Program with_other_value(const loop::Program& p, const Symbol& value, const Symbol& other) {
  loop::Program result = p;
  result.body = with_value(p.body, value, other);
  return result;
}

}  // namespace mdh::test
