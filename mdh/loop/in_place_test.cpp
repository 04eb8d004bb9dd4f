#include "mdh/loop/in_place.h"

#include <gtest/gtest.h>

#include "mdh/loop/parse.h"
#include "mdh/loop/testing.h"

namespace mdh::loop::in_place_test {
namespace {

/// "y=x y=z": the pairs of a program with the output y and the inputs x, z and other, all of which
/// have n elements, but for other.
std::string pairs_of(const std::string& body, const std::string& extents = "12") {
  const std::string declarations =
      "buffer output y: f32[" + extents + "]\nbuffer input x: f32[" + extents +
      "]\nbuffer input z: f32[" + extents +
      "]\nbuffer input other: f64[12]\nbuffer temporary t: f32[12] in MM of all per ()\n";
  const Program p = parse(
      "mdh_loop 1\nkernel map\ndimension i < 12 kept\ndimension j < 3 kept\n"
      "digit a: COR.i < 3 of i step 4 cores\ndigit b: L1.i < 4 of i step 1 sequential\n"
      "digit c: L1.j < 3 of j step 1 sequential\n" +
      declarations +
      "function f(x: f32, i: i64, j: i64) { y: f32 = x; }\nfunction combine() { }\nbody {" +
      allocs_for(body, declarations) + body + "}");
  std::string text;
  for (const InPlace& pair : in_place(p)) {
    text += (text.empty() ? "" : " ") + pair.output.name + "=" + pair.input.name;
  }
  return text;
}

/// One element: load x[from], apply f, store y[to].
std::string point(const std::string& to, const std::string& from) {
  return "load v = x[" + from + "]; apply w = f(v; 0, 0); store y[" + to + "] = w;";
}

std::string loops(const std::string& inner) {
  return "deal cores (a < 3) { for L1.i b < min(4, 12 - a * 4) sequential { " + inner + " } }";
}

TEST(InPlace, elementwise_programs_may_overwrite_what_they_read) {
  EXPECT_EQ(pairs_of(loops(point("a * 4 + b", "a * 4 + b"))), "y=x y=z");
  EXPECT_EQ(pairs_of(loops("let i = a * 4 + b; " + point("i", "b + 4 * a"))), "y=x y=z")
      << "written in another way";
}

TEST(InPlace, neighbours_at_once_are_elements_as_well) {
  const auto wide = [](const std::string& to, const std::string& from) {
    return pairs_of("deal cores (a < 3) { load (u, v) = x[" + from +
                    "]; apply w = f(u; 0, 0); apply q = f(v; 0, 0); store y[" + to +
                    "] = (w, q); }");
  };
  EXPECT_EQ(wide("a * 2", "a * 2"), "y=x y=z");
  EXPECT_EQ(wide("a * 2", "a * 2 + 2"), "y=z") << "others";
  EXPECT_EQ(wide("a * 1", "a * 1"), "") << "two shares have the same element";
}

TEST(InPlace, elements_that_belong_to_another_round_must_stay) {
  EXPECT_EQ(pairs_of(loops(point("a * 4 + b", "11 - a * 4 - b"))), "y=z") << "reversed";
  EXPECT_EQ(pairs_of(loops(point("a * 4 + b", "a * 4"))), "y=z") << "one element for many";
  EXPECT_EQ(pairs_of(loops("let i = a * 4 + b; load u = x[i]; load v = x[max(i - 1, 0)];"
                           "apply w = f(v; i, 0); store y[i] = w;")),
            "y=z")
      << "a neighbour";
}

TEST(InPlace, transposed_elements_must_stay) {
  const auto square = [](const std::string& to, const std::string& from) {
    return pairs_of("deal cores (a < 3) { for L1.j c < 3 sequential { " + point(to, from) + " } }",
                    "3, 3");
  };
  EXPECT_EQ(square("a, c", "a, c"), "y=x y=z");
  EXPECT_EQ(square("c, a", "c, a"), "y=x y=z");
  EXPECT_EQ(square("a, c", "c, a"), "y=z");
}

TEST(InPlace, an_element_is_computed_once) {
  EXPECT_EQ(
      pairs_of("for L1.j c < 3 sequential { " + loops(point("a * 4 + b", "a * 4 + b")) + " }"), "")
      << "again for every c";
  EXPECT_EQ(pairs_of(loops(point("a * 3 + b", "a * 3 + b"))), "") << "parts overlap";
  EXPECT_EQ(
      pairs_of(loops("let s = max(0, a * 4 + b - 10); " + point("a * 4 + b - s", "a * 4 + b - s"))),
      "")
      << "shifted back from an edge";
  EXPECT_EQ(pairs_of(loops(point("a * 4 + b", "a * 4 + b")) + " " +
                     loops(point("a * 4 + b", "a * 4 + b"))),
            "")
      << "twice in a row";
}

TEST(InPlace, reads_come_first) {
  EXPECT_EQ(pairs_of(loops("let i = a * 4 + b; load v = z[i]; apply w = f(v; i, 0);"
                           "store y[i] = w; load u = x[i];")),
            "y=z");
}

TEST(InPlace, lanes_read_all_before_they_write) {
  EXPECT_EQ(pairs_of("deal cores (a < 3) { lanes L1.i b < 4 { " + point("a * 4 + b", "a * 4 + b") +
                     " } }"),
            "y=x y=z");
}

TEST(InPlace, branches_that_walk_alike_are_one) {
  const std::string here = point("a * 4 + b", "a * 4 + b");
  EXPECT_EQ(pairs_of("deal cores (a < 3) { if a < 2 { lanes L1.i b < 4 { " + here +
                     " } } else { for L1.i b < min(4, 11 - a * 4) sequential { " + here + " } } }"),
            "y=x y=z");
  EXPECT_EQ(pairs_of("deal cores (a < 3) { if a < 2 { for L1.i b < 4 sequential { " + here +
                     " } } else { for L1.i b < 4 sequential { " + point("a + 3 * b", "a + 3 * b") +
                     " } } }"),
            "")
      << "another round of the one has an element of the other";
}

TEST(InPlace, tiles_between_them_are_not_looked_through) {
  EXPECT_EQ(pairs_of(loops("load u = x[a * 4 + b]; store t[a * 4 + b] = u;") + " barrier cores; " +
                     loops("load v = t[a * 4 + b]; store y[a * 4 + b] = v;")),
            "y=z");
  EXPECT_EQ(pairs_of(loops("let i = a * 4 + b; load o = y[i]; load v = x[i];"
                           "apply w = f(v; i, 0); store y[i] = w;")),
            "")
      << "the output is read";
}

TEST(InPlace, types_and_extents_are_the_same) {
  const std::string body = loops("let i = a * 4 + b; load u = other[i]; " + point("i", "i"));
  EXPECT_EQ(pairs_of(body), "y=x y=z") << "other has wider elements";
}

}  // namespace
}  // namespace mdh::loop::in_place_test
