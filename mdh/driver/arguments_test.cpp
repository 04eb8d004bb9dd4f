#include "mdh/driver/arguments.h"

#include <gtest/gtest.h>

#include "mdh/hl/edsl.h"
#include "mdh/ll/shared_test_programs.h"
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

// The memory behind the buffer is somebody else's.
TEST(Call, index_outside_of_the_buffer_is_refused_before_anything_is_compiled) {
  using namespace hl::edsl;
  const auto built = [](int64_t extent) {
    return compiled(out_view(hl::edsl::buffer("y", f32).at([](Index i) { return index(i); })) *
                    md_hom({{"i", 8}}, [](Scalars in) { return in["x"]; }, {cc()}) *
                    inp_view(hl::edsl::buffer("x", f32).extents({extent}).at(
                        [](Index i) { return index(i * i); })));
  };
  const Diagnostic d = diagnostic_of([&] { built(10); });
  EXPECT_EQ(d.code, "E235");
  EXPECT_EQ(d.message, "index 1 of buffer 'x' is 49 at i = 7, outside of [0, 10)");
  std::vector<float> x(50), y(8);
  for (size_t n = 0; n < x.size(); ++n) x[n] = static_cast<float>(n);
  call(built(50), {driver::buffer(y), driver::buffer(x)});
  EXPECT_EQ(y, (std::vector<float>{0, 1, 4, 9, 16, 25, 36, 49}));
}

TEST(Call, types_have_the_names_of_the_text_form) {
  EXPECT_EQ(type_name<const float>(), "f32");
  EXPECT_EQ(type_name<uint8_t>(), "u8");
  EXPECT_EQ(type_name<int64_t>(), "i64");
  EXPECT_EQ(type_name<bool>(), "bool");
}

}  // namespace
}  // namespace mdh::driver::arguments_test
