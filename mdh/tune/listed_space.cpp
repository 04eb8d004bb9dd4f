#include "mdh/tune/listed_space.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "mdh/support/diagnostic.h"
#include "mdh/tune/count.h"
#include "mdh/tune/scale.h"

namespace mdh::tune {

struct ListedSpace::Parts {
  std::shared_ptr<const Names> names;
  std::vector<Point> points;
  std::unordered_map<std::string, size_t> index;  // by key
  std::vector<Scale> scales;
  std::vector<std::vector<double>> coordinates;
  std::vector<std::vector<uint16_t>> codes;  // values numbered, to be compared quickly

  void number_values();
  std::vector<double> place(const Point& point) const;
  size_t known(const Point& point) const;
  size_t differences(size_t a, size_t b, size_t limit) const;
};

namespace {

std::shared_ptr<const Names> names_of(const std::vector<std::map<std::string, Value>>& points) {
  std::vector<std::string> names;
  std::map<std::string, bool> is_known;
  for (const auto& point : points) {
    for (const auto& [name, _] : point) {
      if (is_known.emplace(name, true).second) names.push_back(name);
    }
  }
  return std::make_shared<const Names>(std::move(names));
}

Point listed_point(const std::shared_ptr<const Names>& names,
                   const std::map<std::string, Value>& given) {
  std::vector<Value> values(names->size());
  for (const auto& [name, value] : given) values[*names->find(name)] = value;
  return Point(names, std::move(values));
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (size_t n = 0; n < a.size(); ++n) sum += (a[n] - b[n]) * (a[n] - b[n]);
  return sum;
}

}  // namespace

// Fills codes and scales.
void ListedSpace::Parts::number_values() {
  codes.resize(points.size());
  for (size_t n = 0; n < names->size(); ++n) {
    std::map<Value, uint16_t> numbers;
    for (const Point& point : points) numbers.emplace(point[n], 0);
    uint16_t next = 0;
    std::vector<Value> values;
    for (auto& [value, number] : numbers) {
      number = next++;
      values.push_back(value);
    }
    scales.emplace_back(ParameterKind::ordinal, std::move(values));
    for (size_t p = 0; p < points.size(); ++p) {
      codes[p].push_back(numbers.at(points[p][n]));
    }
  }
}

std::vector<double> ListedSpace::Parts::place(const Point& point) const {
  std::vector<double> result;
  for (size_t n = 0; n < scales.size(); ++n) result.push_back(scales[n].coordinate(point[n]));
  return result;
}

size_t ListedSpace::Parts::known(const Point& point) const {
  const auto found = index.find(point.key());
  internal_check(found != index.end(), "'{}' is not in the list", point.key());
  return found->second;
}

size_t ListedSpace::Parts::differences(size_t a, size_t b, size_t limit) const {
  size_t count = 0;
  for (size_t n = 0; n < names->size() && count <= limit; ++n) {
    count += codes[a][n] != codes[b][n] ? 1 : 0;
  }
  return count;
}

ListedSpace::ListedSpace(const std::vector<std::map<std::string, Value>>& points) {
  auto parts = std::make_unique<Parts>();
  parts->names = names_of(points);
  for (const auto& given : points) {
    Point point = listed_point(parts->names, given);
    if (parts->index.emplace(point.key(), parts->points.size()).second) {
      parts->points.push_back(std::move(point));
    }
  }
  parts->number_values();
  for (const Point& point : parts->points) parts->coordinates.push_back(parts->place(point));
  parts_ = std::move(parts);
}

ListedSpace::~ListedSpace() = default;
ListedSpace::ListedSpace(ListedSpace&&) noexcept = default;
ListedSpace& ListedSpace::operator=(ListedSpace&&) noexcept = default;

const std::vector<Point>& ListedSpace::points() const { return parts_->points; }

std::optional<size_t> ListedSpace::index_of(const Point& point) const {
  const auto found = parts_->index.find(point.key());
  if (found == parts_->index.end()) return std::nullopt;
  return found->second;
}

std::optional<Count> ListedSpace::size() const { return points().size(); }
Point ListedSpace::at(Count index) const { return points().at(static_cast<size_t>(index)); }
bool ListedSpace::contains(const Point& point) const { return index_of(point).has_value(); }
Point ListedSpace::sample(Random& random) const { return random.pick(points()); }

std::vector<Point> ListedSpace::neighbours(const Point& point) const {
  const size_t self = parts_->known(point);
  std::vector<Point> result;
  for (size_t n = 0; n < points().size(); ++n) {
    if (parts_->differences(self, n, 1) == 1) result.push_back(points()[n]);
  }
  return result;
}

Point ListedSpace::mutate(const Point& point, Random& random) const {
  const size_t self = parts_->known(point);
  size_t fewest = std::numeric_limits<size_t>::max() - 1;
  std::vector<size_t> nearest;
  for (size_t n = 0; n < points().size(); ++n) {
    const size_t differences = parts_->differences(self, n, fewest);
    if (n == self || differences > fewest) continue;
    if (differences < fewest) nearest.clear();
    fewest = differences;
    nearest.push_back(n);
  }
  return nearest.empty() ? point : points()[random.pick(nearest)];
}

std::vector<double> ListedSpace::coordinates(const Point& point) const {
  return parts_->place(point);
}

Point ListedSpace::nearest(std::span<const double> coordinates) const {
  size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t n = 0; n < points().size(); ++n) {
    const double distance = squared_distance(coordinates, parts_->coordinates[n]);
    if (distance >= least) continue;
    least = distance;
    nearest = n;
  }
  return points()[nearest];
}

std::vector<double> ListedSpace::features(const Point& point) const {
  std::vector<double> result;
  for (size_t n = 0; n < parts_->scales.size(); ++n) {
    if (!parts_->scales[n].is_constant()) parts_->scales[n].append_features(point[n], result);
  }
  return result;
}

}  // namespace mdh::tune
