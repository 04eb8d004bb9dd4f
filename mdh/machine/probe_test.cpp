#include "mdh/machine/probe.h"

#include <gtest/gtest.h>

#include <thread>

#include <fmt/format.h>

#include "mdh/support/files.h"

namespace mdh::machine::probe_test {
namespace {

namespace fs = std::filesystem;

/// A folder that looks like the root of a system.
class System {
 public:
  System& file(const std::string& path, const std::string& content) {
    const fs::path full = root_.path() / path;
    fs::create_directories(full.parent_path());
    write_file(full, content + "\n");
    return *this;
  }

  System& cores(const std::string& online) { return file("sys/devices/system/cpu/online", online); }

  System& cache(int index, const std::string& level, const std::string& type,
                const std::string& size) {
    const std::string folder = fmt::format("sys/devices/system/cpu/cpu0/cache/index{}/", index);
    return file(folder + "level", level).file(folder + "type", type).file(folder + "size", size);
  }

  Probe probe() const { return probe_host(root_.path()); }

 private:
  TemporaryDirectory root_;
};

TEST(Probe, of_an_x86_with_avx512) {
  System system;
  system.cores("0-15")
      .cache(0, "1", "Data", "48K")
      .cache(1, "1", "Instruction", "32K")
      .cache(2, "2", "Unified", "2048K")
      .cache(3, "3", "Unified", "105M")
      .file("proc/cpuinfo",
            "processor\t: 0\nmodel name\t: flags of another line\nvmx flags\t: avx10\n"
            "flags\t\t: fpu sse2 avx avx2 avx512f avx512bw\n");
  const Probe p = system.probe();
  EXPECT_EQ(p.cores, 16);
  EXPECT_EQ(p.l1_bytes, 48 * 1024);
  EXPECT_EQ(p.l2_bytes, 2048 * 1024);
  EXPECT_EQ(p.l3_bytes, 105 * 1024 * 1024);
  EXPECT_EQ(p.vectors, (Vectors{64, 32}));
  EXPECT_EQ(p.isa, "avx512");
}

TEST(Probe, of_an_x86_with_avx2_and_without_l3) {
  System system;
  system.cores("0,2-3,7")
      .cache(0, "1", "Data", "32K")
      .cache(1, "1", "Instruction", "32K")
      .cache(2, "2", "Unified", "512K")
      .file("proc/cpuinfo", "flags\t\t: fpu sse2 avx avx2\n");
  const Probe p = system.probe();
  EXPECT_EQ(p.cores, 4);
  EXPECT_EQ(p.l1_bytes, 32 * 1024);
  EXPECT_EQ(p.l2_bytes, 512 * 1024);
  EXPECT_EQ(p.l3_bytes, std::nullopt);
  EXPECT_EQ(p.vectors, (Vectors{32, 16}));
  EXPECT_EQ(p.isa, "avx2");
}

TEST(Probe, of_an_x86_with_sse_only) {
  System system;
  system.file("proc/cpuinfo", "flags : fpu sse sse2 avx\n");
  EXPECT_EQ(system.probe().vectors, (Vectors{16, 16}));
  EXPECT_EQ(system.probe().isa, "sse2");
}

TEST(Probe, of_an_aarch64_with_neon) {
  System system;
  system.cores("0-1")
      .cache(0, "1", "Data", "64K")
      .cache(1, "2", "Unified", "1M")
      .cache(2, "3", "Unified", "1G")
      .file("proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd crc32\n");
  const Probe p = system.probe();
  EXPECT_EQ(p.cores, 2);
  EXPECT_EQ(p.l1_bytes, 64 * 1024);
  EXPECT_EQ(p.l2_bytes, 1 << 20);
  EXPECT_EQ(p.l3_bytes, 1 << 30);
  EXPECT_EQ(p.vectors, (Vectors{16, 32}));
  EXPECT_EQ(p.isa, "neon");
}

TEST(Probe, does_not_guess_the_length_of_sve) {
  System system;
  system.file("proc/cpuinfo", "Features\t: fp asimd sve\n");
  EXPECT_EQ(system.probe().vectors, (Vectors{16, 32}));
  EXPECT_EQ(system.probe().isa, "sve");
}

TEST(Probe, counts_on_features_of_all_cores_only) {
  System system;
  system.file("proc/cpuinfo", "flags : sse2 avx2 avx512f\n\nflags : sse2 avx2\n");
  EXPECT_EQ(system.probe().isa, "avx2");
}

TEST(Probe, leaves_unknown_what_is_not_reported) {
  const Probe p = System().probe();
  EXPECT_EQ(p.cores, 1);
  EXPECT_EQ(p.l1_bytes, std::nullopt);
  EXPECT_EQ(p.l2_bytes, std::nullopt);
  EXPECT_EQ(p.l3_bytes, std::nullopt);
  EXPECT_EQ(p.vectors, Vectors{});
  EXPECT_EQ(p.isa, "");
}

TEST(Probe, leaves_unknown_what_it_cannot_read) {
  for (const char* size : {"", "K", "many", "0K", "-1K", "1.5M"}) {
    System system;
    system.cores("all").cache(0, "1", "Data", size).cache(1, "4", "Unified", "64M");
    EXPECT_EQ(system.probe().l1_bytes, std::nullopt) << size;
    EXPECT_EQ(system.probe().cores, 1);
  }
}

TEST(Probe, of_this_system_finds_the_cores_that_threads_find) {
  const auto all = static_cast<int64_t>(std::thread::hardware_concurrency());
  if (all > 0) {
    EXPECT_EQ(probe_host().cores, all);
  }
  const Vectors vectors = probe_host().vectors;
  EXPECT_EQ(vectors.bytes == 0, vectors.registers == 0);
}

}  // namespace
}  // namespace mdh::machine::probe_test
