// Values of one parameter as numbers: for techniques that calculate with points.
#pragma once

#include <vector>

#include "mdh/tune/parameter.h"

namespace mdh::tune {

/// Numbers by their logarithm, with 0 and negative ones in their place: ... -2 -> -2, -1 -> -1,
/// 0 -> 0, 1 -> 1, 2 -> 2, 4 -> 3, 8 -> 4.
double logarithmic(int64_t number);

class Scale {
 public:
  /// `values` are those that occur. Labels count as categorical; an absent value lies below the
  /// smallest number.
  Scale(ParameterKind kind, std::vector<Value> values);

  bool is_constant() const { return values_.size() < 2; }

  /// In [0, 1]: by the logarithm for numbers, by position for labels.
  double coordinate(const Value& value) const;

  /// How far apart two values are, in [0, 1].
  double distance(const Value& a, const Value& b) const;

  /// The number itself, on its logarithmic scale; for three or more labels one number each, 1 for
  /// the label at hand.
  void append_features(const Value& value, std::vector<double>& features) const;

 private:
  size_t position(const Value& value) const;
  double number(const Value& value) const;

  bool is_ordered_;
  std::vector<Value> values_;  // sorted
  double low_ = 0, high_ = 0;
};

}  // namespace mdh::tune
