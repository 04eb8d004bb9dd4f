// Members of a grid that meet read each other's parts of results, and combine some of them each.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "mdh/passes/structured/gather_parts.h"

namespace mdh::passes {

/// Each member keeps its parts in the memory of its group. All members meet; each of them has its share
/// of the elements, whose parts it combines in their order; and they meet again, before the first one
/// leaves.
class ClusterCombiner {
 public:
  ClusterCombiner(const Dealer& dealer, Names& names, PartGatherer& gatherer)
      : d_(dealer), names_(names), gatherer_(gatherer) {}

  /// The Deal that made the parts, with that at its end. Nothing where it is not asked for, or where
  /// members do not meet: there are too many of them, or they do not run at the same time.
  std::optional<loop::Deal> combined(const loop::TeamCombine& s, const loop::Stmt& made_by,
                                     const Digits& around);

  /// Slots that nobody uses any more.
  const std::set<std::string>& unneeded() const { return unneeded_; }

 private:
  bool can_meet(const loop::TeamCombine& s, const loop::Deal& made) const;
  loop::Stmt shared_out(loop::TeamCombine s, const loop::Deal& made, const Digits& around);
  loop::Block fold(const loop::TeamCombine& s, const Digits& inside);
  loop::Block all_at_once(const loop::TeamCombine& s);
  loop::Block one_by_one(const loop::TeamCombine& s, const loop::Expr& filled);
  loop::Block updated(const loop::Target& target, const std::vector<Symbol>& values);
  std::vector<Symbol> values(const char* name);

  const Dealer& d_;
  Names& names_;
  PartGatherer& gatherer_;
  std::set<std::string> unneeded_;
};

}  // namespace mdh::passes
