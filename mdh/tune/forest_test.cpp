#include "mdh/tune/forest.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mdh::tune::forest_test {
namespace {

// Points of the unit square and a function of them.
struct Samples {
  Matrix features;
  std::vector<double> targets;
  std::vector<uint32_t> all;
};

template <class Function>
Samples draw(size_t count, Random& random, Function function) {
  Samples samples;
  for (size_t n = 0; n < count; ++n) {
    const double x = static_cast<double>(random.between(0, 1000)) / 1000;
    const double y = static_cast<double>(random.between(0, 1000)) / 1000;
    samples.features.add(std::vector<double>{x, y});
    samples.targets.push_back(function(x, y));
    samples.all.push_back(static_cast<uint32_t>(n));
  }
  return samples;
}

double error(const Forest& forest, const Samples& samples) {
  double sum = 0;
  const auto predictions = forest.predict(samples.features, samples.all);
  for (size_t n = 0; n < predictions.size(); ++n) {
    sum += std::abs(predictions[n].mean - samples.targets[n]);
  }
  return sum / static_cast<double>(predictions.size());
}

double ridge(double x, double y) { return std::abs(x + y - 1); }

TEST(Forest, repeats_what_it_was_taught) {
  Random random(1);
  const Samples samples = draw(200, random, ridge);
  const Forest forest(samples.features, samples.targets, {}, random);
  EXPECT_LT(error(forest, samples), 1e-3);
}

TEST(Forest, predicts_what_it_has_not_seen) {
  Random random(2);
  const Samples taught = draw(400, random, [](double x, double y) { return x * x + y; });
  const Samples asked = draw(400, random, [](double x, double y) { return x * x + y; });
  const Forest forest(taught.features, taught.targets, {}, random);
  EXPECT_LT(error(forest, asked), 0.08);
}

TEST(Forest, sums_of_features_help_where_products_of_parameters_matter) {
  Random random(3);
  const Samples taught = draw(200, random, ridge), asked = draw(400, random, ridge);
  const Forest plain(taught.features, taught.targets, {.sums = 0}, random);
  const Forest oblique(taught.features, taught.targets, {.sums = 0.5}, random);
  EXPECT_LT(error(oblique, asked), 0.8 * error(plain, asked));
}

TEST(Forest, is_less_sure_far_from_samples) {
  Matrix taught, asked;
  std::vector<double> targets;
  for (int n = 0; n < 20; ++n) {
    const double x = n < 10 ? n * 0.01 : 1 - (n - 10) * 0.01;
    taught.add(std::vector<double>{x});
    targets.push_back(n < 10 ? 0 : 1);
  }
  asked.add(std::vector<double>{0.05});
  asked.add(std::vector<double>{0.5});
  Random random(4);
  const std::vector<uint32_t> both = {0, 1};
  const auto predictions = Forest(taught, targets, {}, random).predict(asked, both);
  EXPECT_LT(predictions[0].deviation, 1e-6);
  EXPECT_GT(predictions[1].deviation, 0.3);
}

TEST(Forest, is_the_same_for_the_same_seed) {
  Random one(7), draws(8);
  const Samples samples = draw(50, draws, ridge);
  Random other = one;
  const auto a =
      Forest(samples.features, samples.targets, {}, one).predict(samples.features, samples.all);
  const auto b =
      Forest(samples.features, samples.targets, {}, other).predict(samples.features, samples.all);
  for (size_t n = 0; n < a.size(); ++n) EXPECT_EQ(a[n].mean, b[n].mean);
}

TEST(Forest, one_sample_is_enough) {
  Matrix one;
  one.add(std::vector<double>{1, 2});
  Random random(1);
  const std::vector<uint32_t> first = {0};
  const auto predictions = Forest(one, std::vector<double>{5}, {}, random).predict(one, first);
  EXPECT_EQ(predictions[0].mean, 5);
}

}  // namespace
}  // namespace mdh::tune::forest_test
