#include "mdh/runtime/opencl/source.h"

#include <algorithm>

#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {

std::string source_of(std::span<const kernel::Module> modules) {
  std::string source;
  const bool contract = std::all_of(modules.begin(), modules.end(),
                                    [](const auto& module) { return module.contract_allowed; });
  if (!contract) source = "#pragma OPENCL FP_CONTRACT OFF\n";
  for (const kernel::Module& module : modules) {
    internal_check(module.language == "opencl", "'{}' is printed in {}, not in opencl", module.name,
                   module.language);
    source += module.source + "\n";
  }
  return source;
}

}  // namespace mdh::runtime::opencl
