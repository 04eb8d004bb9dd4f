// Rounds a float to the nearest f16, which it returns as a float. Both C and OpenCL C read the bits of a
// float through a union, without a header or a built-in.
// 
// From 2^-14 on thirteen digits of the mantissa go. A carry raises the exponent, in the end to infinity.
// Smaller values are multiples of 2^-24, which is what a float near 0.5 is rounded to.

static inline float mdh_round_f16(float a) {
  union { float value; unsigned bits; } x;
  x.value = a;
  const unsigned sign = x.bits & 0x80000000U;
  unsigned magnitude = x.bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return a;
  if (magnitude < 0x38800000U) {
    x.bits = magnitude;
    x.value = (x.value + 0.5f) - 0.5f;
    magnitude = x.bits;
  } else {
    magnitude = (magnitude + 0xfffU + (magnitude >> 13 & 1U)) & 0xffffe000U;
    if (magnitude > 0x477fe000U) magnitude = 0x7f800000U;
  }
  x.bits = sign | magnitude;
  return x.value;
}
