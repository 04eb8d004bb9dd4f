// A float that is a bf16 already, as it lies in memory: nothing is left to round.

static inline unsigned short mdh_to_bf16(float a) {
  union { float value; unsigned bits; } x;
  x.value = a;
  const unsigned quiet = (x.bits & 0x7fffffffU) > 0x7f800000U ? 0x40U : 0U;
  return (unsigned short)(x.bits >> 16 | quiet);
}
