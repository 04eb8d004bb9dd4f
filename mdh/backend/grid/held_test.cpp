#include "mdh/backend/grid/held.h"

#include <gtest/gtest.h>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/backend/opencl/opencl.h"
#include "mdh/loop/parse.h"

namespace mdh::backend::held_test {
namespace {

/// Eight items that own something, and h, of which `shares` shares hold four numbers each.
loop::Program program(int64_t shares, const std::string& body) {
  return loop::parse(fmt::format(R"(mdh_loop 1
kernel rows
dimension i < 8 kept
digit t: THR.i < 8 of i step 1 cores
buffer output y: f32[64]
buffer input x: f32[64]
buffer temporary s: f32[64] in SM of group per ()
buffer temporary h: f32[{}, 4] in SM of group per () held
function f(x: f32, i: i64) {{ y: f32 = x; }}
function combine() {{ }}
body {{ deal grid () {{ alloc s; alloc h; deal cores (t < 8) {{ load o = x[t]; store y[t] = o; }} {} }} }})",
                                 shares, body));
}

std::string asked(int64_t shares) {
  return fmt::format(
      "deal cores (n < {}) collective steady {{ load (a, b, c, d) = x[n * 4]; store h[n, 0] = a;"
      "store h[n, 1] = b; store h[n, 2] = c; store h[n, 3] = d; }}",
      shares);
}

std::string stored(int64_t shares, const std::string& share = "m") {
  return fmt::format(
      "deal cores (m < {}) collective steady {{ load e = h[{}, 2]; store s[m] = e; }}", shares,
      share);
}

bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

TEST(Held, belongs_to_shares_whose_counters_are_the_first_indices) {
  const loop::Program p = program(16, asked(16) + stored(16));
  const auto held = held_by_shares(p, find_buffer(p, loop::named("h")));
  ASSERT_TRUE(held);
  EXPECT_EQ(held->shares, 16);
  EXPECT_EQ(held->elements, 4);
}

TEST(Held, what_another_share_uses_belongs_to_all) {
  for (const std::string& body :
       {asked(16) + stored(16, "15 - m"), asked(16) + stored(8),
        asked(16) + "deal cores (t < 8) { load e = h[t, 0]; store y[t] = e; }"}) {
    const loop::Program p = program(16, body);
    EXPECT_FALSE(held_by_shares(p, find_buffer(p, loop::named("h")))) << body;
    EXPECT_TRUE(has(print_opencl(p, "k").source, "__local float h[64]")) << body;
  }
}

TEST(Held, is_private_and_known_by_turns) {
  const std::string cuda = print_cuda(program(16, asked(16) + stored(16)), "k").source;
  EXPECT_TRUE(has(cuda, "float h[8];  /* RM */")) << cuda;
  EXPECT_TRUE(has(cuda,
                  "#pragma unroll 2\n  for (int mdh_turn = 0; mdh_turn < 2; ++mdh_turn) {\n"
                  "    const int part = threadIdx.x + mdh_turn * 8;\n"))
      << cuda;
  EXPECT_TRUE(has(cuda, "h[mdh_turn * 4] = a;")) << cuda;
  EXPECT_TRUE(has(cuda, "const float e = h[mdh_turn * 4 + 2];")) << cuda;
}

TEST(Held, has_no_turns_where_there_is_one) {
  const std::string cuda = print_cuda(program(8, asked(8) + stored(8)), "k").source;
  EXPECT_TRUE(has(cuda, "float h[4];")) << cuda;
  EXPECT_TRUE(has(cuda, "const float e = h[2];")) << cuda;
}

TEST(Held, last_turns_may_be_shorter) {
  const std::string cuda = print_cuda(program(13, asked(13) + stored(13)), "k").source;
  EXPECT_TRUE(has(cuda, "float h[8];")) << cuda;
  EXPECT_TRUE(has(cuda, "if (mdh_turn < 1 || part < 13) {")) << cuda;
}

}  // namespace
}  // namespace mdh::backend::held_test
