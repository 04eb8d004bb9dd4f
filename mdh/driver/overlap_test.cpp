#include "mdh/driver/overlap.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mdh/driver/arguments.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/runtime/opencl/testing.h"
#include "mdh/support/testing.h"

namespace mdh::driver::overlap_test {
namespace {

const std::string nothing = "(no error was raised)";

const machine::Machine& cpu() { return machine::find_machine("cpu"); }

Executable compiled(const hl::Program& p, int cores = 1) {
  return compile(p, cpu(), ll::default_config(p, cpu(), cores), find_target("openmp"));
}

template <class T>
std::vector<T> counted(size_t count, T first = 1) {
  std::vector<T> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

// ---- ranges

/// Two outputs and an input of 4 bytes each, at these places; what is said about them.
std::string said(int y, int z, int x, std::vector<int> in_place = {}) {
  const std::vector<kernel::Argument> arguments = {{"y", "i8", 1, {4}, true, std::move(in_place)},
                                                   {"z", "i8", 1, {2, 2}, true},
                                                   {"x", "i8", 1, {4}}};
  static char memory[64];
  void* const pointers[] = {memory + y, memory + z, memory + x};
  return diagnostic_of([&] { check_overlap(arguments, pointers); }).message;
}

TEST(Overlap, neighbours_do_not_overlap) {
  EXPECT_EQ(said(0, 4, 8), nothing);
  EXPECT_EQ(said(8, 4, 0), nothing);
}

TEST(Overlap, one_byte_is_enough) {
  EXPECT_EQ(said(0, 10, 3), "output 'y' overlaps input 'x' in memory");
  EXPECT_EQ(said(3, 10, 0), "output 'y' overlaps input 'x' in memory");
  EXPECT_EQ(said(10, 0, 3), "output 'z' overlaps input 'x' in memory");
  EXPECT_EQ(said(3, 0, 20), "output 'y' overlaps output 'z' in memory");
}

TEST(Overlap, only_the_very_same_place_is_in_place) {
  EXPECT_EQ(said(0, 10, 0), "output 'y' overlaps input 'x' in memory");
  EXPECT_EQ(said(0, 10, 0, {2}), nothing);
  EXPECT_EQ(said(0, 10, 1, {2}), "output 'y' overlaps input 'x' in memory");
  EXPECT_EQ(said(10, 0, 0, {2}), "output 'z' overlaps input 'x' in memory");
}

// ---- calls

TEST(CallOverlap, result_over_its_own_input_is_refused) {
  const Executable run = compiled(matvec(Scalar::f32, 64, 64));
  std::vector<float> M(64 * 64, 1), x(64, 1);
  const Diagnostic d = diagnostic_of([&] { call(run, {buffer(x), buffer(M), buffer(x)}); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E833");
  EXPECT_EQ(d.message, "output 'w' overlaps input 'v' in memory");
  EXPECT_EQ(x, std::vector<float>(64, 1)) << "nothing was computed";
}

TEST(CallOverlap, part_of_an_input_is_refused_and_its_neighbour_is_not) {
  const Executable run = compiled(matvec(Scalar::f64, 4, 6));
  std::vector<double> memory = counted<double>(34);  // w, M, v
  const auto part = [&](size_t first, size_t count) {
    return buffer(std::span<double>(memory).subspan(first, count));
  };
  EXPECT_EQ(diagnostic_of([&] {
              call(run, {part(24, 4), part(0, 24), part(28, 6)});
            }).message,
            nothing);
  EXPECT_EQ(diagnostic_of([&] {
              call(run, {part(23, 4), part(0, 24), part(28, 6)});
            }).message,
            "output 'w' overlaps input 'M' in memory");
  EXPECT_EQ(diagnostic_of([&] {
              call(run, {part(25, 4), part(0, 24), part(28, 6)});
            }).message,
            "output 'w' overlaps input 'v' in memory");
}

TEST(CallOverlap, inputs_may_be_the_same) {
  const hl::Program dot = hl::parse(
      "mdh 1 program dot = out_view( s: i32 = [] ) * md_hom( k: 5 by pw(add) ) { s = a * b; } * "
      "inp_view( a: i32 = [k]; b: i32 = [k] )");
  const std::vector<int32_t> x = counted<int32_t>(5);
  std::vector<int32_t> s(1);
  call(compiled(dot), {buffer(s), buffer(x), buffer(x)});
  EXPECT_EQ(s[0], 1 + 4 + 9 + 16 + 25);
}

TEST(CallOverlap, two_outputs_have_memory_of_their_own) {
  const Executable run =
      compiled(hl::parse("mdh 1 program two = out_view( y: i64 = [i]; z: i64 = [i] ) * md_hom( i: "
                         "8 by cc ) { y = x; z "
                         "= x + 1; } * inp_view( x: i64 = [i] )"));
  std::vector<int64_t> y(12), x = counted<int64_t>(8);
  const auto half = [&](size_t first) { return buffer(std::span<int64_t>(y).subspan(first, 8)); };
  EXPECT_EQ(diagnostic_of([&] {
              call(run, {half(0), half(4), buffer(x)});
            }).message,
            "output 'y' overlaps output 'z' in memory");
  EXPECT_EQ(diagnostic_of([&] {
              call(run, {half(0), half(0), buffer(x)});
            }).message,
            "output 'y' overlaps output 'z' in memory");
}

TEST(CallOverlap, executable_itself_refuses_as_well) {
  const Executable run = compiled(sum(Scalar::i32, 3));
  int32_t x[3] = {1, 2, 3};
  void* const buffers[] = {&x[1], x};
  EXPECT_EQ(diagnostic_of([&] { run(buffers, 1); }).code, "E833");
}

// ---- in place

template <class T>
void expect_doubled_in_place(Scalar type) {
  const Executable run = compiled(map(type, 1003, "x + x"), 2);
  std::vector<T> x(1003), expected;
  for (size_t n = 0; n < x.size(); ++n) x[n] = static_cast<T>(n % 50);
  for (const T value : x) expected.push_back(static_cast<T>(value + value));
  call(run, {buffer(x), buffer(x)}, 2);
  EXPECT_EQ(x, expected) << to_string(type);
}

TEST(CallInPlace, elementwise_programs_may_overwrite_their_input) {
  expect_doubled_in_place<float>(Scalar::f32);
  expect_doubled_in_place<double>(Scalar::f64);
  expect_doubled_in_place<int8_t>(Scalar::i8);
  expect_doubled_in_place<uint64_t>(Scalar::u64);
}

TEST(CallInPlace, one_of_two_inputs_or_both) {
  const Executable run =
      compiled(hl::parse("mdh 1 program axpy = out_view( y: i32 = [i, j] ) * md_hom( i: 5 by cc, "
                         "j: 7 by cc ) { y = 10 "
                         "* a + b; } * inp_view( a: i32 = [i, j]; b: i32 = [i, j] )"));
  const std::vector<int32_t> one = counted<int32_t>(35), two = counted<int32_t>(35, 100);
  std::vector<int32_t> a = one, b = two;
  call(run, {buffer(a), buffer(a), buffer(b)});
  for (size_t n = 0; n < 35; ++n) EXPECT_EQ(a[n], 10 * one[n] + two[n]);
  EXPECT_EQ(b, two);
  call(run, {buffer(b), buffer(b), buffer(b)});
  for (size_t n = 0; n < 35; ++n) EXPECT_EQ(b[n], 11 * two[n]);
}

TEST(CallInPlace, other_places_of_the_input_are_refused) {
  const auto refused = [](const std::string& view, int64_t elements) {
    const Executable run = compiled(
        hl::parse("mdh 1 program p = out_view( y: f32 = [i] ) * md_hom( i: 16 by cc ) { y = " +
                  std::string(view.find(',') == std::string::npos ? "x" : "x.1 + x.2") +
                  "; } * inp_view( x: f32" + view + " )"));
    std::vector<float> x(static_cast<size_t>(elements), 1);
    return diagnostic_of([&] {
             call(run, {buffer(std::span<float>(x).subspan(0, 16)), buffer(x)});
           }).code == "E833";
  };
  EXPECT_TRUE(refused(" = [15 - i]", 16)) << "reversed";
  EXPECT_TRUE(refused(" = [i + 1]", 17)) << "shifted";
  EXPECT_TRUE(refused("[16] = [i], [i / 2]", 16)) << "two places";
  EXPECT_TRUE(refused("[16] = [i % 8]", 16)) << "read twice";
  EXPECT_FALSE(refused("[16] = [i]", 16));
}

// Tiles of eight that are shifted back from the edge compute some elements twice; where they fit,
// nothing is shifted.
TEST(CallInPlace, configuration_that_computes_elements_twice_is_refused) {
  const auto with_vectors = [](int64_t I) {
    const hl::Program p = map(Scalar::f32, I, "2.0 * x + 1.0");
    return compile(p, cpu(), config_of(R"("layers": ["COR", "L1", "SIMD"],
      "split": {"i": ["COR 2", "L1 64", "SIMD 8"]}, "order": ["COR.i", "L1.i", "SIMD.i"])"),
                   find_target("openmp"));
  };
  std::vector<float> x(1003, 1), whole = counted<float>(1024);
  EXPECT_EQ(diagnostic_of([&] { call(with_vectors(1003), {buffer(x), buffer(x)}); }).code, "E833");
  EXPECT_EQ(x, std::vector<float>(1003, 1));
  call(with_vectors(1024), {buffer(whole), buffer(whole)}, 2);
  for (size_t n = 0; n < whole.size(); ++n) {
    ASSERT_EQ(whole[n], 2 * static_cast<float>(n + 1) + 1) << n;
  }
}

/// Whether the configuration allows to add b to a where a is; if so, the result is the right one.
bool is_right_where_allowed(int64_t I, int64_t J, const std::string& config) {
  const hl::Program p =
      hl::parse(fmt::format("mdh 1 program sums = out_view( y: i32 = [i, j] ) * md_hom( i: {} by "
                            "cc, j: {} by cc ) {{ y = "
                            "3 * a + b; }} * inp_view( a: i32 = [i, j]; b: i32 = [j] )",
                            I, J));
  const Executable run = compile(p, cpu(), config_of(config), find_target("openmp"));
  if (run.module().arguments[0].in_place.empty()) return false;
  const auto all = static_cast<size_t>(I * J);
  const std::vector<int32_t> a = counted<int32_t>(all),
                             b = counted<int32_t>(static_cast<size_t>(J));
  for (const int threads : {1, 3}) {
    std::vector<int32_t> here = a;
    call(run, {buffer(here), buffer(here), buffer(b)}, threads);
    for (size_t n = 0; n < all; ++n) {
      EXPECT_EQ(here[n], 3 * a[n] + b[n % static_cast<size_t>(J)]) << config << " at " << n;
    }
  }
  return true;
}

TEST(CallInPlace, what_a_configuration_allows_is_right) {
  const std::string layers = R"("layers": ["COR", "L1", "REG", "SIMD"], )";
  const std::vector<std::string> configs = {
      R"("split": {"i": ["COR 3", "L1 *"], "j": ["L1 *"]}, "order": ["COR.i", "L1.i", "L1.j"])",
      R"("split": {"i": ["COR 3", "L1 *"], "j": ["COR 2", "L1 *"]},
         "order": ["COR.i", "COR.j", "L1.j", "L1.i"])",
      R"("split": {"i": ["COR 2", "L1 *"], "j": ["L1 *", "SIMD 4"]},
         "order": ["COR.i", "L1.i", "L1.j", "SIMD.j"])",
      R"("split": {"i": ["COR 2", "L1 *", "REG 2"], "j": ["L1 *", "SIMD 4"]},
         "order": ["COR.i", "L1.i", "L1.j", "REG.i", "SIMD.j"])",
      R"("split": {"i": ["L1 *", "SIMD 8"], "j": ["COR 2", "L1 *"]},
         "order": ["COR.j", "L1.j", "L1.i", "SIMD.i"])"};
  int allowed = 0, refused = 0;
  for (const auto& [I, J] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {7, 5}, {16, 32}, {13, 30}}) {
    for (std::string config : configs) {
      // "L1 *" is what is left of the dimension.
      for (const auto& [dimension, size] : {std::pair("i", I), std::pair("j", J)}) {
        const size_t begin = config.find(fmt::format("\"{}\":", dimension));
        const size_t end = config.find(']', begin);
        std::string part = config.substr(begin, end - begin);
        int64_t rest = size;
        for (const int64_t count : {2, 3, 4, 8}) {
          if (part.find(fmt::format(" {}\"", count)) == std::string::npos) continue;
          rest = (rest + count - 1) / count;
        }
        const size_t star = part.find('*');
        if (star != std::string::npos) part.replace(star, 1, std::to_string(rest));
        config.replace(begin, end - begin, part);
      }
      (is_right_where_allowed(I, J, layers + config) ? allowed : refused) += 1;
    }
  }
  EXPECT_GE(allowed, 8);
  EXPECT_GE(refused, 1);
}

// ---- on a device

TEST(CallOverlap, devices_refuse_and_allow_the_same) {
  runtime::opencl::use_cache_of_tests();
  const machine::Machine& gpu = machine::find_machine("gpu_nowarp");
  const auto on_device = [&](const hl::Program& p) {
    return compile(p, gpu, ll::default_config(p, gpu, 2), find_target("opencl"));
  };
  try {
    runtime::opencl::device_of_tests();
  } catch (const Error& e) {
    GTEST_SKIP() << "SKIP: " << e.diagnostic().message;
  }
  const Executable product = on_device(matvec(Scalar::i32, 8, 8));
  std::vector<int32_t> M(64, 1), x = counted<int32_t>(8);
  EXPECT_EQ(diagnostic_of([&] { call(product, {buffer(x), buffer(M), buffer(x)}); }).code, "E833");
  const Executable twice = on_device(map(Scalar::i32, 8, "2 * x"));
  call(twice, {buffer(x), buffer(x)});
  EXPECT_EQ(x, (std::vector<int32_t>{2, 4, 6, 8, 10, 12, 14, 16}));
}

}  // namespace
}  // namespace mdh::driver::overlap_test
