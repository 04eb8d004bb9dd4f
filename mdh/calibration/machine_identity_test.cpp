#include "mdh/calibration/machine_identity.h"

#include <gtest/gtest.h>

#include "mdh/support/cores.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::calibration::machine_identity_test {
namespace {

namespace fs = std::filesystem;

/// A folder that looks like the root of a system.
tune::MachineIdentity of_system(const std::string& cpuinfo) {
  const TemporaryDirectory root;
  const auto file = [&](const fs::path& path, const std::string& content) {
    fs::create_directories((root.path() / path).parent_path());
    write_file(root.path() / path, content + "\n");
  };
  const fs::path cpu = "sys/devices/system/cpu";
  file("proc/cpuinfo", cpuinfo);
  file(cpu / "online", "0-3");
  file(cpu / "cpu0/cache/index0/level", "1");
  file(cpu / "cpu0/cache/index0/type", "Data");
  file(cpu / "cpu0/cache/index0/size", "48K");
  file(cpu / "cpu0/cache/index1/level", "2");
  file(cpu / "cpu0/cache/index1/type", "Unified");
  file(cpu / "cpu0/cache/index1/size", "2M");
  return host_identity(root.path());
}

TEST(HostIdentity, of_an_x86) {
  const tune::MachineIdentity m = of_system(
      "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 143\n"
      "model name\t: Some CPU @ 2.10GHz\nflags\t\t: sse2 avx2\npower management:\n\n"
      "processor\t: 1\nmodel name\t: another\n");
  EXPECT_EQ(m.vendor, "GenuineIntel");
  EXPECT_EQ(m.model, "Some CPU @ 2.10GHz");
  EXPECT_EQ(m.cores, 4);
  EXPECT_EQ(m.isa, "avx2");
  EXPECT_EQ(m.caches, (std::map<std::string, int64_t>{{"L1", 49152}, {"L2", 2097152}}));
}

TEST(HostIdentity, of_an_arm_without_a_name) {
  const auto with = [](const std::string& implementer) {
    return of_system("processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: " + implementer +
                     "\nCPU variant\t: 0x1\nCPU part\t: 0xd40\nCPU revision\t: 2\n");
  };
  EXPECT_EQ(with("0x41").vendor, "ARM");
  EXPECT_EQ(with("0x99").vendor, "0x99");
  EXPECT_EQ(with("0x41").model, "0xd40 r1p2");
  EXPECT_EQ(with("0x41").isa, "neon");
}

TEST(HostIdentity, that_the_system_hides_is_empty) {
  const TemporaryDirectory root;
  const tune::MachineIdentity m = host_identity(root.path());
  EXPECT_EQ(m.model, "");
  EXPECT_EQ(m.cores, 1);
  EXPECT_TRUE(m.caches.empty());
}

TEST(HostIdentity, is_the_same_the_next_time) {
  const tune::MachineIdentity m = host_identity();
  EXPECT_TRUE(is_same(m, host_identity()));
  EXPECT_EQ(m.cores, available_cores());
}

}  // namespace
}  // namespace mdh::calibration::machine_identity_test
