#include "mdh/backend/grid/neighbours.h"

#include <gtest/gtest.h>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/backend/opencl/opencl.h"
#include "mdh/loop/parse.h"

namespace mdh::backend::neighbours_test {
namespace {

/// Eight items of a group, which share s; t is each one's own.
loop::Program program(const std::string& body) {
  return loop::parse(R"(mdh_loop 1
kernel rows
dimension i < 64 kept
digit t: THR.i < 8 of i step 8 cores
buffer output y: f32[64]
buffer output z: f64[64]
buffer input x: f32[64]
buffer input v: f64[64]
buffer temporary s: f32[64] in SM of group per ()
buffer temporary own: f32[8] in SM of all per ()
function f(x: f32, i: i64) { y: f32 = x; z: f64 = f64(x); }
function combine() { }
body { deal grid () { alloc s; )" +
                     body + " } }");
}

std::string dealt(const std::string& body) { return "deal cores (t < 8) { " + body + " }"; }

bool has(const std::string& text, const std::string& piece) {
  return text.find(piece) != std::string::npos;
}

TEST(Neighbours, are_loaded_and_stored_as_one) {
  const loop::Program p =
      program(dealt("load (a, b, c, d) = x[t * 8]; store s[t * 8] = (a, b, c, d);"
                    "load (e, g) = v[t * 2]; store z[t * 2] = (g, e);"));
  const std::string cuda = print_cuda(p, "k").source;
  EXPECT_TRUE(has(cuda, "struct __align__(16) mdh_f32x4 { float x, y, z, w; };")) << cuda;
  EXPECT_TRUE(has(cuda, "struct __align__(16) mdh_f64x2 { double x, y; };")) << cuda;
  EXPECT_TRUE(has(cuda,
                  "const mdh_f32x4 mdh_wide_1 = *(const mdh_f32x4 *)&x[t * 8];\n"
                  "    const float a = mdh_wide_1.x;\n"
                  "    const float b = mdh_wide_1.y;\n"))
      << cuda;
  EXPECT_TRUE(has(cuda, "mdh_wide.w = d;\n      *(mdh_f32x4 *)(s + (t * 8)) = mdh_wide;")) << cuda;
  const std::string opencl = print_opencl(p, "k").source;
  EXPECT_TRUE(has(opencl, "const float4 mdh_wide_1 = *(__global const float4 *)&x[t * 8];"))
      << opencl;
  EXPECT_TRUE(has(opencl, "*(__local float4 *)(s + (t * 8)) = mdh_wide;")) << opencl;
  EXPECT_TRUE(has(opencl, "*(__global double2 *)&z[t * 2] = mdh_wide;")) << opencl;
}

TEST(Neighbours, arguments_are_aligned_as_their_widest_access) {
  const loop::Program p =
      program(dealt("load (a, b, c, d) = x[t * 8]; store y[t * 8] = (a, b); load e = v[t];"));
  const kernel::Module module = print_cuda(p, "k");
  std::vector<int64_t> needed;
  for (const kernel::Argument& argument : module.arguments) needed.push_back(argument.aligned_to());
  EXPECT_EQ(needed, (std::vector<int64_t>{8, 8, 16, 8})) << "y, z, x and v";
}

TEST(Neighbours, are_stored_past_the_caches_where_the_language_can) {
  const loop::Program p =
      program(dealt("load (a, b, c, d) = x[t * 8]; store y[t * 8] = (a, b, c, d) streaming;"
                    "load (e, g) = v[t * 2]; store z[t * 2] = (g, e);"));
  const std::string cuda = print_cuda(p, "k").source;
  EXPECT_TRUE(has(cuda, "mdh_store_streaming_16(&y[t * 8], &mdh_wide);")) << cuda;
  EXPECT_TRUE(has(cuda, "*(mdh_f64x2 *)&z[t * 2] = mdh_wide;")) << cuda;
  EXPECT_TRUE(has(cuda, "st.global.cs.v4.b32")) << cuda;
  const std::string opencl = print_opencl(p, "k").source;
  EXPECT_TRUE(has(opencl, "*(__global float4 *)&y[t * 8] = mdh_wide;")) << opencl;
}

TEST(Neighbours, of_private_memory_are_taken_one_by_one) {
  const loop::Program p = program(
      dealt("alloc own; load (a, b) = x[t * 8]; store own[2] = (a, b); load (c, d) = own[2];"
            "store y[t * 8] = (c, d);"));
  for (const std::string& source : {print_cuda(p, "k").source, print_opencl(p, "k").source}) {
    EXPECT_FALSE(has(source, "&own")) << source;
    EXPECT_TRUE(has(source, "= a;")) << source;
  }
}

TEST(Neighbours, copies_in_flight_move_16_bytes_at_once) {
  const std::string body = dealt("async wide 4 s[t * 8] = x[t * 8];") + "commit; wait 0;";
  EXPECT_TRUE(
      has(print_cuda(program(body), "k").source, "mdh_copy_async_16(&s[t * 8], &x[t * 8]);"));
  EXPECT_TRUE(has(print_opencl(program(body), "k").source,
                  "*(__local float4 *)(s + (t * 8)) = *(__global const float4 *)&x[t * 8];"));
}

TEST(Neighbours, copies_of_a_few_whole_rounds_are_written_out) {
  const std::string owned = dealt("load a = x[t]; apply b, c = f(a; t); store y[t] = b;");
  const auto copy = [&](int64_t shares) {
    return owned +
           fmt::format("deal cores (n < {}) collective {{ load a = x[n]; store s[n] = a; }}",
                       shares);
  };
  const std::string whole = print_cuda(program(copy(32)), "k").source;
  EXPECT_TRUE(has(whole,
                  "#pragma unroll 4\n  for (int mdh_turn = 0; mdh_turn < 4; ++mdh_turn) {\n"
                  "    const int part = threadIdx.x + mdh_turn * 8;\n"))
      << whole;
}

TEST(Neighbours, copies_are_written_out_where_registers_take_what_is_on_its_way) {
  const auto copy = [&](int64_t shares, const std::string& moved) {
    return dealt("load a = x[t]; apply b, c = f(a; t); store y[t] = b;") +
           fmt::format("deal cores (n < {}) collective {{ {} }}", shares, moved);
  };
  const std::string plain = "load a = x[n % 64]; store s[n % 64] = a;",
                    flying = "async s[n % 64] = x[n % 64];";
  const std::string ragged = print_cuda(program(copy(33, plain)), "k").source;
  EXPECT_TRUE(has(ragged,
                  "#pragma unroll 5\n  for (int mdh_turn = 0; mdh_turn < 5; ++mdh_turn) {\n"
                  "    const int part = threadIdx.x + mdh_turn * 8;\n"
                  "    if (mdh_turn < 4 || part < 33) {\n"))
      << ragged;
  EXPECT_TRUE(has(print_cuda(program(copy(256, plain)), "k").source, "mdh_turn < 32;"));
  EXPECT_TRUE(has(print_cuda(program(copy(257, plain)), "k").source,
                  "for (int part = threadIdx.x; part < 257; part += 8) {"))
      << "33 rounds of 4 bytes";
  const std::string wide = "load (a, b, c, d) = x[n % 8 * 4]; store s[n % 8 * 4] = (a, b, c, d);";
  EXPECT_TRUE(has(print_cuda(program(copy(64, wide)), "k").source, "mdh_turn < 8;"));
  EXPECT_TRUE(has(print_cuda(program(copy(72, wide)), "k").source, "part < 72; part += 8"))
      << "9 rounds of 16 bytes";
  const std::string inside = "if n < 300 { load a = x[n % 64]; store s[n % 64] = a; } else { }";
  EXPECT_TRUE(has(print_cuda(program(copy(257, inside)), "k").source, "part < 257; part += 8"));
  EXPECT_TRUE(has(print_cuda(program(copy(33, flying) + "commit; wait 0;"), "k").source,
                  "for (int part = threadIdx.x; part < 33; part += 8) {"))
      << "takes no registers";
}

TEST(Neighbours, what_computes_is_no_copy) {
  const auto moves = [](const std::string& body) { return only_moves(program(body).body); };
  const auto inside = [](const std::string& body) {
    const loop::Program p = program(dealt(body));
    const auto* grid = p.body.front().as<loop::Deal>();
    return only_moves(grid->body.back().as<loop::Deal>()->body);
  };
  EXPECT_TRUE(inside("if t < 3 { load a = x[t]; store y[t] = a; } else { let n = t; }"));
  EXPECT_FALSE(inside("load a = x[t]; apply b, c = f(a; t); store y[t] = b;"));
  EXPECT_FALSE(inside("for - n < 3 sequential { load a = x[n]; store y[n] = a; }"));
  EXPECT_FALSE(moves("")) << "a share of the grid";
}

}  // namespace
}  // namespace mdh::backend::neighbours_test
