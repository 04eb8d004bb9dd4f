#include "mdh/search/trades.h"

#include <algorithm>
#include <map>
#include <set>

#include "mdh/ll/roles.h"

namespace mdh::search {
namespace {

using Values = std::map<std::string, tune::Value>;

Values values_of(const tune::Point& point) {
  Values values;
  for (size_t n = 0; n < point.size(); ++n) values[point.names()[n]] = point[n];
  return values;
}

/// Parts in registers that are worth a try where there are `now`.
std::set<int64_t> other_parts(int64_t now) {
  std::set<int64_t> parts = {1, 2, 3, 4, 6, 8, 12, 16, now - 1, now + 1};
  parts.erase(now);
  parts.erase(0);
  return parts;
}

/// Names such as "REG.k".
std::vector<std::string> names_on(const std::string& layer, const tune::Point& point) {
  std::vector<std::string> names;
  for (size_t n = 0; n < point.size(); ++n) {
    const std::string& name = point.names()[n];
    if (!layer.empty() && name.starts_with(layer + ".")) names.push_back(name);
  }
  return names;
}

/// The point with other parts in registers; nothing if there cannot be so many.
std::optional<tune::Point> traded(const SearchSpace& space, const ll::Roles& layers,
                                  const tune::Point& point, const std::string& in_registers,
                                  int64_t other) {
  const std::string around = layers.inner + in_registers.substr(layers.registers.size());
  const int64_t tile = point.integer(in_registers) * point.integer(around);
  Values values = values_of(point);
  values[in_registers] = other;
  values[around] = std::max<int64_t>(1, tile / other);
  tune::Point found = space.parameters().repair(values);
  if (found.integer(in_registers) != other) return std::nullopt;
  return found;
}

}  // namespace

std::vector<tune::Point> trades(const SearchSpace& space, const machine::Machine& machine,
                                const tune::Point& point) {
  const ll::Roles layers = ll::roles_of(machine);
  std::vector<tune::Point> found;
  if (layers.inner.empty()) return found;
  std::set<std::string> known = {point.key()};
  for (const std::string& name : names_on(layers.registers, point)) {
    for (const int64_t other : other_parts(point.integer(name))) {
      auto one = traded(space, layers, point, name, other);
      if (one && known.insert(one->key()).second) found.push_back(std::move(*one));
    }
  }
  return found;
}

std::optional<tune::Point> trade(const SearchSpace& space, const machine::Machine& machine,
                                 const tune::Point& point, Random& random) {
  const ll::Roles layers = ll::roles_of(machine);
  const std::vector<std::string> names = names_on(layers.registers, point);
  if (layers.inner.empty() || names.empty()) return std::nullopt;
  const std::string& name = random.pick(names);
  const std::set<int64_t> others = other_parts(point.integer(name));
  return traded(space, layers, point, name,
                random.pick(std::vector<int64_t>(others.begin(), others.end())));
}

}  // namespace mdh::search
