#include "mdh/tune/group.h"

#include <algorithm>
#include <unordered_map>

#include "mdh/support/diagnostic.h"
#include "mdh/tune/count.h"

namespace mdh::tune {

namespace {

constexpr uint32_t leaf = 0;

// Searching a group that is no tree may run into dead ends; after this many steps it gives up.
constexpr size_t max_steps = 200'000;

}  // namespace

/// Grows the tree from the root; nodes that read the same of what is above them are one.
class Group::Builder {
 public:
  Builder(Group& group, size_t max_edges) : group_(group), max_edges_(max_edges) {
    const size_t depth = group.members_.size();
    codes_.resize(depth);
    nodes_.resize(depth);
    for (size_t level = 0; level < depth; ++level) live_.push_back(read_from(level));
    group_.known_.resize(depth);
    group_.nodes_.push_back({0, 0, 1});
  }

  /// False if there are more edges than allowed.
  bool run() {
    root_ = node(0);
    return !is_too_large_;
  }

  uint32_t root() const { return root_; }

 private:
  // Members above the level that members at or below it read.
  std::vector<size_t> read_from(size_t level) const {
    std::vector<bool> is_read(level, false);
    for (size_t below = level; below < group_.members_.size(); ++below) {
      for (size_t member : group_.reads_[below]) {
        if (member < level) is_read[member] = true;
      }
    }
    std::vector<size_t> live;
    for (size_t member = 0; member < level; ++member) {
      if (is_read[member]) live.push_back(member);
    }
    return live;
  }

  uint32_t code_of(size_t level, const Value& value) {
    const auto [found, is_new] =
        codes_[level].emplace(value, static_cast<uint32_t>(codes_[level].size()));
    if (is_new) group_.known_[level].push_back(value);
    return found->second;
  }

  uint32_t node(size_t level) {
    if (level == group_.members_.size()) return leaf;
    std::u32string key;
    for (size_t member : live_[level]) key += static_cast<char32_t>(path_[member]);
    if (const auto known = nodes_[level].find(key); known != nodes_[level].end()) {
      return known->second;
    }
    const uint32_t made = make_node(level);
    nodes_[level].emplace(std::move(key), made);
    return made;
  }

  uint32_t make_node(size_t level) {
    std::vector<Edge> edges;
    Count count = 0;
    for (const Value& value : group_.range(level, values_)) {
      const uint32_t code = code_of(level, value);
      path_.push_back(code);
      values_.push_back(value);
      const uint32_t child = node(level + 1);
      path_.pop_back();
      values_.pop_back();
      if (is_too_large_) return leaf;
      if (group_.nodes_[child].count == 0) continue;
      edges.push_back({code, child, count});
      count = saturating_sum(count, group_.nodes_[child].count);
    }
    group_.nodes_.push_back(
        {static_cast<uint32_t>(group_.edges_.size()), static_cast<uint32_t>(edges.size()), count});
    group_.edges_.insert(group_.edges_.end(), edges.begin(), edges.end());
    is_too_large_ = group_.edges_.size() + group_.nodes_.size() > max_edges_;
    return static_cast<uint32_t>(group_.nodes_.size() - 1);
  }

