#include "mdh/runtime/host/devices.h"

#include <algorithm>
#include <thread>

#include "mdh/runtime/host/compiler.h"
#include "mdh/runtime/host/isa.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::runtime::host {
namespace {

/// "model name : Some CPU" if the system says so, else the architecture.
std::string cpu_name() {
  const std::vector<std::string> lines = split(cpu_model(), '\n');
  for (const std::string& line : lines) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return lines.front();
}

std::string described(const std::string& compiler) {
  const std::string version = identify(compiler).version;
  const std::vector<std::string> isa = proven_isa(compiler, Cache::of_user());
  return fmt::format("{}; instruction set: {}", version.empty() ? "unknown version" : version,
                     isa.empty() ? "the baseline" : isa.front() + ", proven by running");
}

}  // namespace

std::vector<DeviceInfo> devices() {
  DeviceInfo host{cpu_name(), "host", {}};
  host.details.emplace_back("cores",
                            std::to_string(std::max(1u, std::thread::hardware_concurrency())));
  try {
    for (const std::string& compiler : find_compilers()) {
      host.details.emplace_back("compiler " + compiler, described(compiler));
    }
  } catch (const Error& e) {
    host.details.emplace_back("compiler", "none: " + e.diagnostic().message);
  }
  return {host};
}

}  // namespace mdh::runtime::host
