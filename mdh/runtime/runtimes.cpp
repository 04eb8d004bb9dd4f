#include "mdh/runtime/runtimes.h"

#include <array>

#include "mdh/runtime/cuda/runtime.h"
#include "mdh/runtime/host/runtime.h"
#include "mdh/runtime/opencl/runtime.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime {

std::span<const Runtime* const> runtimes() {
  static const std::array<const Runtime*, 3> all = {&host::runtime(), &opencl::runtime(),
                                                    &cuda::runtime()};
  return all;
}

std::shared_ptr<const Device> open_device(const std::string& name) {
  for (const Runtime* runtime : runtimes()) {
    if (name.substr(0, name.find(':')) == runtime->name) return runtime->open(name);
  }
  internal_failure(false, fmt::format("'{}' is a device of no runtime", name));
}

}  // namespace mdh::runtime
