// How back ends may deviate from the declared operations and still be right.
#pragma once

#include <cstdint>

namespace mdh::scalar {

/// Who computes sin, exp, ...
enum class MathLibrary : uint8_t {
  host,    // C's functions on double, rounded to the type
  opencl,  // built-in functions of the type, within the bounds of the OpenCL standard
};

struct Deviations {
  /// a * b + c may be rounded once instead of twice.
  bool contracts = false;
  MathLibrary mathematics = MathLibrary::host;
  /// Division in f32 is off by up to 2.5 ulps and its sqrt by up to 3: OpenCL devices that do not
  /// round them correctly.
  bool loose_division = false;
  /// Subnormal numbers of f32 may be taken for zero: OpenCL devices without CL_FP_DENORM.
  bool flushes_subnormals = false;
};

}  // namespace mdh::scalar
