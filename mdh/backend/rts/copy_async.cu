// Copies from global to shared memory that do not pass through registers, from compute capability 8.0 on: a thread
// issues some, closes the group of them, and waits until all groups but the last few have landed. Older devices copy at
// once. All go through the first cache, as the instruction wants it for 4 and 8 bytes.

#if __CUDA_ARCH__ >= 800
#define mdh_copy_async_of(bytes)                                                               \
  static __device__ inline void mdh_copy_async_##bytes(void *to, const void *from) {           \
    const unsigned at = (unsigned)__cvta_generic_to_shared(to);                                \
    asm volatile("cp.async.ca.shared.global [%0], [%1], " #bytes ";" ::"r"(at), "l"(from)      \
                 : "memory");                                                                  \
  }
static __device__ inline void mdh_copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
#define mdh_copy_wait(keep) asm volatile("cp.async.wait_group %0;" ::"n"(keep) : "memory")
#else
#define mdh_copy_async_of(bytes)                                                     \
  static __device__ inline void mdh_copy_async_##bytes(void *to, const void *from) { \
    for (int n = 0; n < bytes; n += 4) ((int *)to)[n / 4] = ((const int *)from)[n / 4]; \
  }
static __device__ inline void mdh_copy_commit() {}
#define mdh_copy_wait(keep)
#endif
mdh_copy_async_of(4)
mdh_copy_async_of(8)
mdh_copy_async_of(16)
