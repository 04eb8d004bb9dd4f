#include "mdh/tune/forest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mdh/support/diagnostic.h"
#include "mdh/tune/count.h"

namespace mdh::tune {

void Matrix::add(std::span<const double> row) {
  if (rows_ == 0) width_ = row.size();
  internal_check(row.size() == width_ && width_ < std::numeric_limits<int16_t>::max(),
                 "a row of {} numbers in a matrix of width {}", row.size(), width_);
  for (double cell : row) cells_.push_back(static_cast<float>(cell));
  cells_.push_back(0);
  ++rows_;
}

void Matrix::clear() {
  rows_ = 0;
  cells_.clear();
}

class Forest::Grower {
 public:
  Grower(Forest& forest, const Matrix& samples, std::span<const double> targets,
         const ForestOptions& options, Random& random)
      : forest_(forest),
        samples_(samples),
        targets_(targets),
        options_(options),
        random_(random),
        zero_(static_cast<int16_t>(samples.width())) {
    for (int16_t n = 0; n < zero_; ++n) {
      if (!is_constant(n)) features_.push_back(n);
    }
    const auto all = static_cast<double>(features_.size());
    tried_ = std::max<size_t>(1, static_cast<size_t>(std::ceil(options.features_tried * all)));
    rows_.resize(samples.rows());
    values_.resize(samples.rows());
  }

  Tree grow() {
    for (size_t n = 0; n < rows_.size(); ++n) rows_[n] = static_cast<uint32_t>(n);
    const uint32_t root = add_nodes(1);
    depth_ = 0;
    split(root, 0, rows_.size(), 0);
    return {root, depth_};
  }

 private:
  struct Cut {
    int16_t feature = -1, other = -1;
    float threshold = 0;
    double gain = 0;
  };

  /// In a large space searches stay where many parameters have one value: no cut is there.
  bool is_constant(int16_t feature) const {
    for (size_t row = 1; row < samples_.rows(); ++row) {
      if (samples_[row][feature] != samples_[0][feature]) return false;
    }
    return true;
  }

  uint32_t add_nodes(uint32_t count) {
    const auto first = static_cast<uint32_t>(forest_.nodes_.size());
    for (uint32_t n = first; n < first + count; ++n) {
      forest_.nodes_.push_back({std::numeric_limits<float>::infinity(), zero_, zero_, n});
    }
    forest_.leaves_.resize(first + count);
    return first;
  }

  // Of the samples rows_[first], ..., rows_[last - 1].
  void split(uint32_t node, size_t first, size_t last, uint32_t depth) {
    const auto count = static_cast<double>(last - first);
    double sum = 0, squares = 0;
    for (size_t n = first; n < last; ++n) {
      const double target = targets_[rows_[n]];
      sum += target;
      squares += target * target;
    }
    const double mean = sum / count, variance = std::max(0.0, squares / count - mean * mean);
    forest_.leaves_[node] = {static_cast<float>(mean), static_cast<float>(variance)};
    depth_ = std::max(depth_, depth);
    if (last - first < 2 * options_.min_leaf || variance < 1e-12) return;
    const Cut cut = best_cut(first, last, sum);
    if (cut.feature < 0) return;
    const size_t middle = partition(cut, first, last);
    const uint32_t child = add_nodes(2);
    forest_.nodes_[node] = {cut.threshold, cut.feature, cut.other, child};
    split(child, first, middle, depth + 1);
    split(child + 1, middle, last, depth + 1);
  }

  size_t partition(const Cut& cut, size_t first, size_t last) {
    const auto begin = rows_.begin();
    const auto middle = std::partition(
        begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
        [&](uint32_t row) {
          return samples_[row][cut.feature] + samples_[row][cut.other] <= cut.threshold;
        });
    return static_cast<size_t>(middle - begin);
  }

