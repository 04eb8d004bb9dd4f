#include "mdh/scalar/operator_table.h"

#include <gtest/gtest.h>

namespace mdh::scalar::operator_table_test {
namespace {

TEST(OperatorTable, row_of_every_operator_is_its_own) {
  for (int n = 0; n <= static_cast<int>(BinaryOp::maximum); ++n) {
    const auto op = static_cast<BinaryOp>(n);
    EXPECT_EQ(operator_row(op).op, op);
  }
}

TEST(OperatorTable, every_operator_is_found_by_its_text_in_one_form_only) {
  for (int n = 0; n <= static_cast<int>(BinaryOp::maximum); ++n) {
    const OperatorRow& row = operator_row(static_cast<BinaryOp>(n));
    EXPECT_EQ(find_infix(row.text), row.strength > 0 ? &row : nullptr) << row.text;
    EXPECT_EQ(find_call(row.text), row.strength > 0 ? nullptr : &row) << row.text;
  }
  EXPECT_EQ(find_infix("<<<"), nullptr);
  EXPECT_EQ(find_call("abs"), nullptr);
}

}  // namespace
}  // namespace mdh::scalar::operator_table_test
