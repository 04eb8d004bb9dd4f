// Sizes that are written * and known at run time only.
#include <gtest/gtest.h>

#include "mdh/support/files.h"
#include "tests/cli/tool.h"

namespace mdh::test::open_sizes_test {
namespace {

const std::string program = R"(mdh 1
program matvec<T: type = f32, I: size = *, K: size = *> =
  out_view( w: T = [i] )
* md_hom( i: I by cc, k: K by pw(add) ) { w = M * v; }
* inp_view( M: T = [i, k]; v: T = [k] )
)";

const std::string config = R"({"mdh_config": 1, "machine": "cpu",
 "layers": ["COR", "L1", "SIMD"],
 "split": {"i": ["COR *", "L1 8"], "k": ["L1 *", "SIMD 4"]},
 "order": ["COR.i", "L1.i", "L1.k", "SIMD.k"]})";

class OpenSizes : public testing::Test {
 protected:
  void SetUp() override {
    write_file(program_file_, program);
    write_file(config_file_, config);
  }

  Outcome run(const std::string& verb) const {
    return mdh(fmt::format("{} {} --config {}", verb, program_file_, config_file_));
  }

  const TemporaryDirectory folder_;
  const std::string program_file_ = folder_.path() / "matvec.mdh";
  const std::string config_file_ = folder_.path() / "open.json";
};

TEST_F(OpenSizes, are_counted_symbolically) {
  const Outcome o = run("check");
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "matvec: for any size\n")) << o.out;
  // 8 rows a core, each in ceil(K / 4) steps of 4 products.
  EXPECT_TRUE(contains(o.out, " 32 * ceil(I / 8) * ceil(K / 4) ")) << o.out;
}

TEST_F(OpenSizes, are_shown_as_open_levels) {
  const Outcome o = run("show --ll");
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "  COR.i:  cc_inv * on COR.x ")) << o.out;
  EXPECT_TRUE(contains(o.out, "  L1.k:   pw(add) * on L1.y ")) << o.out;
  EXPECT_TRUE(contains(o.out, "program matvec<I: size = *, K: size = *> =\n")) << o.out;
}

TEST_F(OpenSizes, are_closed_by_a_size) {
  const Outcome o = run("check --size 17,13");
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "matvec: 221 points")) << o.out;
  EXPECT_TRUE(contains(o.out, "\n  COR          3       3\n")) << "ceil(17 / 8)\n" << o.out;
}

TEST_F(OpenSizes, need_a_value_to_run) {
  const Outcome o = run("run");
  EXPECT_EQ(o.exit, 2);
  EXPECT_TRUE(contains(o.err, "error: size 'I' of program 'matvec' has no value [E211]\n"))
      << o.err;
}

TEST_F(OpenSizes, are_not_estimated) {
  const Outcome o = mdh("show " + program_file_ + " --config model --ll");
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_NE(o.err.find("not supported: a choice by estimates for 'matvec' on machine 'cpu' [E814]\n"
                       "hint: --config default\n"),
            std::string::npos)
      << o.err;
}

}  // namespace
}  // namespace mdh::test::open_sizes_test
