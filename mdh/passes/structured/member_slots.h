// Slots that members of a grid fill with their parts of results.
#pragma once

#include <optional>

#include "mdh/passes/structured/gather_parts.h"

namespace mdh::passes {

/// The axis of a slot that tells members apart.
std::optional<size_t> axis_of_member(const loop::Element& slot, const Symbol& over);

/// Statements that use slots, here and further in; where slots begin anew is no use.
int64_t users_of_slots(const loop::Block& block, const Elements& slots);

/// Slots of which each member of a grid keeps its own, in the memory of its group, in place of those
/// that all members see.
class KeptSlots {
 public:
  /// Nothing if slots of other members would be needed before they meet.
  static std::optional<KeptSlots> of(const Elements& slots, const loop::Deal& made,
                                     const Symbol& over, const loop::Program& p);

  /// The buffers under other names.
  std::vector<loop::Buffer> buffers(Names& names);

  Elements here(const Elements& elements) const;
  loop::Block here(const loop::Block& block) const;

 private:
  struct Kept {
    loop::Element slot;
    std::vector<size_t> axes;  // the member's, and all others that are not those of members
    loop::Buffer buffer;
  };

  const Kept* find(const loop::Element& e) const;

  std::vector<Kept> all_;
};

}  // namespace mdh::passes
