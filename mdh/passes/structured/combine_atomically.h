// Members of a grid combine what they have made into one element, in the order in which they are done.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "mdh/passes/structured/gather_parts.h"

namespace mdh::passes {

/// Into an atomic buffer, which is as the slots are but for the axis of the members. The last member
/// takes what has come together.
class AtomicCombiner {
 public:
  AtomicCombiner(const Dealer& dealer, Names& names, PartGatherer& gatherer)
      : d_(dealer), names_(names), gatherer_(gatherer) {}

  /// What takes the place of the Deal that made the parts. Nothing where that is not asked for, or the
  /// target does not know it, or the Deal is no such Deal.
  std::optional<loop::Block> combined(const loop::TeamCombine& s, const loop::Stmt& made_by,
                                      const Digits& around);

  /// Slots that nobody uses any more.
  const std::set<std::string>& unneeded() const { return unneeded_; }

 private:
  Elements sums_of(const loop::TeamCombine& s, loop::Block& allocs);
  std::optional<loop::Block> redirected(const loop::TeamCombine& s, const loop::Block& body,
                                        const Elements& sums) const;
  bool end_anywhere(const std::vector<Symbol>& elements) const;
  loop::Stmt dealt(const loop::TeamCombine& s, const Digits& members, const Digits& inside) const;

  const Dealer& d_;
  Names& names_;
  PartGatherer& gatherer_;
  std::set<std::string> unneeded_;
};

}  // namespace mdh::passes
