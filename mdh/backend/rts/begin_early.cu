// A launch may begin before the one before it ends: its blocks wait for that here, with all that it has written, instead
// of being launched only then. Who launches it looks for the variable, which says that they do; GPUs before compute
// capability 9.0 know nothing of it.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
extern "C" __device__ int mdh_begins_early = 1;

static __device__ inline void mdh_begin() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
#else
static __device__ inline void mdh_begin() {}
#endif
