#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/backend/opencl/opencl.h"
#include "mdh/loop/parse.h"

namespace mdh::backend::places_test {
namespace {

/// Results of f, which computes them so, are stored so.
loop::Program program(const std::string& computed, const std::string& stored) {
  return loop::parse(fmt::format(R"(mdh_loop 1
kernel k
dimension i < 8 kept
digit g: BLK.i < 8 of i step 1 grid
buffer output y: f32[9]
buffer output z: i32[8]
buffer input x: f32[8]
buffer temporary s: f32[1] in RM of registers per (g)
function f(x: f32, i: i64) {{ {} }}
function combine() {{ }}
body {{
  deal grid (g < 8) {{
    alloc s;
    load a = x[g];
    apply p, q = f(a; g);
    {}
  }}
}})",
                                 computed, stored));
}

const char* const loops =
    "y: f32 = loop (v = x) while (v < f32(10.0)) { v = v * v } yield v; z: i32 = i32(i);";

std::string cuda(const loop::Program& p) { return print_cuda(p, "k").source; }

bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

TEST(Places, what_f_computes_in_loops_is_stored_through_pointers_that_are_known_before) {
  const std::string text = cuda(program(loops, "store y[g] = p; store z[g] = q;"));
  const size_t y = text.find("float *const p_place = &y[g];");
  const size_t z = text.find("int *const q_place = &z[g];");
  const size_t f = text.find("mdh_f_", z);
  EXPECT_LT(y, z) << text;
  EXPECT_LT(z, f) << text;
  EXPECT_LT(f, text.find("*p_place = p;")) << text;
  EXPECT_LT(f, text.find("*q_place = q;")) << text;
}

TEST(Places, a_value_may_have_several) {
  const std::string text = cuda(program(loops, "store y[g] = p; store y[g + 1] = p;"));
  EXPECT_TRUE(has(text, "float *const p_place = &y[g];")) << text;
  EXPECT_TRUE(has(text, "float *const p_place_ = &y[g + 1];")) << text;
  EXPECT_LT(text.find("*p_place = p;"), text.find("*p_place_ = p;")) << text;
}

TEST(Places, registers_have_none_and_the_same_value_may_go_elsewhere) {
  const std::string text = cuda(program(loops, "store s[0] = p; store y[g] = p;"));
  EXPECT_TRUE(has(text, "float *const p_place = &y[g];")) << text;
  EXPECT_FALSE(has(text, "&s[")) << text;
  EXPECT_TRUE(has(text, "*p_place = p;")) << text;
}

TEST(Places, other_stores_do_not_know_them) {
  for (const char* stored : {"load b = y[g]; store y[g] = p;", "store y[g] = a; store y[g] = p;"}) {
    EXPECT_FALSE(has(cuda(program(loops, stored)), "_place")) << stored;
  }
}

TEST(Places, functions_without_loops_need_none) {
  const char* const adds = "y: f32 = x + x; z: i32 = i32(i);";
  EXPECT_FALSE(has(cuda(program(adds, "store y[g] = p;")), "_place"));
}

TEST(Places, pointers_of_opencl_have_types_of_memory) {
  const std::string text = print_opencl(program(loops, "store y[g] = p;"), "k").source;
  EXPECT_FALSE(has(text, "_place")) << text;
}

}  // namespace
}  // namespace mdh::backend::places_test
