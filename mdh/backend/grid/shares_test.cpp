#include "mdh/backend/grid/shares.h"

#include <gtest/gtest.h>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/loop/parse.h"
#include "mdh/loop/print.h"

namespace mdh::backend::shares_test {
namespace {

/// x has rows of 3 and y of 5 numbers; every value of t has an s of its own.
loop::Program program(const std::string& deal) {
  return loop::parse(R"(mdh_loop 1
kernel rows
dimension i < 24 kept
digit t: THR.i < 8 of i step 3 cores
digit u: THR.i < 3 of i step 1 cores
buffer output y: f32[8, 5]
buffer input x: f32[8, 3]
buffer output v: f32[64]
buffer temporary s: f32[64] in SM of group per (t)
buffer temporary h: f32[24] in SM of group per () held
function f(x: f32, i: i64) { y: f32 = x; v: f32 = x; }
function combine() { }
body { deal grid () { alloc s; alloc h; )" +
                     deal + " } }");
}

/// The shares that are left, and the body.
std::string joined(const std::string& deal) {
  const loop::Program p = program(deal);
  const auto* grid = p.body.front().as<loop::Deal>();
  const auto has_instances = [](const loop::Buffer& b) { return !b.per.empty(); };
  const loop::Deal left = with_joined_shares(p, *grid->body.back().as<loop::Deal>(), has_instances);
  std::string text;
  for (const loop::Counter& share : left.shares) {
    text += fmt::format("{} < {}; ", share.var.name, share.count);
  }
  loop::Program alone = p;
  alone.body = left.body;
  const std::string printed = loop::print(alone);
  const std::string begin = "body {\n";
  std::string body = printed.substr(printed.find(begin) + begin.size());
  body.erase(body.rfind('}'));
  for (size_t at = 0; (at = body.find("  ", at)) != std::string::npos;) body.erase(at, 2);
  text += body;
  return text;
}

TEST(JoinedShares, are_those_that_all_places_take_as_one_number) {
  EXPECT_EQ(joined("deal cores (t < 8, u < 3) { load a = x[t, u]; store v[t * 3 + u] = a; }"),
            "u < 24; load a = x[0, u];\nstore v[u] = a;\n");
  EXPECT_EQ(joined("deal cores (t < 8, u < 3) { load a = x[t, u]; store y[t, u] = a; }"),
            "t < 8; u < 3; load a = x[t, u];\nstore y[t, u] = a;\n")
      << "rows of five";
}

TEST(JoinedShares, may_be_more_than_two) {
  EXPECT_EQ(joined("deal cores (a < 2, b < 4, c < 3) { load l = x[a * 4 + b, c];"
                   " store v[a * 32 + b * 3 + c] = l; }"),
            "a < 2; c < 12; load l = x[a * 4, c];\nstore v[a * 32 + c] = l;\n");
  EXPECT_EQ(joined("deal cores (a < 2, b < 4, c < 3) { load l = x[a * 4 + b, c];"
                   " store v[a * 12 + b * 3 + c] = l; }"),
            "c < 24; load l = x[0, c];\nstore v[c] = l;\n");
}

TEST(JoinedShares, values_and_points_count_conditions_do_not) {
  EXPECT_EQ(joined("deal cores (t < 8, u < 3) { let n = t * 3 + u; load a = v[n];"
                   " apply b, c = f(a; t * 3 + u); store v[n] = b; }"),
            "u < 24; let n = u;\nload a = v[n];\napply b, c = f(a; u);\nstore v[n] = b;\n");
  for (const std::string condition : {"t * 3 + u < 23", "u > 1", "t > 1"}) {
    EXPECT_TRUE(joined("deal cores (t < 8, u < 3) { if " + condition +
                       " { load a = v[t * 3 + u]; store v[t * 3 + u] = a; } }")
                    .starts_with("t < 8; u < 3; "))
        << condition;
  }
  EXPECT_TRUE(joined("deal cores (t < 8, u < 3) { let n = t; load a = v[t * 3 + u];"
                     " store v[n] = a; }")
                  .starts_with("t < 8; u < 3; "));
  EXPECT_TRUE(joined("deal cores (t < 8, u < 3) { for - n < t sequential {"
                     " load a = v[t * 3 + u]; store v[n] = a; } }")
                  .starts_with("t < 8; u < 3; "));
}

TEST(JoinedShares, are_not_those_by_which_something_is_found) {
  EXPECT_TRUE(joined("deal cores (t < 8, u < 3) { load a = x[t, u]; store s[t * 3 + u] = a; }")
                  .starts_with("t < 8; u < 3; "))
      << "an instance for every t";
  EXPECT_TRUE(
      joined("deal cores (t < 8, u < 3) { alloc s; load a = x[t, u];"
             " store v[t * 3 + u] = a; transpose (m < 2, n < 2) s[n * 8 + m] = v[m * 8 + n]; }")
          .starts_with("t < 8; u < 3; "))
      << "an instance for every t, in a square";
  EXPECT_TRUE(joined("deal cores (t < 8, u < 3) collective { load a = x[t, u];"
                     " store h[t * 3 + u] = a; }")
                  .starts_with("t < 8; u < 3; "))
      << "what cores hold";
}

TEST(JoinedShares, are_taken_apart_no_more) {
  const std::string source =
      print_cuda(program("deal cores (t < 8, u < 3) { load a = x[t, u]; store v[t * 3 + u] = a; }"),
                 "k")
          .source;
  EXPECT_NE(source.find("const int u = part;\n"), std::string::npos) << source;
  EXPECT_NE(source.find("v[u] = a;"), std::string::npos) << source;
}

}  // namespace
}  // namespace mdh::backend::shares_test
