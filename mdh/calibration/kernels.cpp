#include "mdh/calibration/kernels.h"

namespace mdh::calibration {

const Kernels& kernels_for(size_t vector_bytes) {
#ifdef __x86_64__
  const bool has_avx512 = __builtin_cpu_supports("avx512f");
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const Kernels& widest = avx512_kernels();
  const Kernels& wide = avx2_kernels();
  if (vector_bytes >= 64 && has_avx512 && widest.vector_bytes > 0) return widest;
  if (vector_bytes >= 32 && has_avx2 && wide.vector_bytes > 0) return wide;
#endif
  static_cast<void>(vector_bytes);
  return base_kernels();
}

}  // namespace mdh::calibration
