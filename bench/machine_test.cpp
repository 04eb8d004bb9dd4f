#include "bench/machine.h"

#include <gtest/gtest.h>

namespace mdh::bench::machine_test {
namespace {

TEST(MachineClass, is_the_widest_vector_extension) {
  EXPECT_EQ(class_of("flags\t\t: sse2 avx2 avx512f\n"), "avx512");
  EXPECT_EQ(class_of("model name\t: x\nflags\t\t: sse2 avx2\n"), "avx2");
  EXPECT_EQ(class_of("Features\t: fp asimd crc32\n"), "neon");
  EXPECT_EQ(class_of("flags : sse2\n"), "other");
  EXPECT_EQ(class_of(""), "other");
}

TEST(MachineReport, says_what_reports_need) {
  const MachineReport report = this_machine();
  EXPECT_FALSE(report.cpu.empty());
  EXPECT_FALSE(report.compilers.empty());
  EXPECT_GE(report.cores, 1);
  EXPECT_NE(report.date.find("UTC"), std::string::npos);
}

}  // namespace
}  // namespace mdh::bench::machine_test
