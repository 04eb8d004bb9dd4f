#include "mdh/tune/space.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mdh/support/diagnostic.h"
#include "mdh/tune/count.h"
#include "mdh/tune/group.h"

namespace mdh::tune {

struct Space::Parts {
  std::vector<Parameter> parameters;
  std::shared_ptr<const Names> names;
  std::vector<Group> groups;
  std::vector<std::vector<size_t>> positions;  // of the members of each group
  std::optional<Count> size;

  Point join(const std::vector<Values>& values) const;
  Values part(const Point& point, size_t group) const;
  Point with(const Point& point, size_t group, const Values& values) const;
  std::vector<size_t> choices() const;  // positions of parameters that are not derived
};

namespace {

// For each parameter the first one of its group.
std::vector<size_t> first_of_groups(const std::vector<Parameter>& parameters, const Names& names) {
  std::vector<size_t> parent(parameters.size());
  std::iota(parent.begin(), parent.end(), size_t{0});
  const auto root = [&](size_t n) {
    while (parent[n] != n) n = parent[n];
    return n;
  };
  for (size_t n = 0; n < parameters.size(); ++n) {
    for (const std::string& name : parameters[n].depends_on) {
      const std::optional<size_t> position = names.find(name);
      internal_check(position && *position < n,
                     "tuning parameter '{}' depends on '{}', which is not before it",
                     parameters[n].name, name);
      const size_t a = root(n), b = root(*position);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  for (size_t n = 0; n < parent.size(); ++n) parent[n] = root(n);
  return parent;
}

// Takes the value at hand and no other.
Reluctance exactly(const Values& values) {
  return
      [&values](size_t member, const Value& value) { return values[member] == value ? 0 : never; };
}

// Half of the time a step to the next value of an ordered parameter, else any other value.
Value another_value(const Group& group, size_t member, const Value& current, const Values& options,
                    Random& random) {
  Values others;
  for (const Value& value : options) {
    if (value != current) others.push_back(value);
  }
  if (group.members()[member].kind != ParameterKind::ordinal || random.chance(50)) {
    return random.pick(others);
  }
  const bool upwards = random.chance(50);
  const Scale& scale = group.scale(member);
  return *std::min_element(others.begin(), others.end(), [&](const Value& a, const Value& b) {
    const auto order = [&](const Value& value) {
      const bool is_that_way = (scale.coordinate(value) > scale.coordinate(current)) == upwards;
      return (is_that_way ? 0.0 : 2.0) + scale.distance(current, value);
    };
    return order(a) < order(b);
  });
}

}  // namespace

Values Space::Parts::part(const Point& point, size_t group) const {
  Values values;
  for (size_t position : positions[group]) values.push_back(point[position]);
  return values;
}

Point Space::Parts::join(const std::vector<Values>& values) const {
  Values all(parameters.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    for (size_t n = 0; n < positions[group].size(); ++n) {
      all[positions[group][n]] = values[group][n];
    }
  }
  return Point(names, std::move(all));
}

Point Space::Parts::with(const Point& point, size_t group, const Values& values) const {
  Values all = point.values();
  for (size_t n = 0; n < values.size(); ++n) all[positions[group][n]] = values[n];
  return Point(names, std::move(all));
}

std::vector<size_t> Space::Parts::choices() const {
  std::vector<size_t> result;
  for (size_t n = 0; n < parameters.size(); ++n) {
    if (parameters[n].kind != ParameterKind::derived) result.push_back(n);
  }
  return result;
}

Space::Space(std::vector<Parameter> parameters, SpaceOptions options) {
  auto parts = std::make_unique<Parts>();
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  parts->names = std::make_shared<const Names>(std::move(names));
  const std::vector<size_t> first = first_of_groups(parameters, *parts->names);
  std::map<size_t, std::vector<size_t>> members;
  for (size_t n = 0; n < parameters.size(); ++n) members[first[n]].push_back(n);
  parts->size = 1;
  for (const auto& [_, positions] : members) {
    std::vector<Parameter> group;
    for (size_t n : positions) group.push_back(parameters[n]);
    parts->groups.emplace_back(std::move(group), options.max_nodes);
    parts->positions.push_back(positions);
    const std::optional<Count> count = parts->groups.back().count();
    if (!count) parts->size.reset();
    if (parts->size) parts->size = saturating_product(*parts->size, *count);
  }
  if (parts->size == count_limit) parts->size.reset();
  parts->parameters = std::move(parameters);
  parts_ = std::move(parts);
}

Space::~Space() = default;
Space::Space(Space&&) noexcept = default;
Space& Space::operator=(Space&&) noexcept = default;

const std::vector<Parameter>& Space::parameters() const { return parts_->parameters; }
size_t Space::groups() const { return parts_->groups.size(); }
std::optional<Count> Space::size() const { return parts_->size; }

bool Space::empty() const {
  return std::any_of(parts_->groups.begin(), parts_->groups.end(),
                     [](const Group& group) { return group.empty(); });
}

Point Space::at(Count index) const {
  internal_check(parts_->size && index < *parts_->size, "no point {} in a space of {}",
                 to_string(index), to_string(parts_->size.value_or(count_limit)));
  std::vector<Values> values(groups());
  for (size_t group = groups(); group-- > 0;) {
    const Count count = *parts_->groups[group].count();
    values[group] = parts_->groups[group].at(index % count);
    index /= count;
  }
  return parts_->join(values);
}

std::optional<Count> Space::index_of(const Point& point) const {
  if (!contains(point)) return std::nullopt;
  internal_check(parts_->size.has_value(), "points of a space without size have no number");
  Count index = 0;
  for (size_t group = 0; group < groups(); ++group) {
    const Group& tree = parts_->groups[group];
    index = index * *tree.count() + tree.index_of(parts_->part(point, group));
  }
  return index;
}

bool Space::contains(const Point& point) const {
  if (point.size() != parts_->parameters.size()) return false;
  for (size_t group = 0; group < groups(); ++group) {
    const Values values = parts_->part(point, group);
    if (!parts_->groups[group].find(exactly(values))) return false;
  }
  return true;
}

Point Space::sample(Random& random) const {
  std::vector<Values> values;
  for (const Group& group : parts_->groups) values.push_back(group.sample(random));
  return parts_->join(values);
}

std::vector<Point> Space::neighbours(const Point& point) const {
  std::vector<Point> result;
  for (size_t group = 0; group < groups(); ++group) {
    for (const Values& values : parts_->groups[group].neighbours(parts_->part(point, group))) {
      result.push_back(parts_->with(point, group, values));
    }
  }
  return result;
}

Point Space::mutate(const Point& point, Random& random) const {
  std::vector<std::pair<size_t, size_t>> places;  // group and member
  for (size_t group = 0; group < groups(); ++group) {
    for (size_t member = 0; member < parts_->positions[group].size(); ++member) {
      places.emplace_back(group, member);
    }
  }
  random.shuffle(places);
  for (const auto& [group, member] : places) {
    const Group& tree = parts_->groups[group];
    if (tree.members()[member].kind == ParameterKind::derived) continue;
    const Values values = parts_->part(point, group);
    const Values options = tree.options(values, member);
    if (options.size() < 2) continue;
    const Value value = another_value(tree, member, values[member], options, random);
    if (const auto changed = tree.changed(values, member, value)) {
      return parts_->with(point, group, *changed);
    }
  }
  // Without a tree all of the changes tried may have been dead ends.
  const std::vector<Point> others = neighbours(point);
  return others.empty() ? point : random.pick(others);
}

std::vector<double> Space::coordinates(const Point& point) const {
  std::vector<double> result(point.size());
  for (size_t group = 0; group < groups(); ++group) {
    for (size_t n = 0; n < parts_->positions[group].size(); ++n) {
      const size_t position = parts_->positions[group][n];
      result[position] = parts_->groups[group].scale(n).coordinate(point[position]);
    }
  }
  std::vector<double> chosen;
  for (size_t position : parts_->choices()) chosen.push_back(result[position]);
  return chosen;
}

Point Space::nearest(std::span<const double> coordinates) const {
  const std::vector<size_t> choices = parts_->choices();
  internal_check(coordinates.size() == choices.size(), "{} coordinates for {} parameters",
                 coordinates.size(), choices.size());
  std::vector<double> wanted(parts_->parameters.size());
  for (size_t n = 0; n < choices.size(); ++n) wanted[choices[n]] = coordinates[n];
  std::vector<Values> values;
  for (size_t group = 0; group < groups(); ++group) {
    const Group& tree = parts_->groups[group];
    const auto found = tree.find([&](size_t member, const Value& value) {
      const double place = wanted[parts_->positions[group][member]];
      return std::abs(place - tree.scale(member).coordinate(value));
    });
    internal_check(found.has_value(), "no valid point near the given place");
    values.push_back(*found);
  }
  return parts_->join(values);
}

std::vector<double> Space::features(const Point& point) const {
  std::vector<double> result;
  for (size_t group = 0; group < groups(); ++group) {
    for (size_t n = 0; n < parts_->positions[group].size(); ++n) {
      const Scale& scale = parts_->groups[group].scale(n);
      if (!scale.is_constant()) scale.append_features(point[parts_->positions[group][n]], result);
    }
  }
  return result;
}

std::optional<Point> Space::point(const std::map<std::string, Value>& values) const {
  std::vector<Values> result;
  for (const Group& group : parts_->groups) {
    auto found = group.find([&](size_t member, const Value& value) {
      const Parameter& parameter = group.members()[member];
      const auto given = values.find(parameter.name);
      if (given == values.end()) return parameter.kind == ParameterKind::derived ? 0 : never;
      return given->second == value ? 0 : never;
    });
    if (!found) return std::nullopt;
    result.push_back(std::move(*found));
  }
  return parts_->join(result);
}

Point Space::repair(const std::map<std::string, Value>& values) const {
  std::vector<Values> result;
  for (const Group& group : parts_->groups) {
    const auto found = group.find([&](size_t member, const Value& value) {
      const auto given = values.find(group.members()[member].name);
      return given == values.end() ? 0 : group.scale(member).distance(given->second, value);
    });
    internal_check(found.has_value(), "an empty space has no point to repair to");
    result.push_back(*found);
  }
  return parts_->join(result);
}

}  // namespace mdh::tune
