// The points of one group of parameters that depend on each other; see space.h for the idea.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "mdh/support/random.h"
#include "mdh/tune/domain.h"
#include "mdh/tune/parameter.h"
#include "mdh/tune/scale.h"

namespace mdh::tune {

/// The values of the parameters of a group, in their order.
using Values = std::vector<Value>;

/// How little a value is wanted for a member of the group; `never` if it is not accepted at all.
using Reluctance = std::function<double(size_t member, const Value& value)>;
inline constexpr double never = std::numeric_limits<double>::infinity();

class Group {
 public:
  Group(std::vector<Parameter> members, size_t max_nodes);

  const std::vector<Parameter>& members() const { return members_; }
  const Scale& scale(size_t member) const { return scales_[member]; }

  /// Nothing if the group is not kept as a tree or has more points than can be counted.
  std::optional<Count> count() const;
  bool empty() const { return is_empty_; }

  Values at(Count index) const;
  Count index_of(const Values& values) const;  // of valid values

  /// The valid values that are found by taking, one member after the other, the value that is
  /// wanted most. Nothing if all of them are refused.
  std::optional<Values> find(const Reluctance& reluctance) const;

  /// As `find`, with the members before `fixed.size()` at the values of `fixed`.
  std::optional<Values> find(Values fixed, const Reluctance& reluctance) const;

  /// The values that `member` may take after the values before it.
  Values options(const Values& values, size_t member) const;

  Values sample(Random& random) const;

  /// Every way to change one member, those behind it moved to the nearest valid values.
  std::vector<Values> neighbours(const Values& values) const;
  /// The result of changing `member` to `value` and repairing what follows.
  std::optional<Values> changed(const Values& values, size_t member, const Value& value) const;

 private:
  struct Edge {
    uint32_t value;  // in known_
    uint32_t child;
    Count before;  // points below the edges to the left of it
  };
  struct Node {
    uint32_t first = 0, edges = 0;
    Count count = 0;
  };
  class Builder;
  struct Walk;

  Values range(size_t member, const Values& earlier) const;
  uint32_t walk_down(const Values& values, size_t depth) const;
  bool search(Walk& walk, uint32_t node) const;
  void learn_scales(const std::vector<Values>& known);
  void explore_openly();

  std::vector<Parameter> members_;
  std::vector<std::vector<size_t>> reads_;  // members that the range of each member reads
  std::vector<std::shared_ptr<const Names>> read_names_;
  std::vector<Values> known_;  // values that occur, for each member
  std::vector<Scale> scales_;
  bool is_tree_ = true, is_empty_ = false;
  uint32_t root_ = 0;
  std::vector<Node> nodes_;  // the first is the leaf of all
  std::vector<Edge> edges_;
};

}  // namespace mdh::tune
