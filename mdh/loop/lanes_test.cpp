// Lanes: print, parse, verify, evaluate.
#include <gtest/gtest.h>

#include "mdh/loop/evaluate.h"
#include "mdh/loop/print.h"
#include "mdh/loop/test_runs.h"

namespace mdh::loop::lanes_test {
namespace {

TEST(Lanes, text_is_read_as_it_is_printed) {
  const Program p = rows_with(
      "deal cores (p < 3) { lanes SIMD.k q < 4 { load a = x[p, q]; store t[q, p] = a; } "
      "lanes - n < 2 { load b = x[p, n]; store t[n, p] = b; } }");
  EXPECT_EQ(parse(print(p)), p);
  EXPECT_NE(print(p).find("lanes SIMD.k q < 4 {\n"), std::string::npos);
  EXPECT_NE(print(p).find("lanes - n < 2 {\n"), std::string::npos);
}

TEST(Lanes, all_load_before_one_stores) {
  // In turns, the second round would read what the first one wrote.
  const std::string shift = "load a = t[n, p]; store t[n + 1, p] = a; }";
  const std::string fill = "for - n < 4 sequential { load b = x[p, n]; store t[n, p] = b; }";
  const std::string sum =
      "for - m < 4 sequential { load c = t[m, p]; if m == 0 { store y[p] = c; } else {"
      "load old = y[p]; combine s = (old; c); store y[p] = s; } }";
  EXPECT_EQ(result("deal cores (p < 3) {" + fill + "lanes - n < 3 {" + shift + sum + "}"),
            (std::vector<int64_t>{1123, 5567, 2246}));
  EXPECT_EQ(result("deal cores (p < 3) {" + fill + "for - n < 3 sequential {" + shift + sum + "}"),
            (std::vector<int64_t>{1111, 5555, 2222}));
}

TEST(Lanes, what_they_define_ends_with_them) {
  EXPECT_EQ(complaint("deal cores (p < 3) { lanes - n < 4 { load a = x[p, n]; } store y[p] = a; }"),
            "not an internal error: not a well-formed loop program: value 'a' is used before it is "
            "defined");
}

TEST(Lanes, they_do_not_part) {
  EXPECT_EQ(complaint("deal cores (p < 3) { lanes - n < 4 { if n < 2 { load a = x[p, n]; } } }"),
            "not an internal error: not a well-formed loop program: lanes of 'n' would have to go "
            "different ways");
}

}  // namespace
}  // namespace mdh::loop::lanes_test
