#include "mdh/driver/calibration/kernels.h"

#ifdef __AVX2__
#include "mdh/driver/calibration/loops.h"
#endif

namespace mdh::driver::calibration {

const Kernels& avx2_kernels() {
#ifdef __AVX2__
  static const Kernels kernels = Loops<32, 3, 4>::kernels();
#else
  static const Kernels kernels;
#endif
  return kernels;
}

}  // namespace mdh::driver::calibration
