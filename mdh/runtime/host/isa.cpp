#include "mdh/runtime/host/isa.h"

#include <sys/utsname.h>

#include <fstream>
#include <map>
#include <mutex>

#include "mdh/runtime/host/compiler.h"
#include "mdh/runtime/host/isa_program.h"
#include "mdh/runtime/process.h"
#include "mdh/support/files.h"

namespace mdh::runtime::host {
namespace {

std::string architecture() {
  utsname system{};
  uname(&system);
  return system.machine;
}

bool runs(const std::string& compiler, const std::string& flag,
          const std::filesystem::path& scratch) {
  const std::string source = scratch / "probe.c", program = scratch / "probe";
  std::error_code ignored;
  std::filesystem::remove(program, ignored);
  const Exit compiled = run_program(
      {compiler, "-std=gnu11", "-w", "-O3", flag, source, "-o", program, "-lm"}, scratch, 60);
  return compiled.status == 0 && run_program({program}, scratch, 20).status == 0;
}

}  // namespace

std::vector<std::string> isa_candidates(const std::string& architecture) {
  if (architecture == "x86_64") {
    return {"-march=native", "-march=x86-64-v4", "-march=x86-64-v3", "-march=x86-64-v2"};
  }
  if (architecture == "aarch64") {
    return {"-mcpu=native", "-mcpu=native+nosve", "-march=armv8.4-a+fp16",
            "-march=armv8.2-a+fp16+dotprod", "-march=armv8.1-a"};
  }
  return {"-mcpu=native", "-march=native"};
}

std::string first_isa_that_runs(const std::string& compiler,
                                const std::vector<std::string>& candidates) {
  const TemporaryDirectory scratch;
  write_file(scratch.path() / "probe.c", isa_program());
  for (const std::string& flag : candidates) {
    if (runs(compiler, flag, scratch.path())) return flag;
  }
  return {};
}

std::vector<std::string> proven_isa(const std::string& compiler, const Cache& cache) {
  const std::vector<std::string> candidates = isa_candidates(architecture());
  std::vector<std::string> parts = {"isa", isa_program(), identify(compiler).fingerprint,
                                    cpu_model()};
  parts.insert(parts.end(), candidates.begin(), candidates.end());
  const std::string key = cache_key(parts);
  // What is proven stays true as long as the process lives, also where there is no cache.
  static std::mutex mutex;
  static std::map<std::string, std::string> proven;
  const std::lock_guard lock(mutex);
  auto found = proven.find(key);
  if (found == proven.end()) {
    std::optional<std::string> flag = cache.read(key);
    if (!flag) {
      flag = first_isa_that_runs(compiler, candidates);
      cache.store(key, *flag);
    }
    found = proven.emplace(key, *flag).first;
  }
  if (found->second.empty()) return {};
  return {found->second};
}

std::string cpu_model() {
  std::string model = architecture();
  std::ifstream lines("/proc/cpuinfo");
  // The first paragraph is the first core; what its other lines say changes while it runs.
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    for (const char* key : {"vendor_id", "model", "CPU", "flags", "Features", "cpu\t", "isa"}) {
      if (line.starts_with(key)) model += "\n" + line;
    }
  }
  return model;
}

}  // namespace mdh::runtime::host
