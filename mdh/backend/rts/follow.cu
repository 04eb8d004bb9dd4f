// Blocks that need what others make take a number when they begin, so that whoever they wait for has begun, too. The
// numbers of a launch go on where those of the one before ended: numbers of launches tell what was told in which.

static __device__ inline bool mdh_is_first_thread() {
  return threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0;
}

static __device__ inline unsigned long long mdh_take_number(unsigned long long *next, unsigned long long *mine) {
  if (mdh_is_first_thread()) *mine = atomicAdd(next, 1ull);
  __syncthreads();
  return *mine;
}

// All threads of a block call it: what they have written is there for who waits for it, and what those have written who
// it waits for is there for them.
static __device__ inline void mdh_follow(unsigned *told, long number, long first, long step, unsigned launch) {
  __syncthreads();
  if (mdh_is_first_thread()) {
    __threadfence();
    atomicExch(told + number, launch);
  }
  const long thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const long threads = blockDim.x * blockDim.y * blockDim.z;
  for (long other = first + thread * step; other < number; other += threads * step) {
    if (atomicAdd(told + other, 0u) == launch) continue;
    while (*(const volatile unsigned *)(told + other) != launch) {
    }
  }
  __threadfence();
  __syncthreads();
}
