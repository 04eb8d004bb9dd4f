// An f16 in memory as a float.

static inline float mdh_from_f16(unsigned short a) {
  union { float value; unsigned bits; } x;
  const unsigned sign = (a & 0x8000U) << 16, magnitude = a & 0x7fffU;
  if (magnitude < 0x400U) {
    x.value = (float)magnitude * 0x1p-24f;
  } else {
    x.bits = (magnitude << 13) + (magnitude < 0x7c00U ? 0x38000000U : 0x70000000U);
  }
  x.bits |= sign;
  return x.value;
}
