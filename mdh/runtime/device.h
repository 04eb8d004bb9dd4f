// What a back end tells about the devices it finds.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mdh::runtime {

struct DeviceInfo {
  std::string name;
  std::string kind;                                          // "host", "opencl gpu", ...
  std::vector<std::pair<std::string, std::string>> details;  // "cores", "16"; in order
};

}  // namespace mdh::runtime
