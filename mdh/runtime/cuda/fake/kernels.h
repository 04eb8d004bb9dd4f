// Printed CUDA as C++ of the host, for the fake driver: -include this file. The driver finds the
// variables in the compiled library (driver.cpp). Threads of a block are threads of the host; blocks
// run one after the other.
#pragma once

#include <time.h>

#define MDH_FAKE_CUDA
#define __global__ __attribute__((visibility("default")))
#define __device__
#define __constant__ static const
#define __shared__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define memcpy __builtin_memcpy

struct mdh_fake_place {
  unsigned x, y, z;
};

extern "C" {
thread_local mdh_fake_place threadIdx, blockIdx, blockDim, gridDim;
void (*mdh_fake_barrier)();
volatile int mdh_fake_status;  // what a kernel that goes wrong leaves here breaks the context

/// Where the calling thread is: twelve numbers, in the order of the variables.
void mdh_fake_enter(const unsigned* n) {
  threadIdx = {n[0], n[1], n[2]};
  blockIdx = {n[3], n[4], n[5]};
  blockDim = {n[6], n[7], n[8]};
  gridDim = {n[9], n[10], n[11]};
}
}

__align__(16) char mdh_shared[232448];
#define __syncthreads() mdh_fake_barrier()
#define __syncwarp() mdh_fake_barrier()  // all warps of a block get there

/// All threads of a block get there.
template <class T>
static T __shfl_sync(unsigned, T value, unsigned lane) {
  static unsigned long shown[1024];
  const unsigned me = threadIdx.x, from = me / 32 * 32 + lane % 32;
  __builtin_memcpy(&shown[me], &value, sizeof value);
  mdh_fake_barrier();
  T taken;
  __builtin_memcpy(&taken, &shown[from < blockDim.x ? from : me], sizeof taken);
  mdh_fake_barrier();
  return taken;
}

/// Cycles of a device with one in a nanosecond.
static inline long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}

struct alignas(16) float4 {
  float x, y, z, w;
};
template <class T>
static inline T __ldcg(const T* address) {
  return *address;
}

// Blocks run one after the other, and of each of them one thread at most changes a number.
#define __threadfence()
template <class T>
static inline T mdh_fake_exchange(T* address, T value) {
  const T old = *address;
  *address = value;
  return old;
}
static inline unsigned atomicExch(unsigned* address, unsigned value) {
  return mdh_fake_exchange(address, value);
}
static inline unsigned long long atomicExch(unsigned long long* address, unsigned long long value) {
  return mdh_fake_exchange(address, value);
}
template <class T>
static inline T atomicAdd(T* address, T value) {
  return mdh_fake_exchange<T>(address, *address + value);
}
template <class T>
static inline T atomicOr(T* address, T value) {
  return mdh_fake_exchange<T>(address, *address | value);
}
template <class T>
static inline T atomicXor(T* address, T value) {
  return mdh_fake_exchange<T>(address, *address ^ value);
}
template <class T>
static inline T atomicMax(T* address, T value) {
  return mdh_fake_exchange<T>(address, *address < value ? value : *address);
}
template <class T>
static inline T atomicCAS(T* address, T expected, T value) {
  return mdh_fake_exchange<T>(address, *address == expected ? value : *address);
}
static inline unsigned atomicInc(unsigned* address, unsigned most) {
  return mdh_fake_exchange(address, *address >= most ? 0 : *address + 1);
}
