// Neighbouring blocks can form a cluster, from compute capability 9.0 on: all of them run at the same time, wait for one
// another, and read each other's shared memory. All threads of all blocks of a cluster meet; what they have written
// before, wherever it is, all of them see behind that. A block must not end while others read what it has. The same
// pointer of another member points to what that one has there.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#error "clusters of blocks need compute capability 9.0 or later"
#endif
static __device__ inline void mdh_meet_members() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
template <class T>
static __device__ inline const T *mdh_of_member(const T *mine, unsigned member) {
  const T *theirs;
  asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(member));
  return theirs;
}
