// Generated configurations compute what the definition says, for every program of the catalogue.
#include <gtest/gtest.h>

#include "examples/catalogue.h"
#include "mdh/driver/data.h"
#include "mdh/driver/stages.h"
#include "mdh/driver/verification.h"
#include "mdh/ll/evaluate.h"
#include "mdh/ll/polyhedral.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/support/random.h"

namespace mdh::test::polyhedral_test {
namespace {

using Numbers = std::vector<int64_t>;

/// Sizes of which the literal evaluators visit every point.
examples::Instance small_instance(const examples::Entry& entry, Random& random) {
  examples::Instance at{random.pick(entry.types), {}};
  for (size_t d = entry.generic().dimensions.size(); d > 0; --d) {
    at.sizes.push_back(random.between(1, 7));
  }
  while (scalar::volume(at.sizes) > 300) {
    int64_t& size = at.sizes[random.between(0, static_cast<int64_t>(at.sizes.size()) - 1)];
    size = (size + 1) / 2;
  }
  return at;
}

Numbers random_numbers(Random& random, size_t count, int64_t most) {
  Numbers numbers;
  while (numbers.size() < count) numbers.push_back(random.between(1, most));
  return numbers;
}

void expect_right(const hl::Program& p, const std::vector<scalar::Array>& inputs,
                  const machine::Machine& machine, const ll::Config& config) {
  SCOPED_TRACE(ll::print(config));
  const ll::Program low = passes::lower(p, machine, config);
  const driver::Verification v = driver::verify_outputs(
      p, inputs, ll::evaluate(low, inputs), {.depth = driver::rounding_depth(low, machine)});
  EXPECT_TRUE(v.right) << v.complaint;
}

class Generated : public testing::TestWithParam<std::string> {};

TEST_P(Generated, configurations_of_polyhedral_compilers_compute_the_same_function) {
  const examples::Entry& entry = *examples::find_entry(GetParam());
  static const std::vector<std::string> cpus = {"openmp", "openmp_l3", "cpu", "artificial"};
  static const std::vector<std::string> gpus = {"cuda", "cuda_wrp", "opencl", "gpu"};
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const examples::Instance at = small_instance(entry, random);
    const hl::Program p = entry.build(at);
    const std::vector<scalar::Array> inputs =
        entry.inputs ? entry.inputs(at, p, seed) : driver::random_inputs(p, seed);
    const Numbers tiles = random_numbers(random, at.sizes.size(), 8);
    const machine::Machine& cpu = machine::find_machine(random.pick(cpus));
    expect_right(p, inputs, cpu, ll::pluto_style(p, cpu, tiles));
    const machine::Machine& gpu = machine::find_machine(random.pick(gpus));
    const Numbers grid = random_numbers(random, random.between(1, 2), 4);
    const Numbers block = random_numbers(random, random.between(1, 3), 6);
    expect_right(p, inputs, gpu, ll::ppcg_style(p, gpu, tiles, block, grid));
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const examples::Entry& entry : examples::catalogue()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Generated, testing::ValuesIn(all_names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace mdh::test::polyhedral_test
