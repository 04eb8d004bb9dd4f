// The grid printer in the words of CUDA: the emulation gives them the same meaning as those of
// OpenCL.
#include <gtest/gtest.h>

#include "mdh/backend/grid/printer.h"
#include "mdh/backend/opencl/opencl.h"
#include "mdh/driver/data.h"
#include "mdh/driver/stages.h"
#include "tests/campaign/backends.h"
#include "tests/emulation/device.h"
#include "tests/emulation/testing.h"

namespace mdh::emulation::words_test {
namespace {

class Words : public OnEmulation<testing::Test> {};

kernel::Module print_with_words(const loop::Program& program, const std::string& name) {
  static const backend::GridWords words = {
      .language = "cuda",
      .dialect = backend::Dialect::opencl,
      .kernel = "extern \"C\" __global__ void",
      .local = "__shared__",
      .to_global = "",
      .to_local = "",
      .alone = "__restrict__",
      .group = {"blockIdx.x", "blockIdx.y", "blockIdx.z"},
      .item = {"threadIdx.x", "threadIdx.y", "threadIdx.z"},
      .item_of_all = "((long)blockIdx.x * blockDim.x + threadIdx.x)",
      .items_of_all = "((long)gridDim.x * blockDim.x)",
      .barrier = "__syncthreads()",
  };
  return backend::print_grid(program, name, words);
}

TEST_F(Words, of_cuda_mean_what_those_of_opencl_mean) {
  driver::Target target{backend::opencl(), nullptr};
  target.print = print_with_words;
  std::vector<test::Prepared> all;
  for (uint64_t seed = 500'000; seed < 500'060; ++seed) {
    auto one = test::prepare(test::make_triple(seed), seed, "opencl");
    if (!one) continue;
    one->module = driver::lower_all(one->triple.program, one->triple.machine, one->triple.config,
                                    target, one->module.name)
                      .module;
    all.push_back(std::move(*one));
  }
  ASSERT_GT(all.size(), 30u);
  const std::vector<std::string> complaints = test::run_on(*device(), all);
  for (size_t n = 0; n < all.size(); ++n) EXPECT_EQ(complaints[n], "") << describe(all[n]);
}

}  // namespace
}  // namespace mdh::emulation::words_test
