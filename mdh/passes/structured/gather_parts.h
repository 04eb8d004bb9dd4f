// Parts of results that lie side by side are put together by the cores of a group.
#pragma once

#include <functional>

#include "mdh/passes/common/names.h"
#include "mdh/passes/structured/dealer.h"

namespace mdh::passes {

using Elements = std::vector<loop::Element>;

/// Parts of a result side by side.
struct Slots {
  int64_t parts;
  loop::Expr filled;  // as many of them are there, the first ones
  std::function<Elements(const loop::Expr& number)> at;
};

/// What is put together, where, and by whom.
struct Gathering {
  Slots from;
  std::vector<Symbol> elements;  // every one of them by itself, in a loop
  loop::Target target;
  Digits members;             // cores that have one element each
  Digits around;              // digits that have values
  std::vector<Symbol> per;    // digits of members of a grid that have temporaries of their own
  std::string level;          // of the parts, for people
  bool may_be_empty = false;  // no part may be there
};

class PartGatherer {
 public:
  PartGatherer(const Dealer& dealer, Names& names) : d_(dealer), names_(names) {}

  /// By so many cores for each member, a power of two: they share neighbouring parts, which then
  /// meet in steps.
  loop::Block gathered(const Gathering& g, int64_t shares);

  /// The pair of slots with a number meets in its first one, if both are there.
  loop::Block meeting(const Slots& slots, const loop::Expr& pair, int64_t distance);

  /// left = left ⊕ right; to = left ⊕ right
  loop::Block combined_slots(const Elements& left, const Elements& right);
  loop::Block joined_into(const Elements& to, const Elements& left, const Elements& right);

  /// From the core so far further along a digit, every element by itself, so that its place is known.
  loop::Block handed_over(const Elements& to, const Elements& from, const Digits& members,
                          const Symbol& over, int64_t by,
                          const std::vector<Symbol>& elements) const;

  /// Temporaries of the group, an element of them for each of the axes; its index mentions them.
  /// They begin anew where the block stands.
  Elements in_group(const Elements& like, const std::vector<loop::Counter>& axes,
                    const std::string& name, const std::vector<Symbol>& per, loop::Block& allocs);

  /// Adds a temporary to the program.
  void add(const loop::Buffer& buffer) { buffers_.push_back(buffer); }
  const std::vector<loop::Buffer>& buffers() const { return buffers_; }

 private:
  Slots shared_out(const Gathering& g, int64_t shares, loop::Block& result);
  loop::Block folded(const Gathering& g, const loop::Expr& number, const loop::Counter& part,
                     const loop::Target& target, int64_t all) const;
  loop::Block met(const Gathering& g, const Slots& slots);
  const scalar::Type& type_of(const Symbol& buffer) const;
  loop::Stmt dealt(const std::vector<loop::Counter>& shares, const Digits& inside,
                   const loop::Block& body) const;

  const Dealer& d_;
  Names& names_;
  std::vector<loop::Buffer> buffers_;
};

/// The Deal in which members of the grid have made the parts of a digit, if nothing has been done with
/// them at its end yet; none if it is no such Deal.
const loop::Deal* open_share(const Symbol& over, const loop::Stmt& made_by);

/// Inside of a loop for each digit, the first one outermost.
loop::Block looped(const std::vector<Symbol>& digits, loop::Block body);

loop::Block only_if(const loop::Expr& condition, const loop::Block& body);
loop::Expr less(const loop::Expr& a, const loop::Expr& b);

/// The elements with a value for one name in their indices.
Elements with_value_of(const Elements& elements, const Symbol& name, const loop::Expr& value);

}  // namespace mdh::passes
