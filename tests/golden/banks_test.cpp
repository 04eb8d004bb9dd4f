// Bank conflicts of configurations that were measured.
#include "mdh/backend/grid/banks.h"

#include <gtest/gtest.h>

#include "mdh/driver/stages.h"
#include "tests/golden/configured.h"

namespace mdh::test::banks_test {
namespace {

using backend::BankUse;
using backend::Direction;

std::vector<BankUse> uses_of(const std::string& file) {
  const Configured c = configured("../../bench/configs/sm_90/" + file);
  return backend::bank_uses(driver::lower_all(c.program, c.machine, c.config,
                                              driver::find_target("cuda"),
                                              driver::kernel_name(c.program))
                                .concrete);
}

TEST(BanksOfConfigurations, the_measured_product_reads_its_tiles_without_conflicts) {
  std::vector<std::string> read;
  for (const BankUse& use : uses_of("matmul_1024.json")) {
    ASSERT_TRUE(use.passes) << use.buffer.name;
    if (use.direction == Direction::written) continue;
    EXPECT_EQ(use.passes->needed, use.passes->least) << use.buffer.name;
    EXPECT_EQ(use.at_once, 4) << use.buffer.name;
    if (read.empty() || read.back() != use.buffer.name) read.push_back(use.buffer.name);
  }
  EXPECT_GE(read.size(), 2u) << "tiles of both inputs";
}

}  // namespace
}  // namespace mdh::test::banks_test
