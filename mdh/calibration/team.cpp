#include "mdh/calibration/team.h"

#include <dlfcn.h>

#include <algorithm>

namespace mdh::calibration {
namespace {

/// gcc's library first; clang's knows the same functions.
void* openmp_library() {
  for (const char* name : {"libgomp.so.1", "libomp.so.5", "libomp.so"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) return library;
  }
  return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// The cores that this thread may use.
std::vector<int> cores_in(const cpu_set_t& set) {
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

}  // namespace

std::optional<Team> Team::of(int threads) {
  void* const library = openmp_library();
  if (library == nullptr) return std::nullopt;
  Team team;
  team.threads_ = std::max(1, threads);
  const bool complete = find(library, "GOMP_parallel", team.parallel_) &&
                        find(library, "GOMP_barrier", team.barrier_) &&
                        find(library, "omp_get_thread_num", team.number_);
  return complete ? std::optional(team) : std::nullopt;
}

void Team::run(const std::function<void(int)>& body) const {
  struct Call {
    const std::function<void(int)>& body;
    int (*number)();
  } call{body, number_};
  const Region region = [](void* data) {
    const Call& mine = *static_cast<const Call*>(data);
    mine.body(mine.number());
  };
  parallel_(region, &call, static_cast<unsigned>(threads_), 0);
}

SpreadTeam::SpreadTeam(const Team& team) : team_(team) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  const std::vector<int> cores = cores_in(allowed);
  if (cores.size() < static_cast<size_t>(team.threads())) return;
  before_.resize(static_cast<size_t>(team.threads()), allowed);
  team.run([&](int number) {
    sched_getaffinity(0, sizeof(cpu_set_t), &before_[static_cast<size_t>(number)]);
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cores[static_cast<size_t>(number)], &own);
    sched_setaffinity(0, sizeof(own), &own);
  });
}

SpreadTeam::~SpreadTeam() {
  if (before_.empty()) return;
  team_.run([&](int number) {
    sched_setaffinity(0, sizeof(cpu_set_t), &before_[static_cast<size_t>(number)]);
  });
}

}  // namespace mdh::calibration
