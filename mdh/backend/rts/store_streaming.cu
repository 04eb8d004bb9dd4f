// Stores to global memory of what nobody reads soon: caches give its place away first. The bytes at `from` are
// registers, once compilers have looked through the pointer.

#ifdef __CUDA_ARCH__
static __device__ inline void mdh_store_streaming_8(void *to, const void *from) {
  const int *const v = (const int *)from;
  asm volatile("st.global.cs.v2.b32 [%0], {%1, %2};" ::"l"(to), "r"(v[0]), "r"(v[1]) : "memory");
}
static __device__ inline void mdh_store_streaming_16(void *to, const void *from) {
  const int *const v = (const int *)from;
  asm volatile("st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3])
               : "memory");
}
#else
#define mdh_store_streaming_of(bytes)                                                   \
  static __device__ inline void mdh_store_streaming_##bytes(void *to, const void *from) { \
    for (int n = 0; n < bytes; n += 4) ((int *)to)[n / 4] = ((const int *)from)[n / 4]; \
  }
mdh_store_streaming_of(8)
mdh_store_streaming_of(16)
#endif
