// The machine of a measurement, as reports name it.
#pragma once

#include <string>
#include <vector>

namespace mdh::bench {

/// Which configurations fit: "avx512", "avx2", "neon", or "other"; from the text of /proc/cpuinfo.
std::string class_of(const std::string& cpuinfo);
std::string machine_class();

struct MachineReport {
  std::string cpu;
  std::string kind;  // the class
  int cores = 1;
  std::string system;                  // kernel and architecture
  std::vector<std::string> compilers;  // with versions and instruction sets
  std::string date;                    // UTC
};
MachineReport this_machine();

}  // namespace mdh::bench
