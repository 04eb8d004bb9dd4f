#include "mdh/tune/point.h"

#include "mdh/support/diagnostic.h"

namespace mdh::tune {

bool is_absent(const Value& value) { return std::holds_alternative<std::monostate>(value); }

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* label = std::get_if<std::string>(&value)) return *label;
  return "-";
}

Names::Names(std::vector<std::string> names) : names_(std::move(names)) {
  for (size_t n = 0; n < names_.size(); ++n) {
    const bool is_new = positions_.emplace(names_[n], n).second;
    internal_check(is_new, "two tuning parameters are called '{}'", names_[n]);
  }
}

std::optional<size_t> Names::find(std::string_view name) const {
  const auto found = positions_.find(name);
  if (found == positions_.end()) return std::nullopt;
  return found->second;
}

Point::Point(std::shared_ptr<const Names> names, std::vector<Value> values)
    : names_(std::move(names)), values_(std::move(values)) {
  internal_check(values_.size() <= names_->size(), "{} values for {} tuning parameters",
                 values_.size(), names_->size());
}

const Value& Point::at(std::string_view name) const {
  const std::optional<size_t> position = names_->find(name);
  internal_check(position.has_value() && *position < size(),
                 "no tuning parameter '{}' to be read here; is it declared as a dependency?", name);
  return values_[*position];
}

int64_t Point::integer(std::string_view name) const {
  const auto* number = std::get_if<int64_t>(&at(name));
  internal_check(number != nullptr, "tuning parameter '{}' is not a number", name);
  return *number;
}

const std::string& Point::label(std::string_view name) const {
  const auto* label = std::get_if<std::string>(&at(name));
  internal_check(label != nullptr, "tuning parameter '{}' is not a label", name);
  return *label;
}

bool Point::has(std::string_view name) const {
  const std::optional<size_t> position = names_->find(name);
  return position.has_value() && *position < size() && !is_absent(values_[*position]);
}

std::string Point::key() const {
  std::string text;
  for (size_t n = 0; n < size(); ++n) {
    if (is_absent(values_[n])) continue;
    if (!text.empty()) text += ' ';
    text += (*names_)[n] + '=' + to_string(values_[n]);
  }
  return text;
}

}  // namespace mdh::tune
