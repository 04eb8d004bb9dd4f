#include "mdh/tune/forest.h"

#include <algorithm>
#include <cmath>

#include "mdh/support/diagnostic.h"

namespace mdh::tune {

void Matrix::add(std::span<const double> row) {
  internal_check(row.size() == width_, "a row of {} numbers in a matrix of width {}", row.size(),
                 width_);
  for (double cell : row) cells_.push_back(static_cast<float>(cell));
  ++rows_;
}

class Forest::Grower {
 public:
  Grower(const Matrix& samples, std::span<const double> targets, const ForestOptions& options,
         Random& random, std::vector<Node>& nodes)
      : samples_(samples), targets_(targets), options_(options), random_(random), nodes_(nodes) {
    for (size_t n = 0; n < samples.width(); ++n) features_.push_back(static_cast<int32_t>(n));
    const auto share = static_cast<size_t>(
        std::ceil(options.features_tried * static_cast<double>(samples.width())));
    tried_ = std::clamp<size_t>(share, 1, std::max<size_t>(1, samples.width()));
  }

  uint32_t grow() {
    rows_.resize(samples_.rows());
    for (size_t n = 0; n < rows_.size(); ++n) rows_[n] = static_cast<uint32_t>(n);
    const auto root = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
    split(root, 0, rows_.size());
    return root;
  }

 private:
  struct Cut {
    int32_t feature = -1;
    float threshold = 0;
    double gain = 0;
  };

  void split(uint32_t node, size_t first, size_t last) {
    const auto count = static_cast<double>(last - first);
    double sum = 0, squares = 0;
    for (size_t n = first; n < last; ++n) {
      const double target = targets_[rows_[n]];
      sum += target;
      squares += target * target;
    }
    nodes_[node].mean = static_cast<float>(sum / count);
    const double variance = std::max(0.0, squares / count - (sum / count) * (sum / count));
    nodes_[node].variance = static_cast<float>(variance);
    if (last - first < 2 * options_.min_leaf || variance < 1e-12) return;
    const Cut cut = best_cut(first, last, sum);
    if (cut.feature < 0) return;
    const auto middle = std::partition(
        rows_.begin() + static_cast<std::ptrdiff_t>(first),
        rows_.begin() + static_cast<std::ptrdiff_t>(last),
        [&](uint32_t row) { return samples_[row][cut.feature] <= cut.threshold; });
    const auto at = static_cast<size_t>(middle - rows_.begin());
    const auto child = static_cast<uint32_t>(nodes_.size());
    nodes_[node].feature = cut.feature;
    nodes_[node].threshold = cut.threshold;
    nodes_[node].child = child;
    nodes_.resize(nodes_.size() + 2);
    split(child, first, at);
    split(child + 1, at, last);
  }

  // Among features in random order, constant ones not counted.
  Cut best_cut(size_t first, size_t last, double sum) {
    Cut best;
    size_t tried = 0;
    for (size_t n = 0; n < features_.size() && tried < tried_; ++n) {
      std::swap(features_[n], features_[n + random_.next() % (features_.size() - n)]);
      const int32_t feature = features_[n];
      float low = samples_[rows_[first]][feature], high = low;
      for (size_t row = first + 1; row < last; ++row) {
        const float value = samples_[rows_[row]][feature];
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (low == high) continue;
      ++tried;
      for (int k = 0; k < options_.cuts_tried; ++k) consider(feature, low, high, first, last, sum, best);
    }
    return best;
  }

  void consider(int32_t feature, float low, float high, size_t first, size_t last, double sum,
                Cut& best) {
    const float unit = static_cast<float>(random_.next() >> 40) * 0x1p-24f;
    const float threshold = std::min(low + unit * (high - low), std::nextafter(high, low));
    double left = 0;
    size_t count = 0;
    for (size_t row = first; row < last; ++row) {
      const bool is_left = samples_[rows_[row]][feature] <= threshold;
      left += is_left ? targets_[rows_[row]] : 0;
      count += is_left ? 1 : 0;
    }
    const size_t others = last - first - count;
    if (count < options_.min_leaf || others < options_.min_leaf) return;
    const double right = sum - left;
    const double gain = left * left / static_cast<double>(count) +
                        right * right / static_cast<double>(others);
    if (best.feature < 0 || gain > best.gain) best = {feature, threshold, gain};
  }

  const Matrix& samples_;
  std::span<const double> targets_;
  const ForestOptions& options_;
  Random& random_;
  std::vector<Node>& nodes_;
  std::vector<int32_t> features_;
  size_t tried_ = 1;
  std::vector<uint32_t> rows_;
};

Forest::Forest(const Matrix& samples, std::span<const double> targets,
               const ForestOptions& options, Random& random) {
  internal_check(samples.rows() > 0 && samples.rows() == targets.size(),
                 "{} targets for {} samples", targets.size(), samples.rows());
  Grower grower(samples, targets, options, random, nodes_);
  for (size_t n = 0; n < options.trees; ++n) roots_.push_back(grower.grow());
}

const Forest::Node& Forest::leaf_of(uint32_t root, const float* row) const {
  const Node* node = &nodes_[root];
  while (node->feature >= 0) {
    node = &nodes_[node->child + (row[node->feature] > node->threshold ? 1 : 0)];
  }
  return *node;
}

Prediction Forest::predict(const float* row) const {
  double sum = 0, squares = 0;
  for (uint32_t root : roots_) {
    const Node& leaf = leaf_of(root, row);
    const double mean = leaf.mean;
    sum += mean;
    squares += mean * mean + leaf.variance;
  }
  const auto trees = static_cast<double>(roots_.size());
  const double mean = sum / trees;
  return {mean, std::sqrt(std::max(0.0, squares / trees - mean * mean))};
}

void Forest::predict(const Matrix& rows, const std::vector<bool>& wanted,
                     std::vector<Prediction>& predictions) const {
  predictions.resize(rows.rows());
  for (size_t row = 0; row < rows.rows(); ++row) {
    if (wanted[row]) predictions[row] = predict(rows[row]);
  }
}

}  // namespace mdh::tune
