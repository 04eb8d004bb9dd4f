// What is measured: computations of the catalogue with their sizes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examples/catalogue.h"

namespace mdh::bench {

/// In which unit a rate says most: limited by arithmetic or by memory.
enum class Rate { gflops, gbs };

struct Workload {
  std::string name;     // "matmul_1024", also of its configuration file
  std::string title;    // for tables
  std::string program;  // of the catalogue, or of bench/programs
  std::vector<int64_t> sizes;
  Rate rate = Rate::gflops;
  examples::Settings settings = {};
};

struct Suite {
  std::string name;
  std::string summary;
  std::vector<Workload> workloads;
};

/// cpu: the computations whose fastest known code is known, too; more: the rest of the catalogue,
/// networks and odd sizes; gpu: those that GPUs are compared on; tiny: seconds, for tests.
const std::vector<Suite>& suites();

/// A user error with the nearest name if there is none.
const Suite& find_suite(const std::string& name);

/// The workloads of these names, all if there are none; a user error with the nearest name.
std::vector<Workload> select(const Suite& suite, const std::vector<std::string>& names);

/// A workload of any suite; a user error with the nearest name if there is none.
const Workload& find_workload(const std::string& name);

/// The concrete program of a workload, and its row in the catalogue, or in that of bench/programs.
struct Instantiated {
  const examples::Entry* entry = nullptr;
  examples::Instance instance;
  hl::Program program;
  std::vector<std::pair<std::string, int64_t>> sizes;  // by name, then constants such as strides
};
Instantiated instantiate(const Workload& workload);

/// The same with another type of its numbers, if the program has it.
std::optional<Instantiated> instantiate_with(const Workload& workload, scalar::Scalar type);

}  // namespace mdh::bench
