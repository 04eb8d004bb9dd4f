#include "tests/campaign/registers.h"

#include <gtest/gtest.h>

#include "mdh/hl/parse.h"

namespace mdh::test::registers_test {
namespace {

/// Where tiles that all bodies share stand outside of them, the body at the edge has loops over
/// them, and they are arrays: one or two of a hundred.
TEST(Registers, hold_what_decompositions_mean_to_be_there) {
  RegisterCount all;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const auto one = prepare(make_triple(seed), seed, "openmp");
    if (!one) continue;
    const RegisterCount mine = registers_of(*one);
    all.meant += mine.meant;
    all.kept += mine.kept;
  }
  EXPECT_GT(all.meant, 25);
  EXPECT_GT(all.kept, 0.95 * all.meant) << all.kept << " of " << all.meant;
}

/// A tile that a loop walks along is an array, and the module says so.
TEST(Registers, modules_name_what_became_an_array) {
  const Triple triple{
      hl::parse("mdh 1\nprogram sums = out_view( y: f32 = [i] ) * md_hom( i: 8 by cc, k: 12 by "
                "pw(add) ) { y = x; } * inp_view( x: f32 = [i, k] )"),
      machine::find_machine("cpu"), ll::parse_config(R"({"mdh_config": 1, "layers": ["L1", "REG"],
          "split": {"i": ["L1 4", "REG 2"], "k": ["L1 12"]}, "order": ["L1.i", "L1.k", "REG.i"],
          "stage": {"x": [{"from": "L1.k", "region": "REG"}]},
          "acc": {"y": [{"inside": "L1.k", "region": "REG"}]}})")};
  const auto one = prepare(triple, 1, "openmp");
  ASSERT_TRUE(one);
  EXPECT_EQ(one->module.arrays, std::vector<std::string>{"x_reg"});
  EXPECT_EQ(registers_of(*one).meant, 1) << "the results";
  EXPECT_EQ(registers_of(*one).kept, 1);
}

}  // namespace
}  // namespace mdh::test::registers_test
