#include "mdh/machine/probe.h"

#include <linux/prctl.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "mdh/support/text.h"

namespace mdh::machine {
namespace {

namespace fs = std::filesystem;

using Words = std::set<std::string>;

/// The first line of a file of the kernel; empty if it is not there.
std::string line_of(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// ---- cores

/// "0-3,8" are five.
std::optional<int64_t> count_of(const std::string& list) {
  int64_t count = 0;
  for (const std::string& range : split(list, ',')) {
    const std::vector<std::string> ends = split(range, '-');
    long long first = 0, last = 0;
    if (!to_integer(ends.front(), first) || !to_integer(ends.back(), last)) return std::nullopt;
    count += last - first + 1;
  }
  return count;
}

/// The set of cores is longer than the kernel's, or the call fails.
std::optional<int64_t> cores_of_this_process() {
  for (int capacity = 1024; capacity <= 1 << 20; capacity *= 2) {
    std::vector<cpu_set_t> sets(capacity / CPU_SETSIZE);
    const size_t bytes = sets.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, sets.data()) == 0) return CPU_COUNT_S(bytes, sets.data());
  }
  return std::nullopt;
}

// ---- caches

/// "48K" or "2M" in bytes.
std::optional<int64_t> bytes_of(std::string size) {
  int64_t unit = 1;
  const std::string units = "KMG";
  const size_t letter = size.empty() ? std::string::npos : units.find(size.back());
  if (letter != std::string::npos) {
    unit = int64_t{1} << (10 * (letter + 1));
    size.pop_back();
  }
  long long number = 0;
  if (!to_integer(size, number) || number < 1) return std::nullopt;
  return number * unit;
}

void read_caches(const fs::path& root, Probe& probe) {
  std::error_code none;
  for (const auto& entry :
       fs::directory_iterator(root / "sys/devices/system/cpu/cpu0/cache", none)) {
    const fs::path& cache = entry.path();
    const std::string type = line_of(cache / "type");
    if (type != "Data" && type != "Unified") continue;
    const std::string level = line_of(cache / "level");
    const std::optional<int64_t> bytes = bytes_of(line_of(cache / "size"));
    if (level == "1") probe.l1_bytes = bytes;
    if (level == "2") probe.l2_bytes = bytes;
    if (level == "3") probe.l3_bytes = bytes;
  }
}

// ---- vectors

/// The features that every core reports, on lines "flags : ..." (x86) or "Features : ..." (ARM).
Words features(const fs::path& root, const std::string& key) {
  std::ifstream cpuinfo(root / "proc/cpuinfo");
  std::optional<Words> common;
  for (std::string line; std::getline(cpuinfo, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || line.rfind(key, 0) != 0) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;  // "flags" of another name
    std::istringstream words(line.substr(colon + 1));
    Words mine;
    for (std::string word; words >> word;) mine.insert(word);
    if (!common) common = mine;
    std::erase_if(*common, [&](const std::string& word) { return !mine.contains(word); });
  }
  return common.value_or(Words{});
}

/// What the kernel lets this process use; nothing without SVE.
int64_t sve_bytes() {
  const int length = prctl(PR_SVE_GET_VL);
  return length < 0 ? 0 : length & PR_SVE_VL_LEN_MASK;
}

enum class Root { real, other };

void read_vectors(const fs::path& root, Root kind, Probe& probe) {
  const auto found = [&](const char* isa, int64_t bytes, int64_t registers) {
    probe.isa = isa;
    probe.vectors = {bytes, registers};
  };
  const Words x86 = features(root, "flags");
  const Words arm = features(root, "Features");
  if (x86.contains("avx512f")) return found("avx512", 64, 32);
  if (x86.contains("avx2")) return found("avx2", 32, 16);
  if (x86.contains("sse2")) return found("sse2", 16, 16);
  if (!arm.contains("asimd")) return;
  found("neon", 16, 32);
  if (!arm.contains("sve")) return;
  // Files do not tell the length of SVE registers; below another root it stays unknown.
  found("sve", std::max<int64_t>(16, kind == Root::real ? sve_bytes() : 0), 32);
}

}  // namespace

Probe probe_host(const std::string& root) {
  const Root kind = root == "/" ? Root::real : Root::other;
  const std::string online = line_of(fs::path(root) / "sys/devices/system/cpu/online");
  const auto cores = kind == Root::real ? cores_of_this_process() : count_of(online);
  Probe probe{.cores = std::max<int64_t>(1, cores.value_or(1))};
  read_caches(root, probe);
  read_vectors(root, kind, probe);
  return probe;
}

}  // namespace mdh::machine
