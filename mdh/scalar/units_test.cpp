#include "mdh/scalar/units.h"

#include <gtest/gtest.h>

#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/resolve.h"

namespace mdh::scalar::units_test {
namespace {

const Type pair_type(Record{"pair", {{"w", Scalar::f32, 0}, {"at", Scalar::i32, 2}}});

Symbol l() { return local("l"); }
Symbol r() { return local("r"); }

Expr left() { return variable(l(), pair_type); }
Expr right() { return variable(r(), pair_type); }

std::vector<std::string> texts(const Function& f) {
  std::vector<std::string> all;
  const auto units = unit_expressions(f);
  if (!units) return {"nothing"};
  for (const Expr& e : *units) all.push_back(print(e));
  return all;
}

Function of(const Expr& result, std::vector<Assignment> locals = {}) {
  return {"f", {{l(), pair_type}, {r(), pair_type}}, {{local("y"), result, {}}}, std::move(locals)};
}

TEST(Units, record_is_its_fields) {
  std::vector<std::string> names;
  for (const Expr& e : unit_variables({l(), pair_type})) names.push_back(print(e));
  EXPECT_EQ(names, (std::vector<std::string>{"l.w", "l.at"}));
  EXPECT_EQ(texts(of(left())), (std::vector<std::string>{"l.w", "l.at"}));
}

TEST(Units, choice_of_a_record_is_one_of_each_field) {
  const Expr better = binary(BinaryOp::greater, field_of(left(), "w"), field_of(right(), "w"));
  EXPECT_EQ(texts(of(select(better, left(), right()))),
            (std::vector<std::string>{"if l.w > r.w then l.w else r.w",
                                      "if l.w > r.w then l.at else r.at"}));
}

TEST(Units, lets_and_calls_are_what_they_stand_for) {
  const Symbol t = local("t");
  const Expr sum = binary(BinaryOp::add, field_of(left(), "w"), field_of(right(), "w"));
  Function twice{
      "twice",
      {{local("a"), Scalar::f32}},
      {{local("return"),
        binary(BinaryOp::add, variable(local("a"), Scalar::f32), variable(local("a"), Scalar::f32)),
        {}}},
      {}};
  const Expr result = call(
      {"twice", {variable(t, Scalar::f32)}, std::make_shared<const Function>(std::move(twice))},
      Scalar::f32);
  EXPECT_EQ(texts(of(result, {{t, sum, {}}})), std::vector<std::string>{"l.w + r.w + (l.w + r.w)"});
}

TEST(Units, loops_and_what_grows_without_end_are_left_alone) {
  std::vector<Assignment> doubled = {{local("t0"), field_of(left(), "w"), {}}};
  for (int n = 1; n < 40; ++n) {
    const Expr before = variable(local("t" + std::to_string(n - 1)), Scalar::f32);
    doubled.push_back({local("t" + std::to_string(n)), binary(BinaryOp::add, before, before), {}});
  }
  EXPECT_TRUE(unit_expressions(of(variable(local("t9"), Scalar::f32), doubled)));
  EXPECT_FALSE(unit_expressions(of(variable(local("t39"), Scalar::f32), doubled)));
  const Symbol k = local("k");
  const Expr loop_ = loop({{{k, index_literal(0)}},
                           binary(BinaryOp::less, variable(k, Scalar::i64), index_literal(3)),
                           {{k, binary(BinaryOp::add, variable(k, Scalar::i64), index_literal(1))}},
                           field_of(left(), "w")});
  EXPECT_EQ(texts(of(loop_)), std::vector<std::string>{"nothing"});
}

}  // namespace
}  // namespace mdh::scalar::units_test
