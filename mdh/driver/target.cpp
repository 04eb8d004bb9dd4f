#include "mdh/driver/target.h"

#include "mdh/codegen/openmp.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::driver {

const std::vector<Target>& targets() {
  static const std::vector<Target> table = {
      {"reference", "the definition, interpreted", "cpu", nullptr},
      {"openmp", "C with OpenMP, by the system's compiler", "cpu", codegen::print_openmp},
  };
  return table;
}

const Target& find_target(const std::string& name) {
  std::vector<std::string> known;
  for (const Target& target : targets()) {
    if (target.name == name) return target;
    known.push_back(target.name);
  }
  const std::string base = split(name, ':').front();
  if (base == "opencl" || base == "cuda") {
    unsupported("E701", {}, fmt::format("target '{}'", name), "use --target openmp");
  }
  user_error("E702", {}, fmt::format("unknown target '{}'", name), suggestion(name, known));
}

}  // namespace mdh::driver
