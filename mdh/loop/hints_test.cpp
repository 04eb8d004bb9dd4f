// Stores past the caches and what compilers forget: print, parse, verify, evaluate.
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
    load u = x[0, 1];
    store opaque[1, 0] = u;
    opaque opaque;
    load v = opaque[1, 0];
    store streaming[cor_i] = v streaming;
  }
}
)";
  EXPECT_EQ(print(parse(text)), text);
  EXPECT_EQ(parse(print(parse(text))), parse(text));
}

TEST(Hints, they_mean_nothing) {
  EXPECT_EQ(result("deal cores (p < 3) { load u = x[p, 1]; store t[0, p] = u; opaque t; "
                   "load v = t[0, p]; store y[p] = v streaming; }"),
            (std::vector<int64_t>{2, 6, 4}));
}

TEST(Hints, only_outputs_that_nobody_reads_are_stored_past_the_caches) {
  const auto stored = [&](const std::string& to, const std::string& then) {
    return refusal(fmt::format(
        "deal cores (p < 3) {{ load v = x[p, 0]; store {} = v streaming; {} }}", to, then));
  };
  EXPECT_EQ(stored("y[p]", ""), fine);
  EXPECT_EQ(stored("t[0, p]", ""), "a streaming store into 't', which is no output");
  EXPECT_EQ(stored("y[p]", "load u = y[p];"), "a streaming store into 'y', which is read");
  EXPECT_EQ(refusal("", "buffer input z: i64[3] streaming\n"), "'z' is no output, but streaming");
}

TEST(Hints, only_temporaries_that_exist_are_opaque) {
  EXPECT_EQ(refusal("alloc t; opaque t;"), fine);
  EXPECT_EQ(refusal("opaque x;"), "'x' is hidden before it is allocated");
  EXPECT_EQ(refusal("", "buffer input z: i64[3] opaque\n"), "'z' is the user's, but opaque");
}

}  // namespace
}  // namespace mdh::loop::hints_test
