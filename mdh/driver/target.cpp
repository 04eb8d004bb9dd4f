#include "mdh/driver/target.h"

#include "mdh/backend/opencl/opencl.h"
#include "mdh/backend/openmp/openmp.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::driver {

const std::vector<Target>& targets() {
  static const std::vector<Target> table = {
      {"reference", "the definition, interpreted", "cpu", {}, nullptr},
      {"openmp", "C with OpenMP, by the system's compiler", "cpu", {}, backend::print_openmp},
      {"opencl",
       "OpenCL C, by the device's driver; opencl:N is the N-th device",
       "gpu_nowarp",
       {.teams = machine::Teams::nested},
       backend::print_opencl},
  };
  return table;
}

const Target& find_target(std::string_view name) {
  std::vector<std::string> known;
  const std::string base = split(name, ':').front();
  for (const Target& target : targets()) {
    const bool numbered = target.name == "opencl" && base == "opencl";
    if (target.name == name || numbered) return target;
    known.push_back(target.name);
  }
  if (base == "cuda") {
    unsupported("E701", {}, fmt::format("target '{}'", name), "use --target openmp");
  }
  user_error("E702", {}, fmt::format("unknown target '{}'", name), suggestion(name, known));
}

}  // namespace mdh::driver
