// Every program of the catalogue on the emulation, in all its types at small, odd sizes: by default
// and by configurations drawn for the machines of GPUs.
#include <gtest/gtest.h>

#include "examples/catalogue.h"
#include "mdh/driver/target.h"
#include "tests/campaign/backends.h"
#include "tests/emulation/device.h"
#include "tests/emulation/testing.h"

namespace mdh::emulation::catalogue_test {
namespace {

using test::Prepared;

constexpr int drawn_per_type = 6;

/// Several parts along every dimension, and none of them whole.
std::vector<int64_t> odd_sizes(size_t dimensions, Random& random) {
  static const std::vector<int64_t> choices = {3, 5, 7, 9, 11};
  std::vector<int64_t> sizes(dimensions);
  for (int64_t& size : sizes) size = random.pick(choices);
  while (scalar::volume(sizes) > 400) {
    int64_t& size =
        sizes[static_cast<size_t>(random.between(0, static_cast<int64_t>(dimensions) - 1))];
    size = std::max<int64_t>(1, size - 2);
  }
  return sizes;
}

machine::Machine machine_of_a_gpu(Random& random) {
  static const std::vector<std::string> names = {"gpu", "gpu_nowarp", "cuda", "cuda_wrp", "opencl"};
  return machine::find_machine(random.pick(names));
}

/// A configuration that the target supports: most are, and others are drawn again.
Prepared drawn(const hl::Program& program, uint64_t seed, const std::string& target) {
  for (;; ++seed) {
    Random random(seed);
    const machine::Machine machine = machine_of_a_gpu(random);
    const test::Style style = seed % 3 == 0 ? test::Style::arbitrary : test::Style::staged;
    auto one = test::prepare({program, machine, any_config(program, machine, style, random)}, seed,
                             target);
    if (one) return std::move(*one);
  }
}

std::vector<Prepared> all_of(const examples::Entry& entry, const std::string& target) {
  std::vector<Prepared> all;
  uint64_t seed = 7'000'000;
  for (const scalar::Scalar type : entry.types) {
    Random random(seed += 1000);
    const hl::Program program =
        entry.build({type, odd_sizes(entry.generic().dimensions.size(), random)});
    const machine::Machine& usual = machine::find_machine(driver::find_target(target).machine);
    if (auto one =
            test::prepare({program, usual, ll::default_config(program, usual, 4)}, seed, target)) {
      all.push_back(std::move(*one));
    } else {
      ADD_FAILURE() << "the default configuration is refused in " << to_string(type);
    }
    for (int n = 0; n < drawn_per_type; ++n) all.push_back(drawn(program, seed += 1000, target));
  }
  return all;
}

class Catalogue : public OnEmulation<testing::TestWithParam<std::string>> {};

TEST_P(Catalogue, is_right_on_every_target) {
  for (const std::string& target : test::emulated_targets()) {
    const std::vector<Prepared> all = all_of(*examples::find_entry(GetParam()), target);
    const std::vector<std::string> complaints = test::run_on(*device(), all);
    for (size_t n = 0; n < all.size(); ++n) EXPECT_EQ(complaints[n], "") << describe(all[n]);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const examples::Entry& entry : examples::catalogue()) all.push_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, Catalogue, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace mdh::emulation::catalogue_test
