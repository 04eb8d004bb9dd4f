#include "mdh/driver/arguments.h"

#include <gtest/gtest.h>

#include "mdh/driver/test_programs.h"
#include "mdh/support/testing.h"

namespace mdh::driver::arguments_test {
namespace {

Executable compiled(const hl::Program& p) {
  const machine::Machine& cpu = machine::find_machine("cpu");
  return compile(p, cpu, ll::default_config(p, cpu, 2), find_target("openmp"));
}

TEST(Call, computes_on_the_users_vectors) {
  const std::vector<float> M = {1, 2, 3, 4, 5, 6}, v = {1, 10, 100};
  std::vector<float> w(2, -1);
  call(compiled(matvec(scalar::Scalar::f32, 2, 3)), {buffer(w), buffer(M), buffer(v)});
  EXPECT_EQ(w, (std::vector<float>{321, 654}));
}

TEST(Call, computes_on_raw_memory_and_spans) {
  int64_t M[4] = {1, 2, 3, 4}, v[2] = {5, 6}, w[2] = {};
  call(
      compiled(matvec(scalar::Scalar::i64, 2, 2)),
      {raw_buffer(w, sizeof w), buffer(std::span<const int64_t>(M)), buffer(std::span<int64_t>(v))},
      1);
  EXPECT_EQ(w[0], 17);
  EXPECT_EQ(w[1], 39);
}

TEST(Call, wrong_buffers_are_refused_by_name) {
  const Executable e = compiled(matvec(scalar::Scalar::f32, 2, 3));
  std::vector<float> w(2), M(6), v(3), short_v(2);
  std::vector<double> wide(3);
  const Diagnostic few = diagnostic_of([&] { call(e, {buffer(w), buffer(M)}); });
  EXPECT_EQ(few.message, "the program has 3 buffers, got 2");
  EXPECT_EQ(few.hint, "pass, in this order: w, M, v");
  EXPECT_EQ(diagnostic_of([&] {
              call(e, {buffer(w), buffer(M), buffer(wide)});
            }).message,
            "buffer 'v' holds f64, but the program needs f32");
  EXPECT_EQ(diagnostic_of([&] {
              call(e, {buffer(w), buffer(M), buffer(short_v)});
            }).message,
            "buffer 'v' has 8 bytes, but f32[3] needs 12");
}

TEST(Call, types_have_the_names_of_the_text_form) {
  EXPECT_EQ(type_name<const float>(), "f32");
  EXPECT_EQ(type_name<uint8_t>(), "u8");
  EXPECT_EQ(type_name<int64_t>(), "i64");
  EXPECT_EQ(type_name<bool>(), "bool");
}

}  // namespace
}  // namespace mdh::driver::arguments_test
