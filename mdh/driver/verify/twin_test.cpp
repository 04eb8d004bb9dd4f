#include "mdh/driver/verify/twin.h"

#include <gtest/gtest.h>

#include "mdh/hl/parse.h"
#include "mdh/ll/config.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/scalar/tape/tape.h"

namespace mdh::driver::twin_test {
namespace {

using scalar::Scalar;
using scalar::Value;

Value twin_result(const Meaning& twin, const std::vector<Value>& arguments) {
  std::vector<Value> result(1);
  scalar::Tape(twin.f).run(arguments, result);
  return result.front();
}

TEST(Twin, floats_become_unsigned_integers_of_their_width) {
  EXPECT_EQ(twin_type(Scalar::f16), Scalar::u16);
  EXPECT_EQ(twin_type(Scalar::bf16), Scalar::u16);
  EXPECT_EQ(twin_type(Scalar::f32), Scalar::u32);
  EXPECT_EQ(twin_type(Scalar::f64), Scalar::u64);
  EXPECT_EQ(twin_type(Scalar::i8), Scalar::i8);
}

TEST(Twin, hash_changes_with_every_operand) {
  const Meaning twin = twin_of(meaning_of(matvec(Scalar::f32, 4, 4)), 1);
  const Value right = twin_result(twin, {{10}, {20}, {0}, {0}});
  EXPECT_NE(twin_result(twin, {{11}, {20}, {0}, {0}}), right);
  EXPECT_NE(twin_result(twin, {{10}, {21}, {0}, {0}}), right);
  EXPECT_NE(twin_result(twin, {{20}, {10}, {0}, {0}}), right);
}

TEST(Twin, point_counts_only_where_f_mentions_it) {
  const auto program = [](const std::string& f) {
    return hl::parse("mdh 1\nprogram p = out_view( y: f32 = [i] ) * md_hom( i: 4 by cc ) { y = " +
                     f + "; } * inp_view( x: f32 = [i] )");
  };
  const Meaning blind = twin_of(meaning_of(program("x")), 1);
  EXPECT_EQ(twin_result(blind, {{7}, {1}}), twin_result(blind, {{7}, {2}}));
  const Meaning sees = twin_of(meaning_of(program("x * f32(i)")), 1);
  EXPECT_NE(twin_result(sees, {{7}, {1}}), twin_result(sees, {{7}, {2}}));
}

TEST(Twin, combination_is_addition_that_wraps_around) {
  const Meaning twin = twin_of(meaning_of(matvec(Scalar::f32, 4, 4)), 1);
  std::vector<Value> sum(1);
  scalar::Tape(twin.combine).run(std::vector<Value>{{0xffffffff}, {3}}, sum);
  EXPECT_EQ(sum.front().bits, 2u);
}

TEST(Twin, statements_are_those_of_the_kernel) {
  const hl::Program p = matvec(Scalar::f32, 7, 13);
  const machine::Machine& cpu = machine::find_machine("cpu");
  const Target& openmp = find_target("openmp");
  const Stages stages = lower_all(p, cpu, ll::default_config(p, cpu, 2), openmp, "run_p");
  const Stages twin = twin_stages(stages, openmp);
  EXPECT_EQ(twin.concrete.body, stages.concrete.body);
  EXPECT_NE(twin.module.source, stages.module.source);
  EXPECT_EQ(twin.module.source.find("float"), std::string::npos) << twin.module.source;
}

TEST(Twin, operators_on_whole_arrays_have_none) {
  EXPECT_EQ(without_twin(matvec(Scalar::f32, 4, 4)), "");
}

}  // namespace
}  // namespace mdh::driver::twin_test
