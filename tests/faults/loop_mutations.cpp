#include "tests/faults/loop_mutations.h"

#include <algorithm>
#include <set>

#include "mdh/passes/common/instance.h"
#include "tests/faults/conditions.h"
#include "tests/faults/element_mutations.h"
#include "tests/faults/places.h"

namespace mdh::test {
namespace {

using loop::Block;
using loop::Expr;
using loop::Program;
using loop::Stmt;
using loop::StmtNode;
using Result = std::optional<Program>;

template <class T>
bool is(const Site& site) {
  return site.stmt.as<T>() != nullptr;
}

/// The n-th statement of one kind.
template <class T>
std::optional<Site> pick_kind(const Program& p, const Mutation& m) {
  return pick(sites_of(p), is<T>, m.place);
}

// ---- loops

Result last_round_missing(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::For>(p, m);
  if (!site) return std::nullopt;
  loop::For shorter = *site->stmt.as<loop::For>();
  shorter.trip = plus(shorter.trip, -1);
  return replaced(p, site->number, {StmtNode{shorter}});
}

Result first_round_missing(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::For>(p, m);
  if (!site) return std::nullopt;
  loop::For later = *site->stmt.as<loop::For>();
  ++later.first;
  return replaced(p, site->number, {StmtNode{later}});
}

Expr round_of_choice(const loop::For& loop, uint64_t detail) {
  return value_in({loop.var, scalar::index_literal(loop.first), loop.trip}, detail);
}

Result round_missing(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::For>(p, m);
  if (!site) return std::nullopt;
  loop::For loop = *site->stmt.as<loop::For>();
  const Expr others = is_different(loop::index_variable(loop.var), round_of_choice(loop, m.detail));
  loop.body = {StmtNode{loop::If{others, loop.body, {}}}};
  return replaced(p, site->number, {StmtNode{loop}});
}

Result round_doubled(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::For>(p, m);
  if (!site) return std::nullopt;
  loop::For loop = *site->stmt.as<loop::For>();
  passes::Names names(p);
  const Block again = passes::Instance(names).without_lets(loop.body);
  const Expr chosen = is_equal(loop::index_variable(loop.var), round_of_choice(loop, m.detail));
  loop.body.push_back(StmtNode{loop::If{chosen, again, {}}});
  return replaced(p, site->number, {StmtNode{loop}});
}

// ---- guards

/// One comparison of a conjunction, one element stricter.
Expr stricter(const Expr& e, uint64_t place) {
  const auto* b = e.as<scalar::Binary>();
  if (!b) return e;
  if (b->op == scalar::BinaryOp::logical_and) {
    const Expr left = place % 2 == 0 ? stricter(b->left, place / 2) : b->left;
    const Expr right = place % 2 == 1 ? stricter(b->right, place / 2) : b->right;
    return scalar::binary(b->op, left, right);
  }
  const bool below = b->op == scalar::BinaryOp::less || b->op == scalar::BinaryOp::less_equal;
  const bool above = b->op == scalar::BinaryOp::greater || b->op == scalar::BinaryOp::greater_equal;
  if (!below && !above) return e;
  return scalar::binary(b->op, b->left, plus(b->right, below ? -1 : 1));
}

Result edge_missed(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::If>(p, m);
  if (!site) return std::nullopt;
  loop::If choice = *site->stmt.as<loop::If>();
  choice.condition = stricter(choice.condition, m.detail);
  return replaced(p, site->number, {StmtNode{choice}});
}

Result branch_missing(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::If>(p, m);
  if (!site) return std::nullopt;
  loop::If choice = *site->stmt.as<loop::If>();
  (m.detail % 2 == 0 || choice.otherwise.empty() ? choice.then : choice.otherwise).clear();
  return replaced(p, site->number, {StmtNode{choice}});
}

// ---- terms

/// The values that f and ⊕ give; what else is stored was loaded before.
struct Results {
  std::set<std::string> applied, combined;

  explicit Results(const std::vector<Site>& sites) {
    for (const Site& site : sites) {
      if (const auto* f = site.stmt.as<loop::Apply>()) add(f->results, applied);
      if (const auto* sum = site.stmt.as<loop::Combine>()) add(sum->results, combined);
    }
  }

  bool is_combined(const loop::Store& s) const { return combined.contains(s.value.name); }
  bool is_applied(const loop::Store& s) const { return applied.contains(s.value.name); }

