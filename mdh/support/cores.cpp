#include "mdh/support/cores.h"

#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace mdh {
namespace {

cpu_set_t cores_of_this_thread() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(0, sizeof(cores), &cores);
  return cores;
}

/// Taken before main, when nothing has been loaded.
const cpu_set_t at_start = cores_of_this_thread();

bool openmp_binds() {
  const char* bind = std::getenv("OMP_PROC_BIND");
  const bool is_forbidden = bind != nullptr && strcasecmp(bind, "false") == 0;
  return !is_forbidden && (bind != nullptr || std::getenv("OMP_PLACES") != nullptr ||
                           std::getenv("GOMP_CPU_AFFINITY") != nullptr);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> openmp_binding() {
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
    if (std::getenv(name) != nullptr) return {};
  }
  return {{"OMP_PROC_BIND", "spread"}, {"OMP_PLACES", "threads"}};
}

int available_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

CoresOfStart::CoresOfStart() : own_(cores_of_this_thread()) {
  if (!openmp_binds() || CPU_COUNT(&at_start) == 0) return;
  changed_ = sched_setaffinity(0, sizeof(at_start), &at_start) == 0;
}

CoresOfStart::~CoresOfStart() {
  if (changed_) sched_setaffinity(0, sizeof(own_), &own_);
}

}  // namespace mdh
