#include "mdh/passes/registers/emit_order.h"

#include <gtest/gtest.h>

#include "mdh/passes/registers/test_registers.h"

namespace mdh::passes::emit_order_test {
namespace {

More ordered(const std::string& order) {
  return {registers.digits, registers.buffers + "emit " + order + "\n"};
}

/// M[0, row] · v[0 .. 1], into two elements of a row of registers.
std::string tile(int row, int column, const std::string& places = "a") {
  return fmt::format(
      "lanes - a < 2 {{ load m_{0}{1} = M[0, {0}]; load w_{0}{1} = v[{2} + {1}];"
      " apply z_{0}{1} = f(m_{0}{1}, w_{0}{1}; 0, 0);"
      " store acc[{0}, {2} + {1}] = z_{0}{1}; }}",
      row, column, places);
}

/// The order of elements that are stored: row and lane, in the order of lanes.
std::string stored(const std::string& order, int64_t access_bytes) {
  const std::string body =
      "deal cores (c < 7) { alloc acc; " + tile(0, 0) + tile(1, 0) + tile(0, 2) + tile(1, 2) + " }";
  const loop::Program after =
      emit_order(matvec_with(body, ordered(order)), {.access_bytes = access_bytes});
  loop::verify(after);
  std::string text;
  for (const loop::Stmt& s : after.body.back().as<loop::Deal>()->body) {
    const auto* lanes = s.as<loop::Lanes>();
    if (lanes) text += loop::print(lanes->body.back().as<loop::Store>()->to) + " ";
  }
  return text;
}

TEST(EmitOrder, groups_wind_around_an_operand) {
  EXPECT_EQ(stored("by (M)", 0), "acc[0, a + 0] acc[0, a + 2] acc[1, a + 0] acc[1, a + 2] ");
  EXPECT_EQ(stored("serpentine by (M)", 0),
            "acc[0, a + 0] acc[0, a + 2] acc[1, a + 2] acc[1, a + 0] ");
  EXPECT_EQ(stored("serpentine by (v)", 0),
            "acc[0, a + 0] acc[1, a + 0] acc[1, a + 2] acc[0, a + 2] ");
}

TEST(EmitOrder, lanes_that_are_written_out_wind_as_well) {
  EXPECT_EQ(stored("serpentine by (M)", 16),
            "acc[0, a + 0] acc[0, a + 2] acc[1, 1 - a + 2] acc[1, 1 - a] ");
  EXPECT_EQ(stored("by (M)", 16), stored("by (M)", 0));
}

TEST(EmitOrder, means_the_same) {
  for (const std::string order :
       {"serpentine", "serpentine by (M)", "serpentine by (v)", "by (M)"}) {
    for (const int64_t bytes : {0, 16}) {
      expect_meaning(emit_order,
                     "deal cores (c < 7) { alloc acc; " + tile(0, 0) + tile(1, 0) + tile(0, 2) +
                         tile(1, 2) + "load some = acc[c % 2, c % 4]; store w[c] = some; }",
                     ordered(order), {.access_bytes = bytes});
    }
  }
}

}  // namespace
}  // namespace mdh::passes::emit_order_test
