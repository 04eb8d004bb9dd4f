#include "mdh/calibration/kernels.h"

#ifdef __AVX512F__
#include "mdh/calibration/loops.h"
#endif

namespace mdh::calibration {

const Kernels& avx512_kernels() {
#ifdef __AVX512F__
  static const Kernels kernels = Loops<64, 5, 4>::kernels();
#else
  static const Kernels kernels;
#endif
  return kernels;
}

}  // namespace mdh::calibration
