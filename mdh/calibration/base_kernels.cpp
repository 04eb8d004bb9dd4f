#include "mdh/calibration/loops.h"

namespace mdh::calibration {

const Kernels& base_kernels() {
#ifdef __x86_64__
  static const Kernels kernels = Loops<16, 3, 4>::kernels();  // of 16 registers
#else
  static const Kernels kernels = Loops<16, 5, 4>::kernels();
#endif
  return kernels;
}

}  // namespace mdh::calibration
