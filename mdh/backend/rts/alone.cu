// Threads that change several words at once have them to themselves: the state of an element is 0 while it is empty, 1
// while a thread works on it, and 2 while something is there. A thread that gets a 1 has changed nothing, and tries again.

static __device__ inline unsigned mdh_begin_alone(unsigned *state) {
  const unsigned before = atomicExch(state, 1u);
  if (before != 1u) __threadfence();
  return before;
}

static __device__ inline void mdh_end_alone(unsigned *state) {
  __threadfence();
  atomicExch(state, 2u);
}