  // Among features in random order; constant ones do not count.
  Cut best_cut(size_t first, size_t last, double sum) {
    Cut best;
    size_t tried = 0;
    for (size_t n = 0; n < features_.size() && tried < tried_; ++n) {
      std::swap(features_[n], features_[n + random_.next() % (features_.size() - n)]);
      Cut cut{features_[n], zero_};
      if (options_.sums > 0 && random_unit(random_) < options_.sums) {
        const int16_t other = features_[random_.next() % features_.size()];
        if (other != cut.feature) cut.other = other;
      }
      if (!choose_threshold(cut, first, last)) continue;
      ++tried;
      rate(cut, first, last, sum);
      if (cut.gain > best.gain) best = cut;
    }
    return best;
  }

  // False if all values are equal. Fills values_.
  bool choose_threshold(Cut& cut, size_t first, size_t last) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (size_t n = first; n < last; ++n) {
      const float* row = samples_[rows_[n]];
      const float value = row[cut.feature] + row[cut.other];
      values_[n] = value;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const auto place = static_cast<float>(random_unit(random_));
    cut.threshold = std::min(low + place * (high - low), std::nextafter(high, low));
    return low < high;
  }

  // The gain is what the split takes from the sum of squares, up to a constant; 0 if it leaves too
  // few on a side.
  void rate(Cut& cut, size_t first, size_t last, double sum) const {
    double left = 0;
    size_t count = 0;
    for (size_t n = first; n < last; ++n) {
      const bool is_left = values_[n] <= cut.threshold;
      left += is_left ? targets_[rows_[n]] : 0;
      count += is_left ? 1 : 0;
    }
    const size_t others = last - first - count;
    if (std::min(count, others) < options_.min_leaf) return;
    const double a = static_cast<double>(count), b = static_cast<double>(others);
    const double difference = left / a - (sum - left) / b;
    cut.gain = a * b * difference * difference + std::numeric_limits<double>::min();
  }

  Forest& forest_;
  const Matrix& samples_;
  std::span<const double> targets_;
  const ForestOptions& options_;
  Random& random_;
  int16_t zero_;  // the column of zeros
  std::vector<int16_t> features_;
  size_t tried_ = 1;
  std::vector<uint32_t> rows_;
  std::vector<float> values_;
  uint32_t depth_ = 0;
};

Forest::Forest(const Matrix& samples, std::span<const double> targets, const ForestOptions& options,
               Random& random) {
  internal_check(samples.rows() > 0 && samples.rows() == targets.size(),
                 "{} targets for {} samples", targets.size(), samples.rows());
  Grower grower(*this, samples, targets, options, random);
  for (size_t n = 0; n < options.trees; ++n) trees_.push_back(grower.grow());
}

std::vector<Prediction> Forest::predict(const Matrix& rows, std::span<const uint32_t> which) const {
  constexpr size_t block = 16;
  std::vector<Prediction> result(which.size());  // sums of means and squares until the end
  for (const Tree& tree : trees_) {
    for (size_t first = 0; first < result.size(); first += block) {
      const size_t count = std::min(block, result.size() - first);
      std::array<uint32_t, block> at;
      at.fill(tree.root);
      for (uint32_t step = 0; step < tree.depth; ++step) {
        for (size_t n = 0; n < count; ++n) {
          const Node& node = nodes_[at[n]];
          const float* row = rows[which[first + n]];
          at[n] = node.child + (row[node.feature] + row[node.other] > node.threshold ? 1 : 0);
        }
      }
      for (size_t n = 0; n < count; ++n) {
        const Leaf& leaf = leaves_[at[n]];
        result[first + n].mean += leaf.mean;
        result[first + n].deviation += leaf.mean * leaf.mean + leaf.variance;
      }
    }
  }
  const auto trees = static_cast<double>(trees_.size());
  for (Prediction& prediction : result) {
    prediction.mean /= trees;
    const double variance = prediction.deviation / trees - prediction.mean * prediction.mean;
    prediction.deviation = std::sqrt(std::max(0.0, variance));
  }
  return result;
}

}  // namespace mdh::tune
