// Results on devices: the same bits in every run, and right where 32 bits do not count the elements.

#include <gtest/gtest.h>

#include <cstring>

#include "mdh/driver/data.h"
#include "mdh/driver/devices.h"
#include "mdh/driver/run.h"
#include "mdh/hl/parse.h"
#include "mdh/support/diagnostic.h"

namespace mdh::driver::device_results_test {
namespace {

std::vector<const Target*> targets_with_grids() {
  std::vector<const Target*> found;
  for (const Target& target : targets()) {
    if (target.runtime && target.facts.teams == machine::Teams::nested) found.push_back(&target);
  }
  return found;
}

/// Reductions over threads and blocks, and a scan. Sums of f32 depend on their order.
const std::vector<std::string>& reductions() {
  static const std::vector<std::string> texts = {
      "program dot = out_view( s: f32 = [] ) * md_hom( i: 20011 by pw(add) ) { s = x * y; }"
      " * inp_view( x: f32 = [i]; y: f32 = [i] )",
      "program rows = out_view( w: f32 = [i] ) * md_hom( i: 37 by cc, k: 1009 by pw(add) )"
      " { w = M * v; } * inp_view( M: f32 = [i, k]; v: f32 = [k] )",
      "program two = out_view( a: f32 = []; b: f64 = [] ) * md_hom( i: 5003 by pw(add) )"
      " { a = x; b = f64(x) * f64(x); } * inp_view( x: f32 = [i] )",
      "program prefix = out_view( s: f32 = [i] ) * md_hom( i: 3001 by ps(add) ) { s = x; }"
      " * inp_view( x: f32 = [i] )"};
  return texts;
}

class DeviceResults : public testing::TestWithParam<const Target*> {
 protected:
  void SetUp() override {
    if (GetParam()->runtime->list().empty()) GTEST_SKIP() << "SKIP: no device";
  }
};

std::string bytes_of(const std::vector<scalar::Array>& arrays) {
  std::string all;
  for (const scalar::Array& array : arrays) {
    // What differs between the two runs of run_poisoned() is not defined.
    for (const uint8_t defined : array.defined) EXPECT_NE(defined, 0);
    for (const scalar::Value& value : array.cells) {
      all.append(reinterpret_cast<const char*>(&value.bits), sizeof value.bits);
    }
  }
  return all;
}

TEST_P(DeviceResults, have_the_same_bits_in_a_hundred_runs) {
  const machine::Machine machine = machine_of(*GetParam(), GetParam()->name);
  for (const std::string& text : reductions()) {
    const hl::Program program = hl::parse("mdh 1\n" + text);
    const Executable executable = compile(program, machine, ll::default_config(program, machine, 4),
                                          *GetParam(), GetParam()->name);
    const std::vector<scalar::Array> inputs = random_inputs(program, 7);
    const std::string first = bytes_of(run_poisoned(executable, inputs, 1));
    EXPECT_FALSE(first.empty());
    for (int twice = 1; twice < 50; ++twice) {
      ASSERT_EQ(bytes_of(run_poisoned(executable, inputs, 1)), first) << program.name << twice;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, DeviceResults, testing::ValuesIn(targets_with_grids()),
                         [](const auto& row) { return row.param->name; });

/// A pattern whose length is prime, again and again.
std::vector<int8_t> patterned(size_t count) {
  std::vector<int8_t> all(count);
  constexpr size_t length = 1009;
  for (size_t n = 0; n < length; ++n) all[n] = static_cast<int8_t>(n * n % 101);
  for (size_t done = length; done < count; done *= 2) {
    std::memcpy(all.data() + done, all.data(), std::min(done, count - done));
  }
  return all;
}

/// Two buffers of 2 GiB each, in the memory of the device.
TEST(LargeBuffers, have_more_elements_than_32_bits_count) {
  const Target& target = find_target("cuda");
  if (target.runtime->list().empty()) GTEST_SKIP() << "SKIP: no CUDA device";
  const auto device = target.runtime->open("");
  if (device->grid()->global_bytes < int64_t{8} << 30) GTEST_SKIP() << "SKIP: less than 8 GiB";
  constexpr int64_t count = (int64_t{1} << 31) + 17;
  const hl::Program program = hl::parse(fmt::format(
      "mdh 1\nprogram add = out_view( y: i8 = [i] ) * md_hom( i: {} by cc ) {{ y = x + 3; }}"
      " * inp_view( x: i8 = [i] )",
      count));
  const machine::Machine machine = machine_of(target, "");
  const Executable executable =
      compile(program, machine, ll::default_config(program, machine, 1), target);
  const auto out = device->allocate(count), in = device->allocate(count);
  std::vector<int8_t> data = patterned(count);
  in->upload(data.data());
  std::vector<int8_t> result(count, -1);
  out->upload(result.data());
  void* const handles[] = {out->handle(), in->handle()};
  executable.kernel().run({.buffers = handles});
  out->download(result.data());
  const auto is_right = [&](int64_t n) {
    const auto at = static_cast<size_t>(n);
    return result[at] == static_cast<int8_t>(data[at] + 3);
  };
  for (int64_t n = 0; n < count; n += 997) ASSERT_TRUE(is_right(n)) << n;
  for (int64_t n = 0; n < 1000; ++n) ASSERT_TRUE(is_right(n)) << n;
  for (int64_t n = count - 1000; n < count; ++n) ASSERT_TRUE(is_right(n)) << n;
}

}  // namespace
}  // namespace mdh::driver::device_results_test
