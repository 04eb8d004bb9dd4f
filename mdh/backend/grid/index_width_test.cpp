#include "mdh/backend/grid/index_width.h"

#include <gtest/gtest.h>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/loop/parse.h"

namespace mdh::backend::index_width_test {
namespace {

/// One element for each of so many parts, at so many times its number.
loop::Program program(int64_t parts, int64_t elements, const std::string& index) {
  return loop::parse(fmt::format(R"(mdh_loop 1
kernel k
dimension i < {0} kept
digit g: BLK.i < {0} of i step 1 grid
buffer output y: f32[{1}]
buffer input x: f32[{1}]
function f(x: f32, i: i64) {{ y: f32 = x; }}
function combine() {{ }}
body {{
  deal grid (g < {0}) {{
    let at = {2};
    load a = x[at];
    apply b = f(a; g * 5);
    store y[g] = b;
  }}
}})",
                                 parts, elements, index));
}

constexpr int64_t giga = int64_t{1} << 30;

TEST(IndexWidth, small_programs_count_in_32_bits) {
  EXPECT_TRUE(counts_in_32_bits(program(1000, 1000, "g")));
  EXPECT_TRUE(counts_in_32_bits(program(giga / 4, giga, "g * 4 - 4")));
}

TEST(IndexWidth, pieces_that_change_places_stay_below_the_next_power_of_two) {
  EXPECT_TRUE(counts_in_32_bits(program(1000, 1024, "(g ^ g % 8 * 4)")));
  EXPECT_TRUE(counts_in_32_bits(program(1000, 1024, "(g ^ g % 8 * 4) * 2097151")));
  EXPECT_FALSE(counts_in_32_bits(program(1000, 1024, "(g ^ g % 8 * 4) * 2099203"))) << "of 1023";
  EXPECT_FALSE(counts_in_32_bits(program(1000, 1024, "(g ^ (0 - g))"))) << "a sign";
}

TEST(IndexWidth, buffers_counters_and_steps_of_a_computation_have_to_fit) {
  EXPECT_FALSE(counts_in_32_bits(program(1000, 4 * giga, "g"))) << "a buffer";
  EXPECT_FALSE(counts_in_32_bits(program(4 * giga, 1000, "0"))) << "a counter";
  EXPECT_FALSE(counts_in_32_bits(program(1000, 1000, "g * 3000000 / 3000000"))) << "a product";
  EXPECT_FALSE(counts_in_32_bits(program(giga / 2, giga, "g"))) << "f's index, five times that";
  EXPECT_FALSE(counts_in_32_bits(program(1000, 1000, "max(0, 0 - g)"))) << "a sign of 32 bits";
}

TEST(IndexWidth, decides_about_the_type_of_counters) {
  const std::string narrow = print_cuda(program(1000, 1000, "g"), "k").source;
  EXPECT_NE(narrow.find("const int g = (int)blockIdx.x;"), std::string::npos) << narrow;
  const std::string wide = print_cuda(program(1000, 4 * giga, "g"), "k").source;
  EXPECT_NE(wide.find("const long g = (long)blockIdx.x;"), std::string::npos) << wide;
}

}  // namespace
}  // namespace mdh::backend::index_width_test
