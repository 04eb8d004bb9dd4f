// What runs on a GPU when nobody has decided anything: every program of the catalogue at sizes that
// are large enough for the rules of grids (ll/grid_config.h), and that no tile divides.
#include <gtest/gtest.h>

#include <cmath>

#include "examples/catalogue.h"
#include "mdh/hl/analysis.h"
#include "mdh/ll/config.h"
#include "tests/campaign/backends.h"
#include "tests/emulation/device.h"
#include "tests/emulation/testing.h"

namespace mdh::emulation::defaults_test {
namespace {

using test::Prepared;

/// About as many points as that, the same along every dimension: an odd number.
std::vector<int64_t> equal_sizes(size_t dimensions, double points) {
  const auto each = static_cast<int64_t>(
      std::ceil(std::pow(points, 1.0 / static_cast<double>(std::max<size_t>(1, dimensions)))));
  return std::vector<int64_t>(dimensions, each | 1);
}

/// The last dimensions are long, the first ones short, or the other way round.
std::vector<int64_t> uneven_sizes(size_t dimensions, bool last) {
  std::vector<int64_t> sizes(dimensions, 3);
  if (sizes.empty()) return sizes;
  const auto others = static_cast<int64_t>(std::pow(3, static_cast<double>(dimensions) - 1));
  (last ? sizes.back() : sizes.front()) = (6000 / others) | 1;
  return sizes;
}

/// So many results that there are tiles of registers and copies, if the program has them.
std::vector<int64_t> sizes_of_tiles(const hl::Program& generic, int64_t terms) {
  int kept = 0, reduced = 0;
  for (const hl::Dimension& d : generic.dimensions) ++(hl::is_reduced(d) ? reduced : kept);
  const auto root = [](int64_t n, int k) {
    return static_cast<int64_t>(std::ceil(std::pow(n, 1.0 / std::max(1, k)))) | 1;
  };
  std::vector<int64_t> sizes;
  for (const hl::Dimension& d : generic.dimensions) {
    sizes.push_back(hl::is_reduced(d) ? root(terms, reduced) : root(4300, kept));
  }
  return sizes;
}

class Defaults : public OnEmulation<testing::TestWithParam<std::string>> {};

TEST_P(Defaults, are_right_on_every_target) {
  const examples::Entry& entry = *examples::find_entry(GetParam());
  const size_t dimensions = entry.generic().dimensions.size();
  for (const std::string& target : test::emulated_targets()) {
    std::vector<Prepared> all;
    for (const char* name : {"gpu", "gpu_nowarp"}) {
      const machine::Machine& machine = machine::find_machine(name);
      for (const auto& sizes : {equal_sizes(dimensions, 6000), uneven_sizes(dimensions, true),
                                uneven_sizes(dimensions, false)}) {
        const hl::Program program = entry.build({entry.types.front(), sizes});
        auto one = test::prepare({program, machine, ll::default_config(program, machine, 4)},
                                 11 + all.size(), target);
        ASSERT_TRUE(one.has_value());
        all.push_back(std::move(*one));
      }
    }
    const std::vector<std::string> complaints = test::run_on(*device(), all);
    for (size_t n = 0; n < all.size(); ++n) EXPECT_EQ(complaints[n], "") << describe(all[n]);
  }
}

/// Results share operands: there are tiles of registers, and copies.
class Products : public OnEmulation<testing::TestWithParam<std::string>> {};

TEST_P(Products, are_right_in_tiles) {
  const examples::Entry& entry = *examples::find_entry(GetParam());
  const machine::Machine& gpu = machine::find_machine("gpu");
  const hl::Program program =
      entry.build({entry.types.front(), sizes_of_tiles(entry.generic(), 19)});
  const ll::Config config = ll::default_config(program, gpu, 4);
  EXPECT_FALSE(config.stage.empty()) << print(config);
  for (const std::string& target : test::emulated_targets()) {
    const auto one = test::prepare({program, gpu, config}, 12, target);
    ASSERT_TRUE(one.has_value());
    EXPECT_EQ(test::run_on(*device(), {*one}).front(), "") << describe(*one);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Products, testing::Values("matmul", "matmul_t", "bmatmul", "mcc"),
                         [](const auto& info) { return info.param; });

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const examples::Entry& entry : examples::catalogue()) all.push_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Defaults, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace mdh::emulation::defaults_test
