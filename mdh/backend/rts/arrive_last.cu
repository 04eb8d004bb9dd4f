// Blocks that put parts of one result together count each other. The one that arrives last knows that it does, sees
// what the others have written, and leaves the number as it was, 0, for the next launch. All threads of a block call
// it, and are told by a number that they share.

static __device__ inline bool mdh_arrive_last(unsigned *arrived, unsigned all, int *is_last) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
    __threadfence();
    *is_last = atomicInc(arrived, all - 1) == all - 1;
    __threadfence();
  }
  __syncthreads();
  const bool mine = *is_last != 0;
  if (mine) __threadfence();
  return mine;
}
