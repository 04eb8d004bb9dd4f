#include "mdh/scalar/combiner.h"

#include <gtest/gtest.h>

#include "mdh/scalar/apply.h"
#include "mdh/support/random.h"

namespace mdh::scalar::combiner_test {
namespace {

int64_t combined(const std::string& name, int64_t a, int64_t b, Scalar type = Scalar::i64) {
  return apply(find_combiner(name)->op, type, Value::integer(a), Value::integer(b)).as_integer();
}

TEST(Combiner, table_holds_the_seven_built_in_operators) {
  EXPECT_EQ(combiner_names(),
            (std::vector<std::string>{"add", "mul", "min", "max", "and", "or", "xor"}));
  for (const std::string& name : combiner_names()) {
    ASSERT_NE(find_combiner(name), nullptr) << name;
    EXPECT_EQ(find_combiner(name)->name, name);
  }
  EXPECT_EQ(find_combiner("sub"), nullptr);
  EXPECT_EQ(find_combiner(""), nullptr);
}

TEST(Combiner, every_operator_computes_what_it_is_called) {
  EXPECT_EQ(combined("add", 12, 10), 22);
  EXPECT_EQ(combined("mul", 12, 10), 120);
  EXPECT_EQ(combined("min", 12, 10), 10);
  EXPECT_EQ(combined("max", 12, 10), 12);
  EXPECT_EQ(combined("and", 12, 10), 8);  // 1100 & 1010 = 1000
  EXPECT_EQ(combined("or", 12, 10), 14);  // 1110
  EXPECT_EQ(combined("xor", 12, 10), 6);  // 0110
}

TEST(Combiner, every_operator_is_associative_and_commutative_on_integers) {
  Random random(8);
  for (const std::string& name : combiner_names()) {
    for (int n = 0; n < 200; ++n) {
      const auto a = static_cast<int32_t>(random.next()), b = static_cast<int32_t>(random.next()),
                 c = static_cast<int32_t>(random.next());
      const auto op = [&](int64_t l, int64_t r) { return combined(name, l, r, Scalar::i32); };
      EXPECT_EQ(op(a, b), op(b, a)) << name;
      EXPECT_EQ(op(op(a, b), c), op(a, op(b, c))) << name;
    }
  }
}

}  // namespace
}  // namespace mdh::scalar::combiner_test
