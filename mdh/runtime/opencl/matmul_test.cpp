// A matrix multiplication decomposed as compilers for GPUs do it: can a device run this shape?

#include "mdh/runtime/opencl/testing.h"

namespace mdh::runtime::opencl::matmul_test {
namespace {

using MatMul = OpenCl;

constexpr int64_t rows = 16, columns = 1000, depth = 2048;

/// 2 x 50 groups of 20 x 4 items. A group computes 8 x 20 elements, two per item. Step by step, it
/// copies 8 x 256 elements of A and 256 x 20 of B into local memory: 28,672 bytes. 80 items do not
/// divide 2048 elements, so the first copy has a guard.
constexpr const char* source = R"(
__kernel void matmul(__global float *restrict C, __global const float *restrict A,
                     __global const float *restrict B, __global char *workspace) {
  __local float a[8 * 256];
  __local float b[256 * 20];
  const int item = get_local_id(1) * 20 + get_local_id(0);
  const int i0 = get_group_id(1) * 8, j0 = get_group_id(0) * 20;
  float c[2] = {0.0f, 0.0f};
  for (int k0 = 0; k0 < 2048; k0 += 256) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < 26; ++n) {
      const int e = n * 80 + item;
      if (e < 2048) a[e] = A[(i0 + e / 256) * 2048 + k0 + e % 256];
    }
    for (int n = 0; n < 64; ++n) {
      const int e = n * 80 + item;
      b[e] = B[(k0 + e / 20) * 1000 + j0 + e % 20];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 256; ++k)
      for (int i = 0; i < 2; ++i)
        c[i] += a[(get_local_id(1) * 2 + i) * 256 + k] * b[k * 20 + get_local_id(0)];
  }
  for (int i = 0; i < 2; ++i)
    C[(i0 + get_local_id(1) * 2 + i) * 1000 + j0 + get_local_id(0)] = c[i];
}
)";

/// Small whole numbers: sums of their products are exact in any order.
std::vector<float> small_numbers(int64_t count, uint32_t seed) {
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& x : numbers) {
    seed = seed * 1664525 + 1013904223;
    x = static_cast<float>(seed >> 28) - 8;
  }
  return numbers;
}

std::vector<float> plain(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> c(rows * columns, 0);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t k = 0; k < depth; ++k) {
      const float x = a[i * depth + k];
      const float *from = &b[k * columns], *end = from + columns;
      for (float* to = &c[i * columns]; from != end; ++to, ++from) *to += x * *from;
    }
  }
  return c;
}

TEST_F(MatMul, in_local_memory_with_cooperative_copies_is_that_of_a_plain_loop) {
  const kernel::Module module =
      module_of({output("C", "f32", 4, {rows, columns}), input("A", "f32", 4, {rows, depth}),
                 input("B", "f32", 4, {depth, columns})},
                source, {{kernel::Launch{"matmul", {50, 2, 1}, {20, 4, 1}}}});
  std::vector<float> c(rows * columns, -1), a = small_numbers(rows * depth, 1),
                                            b = small_numbers(depth * columns, 2);
  call(load_one(module), c, a, b);
  EXPECT_EQ(c, plain(a, b));
}

}  // namespace
}  // namespace mdh::runtime::opencl::matmul_test
