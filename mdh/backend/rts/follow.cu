// Blocks begin in the order of their numbers, so that whoever waits for those before it waits for some that have begun:
// prefix sums of NVIDIA's own libraries are made so, too. What was told in an earlier launch is not what is waited for.

static __device__ inline long mdh_thread() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
static __device__ inline long mdh_threads() { return blockDim.x * blockDim.y * blockDim.z; }
static __device__ inline bool mdh_is_first_thread() { return mdh_thread() == 0; }

// All blocks count, of all launches; which launch this is, they ask behind the next barrier.
static __device__ inline void mdh_count_block(unsigned long long *blocks, unsigned long long *before) {
  if (mdh_is_first_thread()) *before = atomicAdd(blocks, 1ull);
}
static __device__ inline unsigned mdh_launch_of(const unsigned long long *before, long members) {
  return (unsigned)(*before / members) + 1;
}

// What others may be writing, as it is now. An atomic operation would do, but is slower.
#if __CUDA_ARCH__ >= 700
static __device__ inline unsigned mdh_now(unsigned *address) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}
static __device__ inline unsigned long long mdh_now(unsigned long long *address) {
  unsigned long long value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}
#else
static __device__ inline unsigned mdh_now(unsigned *address) { return atomicAdd(address, 0u); }
static __device__ inline unsigned long long mdh_now(unsigned long long *address) { return atomicAdd(address, 0ull); }
#endif

// A word that is written at once tells the launch, and 32 bits of what was made in it.
static __device__ inline void mdh_tell(unsigned long long *told, unsigned launch, unsigned bits) {
  atomicExch(told, (unsigned long long)launch << 32 | bits);
}
static __device__ inline unsigned mdh_hear(unsigned long long *told, unsigned launch) {
  unsigned long long word = mdh_now(told);
  while ((unsigned)(word >> 32) != launch) word = mdh_now(told);
  return (unsigned)word;
}

// What a thread has written before is there for who waits for it.
static __device__ inline void mdh_tell_here(unsigned *told, unsigned launch) {
  __threadfence();
  atomicExch(told, launch);
}
static __device__ inline void mdh_wait_for(unsigned *told, unsigned launch) {
  while (mdh_now(told) != launch) {
  }
  __threadfence();
}

// All threads of a block call it: what they have written is there for who waits for it, and what those have written who
// it waits for is there for them.
static __device__ inline void mdh_follow(unsigned *told, long number, long first, long step,
                                         const unsigned long long *before, long members) {
  __syncthreads();
  const unsigned launch = mdh_launch_of(before, members);
  if (mdh_is_first_thread()) mdh_tell_here(told + number, launch);
  for (long other = first + mdh_thread() * step; other < number; other += mdh_threads() * step) {
    mdh_wait_for(told + other, launch);
  }
  __syncthreads();
}
