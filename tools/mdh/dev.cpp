#include <cstdio>

#include "mdh/driver/development.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {

int dev(const std::string& pass, const std::string& file) {
  fmt::print("{}", pass.empty() ? driver::list_passes() : driver::run_pass(pass, file));
  return 0;
}

}  // namespace mdh::tool
