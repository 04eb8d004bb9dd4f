#include "mdh/calibration/machine_identity.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "mdh/machine/probe.h"
#include "mdh/support/text.h"

namespace mdh::calibration {
namespace {

using Lines = std::map<std::string, std::string>;

/// What /proc/cpuinfo says about the first core.
Lines first_core(const std::string& root) {
  std::ifstream file(std::filesystem::path(root) / "proc/cpuinfo");
  Lines lines;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const size_t colon = line.find(':'), end = line.find_last_not_of(" \t", colon - 1);
    if (colon == std::string::npos || colon == 0 || end == std::string::npos) continue;
    const size_t begin = line.find_first_not_of(" \t", colon + 1);
    lines[line.substr(0, end + 1)] = begin == std::string::npos ? "" : line.substr(begin);
  }
  return lines;
}

/// Numbers that ARM's processors have for those who make them.
std::string implementer(const std::string& number) {
  static const Lines names = {{"0x41", "ARM"},       {"0x43", "Cavium"}, {"0x46", "Fujitsu"},
                              {"0x48", "HiSilicon"}, {"0x4e", "NVIDIA"}, {"0x51", "Qualcomm"},
                              {"0x61", "Apple"},     {"0xc0", "Ampere"}};
  const auto known = names.find(number);
  return known == names.end() ? number : known->second;
}

/// "0xd40 r1p1": part, variant and revision.
std::string arm_model(const Lines& core) {
  const auto text = [&](const char* key) {
    const auto found = core.find(key);
    return found == core.end() ? std::string() : found->second;
  };
  const std::string variant = text("CPU variant");
  return fmt::format("{} r{}p{}", text("CPU part"),
                     variant.starts_with("0x") ? variant.substr(2) : variant, text("CPU revision"));
}

}  // namespace

tune::MachineIdentity host_identity(const std::string& root) {
  const machine::Probe probe = machine::probe_host(root);
  const Lines core = first_core(root);
  tune::MachineIdentity identity{.cores = probe.cores, .isa = probe.isa};
  if (const auto name = core.find("model name"); name != core.end()) identity.model = name->second;
  if (const auto vendor = core.find("vendor_id"); vendor != core.end()) {
    identity.vendor = vendor->second;
  }
  if (const auto arm = core.find("CPU implementer"); arm != core.end()) {
    identity.vendor = implementer(arm->second);
    if (identity.model.empty()) identity.model = arm_model(core);
  }
  const auto cache = [&](const char* level, const std::optional<int64_t>& bytes) {
    if (bytes) identity.caches[level] = *bytes;
  };
  cache("L1", probe.l1_bytes);
  cache("L2", probe.l2_bytes);
  cache("L3", probe.l3_bytes);
  return identity;
}

}  // namespace mdh::calibration
