#include "mdh/driver/calibration/kernels.h"

#ifdef __AVX512F__
#include "mdh/driver/calibration/loops.h"
#endif

namespace mdh::driver::calibration {

const Kernels& avx512_kernels() {
#ifdef __AVX512F__
  static const Kernels kernels = Loops<64, 5, 4>::kernels();
#else
  static const Kernels kernels;
#endif
  return kernels;
}

}  // namespace mdh::driver::calibration