  bool is_copy(const Site& site) const {
    if (is<loop::AsyncCopy>(site) || is<loop::Transpose>(site)) return true;
    const auto* store = site.stmt.as<loop::Store>();
    return store && !is_applied(*store) && !is_combined(*store);
  }

 private:
  static void add(const std::vector<Symbol>& symbols, std::set<std::string>& names) {
    for (const Symbol& s : symbols) names.insert(s.name);
  }
};

/// The n-th store that a condition holds for.
template <class Holds>
std::optional<Site> pick_store(const std::vector<Site>& sites, uint64_t place, Holds holds) {
  return pick(
      sites,
      [&](const Site& s) {
        const auto* store = s.stmt.as<loop::Store>();
        return store && holds(*store, s);
      },
      place);
}

/// One statement, or the vector operation it is part of, except under a condition.
Result only_if(const Program& p, const Site& site, const std::optional<Expr>& condition) {
  if (!condition) return std::nullopt;
  const Stmt whole = sites_of(p)[site.whole].stmt;
  return replaced(p, site.whole, {StmtNode{loop::If{*condition, {whole}, {}}}});
}

Result term_missing(const Program& p, const Mutation& m) {
  const std::vector<Site> sites = sites_of(p);
  const Results results(sites);
  const auto site = pick_store(sites, m.place, [&](const loop::Store& s, const Site&) {
    return results.is_applied(s) || results.is_combined(s);
  });
  if (!site) return std::nullopt;
  return only_if(p, *site, at_all_but_one(counters_outside(*site), m.detail));
}

std::optional<Site> find_combine(const Program& p, const Symbol& value) {
  return pick(
      sites_of(p),
      [&](const Site& s) {
        const auto* sum = s.stmt.as<loop::Combine>();
        return sum &&
               std::find(sum->results.begin(), sum->results.end(), value) != sum->results.end();
      },
      0);
}

std::vector<Symbol> fresh_like(passes::Names& names, const std::vector<Symbol>& symbols) {
  std::vector<Symbol> result;
  for (const Symbol& s : symbols) result.push_back(names.fresh(s.name));
  return result;
}

/// What a combination stored is combined with the term once more, at one point.
Result term_doubled(const Program& p, const Mutation& m) {
  const std::vector<Site> sites = sites_of(p);
  const Results results(sites);
  const auto site = pick_store(sites, m.place, [&](const loop::Store& s, const Site& where) {
    return !where.in_lanes && results.is_combined(s);
  });
  if (!site) return std::nullopt;
  const auto chosen = at_one_point(site->around, m.detail);
  if (!chosen) return std::nullopt;
  loop::Store store = *site->stmt.as<loop::Store>();
  const loop::Combine sum = *find_combine(p, store.value)->stmt.as<loop::Combine>();
  passes::Names names(p);
  const std::vector<Symbol> twice = fresh_like(names, sum.results);
  const auto at = std::find(sum.results.begin(), sum.results.end(), store.value);
  store.value = twice[static_cast<size_t>(at - sum.results.begin())];
  const Block again = {StmtNode{loop::Combine{twice, sum.results, sum.right}}, StmtNode{store}};
  return replaced(p, site->number, {site->stmt, StmtNode{loop::If{*chosen, again, {}}}});
}

Result combined_twice(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::Combine>(p, m);
  if (!site) return std::nullopt;
  const loop::Combine sum = *site->stmt.as<loop::Combine>();
  passes::Names names(p);
  const std::vector<Symbol> once = fresh_like(names, sum.results);
  return replaced(p, site->number,
                  {StmtNode{loop::Combine{once, sum.left, sum.right}},
                   StmtNode{loop::Combine{sum.results, once, sum.right}}});
}

/// The term overwrites what was there, or is forgotten: also an offset that is not applied.
Result combine_forgotten(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::Combine>(p, m);
  if (!site) return std::nullopt;
  const loop::Combine sum = *site->stmt.as<loop::Combine>();
  const std::vector<Symbol>& instead = m.detail % 2 == 0 ? sum.right : sum.left;
  Program result = replaced(p, site->number, {});
  for (size_t n = 0; n < sum.results.size(); ++n) {
    result = with_other_value(result, sum.results[n], instead[n]);
  }
  return result;
}

/// A first write that combines with whatever the output holds.
Result first_write_combines(const Program& p, const Mutation& m) {
  if (p.f.results.size() != 1 || !pick_kind<loop::Combine>(p, m)) return std::nullopt;
  const std::vector<Site> sites = sites_of(p);
  const Results results(sites);
  const auto site = pick_store(sites, m.place, [&](const loop::Store& s, const Site&) {
    return loop::find_buffer(p, s.to.buffer).role == loop::Role::output && results.is_applied(s);
  });
  if (!site) return std::nullopt;
  loop::Store store = *site->stmt.as<loop::Store>();
  passes::Names names(p);
  const Symbol old = names.fresh("old"), sum = names.fresh("sum");
  const loop::Combine combine{{sum}, {old}, {store.value}};
  const loop::Load load{old, store.to};
  store.value = sum;
  return replaced(p, site->number, {StmtNode{load}, StmtNode{combine}, StmtNode{store}});
}

// ---- copies

/// A tile is filled in the first round of a loop around it only.
Result stale_tile(const Program& p, const Mutation& m) {
  const std::vector<Site> sites = sites_of(p);
  const Results results(sites);
  const auto site = pick(
      sites, [&](const Site& s) { return results.is_copy(s) && s.outside > 0; }, m.place);
  if (!site) return std::nullopt;
  const Around& loop = site->around[m.detail % site->outside];
  return only_if(p, *site, is_equal(loop::index_variable(loop.var), loop.low));
}

Result copy_missing(const Program& p, const Mutation& m) {
  const std::vector<Site> sites = sites_of(p);
  const Results results(sites);
  const auto site = pick(
      sites, [&](const Site& s) { return results.is_copy(s); }, m.place);
  if (!site) return std::nullopt;
  return only_if(p, *site, at_all_but_one(counters_outside(*site), m.detail));
}

/// Only where groups of a device wait: launches wait for one another anyway.
Result barrier_missing(const Program& p, const Mutation& m) {
  const auto site = pick(
      sites_of(p), [](const Site& s) { return is<loop::Barrier>(s) && s.in_grid; }, m.place);
  if (!site) return std::nullopt;
  return replaced(p, site->number, {});
}

// ---- f

Result operands_swapped(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::Apply>(p, m);
  if (!site) return std::nullopt;
  loop::Apply f = *site->stmt.as<loop::Apply>();
  if (f.inputs.size() < 2) return std::nullopt;
  const size_t first = m.detail % f.inputs.size();
  const size_t second =
      (first + 1 + m.detail / f.inputs.size() % (f.inputs.size() - 1)) % f.inputs.size();
  if (p.f.parameters[first].type != p.f.parameters[second].type) return std::nullopt;
  std::swap(f.inputs[first], f.inputs[second]);
  return replaced(p, site->number, {StmtNode{f}});
}

Result point_shifted(const Program& p, const Mutation& m) {
  const auto site = pick_kind<loop::Apply>(p, m);
  if (!site) return std::nullopt;
  loop::Apply f = *site->stmt.as<loop::Apply>();
  if (f.point.empty()) return std::nullopt;
  Expr& index = f.point[m.detail % f.point.size()];
  index = plus(index, m.detail / f.point.size() % 2 == 0 ? 1 : -1);
  return replaced(p, site->number, {StmtNode{f}});
}

}  // namespace

const std::vector<LoopMutation>& loop_mutations() {
  static const std::vector<LoopMutation> table = {
      {"last_round_missing", last_round_missing},
      {"first_round_missing", first_round_missing},
      {"round_missing", round_missing},
      {"round_doubled", round_doubled},
      {"edge_missed", edge_missed},
      {"branch_missing", branch_missing},
      {"term_missing", term_missing},
      {"term_doubled", term_doubled},
      {"combined_twice", combined_twice},
      {"combine_forgotten", combine_forgotten},
      {"first_write_combines", first_write_combines},
      {"stale_tile", stale_tile},
      {"copy_missing", copy_missing},
      {"barrier_missing", barrier_missing},
      {"operands_swapped", operands_swapped},
      {"point_shifted", point_shifted},
      {"input_elsewhere", input_elsewhere},
      {"input_elsewhere_once", input_elsewhere_once},
      {"slot_elsewhere", slot_elsewhere},
      {"tile_filled_elsewhere", tile_filled_elsewhere},
      {"output_elsewhere", output_elsewhere},
  };
  return table;
}

}  // namespace mdh::test
