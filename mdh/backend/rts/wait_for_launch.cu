// A launch waits here for the one before it, with all that it has written, instead of being prepared only when that has
// ended; who launches it looks for the variable, which says that it does. Where launches begin early, blocks of the next
// one may come as soon as all of this one have begun. GPUs before compute capability 9.0 know nothing of it.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
extern "C" __device__ int mdh_waits_for_launch = 1;

static __device__ inline void mdh_wait_for_launch() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
static __device__ inline void mdh_let_next_launch_come() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#else
static __device__ inline void mdh_wait_for_launch() {}
static __device__ inline void mdh_let_next_launch_come() {}
#endif
