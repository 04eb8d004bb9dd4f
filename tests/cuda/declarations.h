// What printed CUDA uses and clang does not know without the headers of CUDA: enough to check the
// text, not to make code of it. clang++ -x cuda -nocudainc -include this file.
#pragma once

// ---- words

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

// ---- places

struct mdh_declared_place {
  unsigned x, y, z;
};
extern __device__ const mdh_declared_place threadIdx, blockIdx, blockDim, gridDim;

// ---- functions; barriers are known to clang

__device__ __SIZE_TYPE__ __cvta_generic_to_shared(const void* pointer);

#define MDH_DECLARE(name)       \
  __device__ float name(float); \
  __device__ double name(double);
MDH_DECLARE(fabs)
MDH_DECLARE(sqrt)
MDH_DECLARE(exp)
MDH_DECLARE(exp2)
MDH_DECLARE(log)
MDH_DECLARE(log2)
MDH_DECLARE(log10)
MDH_DECLARE(sin)
MDH_DECLARE(cos)
MDH_DECLARE(tan)
MDH_DECLARE(tanh)
MDH_DECLARE(floor)
MDH_DECLARE(ceil)
#undef MDH_DECLARE
#define MDH_DECLARE(name)              \
  __device__ float name(float, float); \
  __device__ double name(double, double);
MDH_DECLARE(pow)
MDH_DECLARE(atan2)
MDH_DECLARE(fmin)
MDH_DECLARE(fmax)
#undef MDH_DECLARE

// ---- clusters: the printed helper refuses devices that have none, and this one has none

#define mdh_cluster_defined
__device__ void mdh_meet_members();
template <class T>
__device__ const T* mdh_of_member(const T* mine, unsigned member);

// ---- other threads

template <class T>
__device__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32);
__device__ void __threadfence();
extern "C" __device__ void* memcpy(void* to, const void* from, unsigned long bytes);
__device__ unsigned atomicInc(unsigned* address, unsigned most);
__device__ unsigned atomicExch(unsigned* address, unsigned value);
__device__ unsigned long long atomicExch(unsigned long long* address, unsigned long long value);
__device__ unsigned long long atomicAdd(unsigned long long* address, unsigned long long value);
__device__ unsigned atomicAdd(unsigned* address, unsigned value);
__device__ float atomicAdd(float* address, float value);
__device__ double atomicAdd(double* address, double value);
__device__ unsigned long long atomicCAS(unsigned long long* address, unsigned long long expected,
                                        unsigned long long value);
#define MDH_DECLARE(name)                                      \
  __device__ unsigned name(unsigned* address, unsigned value); \
  __device__ unsigned long long name(unsigned long long* address, unsigned long long value);
MDH_DECLARE(atomicOr)
MDH_DECLARE(atomicXor)
MDH_DECLARE(atomicMax)
#undef MDH_DECLARE
