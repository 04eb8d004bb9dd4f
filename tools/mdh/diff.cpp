#include <cstdio>

#include "mdh/driver/low_level.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {

int diff(const std::string& left, const std::string& right) {
  fmt::print("{}", driver::compare_configs(left, right));
  return 0;
}

}  // namespace mdh::tool
