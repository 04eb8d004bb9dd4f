#include "bench/load.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <utility>

#include <unistd.h>

namespace mdh::bench {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

double busy_seconds(const std::string& proc_stat) {
  std::istringstream words(proc_stat);
  std::string name;
  // user nice system idle iowait irq softirq steal; guests are part of user.
  double ticks[8] = {};
  if (!(words >> name) || name != "cpu") return -1;
  for (double& value : ticks) {
    if (!(words >> value)) return -1;
  }
  const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
  return busy / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double busy_seconds() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  return busy_seconds(line);
}

double cpu_seconds(pid_t process) {
  clockid_t clock{};
  return process > 0 && clock_getcpuclockid(process, &clock) == 0 ? seconds_of(clock) : 0;
}

double foreign_share(const Load& load) {
  if (load.wall <= 0 || load.busy < 0) return 0;
  constexpr double tick = 0.01;
  const double foreign = load.busy - load.own - tick * load.cores;
  return foreign > 0 ? foreign / (load.wall * load.cores) : 0;
}

bool is_disturbed(const Load& load) {
  return foreign_share(load) > most_foreign || load.idle > most_idle * load.wall;
}

LoadMeter::LoadMeter(std::vector<pid_t> processes)
    : processes_(std::move(processes)),
      wall_(seconds_of(CLOCK_MONOTONIC)),
      busy_(busy_seconds()),
      own_(own_seconds()) {}

double LoadMeter::own_seconds() const {
  double sum = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  for (const pid_t process : processes_) sum += cpu_seconds(process);
  return sum;
}

Load LoadMeter::since(double idle) const {
  const double busy = busy_seconds();
  return {.wall = seconds_of(CLOCK_MONOTONIC) - wall_,
          .busy = busy < 0 ? -1 : busy - busy_,
          .own = own_seconds() - own_,
          .idle = idle,
          .cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))};
}

}  // namespace mdh::bench
