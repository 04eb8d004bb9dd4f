// What it costs to compile configurations that are only tried: `mdh bench compile`.
//
// A search compiles hundreds of them and keeps one, so the many should be compiled cheaply: several
// in one translation unit, with little optimisation, linked without the compiler's help. The cost
// of each way is the CPU time of compilers and linker per configuration, divided by that of one
// shared object per configuration with gcc -O2, in the same round.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/machine.h"

namespace mdh::bench {

struct CompileOptions {
  std::string workload = "matmul_1024";
  std::string configs;  // a folder with WORKLOAD.json; empty: those inside
  int rounds = 5;
  std::string version;
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// A way of compiling all variants.
struct CompileWay {
  std::string name;
  std::string command;                     // without files
  std::string absence;                     // why it was not measured
  std::vector<double> round_seconds = {};  // of CPU, for one variant
};

struct CompileReport {
  std::string workload;
  MachineReport machine;
  std::string version;
  std::vector<std::string> variants;  // their register tiles: "i 8, j 2"
  std::vector<size_t> source_bytes;   // of each variant
  std::vector<CompileWay> ways;       // all are divided by the first
};

/// Takes the register tiles of the workload's configuration in several sizes; a user error if it
/// has none.
CompileReport measure_compilation(const CompileOptions& options);

/// The median over the rounds; 0 if one of both was not measured.
double ratio(const CompileReport& report, const CompileWay& way);

/// The cheapest ratio should be at most this.
constexpr double screening_target = 0.5;

std::string to_table(const CompileReport& report);
std::string to_json(const CompileReport& report);

}  // namespace mdh::bench
