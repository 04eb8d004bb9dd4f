// Which hardware a time was taken on.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace mdh {

/// What a time depends on besides the program: those of one hardware say nothing about another. A
/// device is described in the same words as a CPU.
struct MachineIdentity {
  std::string vendor;
  std::string model;
  int64_t cores = 1;
  std::string isa;                        // instruction set, or language and driver
  std::map<std::string, int64_t> caches;  // bytes by name: "L1"; "local" of a device
};

/// Vendors are names for people: one and the same is written in several ways.
inline bool is_same(const MachineIdentity& a, const MachineIdentity& b) {
  return a.model == b.model && a.cores == b.cores && a.isa == b.isa && a.caches == b.caches;
}

}  // namespace mdh
