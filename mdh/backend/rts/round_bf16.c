// Rounds a float to the nearest bf16, which it returns as a float.

static inline float mdh_round_bf16(float a) {
  union { float value; unsigned bits; } x;
  x.value = a;
  if ((x.bits & 0x7fffffffU) > 0x7f800000U) return a;
  x.bits = (x.bits + 0x7fffU + (x.bits >> 16 & 1U)) & 0xffff0000U;
  return x.value;
}
