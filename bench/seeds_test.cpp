// The files of the folder `records`: configurations of machines that we have, from bench/configs, as
// seeds of searches on similar machines. MDH_UPDATE_RECORDS=1 writes them anew after a change there.
#include <gtest/gtest.h>

#include <cstdlib>

#include "bench/configs.h"
#include "mdh/driver/target.h"
#include "mdh/support/files.h"
#include "mdh/tuning/shipped.h"

namespace mdh::bench::seeds_test {
namespace {

struct SeedFile {
  std::string name;      // in the folder `records`
  std::string suite;     // whose workloads it has
  std::string machines;  // the folder of bench/configs
  std::string target;
  tune::MachineIdentity hardware;
};

/// Where caches are left out, nobody wrote down how large they were.
const std::vector<SeedFile>& files() {
  static const std::vector<SeedFile> all = {
      {"neoverse_v1_2_cores.tuned",
       "cpu",
       "neon",
       "openmp",
       {"ARM", "0xd40 r1p1", 2, "neon", {{"L1", 65536}, {"L2", 1048576}, {"L3", 33554432}}}},
      {"h200.tuned",
       "gpu",
       "sm_90",
       "cuda",
       {"NVIDIA", "NVIDIA H200", 132, "sm_90, CUDA 13.0", {}}}};
  return all;
}

/// Without a time: bench/configs does not say what was measured, only what is fast.
tune::TunedEntry entry_of(const Workload& workload, const tuning::ChosenConfig& known,
                          const SeedFile& file) {
  const hl::Program program = instantiate(workload).program;
  const driver::Target& target = driver::find_target(file.target);
  const std::string& named = known.config.machine;
  tune::Record record =
      tuning::new_record(program, machine::load_machine(named.empty() ? target.machine : named),
                         known.config, {.target = &target, .hardware = &file.hardware});
  record.when.clear();
  record.version.clear();
  return tune::entry_of(record, program.name);
}

std::string expected(const SeedFile& file) {
  tune::TunedFile result;
  for (const Workload& workload : find_suite(file.suite).workloads) {
    const auto known = known_config(workload, "", file.machines, file.target);
    if (known) result.entries.push_back(entry_of(workload, *known, file));
  }
  return print(std::move(result));
}

TEST(Seeds, are_the_configurations_of_the_benchmark) {
  for (const SeedFile& file : files()) {
    const std::string path = MDH_SOURCE_DIR "/records/" + file.name;
    if (std::getenv("MDH_UPDATE_RECORDS") != nullptr) write_file(path, expected(file));
    EXPECT_EQ(read_file(path), expected(file))
        << path << " is outdated: MDH_UPDATE_RECORDS=1 bench_test --gtest_filter='Seeds*'";
  }
}

TEST(Seeds, travel_inside_the_library) {
  ASSERT_EQ(tuning::seed_texts().size(), files().size());
  for (const auto& [name, text] : tuning::seed_texts()) {
    EXPECT_EQ(text, read_file(MDH_SOURCE_DIR "/" + name)) << name;
  }
}

TEST(Seeds, are_found_on_similar_machines_and_claim_no_time) {
  const hl::Program program = instantiate(find_workload("matmul_1024")).program;
  tune::MachineIdentity more_cores = files().front().hardware;
  more_cores.cores = 16;
  const tuning::Site site{.target = &driver::find_target("openmp"), .hardware = &more_cores};
  const std::vector<tune::Record> records = tuning::seeds_for(program, site);
  ASSERT_FALSE(records.empty());
  EXPECT_FALSE(tuning::best_config(program, site, records).found) << "nothing to run";
  const auto near = tuning::similar(program, site, records, 4);
  ASSERT_FALSE(near.empty());
  EXPECT_EQ(near.front().record.sizes.at("N1"), 1024);
  EXPECT_EQ(near.front().config.split,
            known_config(find_workload("matmul_1024"), "", "neon", "openmp")->config.split);
}

}  // namespace
}  // namespace mdh::bench::seeds_test
