#include "mdh/tune/scale.h"

#include <algorithm>
#include <cmath>

namespace mdh::tune {

double logarithmic(int64_t number) {
  if (number == 0) return 0;
  const double size = 1 + std::log2(std::abs(static_cast<double>(number)));
  return number > 0 ? size : -size;
}

Scale::Scale(ParameterKind kind, std::vector<Value> values) : values_(std::move(values)) {
  std::sort(values_.begin(), values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  const bool has_labels = std::any_of(values_.begin(), values_.end(), [](const Value& value) {
    return std::holds_alternative<std::string>(value);
  });
  is_ordered_ = kind != ParameterKind::categorical && !has_labels;
  if (!is_ordered_ || values_.empty()) return;
  const auto first =
      std::find_if(values_.begin(), values_.end(), [](const Value& v) { return !is_absent(v); });
  if (first == values_.end()) return;
  low_ = logarithmic(std::get<int64_t>(*first));
  high_ = logarithmic(std::get<int64_t>(values_.back()));
  if (is_absent(values_.front())) low_ -= 1;
}

size_t Scale::position(const Value& value) const {
  return static_cast<size_t>(std::lower_bound(values_.begin(), values_.end(), value) -
                             values_.begin());
}

double Scale::number(const Value& value) const {
  const auto* number = std::get_if<int64_t>(&value);
  return number == nullptr ? low_ : logarithmic(*number);
}

double Scale::coordinate(const Value& value) const {
  if (is_constant()) return 0;
  const double place =
      is_ordered_ ? (number(value) - low_) / (high_ - low_)
                  : static_cast<double>(position(value)) / static_cast<double>(values_.size() - 1);
  return std::clamp(place, 0.0, 1.0);
}

double Scale::distance(const Value& a, const Value& b) const {
  if (a == b) return 0;
  return is_ordered_ ? std::abs(coordinate(a) - coordinate(b)) : 1;
}

void Scale::append_features(const Value& value, std::vector<double>& features) const {
  if (is_ordered_) {
    features.push_back(number(value));
  } else if (values_.size() <= 2) {
    features.push_back(static_cast<double>(position(value)));
  } else {
    for (const Value& known : values_) features.push_back(known == value ? 1 : 0);
  }
}

}  // namespace mdh::tune
