// Blocks that put parts of one result together count each other. The one that arrives last knows that it does, sees
// what the others have written, and leaves the number as it was, 0, for the next launch. All threads of a block call it.

static __device__ inline bool mdh_arrive_last(unsigned *arrived, unsigned all) {
  __shared__ int mdh_is_last[1];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
    mdh_is_last[0] = atomicInc(arrived, all - 1) == all - 1;
  }
  __syncthreads();
  const bool is_last = mdh_is_last[0] != 0;
  if (is_last) __threadfence();
  return is_last;
}
