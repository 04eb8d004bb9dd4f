// What compilers make of printed CUDA where launches wait for each other by themselves: PTX is read as
// text, on machines without a GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "mdh/driver/stages.h"
#include "mdh/hl/parse.h"
#include "mdh/runtime/cuda/build.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::test::cuda_launches_test {
namespace {

using runtime::cuda::Device;

/// Why there is no compiler; empty if there is one.
std::string no_compiler() {
  try {
    runtime::cuda::compiler_for({.language = "cuda"}, {});
    return "";
  } catch (const Error& e) {
    return e.diagnostic().message;
  }
}

/// Sums whose parts a second launch combines, scans of groups that look back, and maxima.
kernel::Module printed(const std::string& how, const std::string& start) {
  const bool is_scan = how.starts_with("ps");
  const hl::Program program = hl::parse(fmt::format(
      "mdh 1\nprogram p = out_view( y: f32 = [{}] ) * md_hom( k: 4096 by {} ) {{ y = x; }}"
      " * inp_view( x: f32 = [k] )",
      is_scan ? "k" : "0", how));
  const ll::Config config = ll::parse_config(fmt::format(
      R"({{"mdh_config": 1, "machine": "gpu", "layers": ["BLK", "THR", "REG"],
           "split": {{"k": ["BLK 32", "THR 32", "REG 4"]}}, "order": ["BLK.k", "THR.k", "REG.k"],
           "code": {{"combine": {{"THR.k": "shuffle"{}}}, "kernel": {{"start": "{}"}}}}}})",
      is_scan ? R"(, "BLK.k": "look_back")" : "", start));
  return driver::lower_all(program, machine::find_machine("gpu"), config,
                           driver::find_target("cuda"), "p")
      .module;
}

std::string ptx_of(const kernel::Module& module, const std::string& arch) {
  const Device device = runtime::cuda::described(*runtime::cuda::arch_from(arch));
  const auto objects = runtime::cuda::build_all({&module, 1}, device, runtime::Purpose::calls);
  return read_file(objects.front().path);
}

/// The text of each kernel.
std::vector<std::string> entries_of(const std::string& ptx) {
  std::vector<std::string> entries;
  for (size_t at = ptx.find(".entry "); at != std::string::npos;) {
    const size_t next = ptx.find(".entry ", at + 1);
    entries.push_back(ptx.substr(at, next - at));
    at = next;
  }
  return entries;
}

/// Where the first of these is.
size_t first_of(const std::string& text, const std::vector<std::string>& words) {
  size_t first = std::string::npos;
  for (const std::string& word : words) first = std::min(first, text.find(word));
  return first;
}

TEST(CudaLaunches, wait_before_they_touch_memory_that_others_write) {
  if (const std::string why = no_compiler(); !why.empty()) GTEST_SKIP() << "SKIP: " << why;
  for (const char* how : {"pw(add)", "pw(max)", "ps(add)"}) {
    for (const char* start : {"auto", "early"}) {
      SCOPED_TRACE(fmt::format("{} {}", how, start));
      const std::string ptx = ptx_of(printed(how, start), "compute_90");
      const auto entries = entries_of(ptx);
      EXPECT_EQ(entries.size(), how[1] == 's' ? 1u : 2u);
      for (const std::string& entry : entries) {
        const size_t waits = entry.find("griddepcontrol.wait");
        const size_t first =
            first_of(entry, {"ld.global", "st.global", "atom.", "red.", "cp.async", "ld.relaxed"});
        ASSERT_NE(first, std::string::npos) << entry;
        EXPECT_LT(waits, first) << entry;
        EXPECT_EQ(entry.find("griddepcontrol.launch_dependents") < waits,
                  std::string(start) == "early")
            << entry;
      }
      EXPECT_NE(ptx.find(".global .align 4 .u32 mdh_waits_for_launch = 1"), std::string::npos)
          << "the runtime looks for it";
      EXPECT_EQ(ptx.find("max.f32") != std::string::npos, std::string(how) == "pw(max)");
    }
  }
}

TEST(CudaLaunches, of_older_gpus_know_nothing_of_it) {
  if (const std::string why = no_compiler(); !why.empty()) GTEST_SKIP() << "SKIP: " << why;
  const std::string ptx = ptx_of(printed("pw(add)", "early"), "compute_80");
  EXPECT_EQ(ptx.find("griddepcontrol"), std::string::npos);
  EXPECT_EQ(ptx.find("mdh_waits_for_launch"), std::string::npos);
}

}  // namespace
}  // namespace mdh::test::cuda_launches_test
