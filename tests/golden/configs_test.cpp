// Configurations that others have published and that fast kernels use: each is expressible, valid,
// and counted as its authors say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "mdh/hl/analysis.h"
#include "mdh/ll/footprint.h"
#include "mdh/ll/names.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/partitions.h"
#include "mdh/ll/print.h"
#include "mdh/ll/schedule.h"
#include "mdh/ll/table.h"
#include "mdh/passes/lower/fuse.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tests/golden/configured.h"

namespace mdh::test::configs_test {
namespace {

namespace fs = std::filesystem;

/// Paths of all configurations, relative to this folder.
std::vector<std::string> all_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(golden_folder())) {
    if (entry.path().extension() == ".json") {
      files.push_back(fs::relative(entry.path(), golden_folder()).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The golden text; MDH_UPDATE_GOLDEN=1 rewrites it.
void expect_text(const std::string& file, const std::string& text) {
  const fs::path path = golden_folder() / file;
  const char* update = std::getenv("MDH_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") write_file(path, text);
  EXPECT_EQ(read_file(path), text) << "if the new text is right: MDH_UPDATE_GOLDEN=1";
}

std::string table_of(const Configured& c) {
  return print_table(c.config, passes::fuse(c.program, c.config.fuse), c.machine);
}

ll::Footprint footprint_of(const Configured& c) {
  return ll::footprint(passes::lower(c.program, c.machine, c.config), c.machine);
}

/// "BLK 100, THR 80"
std::string teams_of(const ll::Footprint& f) {
  std::vector<std::string> teams;
  for (const ll::TeamCount& team : f.teams) {
    teams.push_back(fmt::format("{} {}", team.layer, team.members.to_string()));
  }
  return join(teams, ", ");
}

int64_t bytes_in(const ll::Footprint& f, const std::string& region) {
  for (const ll::RegionCount& count : f.regions) {
    if (count.region == region) return count.bytes;
  }
  return -1;
}

/// "A SM 8x256, B SM 256x20"
std::string tiles_of(const ll::Footprint& f) {
  std::vector<std::string> tiles;
  for (const ll::TileCount& tile : f.tiles) {
    std::vector<std::string> extents;
    for (const int64_t extent : tile.extents) extents.push_back(std::to_string(extent));
    tiles.push_back(fmt::format("{} {} {}", tile.buffer, tile.place.region, join(extents, "x")));
  }
  return join(tiles, ", ");
}

/// "C RM 64": the results that one instance of the region holds at a time.
std::string accumulators_of(const ll::Footprint& f) {
  std::vector<std::string> all;
  for (const ll::AccumulatorCount& acc : f.accumulators) {
    all.push_back(fmt::format("{} {} {}", acc.buffer, acc.place.region, acc.elements * acc.slots));
  }
  return join(all, ", ");
}

// ---- every file

class Configuration : public testing::TestWithParam<std::string> {};

TEST_P(Configuration, validates_and_lowers) {
  const Configured c = configured(GetParam());
  const ll::Program low = passes::lower(c.program, c.machine, c.config);
  EXPECT_EQ(low, passes::lower(c.program, c.machine, c.config)) << "a pure function";
  EXPECT_EQ(ll::print(c.config), read_file(golden_folder() / GetParam())) << "canonical text";
}

TEST_P(Configuration, table_says_the_same) {
  const Configured c = configured(GetParam());
  const hl::Program fused = passes::fuse(c.program, c.config.fuse);
  const ll::Config back = ll::parse_table(table_of(c), fused, c.machine);
  EXPECT_EQ(ll::parameters_of(back, fused, c.machine),
            ll::parameters_of(c.config, fused, c.machine));
  EXPECT_EQ(back.sizes, c.config.sizes);
  EXPECT_EQ(back.fuse, c.config.fuse);
  EXPECT_EQ(back.code, with_machine_names(c.config, c.machine).code);
}

INSTANTIATE_TEST_SUITE_P(Golden, Configuration, testing::ValuesIn(all_files()),
                         [](const auto& info) {
                           std::string name = fs::path(info.param).replace_extension().string();
                           std::replace(name.begin(), name.end(), '/', '_');
                           return name;
                         });

// ---- the paper's MatVec

TEST(PaperMatVec, prints_as_in_the_figure) {
  const Configured c = configured("fig15.json");
  expect_text("fig15.ll", ll::print(passes::lower(c.program, c.machine, c.config)));
  expect_text("fig15.table", table_of(c));
}

TEST(PaperMatVec, copies_v_and_accumulates_w_and_starts_8_by_16_threads) {
  const ll::Footprint f = footprint_of(configured("fig15.json"));
  EXPECT_EQ(teams_of(f), "COR 128");
  EXPECT_EQ(tiles_of(f), "v L1 64");
  EXPECT_EQ(accumulators_of(f), "w HM 512, w L1 32");
}

// ---- TVM's MatMul

TEST(TvmMatMul, has_the_parameters_of_the_schedule) {
  expect_text("configs/tvm_matmul.table", table_of(configured("configs/tvm_matmul.json")));
}

TEST(TvmMatMul, needs_100_blocks_of_80_threads_and_28672_bytes_of_shared_memory) {
  const ll::Footprint f = footprint_of(configured("configs/tvm_matmul.json"));
  EXPECT_EQ(teams_of(f), "SMX 100, CC 80");
  EXPECT_EQ(tiles_of(f), "A SM 8x256, B SM 256x20");
  EXPECT_EQ(bytes_in(f, "SM"), 28672);
  EXPECT_EQ(accumulators_of(f), "C RM 2");
}

TEST(TvmMatMul, follows_from_the_calls_of_the_schedule) {
  const Configured c = configured("configs/tvm_matmul.json");
  const std::string file = "configs/tvm_matmul.schedule";
  ll::Config read =
      ll::parse_schedule(read_file(golden_folder() / file), c.program, c.machine, file);
  read.sizes = c.config.sizes;  // a schedule does not name what it was made for
  read.types = c.config.types;
  EXPECT_EQ(ll::print(read), ll::print(with_machine_names(c.config, c.machine)));
  EXPECT_EQ(read, with_machine_names(c.config, c.machine));
}

TEST(ExactPartitions, are_as_many_as_the_paper_counts) {
  EXPECT_EQ(ll::exact_partitions({512, 4096}, 3), 5005u);
  EXPECT_EQ(ll::exact_partitions({16, 1000, 2048}, 5), 117048750u);
}

// ---- Pluto's MatMul

TEST(PlutoMatMul, is_padded) {
  const Configured c = configured("configs/pluto_matmul.json");
  const ll::Parameters p = ll::parameters_of(c.config, c.program, c.machine);
  std::vector<int64_t> products(3, 1);
  for (const auto& [level, parts] : p.parts) products[level.dimension] *= parts;
  EXPECT_EQ(products, (std::vector<int64_t>{16, 1924, 2180}));
  EXPECT_EQ(hl::sizes(c.program), (std::vector<int64_t>{16, 1000, 2048}));
}

// ---- fast kernels

struct Facts {
  std::string file;
  std::string teams;
  std::string tiles;
  std::string accumulators;
};

class FastKernel : public testing::TestWithParam<Facts> {};

TEST_P(FastKernel, needs_what_its_authors_counted) {
  const ll::Footprint f = footprint_of(configured("configs/" + GetParam().file + ".json"));
  EXPECT_EQ(teams_of(f), GetParam().teams);
  EXPECT_EQ(tiles_of(f), GetParam().tiles);
  EXPECT_EQ(accumulators_of(f), GetParam().accumulators);
}

const std::vector<Facts>& facts() {
  static const std::vector<Facts> all = {
      // 8 rows x 2 vectors of 4; B packed by 8 columns, A by 8 rows
      {"cpu/matmul_1024", "COR 2", "A L1 128x512, A REG 8x1, B L2 512x512, B REG 1x8", "C REG 64"},
      // A's 5 x 4 values are kept in registers
      {"cpu/matmul_10x500x64", "COR 2", "A REG 5x4", "C REG 60"},
      // partial rows of both cores, then 5 vectors
      {"cpu/matmul_1x1000x2048", "COR 2", "A REG 1x16, B REG 16x20", "C MM 2000, C REG 20"},
      // 8 x 2 vectors, combined after the loop
      {"cpu/matvec_4096", "COR 2", "", "w REG 64"},
      {"cpu/conv2d_4096", "COR 2", "I REG 6x36, F REG 5x5", "O REG 64"},
      // the filter is packed once for all; 24 columns stand for 21
      {"cpu/mcc_resnet", "COR 2", "I REG 1x1x16, F L3 64x7x24", "O REG 64"},
      {"cpu/mcc_512", "COR 2", "I REG 1x1x7x4, F L1 8x1x3x512", "O REG 56"},
      {"gpu/matmul_1024", "BLK 128, WRP 8, THR 32", "A SM 128x16, A RM 8x1, B SM 16x128, B RM 1x8",
       "C DM 32768, C RM 64"},
      // eight warps meet in shared memory, sixteen blocks in device memory
      {"gpu/matmul_16x1000x2048", "BLK 128, WRP 8, THR 32", "A SM 16x128, B RM 4x4",
       "C DM 32768, C SM 2048, C SM 16384, C RM 64"},
      // threads of a warp hand each other registers: none of their parts is in shared memory
      {"gpu/dot", "BLK 396, WRP 16, THR 32", "", "C DM 396, C SM 1, C SM 16, C RM 1, C RM 1"},
      {"gpu/conv2d_4096", "BLK 16384, WRP 4, THR 32", "I SM 20x68, I RM 6x8, F RM 5x5", "O RM 8"},
      {"gpu/mcc_resnet", "BLK 1792, WRP 4, THR 32", "I SM 1x9x117x3, I RM 1x1x33x3, F SM 64x7x7x3",
       "O RM 56"},
      {"gpu/ccsdt_geab_dfgc", "BLK 384, WRP 8, THR 32", "", "C RM 32"},
  };
  return all;
}

INSTANTIATE_TEST_SUITE_P(Golden, FastKernel, testing::ValuesIn(facts()), [](const auto& info) {
  std::string name = info.param.file;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

TEST(FastKernels, tiles_in_registers_hold_the_points_that_are_read_and_not_their_box) {
  const ll::Footprint cpu = footprint_of(configured("configs/cpu/jacobi3d_256.json"));
  EXPECT_EQ(tiles_of(cpu), "I REG 4x3x18");
  EXPECT_EQ(cpu.tiles[0].elements, 2 * 18 + 6 * 16) << "8 rows of 12";
  const ll::Footprint gpu = footprint_of(configured("configs/gpu/jacobi3d_512.json"));
  EXPECT_EQ(gpu.tiles[0].elements, 4 + 4 * 2) << "5 rows of 9";
}

TEST(FastKernels, shared_memory_counts_pads_and_tiles_in_flight) {
  EXPECT_EQ(bytes_in(footprint_of(configured("configs/gpu/matmul_1024.json")), "SM"),
            2 * 2 * 16 * (128 + 4) * 4);
  EXPECT_EQ(bytes_in(footprint_of(configured("configs/gpu/mcc_resnet.json")), "SM"),
            7 * 7 * 3 * (64 + 4) * 4 + 2 * 9 * 117 * 3 * 4);
}

}  // namespace
}  // namespace mdh::test::configs_test
