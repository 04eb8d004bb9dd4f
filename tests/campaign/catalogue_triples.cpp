#include "tests/campaign/catalogue_triples.h"

#include "mdh/driver/target.h"
#include "mdh/support/diagnostic.h"

namespace mdh::test {
namespace {

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
    const Style style = seed % 3 == 0 ? Style::arbitrary : Style::staged;
    auto one =
        prepare({program, machine, any_config(program, machine, style, random)}, seed, target);
    if (one) return std::move(*one);
  }
}

}  // namespace

std::vector<Prepared> prepared_of(const examples::Entry& entry, const std::string& target,
                                  int drawn_per_type, uint64_t seed) {
  std::vector<Prepared> all;
  for (const scalar::Scalar type : entry.types) {
    Random random(seed += 1000);
    const hl::Program program =
        entry.build({type, odd_sizes(entry.generic().dimensions.size(), random)});
    const machine::Machine& usual = machine::find_machine(driver::find_target(target).machine);
    if (auto one = prepare({program, usual, ll::default_config(program, usual, 4)}, seed, target)) {
      all.push_back(std::move(*one));
    } else {
      internal_failure(false, fmt::format("the default configuration of '{}' is refused in {}",
                                          entry.name, to_string(type)));
    }
    for (int n = 0; n < drawn_per_type; ++n) all.push_back(drawn(program, seed += 1000, target));
  }
  return all;
}

}  // namespace mdh::test
