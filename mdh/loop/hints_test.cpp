// Stores past the caches, what compilers forget, and squares: print, parse, verify, evaluate.
#include <gtest/gtest.h>

#include "mdh/loop/evaluate.h"
#include "mdh/loop/print.h"
#include "mdh/loop/test_runs.h"

namespace mdh::loop::hints_test {
namespace {

/// What the parser says of a body, or of declarations.
std::string refusal(const std::string& body, const std::string& buffers = "") {
  const std::string text = diagnostic_of([&] { rows_with(body, {"", buffers}); }).message;
  const std::string begin = "not a well-formed loop program: ";
  return text.rfind(begin, 0) == 0 ? text.substr(begin.size(), text.rfind(" (") - begin.size())
                                   : text;
}

TEST(Hints, text_is_read_as_it_is_printed) {
  const std::string text = R"(mdh_loop 1
kernel streaming
dimension i < 7 kept
digit cor_i: COR.i < 7 of i step 1 cores
buffer output streaming: i64[7] streaming
buffer input x: i64[2, 7]
buffer temporary opaque: i64[7, 2] in REG of registers per () holds 3 opaque
function f(i: i64) { y: i64 = i; }
function combine() { }
body {
  deal cores (cor_i < 7) {
    alloc opaque;
    transpose (a < 2, b < 2) opaque[b, a] = x[a, b];
    opaque opaque;
    load v = opaque[1, 0];
    store streaming[cor_i] = v streaming;
  }
}
)";
  EXPECT_EQ(print(parse(text)), text);
  EXPECT_EQ(parse(print(parse(text))), parse(text));
}

TEST(Hints, a_square_is_copied_and_hints_mean_nothing) {
  EXPECT_EQ(result("deal cores (n < 1) { transpose (a < 2, b < 2) t[b, a] = x[a, b]; opaque t; "
                   "load u = t[0, 1]; store y[0] = u streaming; "
                   "load v = t[1, 1]; store y[1] = v streaming; "
                   "load w = t[1, 0]; store y[2] = w streaming; }"),
            (std::vector<int64_t>{5, 6, 2}));
}

TEST(Hints, only_outputs_that_nobody_reads_are_stored_past_the_caches) {
  const auto stored = [&](const std::string& to, const std::string& then) {
    return refusal(fmt::format(
        "deal cores (p < 3) {{ load v = x[p, 0]; store {} = v streaming; {} }}", to, then));
  };
  EXPECT_EQ(stored("y[p]", ""), fine);
  const std::string two = "deal cores (n < 1) { load v = x[0, 0]; store y[0] = (v, v) streaming;";
  EXPECT_EQ(refusal(two + " }"), fine);
  EXPECT_EQ(refusal(two + " load u = y[2]; }"), "a streaming store into 'y', which is read");
  EXPECT_EQ(stored("t[0, p]", ""), "a streaming store into 't', which is no output");
  EXPECT_EQ(stored("y[p]", "load u = y[p];"), "a streaming store into 'y', which is read");
  EXPECT_EQ(refusal("", "buffer input z: i64[3] streaming\n"), "'z' is no output, but streaming");
}

TEST(Hints, only_temporaries_that_exist_are_opaque) {
  EXPECT_EQ(refusal("alloc t; opaque t;"), fine);
  EXPECT_EQ(refusal("opaque x;"), "'x' is hidden before it is allocated");
  EXPECT_EQ(refusal("", "buffer input z: i64[3] opaque\n"), "'z' is the user's, but opaque");
}

TEST(Hints, squares_lie_side_by_side_in_both_buffers) {
  const auto transposed = [&](const std::string& square) {
    return refusal("deal cores (p < 3) { alloc t; transpose " + square + "; }");
  };
  EXPECT_EQ(transposed("(a < 2, b < 2) t[b, a] = x[a, b]"), fine);
  EXPECT_EQ(transposed("(a < 2, b < 3) t[b, a] = x[a, b]"), "a block that is no square");
  EXPECT_EQ(transposed("(a < 2, b < 2) t[a, b] = x[a, b]"),
            "t[a, b] and x[a, b] do not lie side by side");
  EXPECT_EQ(transposed("(a < 2, b < 2) x[b, a] = t[a, b]"), "a store into input 'x'");
  EXPECT_EQ(refusal("alloc t; transpose (a < 2, b < 2) t[b, a] = x[a, b];"),
            "a store outside of Deal");
  EXPECT_EQ(transposed("(a < 2) t[a, 0] = x[0, a]"), "'transpose' has two counters");
}

}  // namespace
}  // namespace mdh::loop::hints_test
