// A bf16 in memory as a float.

static inline float mdh_from_bf16(unsigned short a) {
  union { float value; unsigned bits; } x;
  x.bits = (unsigned)a << 16;
  return x.value;
}
