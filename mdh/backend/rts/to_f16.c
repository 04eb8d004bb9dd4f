// A float that is an f16 already, as it lies in memory: nothing is left to round.

static inline unsigned short mdh_to_f16(float a) {
  union { float value; unsigned bits; } x;
  x.value = a;
  const unsigned sign = x.bits >> 16 & 0x8000U, magnitude = x.bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return (unsigned short)(sign | 0x7e00U);
  if (magnitude > 0x477fe000U) return (unsigned short)(sign | 0x7c00U);
  if (magnitude >= 0x38800000U) return (unsigned short)(sign | (magnitude - 0x38000000U) >> 13);
  x.bits = magnitude;
  return (unsigned short)(sign | (unsigned)(x.value * 0x1p24f));
}
