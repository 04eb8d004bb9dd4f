#include "mdh/driver/target.h"

#include <algorithm>

#include "mdh/backend/cuda/cuda.h"
#include "mdh/backend/effects.h"
#include "mdh/backend/opencl/opencl.h"
#include "mdh/backend/openmp/openmp.h"
#include "mdh/runtime/cuda/runtime.h"
#include "mdh/runtime/host/runtime.h"
#include "mdh/runtime/opencl/runtime.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::driver {

const std::vector<Target>& targets() {
  static const std::vector<Target> table = {
      {{.name = "reference", .summary = "the definition, interpreted", .machine = "cpu"}, nullptr},
      {backend::openmp(), &runtime::host::runtime()},
      {backend::opencl(), &runtime::opencl::runtime()},
      {backend::cuda(), &runtime::cuda::runtime()},
  };
  return table;
}

const Target& usual_target() {
  static const Target& first = *std::find_if(targets().begin(), targets().end(),
                                             [](const Target& t) { return t.runtime != nullptr; });
  return first;
}

const Target& find_target(std::string_view name) {
  std::vector<std::string> known;
  const std::string base = split(name, ':').front();
  for (const Target& target : targets()) {
    const bool is_numbered = target.runtime != nullptr && target.runtime->is_numbered;
    if (target.name == (is_numbered ? base : name)) return target;
    known.push_back(target.name);
  }
  user_error("E702", {}, fmt::format("unknown target '{}'", name), suggestion(name, known));
}

std::vector<std::string> decisions_ignored_by(const Target& target, const ll::Config& config,
                                              const machine::Machine& machine) {
  return backend::without_effect(config, machine, target);
}

}  // namespace mdh::driver
