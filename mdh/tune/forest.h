// A random forest: a model of costs that says how sure it is.
//
// Each tree splits the samples by thresholds on features, or on sums of two of them, drawn at
// random where they lie between samples, and predicts the mean of a leaf. Trees differ in their
// draws: where they agree the model is sure, and where no sample is near they do not agree.
// Features are logarithms, so a sum of two is a product of parameters, such as the number of
// threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mdh/support/random.h"

namespace mdh::tune {

/// Rows of equally many numbers.
class Matrix {
 public:
  void add(std::span<const double> row);
  void clear();
  size_t width() const { return width_; }
  size_t rows() const { return rows_; }
  /// The numbers of a row, and a 0 behind them.
  const float* operator[](size_t row) const { return cells_.data() + row * (width_ + 1); }

 private:
  size_t width_ = 0, rows_ = 0;
  std::vector<float> cells_;
};

struct ForestOptions {
  size_t trees = 32;
  size_t min_leaf = 1;          // samples on either side of a split
  double features_tried = 0.7;  // part of the features that a split is chosen among
  double sums = 0;              // part of the splits tried that are on sums of two features
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

  /// Of the rows with these numbers, in their order.
  std::vector<Prediction> predict(const Matrix& rows, std::span<const uint32_t> which) const;

 private:
  // A leaf is a node that leads back to itself, so that all rows take the same number of steps: no
  // branch depends on the data, which makes predictions several times as fast.
  struct Node {
    float threshold;
    int16_t feature, other;  // compared is their sum
    uint32_t child;          // for values up to the threshold; the next one for those above
  };
  struct Leaf {
    float mean, variance;
  };
  struct Tree {
    uint32_t root, depth;
  };
  class Grower;

  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;  // as nodes_
  std::vector<Tree> trees_;
};

}  // namespace mdh::tune
