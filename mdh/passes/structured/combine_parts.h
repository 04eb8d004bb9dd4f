// Parts of results that members of a team have made are combined.
#pragma once

#include <optional>

#include "mdh/passes/structured/gather_parts.h"

namespace mdh::passes {

/// One after the other, in steps, or by exchanges: whatever is asked for and the cores can do.
class PartCombiner {
 public:
  PartCombiner(const Dealer& dealer, Names& names, PartGatherer& gatherer)
      : d_(dealer), names_(names), gatherer_(gatherer) {}

  /// `team` and `around` as in form_teams.
  loop::Block combined(const loop::TeamCombine& s, const Digits& team, const Digits& around);

  /// By the member of the grid that is done last: the Deal that made the parts, with that at its end.
  /// Nothing where that is not asked for, or members do not know it.
  std::optional<loop::Deal> done_last(const loop::TeamCombine& s, const loop::Stmt& made_by,
                                      const Digits& around);

  bool exchanges() const { return exchanges_; }

 private:
  Slots slots_of(const loop::TeamCombine& s, const Digits& inside) const;
  Digits with_enough(Digits members, std::vector<Symbol>& elements, int64_t shares) const;
  loop::Block fold(loop::TeamCombine s, const Digits& around, const Symbol& part,
                   bool has_vector) const;
  loop::Stmt folded(loop::TeamCombine s, const Digits& team, const Digits& around) const;
  loop::Block joined_in_steps(const loop::TeamCombine& s, const Digits& team, const Digits& around);
  loop::Stmt met(const loop::TeamCombine& s, int64_t distance, const Digits& team,
                 const Digits& around);
  bool can_exchange(const loop::TeamCombine& s, const Digits& members,
                    const std::vector<Symbol>& elements) const;
  loop::Block exchanged(const loop::TeamCombine& s, const Digits& team, const Digits& around);
  loop::Block in_group_memory(const loop::TeamCombine& s, const Digits& team, const Digits& around);

  int64_t shares_of(const loop::TeamCombine& s, int64_t elements) const;
  loop::Block gathered(const loop::TeamCombine& s, const Digits& members, const Digits& around,
                       int64_t shares, const std::vector<Symbol>& per);
  std::optional<loop::Stmt> shared_by_groups(const loop::TeamCombine& s, const Digits& team,
                                             const Digits& around);
  loop::Block many_parts(const loop::TeamCombine& s, const Digits& members, const Digits& around);

  const Dealer& d_;
  Names& names_;
  PartGatherer& gatherer_;
  bool exchanges_ = false;  // some parts
};

}  // namespace mdh::passes
