#include <gtest/gtest.h>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/backend/opencl/opencl.h"
#include "mdh/backend/openmp/openmp.h"
#include "mdh/loop/parse.h"

namespace mdh::backend::written_out_test {
namespace {

/// A loop of this count and beginning that is to be written so many times.
loop::Program program(const std::string& count, int64_t times) {
  return loop::parse(fmt::format(R"(mdh_loop 1
kernel k
dimension i < 8 kept
digit g: BLK.i < 2 of i step 4 grid
digit s: L1.i < 4 of i step 1 sequential unroll {1}
buffer output y: f32[8]
buffer input x: f32[8]
function f(x: f32, i: i64) {{ y: f32 = x; }}
function combine() {{ }}
body {{
  deal grid (g < 2) {{
    for L1.i s < {0} {{
      load a = x[g * 4 + s];
      store y[g * 4 + s] = a;
    }}
  }}
}})",
                                 count, times));
}

void expect_pragma(const std::string& pragma, const loop::Program& p) {
  for (const std::string& text : {print_cuda(p, "k").source, print_opencl(p, "k").source}) {
    const size_t at = text.find("#pragma unroll");
    const std::string found =
        at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
    EXPECT_EQ(found, pragma) << text;
  }
}

TEST(WrittenOut, as_often_as_asked_for) {
  expect_pragma("#pragma unroll 2", program("4 sequential", 2));
  expect_pragma("", program("4 sequential", 1));
}

TEST(WrittenOut, no_more_often_than_the_loop_runs) {
  expect_pragma("#pragma unroll 4", program("4 sequential", 9));
  expect_pragma("#pragma unroll 3", program("4 sequential from 1", 9));
}

TEST(WrittenOut, never_where_the_count_is_computed) {
  expect_pragma("", program("min(4, 7 - g * 4) sequential", 4));
}

TEST(WrittenOut, compilers_of_the_host_know_what_to_do) {
  const std::string text = print_openmp(program("min(4, 7 - g * 4) sequential", 4), "k").source;
  EXPECT_NE(text.find("#pragma GCC unroll 4"), std::string::npos) << text;
}

}  // namespace
}  // namespace mdh::backend::written_out_test
