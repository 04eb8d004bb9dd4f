// How the numbers of `auto` are chosen: for each recorded space those that are best on all others,
// so that no space has a say in the numbers it is judged by. With MDH_SELECT=1 the whole grid is
// tried, which takes minutes, and printed; its result is in README.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "mdh/tune/replay.h"
#include "mdh/tune/techniques/auto.h"

namespace mdh::tune::selection_test {
namespace {

const std::vector<std::string> spaces = {"gemm1024", "ccsdt", "resnet16",   "mm16_1000_2048",
                                         "conv4096", "dot",   "matvec4096", "jacobi512"};

std::vector<AutoOptions> grid() {
  std::vector<AutoOptions> settings;
  for (size_t spread : {4, 8, 12}) {
    for (size_t min_leaf : {1, 2}) {
      for (double stretch : {0.02, 0.05}) {
        AutoOptions setting;
        setting.spread = spread;
        setting.stretch = stretch;
        setting.descend_forest.min_leaf = min_leaf;
        settings.push_back(setting);
      }
    }
  }
  return settings;
}

std::string to_string(const AutoOptions& setting) {
  return fmt::format("spread {} min_leaf {} stretch {}", setting.spread,
                     setting.descend_forest.min_leaf, setting.stretch);
}

// The mean of the logarithms: a space counts as much as any other.
double mean_logarithm(const Recording& recording, const AutoOptions& setting, size_t seeds) {
  const MakeTechnique make = [&](const SearchDomain& domain, const TechniqueOptions& options) {
    return automatic(domain, options, setting);
  };
  double sum = 0;
  for (size_t count : replay(recording, make, seeds)) sum += std::log(static_cast<double>(count));
  return sum / static_cast<double>(seeds);
}

// The setting with the lowest mean over all spaces but one.
size_t best_without(size_t left_out, const std::vector<std::vector<double>>& costs) {
  std::vector<double> sums;
  for (const std::vector<double>& row : costs) {
    sums.push_back(0);
    for (size_t space = 0; space < row.size(); ++space) {
      if (space != left_out) sums.back() += row[space];
    }
  }
  return static_cast<size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
}

TEST(Selection, leaves_one_space_out) {
  if (std::getenv("MDH_SELECT") == nullptr) GTEST_SKIP() << "takes minutes; set MDH_SELECT=1";
  const std::vector<AutoOptions> settings = grid();
  std::vector<std::vector<double>> costs;
  for (const AutoOptions& setting : settings) {
    costs.emplace_back();
    std::string line = to_string(setting);
    for (const std::string& name : spaces) {
      const Recording recording =
          read_recording(MDH_SOURCE_DIR "/tests/data/recorded_spaces/" + name + ".jsonl");
      costs.back().push_back(mean_logarithm(recording, setting, 60));
      line += fmt::format(" {:.1f}", std::exp(costs.back().back()));
    }
    fmt::print("{}\n", line);
  }
  for (size_t space = 0; space < spaces.size(); ++space) {
    const size_t best = best_without(space, costs);
    fmt::print("without {}: {}; there it takes {:.1f}\n", spaces[space], to_string(settings[best]),
               std::exp(costs[best][space]));
  }
  const size_t best = best_without(spaces.size(), costs);
  fmt::print("on all: {}\n", to_string(settings[best]));
  EXPECT_EQ(to_string(settings[best]), to_string(AutoOptions{}));
}

}  // namespace
}  // namespace mdh::tune::selection_test
