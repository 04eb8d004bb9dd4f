#include "mdh/calibration/kernels.h"

#ifdef __AVX2__
#include "mdh/calibration/loops.h"
#endif

namespace mdh::calibration {

const Kernels& avx2_kernels() {
#ifdef __AVX2__
  static const Kernels kernels = Loops<32, 3, 4>::kernels();
#else
  static const Kernels kernels;
#endif
  return kernels;
}

}  // namespace mdh::calibration
