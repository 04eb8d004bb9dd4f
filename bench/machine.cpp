#include "bench/machine.h"

#include <sys/utsname.h>

#include <ctime>
#include <fstream>
#include <iterator>

#include "mdh/driver/devices.h"
#include "mdh/driver/stages.h"
#include "mdh/support/cores.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

/// The words behind the first line of that name.
std::vector<std::string> words_of(const std::string& cpuinfo, const std::string& name) {
  for (const std::string& line : split(cpuinfo, '\n')) {
    const size_t colon = line.find(": ");
    if (line.starts_with(name) && colon != std::string::npos) {
      return split(line.substr(colon + 2), ' ');
    }
  }
  return {};
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", std::gmtime(&time));
  return text;
}

}  // namespace

std::string class_of(const std::string& cpuinfo) {
  const std::vector<std::string> flags = words_of(cpuinfo, "flags");
  if (has(flags, "avx512f")) return "avx512";
  if (has(flags, "avx2")) return "avx2";
  return has(words_of(cpuinfo, "Features"), "asimd") ? "neon" : "other";
}

std::string machine_class() {
  std::ifstream file("/proc/cpuinfo");
  return class_of({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

MachineReport this_machine() {
  MachineReport report;
  report.kind = machine_class();
  report.cores = available_cores();
  report.date = now();
  utsname system{};
  uname(&system);
  report.system = fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  for (const runtime::DeviceInfo& device : driver::usual_target().runtime->list()) {
    report.cpu = device.name;
    for (const auto& [name, text] : device.details) {
      if (name.starts_with("compiler")) report.compilers.push_back(text);
    }
  }
  return report;
}

}  // namespace mdh::bench
