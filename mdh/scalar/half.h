// 16-bit floating-point formats: IEEE binary16 (f16) and bfloat16 (bf16).
#pragma once

#include <cstdint>

namespace mdh::scalar {

/// Nearest value, ties to even; overflow gives infinity, NaN stays NaN.
uint16_t to_f16(float value);
float from_f16(uint16_t bits);

uint16_t to_bf16(float value);
float from_bf16(uint16_t bits);

}  // namespace mdh::scalar
