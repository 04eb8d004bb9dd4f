// A random forest: a model of costs that says how sure it is.
//
// Each tree splits the samples by thresholds on features, drawn at random where they lie between
// samples, and predicts the mean of a leaf. Trees differ in their draws, so where they agree the
// model is sure, and where no sample is near they do not agree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mdh/support/random.h"

namespace mdh::tune {

/// Rows of equally many numbers.
class Matrix {
 public:
  explicit Matrix(size_t width) : width_(width) {}
  void add(std::span<const double> row);
  size_t width() const { return width_; }
  size_t rows() const { return rows_; }
  const float* operator[](size_t row) const { return cells_.data() + row * width_; }

 private:
  size_t width_, rows_ = 0;
  std::vector<float> cells_;
};

struct ForestOptions {
  size_t trees = 32;
  size_t min_leaf = 1;          // samples on either side of a split
  double features_tried = 0.7;  // part of the features that a split is chosen among
  int cuts_tried = 1;           // thresholds drawn for each of them
};

struct Prediction {
  double mean = 0;
  double deviation = 0;
};

class Forest {
 public:
  /// Learns that row n has the value targets[n]; at least one row.
  Forest(const Matrix& samples, std::span<const double> targets, const ForestOptions& options,
         Random& random);

  Prediction predict(const float* row) const;

  /// Of all rows with `wanted`; the others stay as they are.
  void predict(const Matrix& rows, const std::vector<bool>& wanted,
               std::vector<Prediction>& predictions) const;

 private:
  struct Node {
    float threshold = 0;
    int32_t feature = -1;  // -1: a leaf
    uint32_t child = 0;    // for values up to the threshold; the next one for those above
    float mean = 0, variance = 0;
  };
  class Grower;

  const Node& leaf_of(uint32_t root, const float* row) const;

  std::vector<Node> nodes_;
  std::vector<uint32_t> roots_;
};

}  // namespace mdh::tune
