#include "mdh/kernel/module.h"

namespace mdh::kernel {

int64_t Argument::elements() const {
  int64_t product = 1;
  for (const int64_t n : extents) product *= n;
  return product;
}

}  // namespace mdh::kernel
