#include "mdh/report/roofline.h"

#include <gtest/gtest.h>

#include "mdh/report/test_runs.h"

namespace mdh::report::roofline_test {
namespace {

TEST(Roofline, of_a_matrix_product) {
  const machine::Machine& cpu = machine::find_machine("cpu");
  model::Rates rates = model::typical_rates(cpu, 2);
  rates.operation = 0.1;
  rates.vector_bytes = 16;
  rates.memory_of_all = 32;
  const Roofline roofs = roofline_of(test_matmul(), rates);
  // Ten vectors of four a nanosecond on each of two cores; a multiply-add counts as two.
  EXPECT_NEAR(roofs.peak, 160, 0.5);
  EXPECT_NEAR(roofs.intensity, 2.0 * 1024 / 12, 0.5);
  EXPECT_NEAR(roofs.ridge(), 5, 0.1);
  EXPECT_DOUBLE_EQ(roofs.roof_at(1), 32);
  EXPECT_DOUBLE_EQ(roofs.roof_at(1000), roofs.peak);
}

TEST(Roofline, rates_are_typical_until_one_is_measured) {
  const machine::Machine& cpu = machine::find_machine("cpu");
  model::Rates rates = model::typical_rates(cpu, 2);
  rates.find("L3")->bytes *= 2;  // sizes are known, not measured
  EXPECT_TRUE(are_typical(rates, cpu));
  rates.find("L2")->rate *= 1.1;
  EXPECT_FALSE(are_typical(rates, cpu));
}

}  // namespace
}  // namespace mdh::report::roofline_test
