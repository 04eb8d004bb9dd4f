#include "mdh/runtime/load.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace mdh::runtime {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

double seconds_of_tick() { return 1.0 / static_cast<double>(std::max(sysconf(_SC_CLK_TCK), 1L)); }

}  // namespace

double waited_seconds(std::string_view schedstat) {
  std::istringstream in{std::string(schedstat)};
  double running = 0, waiting = 0;
  return in >> running >> waiting ? waiting * 1e-9 : 0;
}

void read_stolen(std::string_view stat, CoreUse& use) {
  std::istringstream lines{std::string(stat)};
  int cores = 0;
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    if (name != "cpu") {
      ++cores;
      continue;
    }
    double ticks = 0;  // user, nice, system, idle, iowait, irq, softirq, steal
    for (int n = 0; n < 8 && words >> ticks; ++n) use.stolen = n == 7 ? ticks : 0;
    use.stolen *= seconds_of_tick();
  }
  use.cores = std::max(cores, 1);
}

CoreUse core_use() {
  CoreUse use;
  std::error_code failure;
  for (const auto& thread : fs::directory_iterator("/proc/self/task", failure)) {
    use.waited[thread.path().filename().string()] =
        waited_seconds(text_of(thread.path() / "schedstat"));
  }
  read_stolen(text_of("/proc/stat"), use);
  use.when = std::chrono::steady_clock::now();
  return use;
}

double load_between(const CoreUse& before, const CoreUse& after) {
  const double seconds = std::chrono::duration<double>(after.when - before.when).count();
  if (seconds <= 0) return 0;
  double most = 0;
  for (const auto& [thread, waited] : after.waited) {
    const auto known = before.waited.find(thread);
    most = std::max(most, waited - (known == before.waited.end() ? 0 : known->second));
  }
  // Counted in whole ticks: one of them may be of the time before.
  const double stolen = after.stolen - before.stolen - seconds_of_tick();
  return std::clamp(std::max(most, stolen / after.cores) / seconds, 0.0, 1.0);
}

Timing measure_with_load(const std::function<Lap()>& lap, const TimingLimits& limits) {
  const CoreUse before = core_use();
  Timing timing = measure_laps(lap, limits);
  timing.load = load_between(before, core_use());
  return timing;
}

}  // namespace mdh::runtime