  Group& group_;
  size_t max_edges_;
  bool is_too_large_ = false;
  uint32_t root_ = 0;
  std::vector<std::vector<size_t>> live_;
  std::vector<std::map<Value, uint32_t>> codes_;
  std::vector<std::unordered_map<std::u32string, uint32_t>> nodes_;
  std::vector<uint32_t> path_;
  Values values_;
};

/// A descent in progress.
struct Group::Walk {
  const Reluctance& reluctance;
  Values values;
  size_t steps = 0;
};

Group::Group(std::vector<Parameter> members, size_t max_nodes) : members_(std::move(members)) {
  std::map<std::string, size_t> positions;
  for (size_t member = 0; member < members_.size(); ++member) {
    std::vector<size_t> reads;
    for (const std::string& name : members_[member].depends_on) reads.push_back(positions.at(name));
    reads_.push_back(std::move(reads));
    read_names_.push_back(std::make_shared<const Names>(members_[member].depends_on));
    positions[members_[member].name] = member;
  }
  Builder builder(*this, max_nodes);
  is_tree_ = builder.run();
  if (is_tree_) {
    root_ = builder.root();
    is_empty_ = nodes_[root_].count == 0;
    learn_scales(known_);
  } else {
    explore_openly();
  }
}

void Group::learn_scales(const std::vector<Values>& known) {
  scales_.clear();
  for (size_t member = 0; member < members_.size(); ++member) {
    scales_.emplace_back(members_[member].kind, known[member]);
  }
}

// Too many nodes: forget them, and learn from samples what values occur.
void Group::explore_openly() {
  nodes_.clear();
  edges_.clear();
  known_.assign(members_.size(), {});
  learn_scales(known_);
  Random random(1);
  for (int n = 0; n < 100; ++n) {
    const auto values = find([&](size_t, const Value&) { return random_unit(random); });
    is_empty_ = !values.has_value();
    if (is_empty_) break;
    for (size_t member = 0; member < members_.size(); ++member) {
      for (const Value& value : options(*values, member)) known_[member].push_back(value);
    }
  }
  learn_scales(known_);
}

std::optional<Count> Group::count() const {
  if (!is_tree_ || nodes_[root_].count == count_limit) return std::nullopt;
  return nodes_[root_].count;
}

Values Group::range(size_t member, const Values& earlier) const {
  Values read;
  for (size_t position : reads_[member]) read.push_back(earlier[position]);
  return members_[member].range(Point(read_names_[member], std::move(read)));
}

Values Group::at(Count index) const {
  Values values;
  uint32_t node = root_;
  for (size_t member = 0; member < members_.size(); ++member) {
    const auto first = edges_.begin() + nodes_[node].first;
    const auto edge =
        std::upper_bound(first, first + nodes_[node].edges, index,
                         [](Count value, const Edge& e) { return value < e.before; }) -
        1;
    values.push_back(known_[member][edge->value]);
    index -= edge->before;
    node = edge->child;
  }
  return values;
}

Count Group::index_of(const Values& values) const {
  Count index = 0;
  uint32_t node = root_;
  for (size_t member = 0; member < members_.size(); ++member) {
    const auto first = edges_.begin() + nodes_[node].first;
    const auto edge = std::find_if(first, first + nodes_[node].edges, [&](const Edge& e) {
      return known_[member][e.value] == values[member];
    });
    index += edge->before;
    node = edge->child;
  }
  return index;
}

uint32_t Group::walk_down(const Values& values, size_t depth) const {
  uint32_t node = root_;
  for (size_t member = 0; member < depth && is_tree_; ++member) {
    const auto first = edges_.begin() + nodes_[node].first;
    const auto last = first + nodes_[node].edges;
    const auto edge = std::find_if(
        first, last, [&](const Edge& e) { return known_[member][e.value] == values[member]; });
    internal_check(edge != last, "'{}' is no value of '{}' here", to_string(values[member]),
                   members_[member].name);
    node = edge->child;
  }
  return node;
}

Values Group::options(const Values& values, size_t member) const {
  if (!is_tree_) return range(member, values);
  const Node& node = nodes_[walk_down(values, member)];
  Values result;
  for (uint32_t n = 0; n < node.edges; ++n) {
    result.push_back(known_[member][edges_[node.first + n].value]);
  }
  return result;
}

std::optional<Values> Group::find(const Reluctance& reluctance) const {
  return find({}, reluctance);
}

std::optional<Values> Group::find(Values fixed, const Reluctance& reluctance) const {
  const uint32_t node = walk_down(fixed, fixed.size());
  Walk walk{reluctance, std::move(fixed)};
  if (!search(walk, node)) return std::nullopt;
  return std::move(walk.values);
}

// Depth first, the most wanted value first. In a tree there is no way back but for refused values.
bool Group::search(Walk& walk, uint32_t node) const {
  const size_t member = walk.values.size();
  if (member == members_.size()) return true;
  if (++walk.steps > max_steps) return false;
  const Values open = is_tree_ ? Values{} : range(member, walk.values);
  const size_t count = is_tree_ ? nodes_[node].edges : open.size();
  const auto option = [&](size_t n) -> const Value& {
    return is_tree_ ? known_[member][edges_[nodes_[node].first + n].value] : open[n];
  };
  std::vector<double> wanted(count);
  for (size_t n = 0; n < count; ++n) wanted[n] = walk.reluctance(member, option(n));
  for (size_t tries = 0; tries < count; ++tries) {
    const auto least = std::min_element(wanted.begin(), wanted.end());
    if (*least == never) return false;
    const size_t n = static_cast<size_t>(least - wanted.begin());
    *least = never;
    walk.values.push_back(option(n));
    if (search(walk, is_tree_ ? edges_[nodes_[node].first + n].child : leaf)) return true;
    walk.values.pop_back();
  }
  return false;
}

Values Group::sample(Random& random) const {
  if (const std::optional<Count> points = count()) return at(random_below(random, *points));
  const auto values = find([&](size_t, const Value&) { return random_unit(random); });
  internal_check(values.has_value(), "no valid point found for the group of '{}'",
                 members_.front().name);
  return *values;
}

std::optional<Values> Group::changed(const Values& values, size_t member,
                                     const Value& value) const {
  Values fixed(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(member));
  fixed.push_back(value);
  return find(std::move(fixed), [&](size_t n, const Value& candidate) {
    return scales_[n].distance(values[n], candidate);
  });
}

std::vector<Values> Group::neighbours(const Values& values) const {
  std::vector<Values> result;
  for (size_t member = 0; member < members_.size(); ++member) {
    if (members_[member].kind == ParameterKind::derived) continue;
    for (const Value& value : options(values, member)) {
      if (value == values[member]) continue;
      if (auto neighbour = changed(values, member, value)) result.push_back(std::move(*neighbour));
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace mdh::tune
