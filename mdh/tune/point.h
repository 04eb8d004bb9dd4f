// A point of a search space: one value for each tuning parameter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mdh::tune {

/// A number or a label; the first alternative says that a listed point lacks this parameter.
using Value = std::variant<std::monostate, int64_t, std::string>;

bool is_absent(const Value& value);

/// "8", "cyclic", or "-" for an absent value.
std::string to_string(const Value& value);

/// The names of the parameters, shared by all points of a space.
class Names {
 public:
  explicit Names(std::vector<std::string> names);
  size_t size() const { return names_.size(); }
  const std::string& operator[](size_t position) const { return names_[position]; }
  std::optional<size_t> find(std::string_view name) const;

 private:
  std::vector<std::string> names_;
  std::map<std::string, size_t, std::less<>> positions_;
};

class Point {
 public:
  Point(std::shared_ptr<const Names> names, std::vector<Value> values);

  size_t size() const { return values_.size(); }
  const Names& names() const { return *names_; }
  const std::shared_ptr<const Names>& shared_names() const { return names_; }
  const std::vector<Value>& values() const { return values_; }
  const Value& operator[](size_t position) const { return values_[position]; }

  /// The value of a parameter by its name. A name that the point does not know is a bug.
  const Value& at(std::string_view name) const;
  int64_t integer(std::string_view name) const;
  const std::string& label(std::string_view name) const;
  bool has(std::string_view name) const;  // known and not absent

  /// The canonical text, equal for equal points of a space: "BM=64 BN=128 order=ij".
  std::string key() const;

  friend bool operator==(const Point& a, const Point& b) { return a.values_ == b.values_; }

 private:
  std::shared_ptr<const Names> names_;
  std::vector<Value> values_;
};

}  // namespace mdh::tune
