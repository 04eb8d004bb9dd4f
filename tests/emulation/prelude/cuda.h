// CUDA C++ as C++: what its words mean to the emulation.
#pragma once

#include "common.h"

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __constant__ static const
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define memcpy __builtin_memcpy

// ---- vectors

#define MDH_EMULATION_VECTORS(type, name)     \
  struct name##2 {                            \
    type x, y;                                \
  }                                           \
  __attribute__((aligned(2 * sizeof(type)))); \
  struct name##3 {                            \
    type x, y, z;                             \
  };                                          \
  struct name##4 {                            \
    type x, y, z, w;                          \
  }                                           \
  __attribute__((aligned(sizeof(type) < 8 ? 4 * sizeof(type) : 16)));
MDH_EMULATION_VECTORS(signed char, char)
MDH_EMULATION_VECTORS(unsigned char, uchar)
MDH_EMULATION_VECTORS(short, short)
MDH_EMULATION_VECTORS(unsigned short, ushort)
MDH_EMULATION_VECTORS(int, int)
MDH_EMULATION_VECTORS(unsigned, uint)
MDH_EMULATION_VECTORS(long, long)
MDH_EMULATION_VECTORS(unsigned long, ulong)
MDH_EMULATION_VECTORS(float, float)
MDH_EMULATION_VECTORS(double, double)
#undef MDH_EMULATION_VECTORS

// ---- places: functions, because objects would be memory that kernels read

#define MDH_EMULATION_PLACE(name, word)                                           \
  static inline uint3 mdh_emulation_##name##_place() {                            \
    return {(unsigned)mdh_emulation_##word(0), (unsigned)mdh_emulation_##word(1), \
            (unsigned)mdh_emulation_##word(2)};                                   \
  }
MDH_EMULATION_PLACE(thread, item)
MDH_EMULATION_PLACE(block, group)
MDH_EMULATION_PLACE(block_size, items)
MDH_EMULATION_PLACE(grid_size, groups)
#undef MDH_EMULATION_PLACE
#define threadIdx mdh_emulation_thread_place()
#define blockIdx mdh_emulation_block_place()
#define blockDim mdh_emulation_block_size_place()
#define gridDim mdh_emulation_grid_size_place()
#define warpSize 32

// ---- waiting

#define __syncthreads() mdh_emulation_barrier(__LINE__, 3)
#define mdh_emulation_sync_warp(mask, ...) mdh_emulation_meet_in_warp(__LINE__, mask)
#define __syncwarp(...) mdh_emulation_sync_warp(__VA_ARGS__ __VA_OPT__(, ) 0xffffffffu, 0)
#define __threadfence()
#define __threadfence_block()

// ---- clusters: the printed helper is guarded by its name, and thus left out

#define mdh_cluster_defined
#define mdh_meet_members() mdh_emulation_meet_members(__LINE__)
#define mdh_of_member(mine, member) ((decltype(mine))mdh_emulation_of_member(mine, member))

// ---- values of other lanes

template <class T>
static inline T mdh_emulation_of_lane(int line, unsigned mask, T value, int lane) {
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  bits = mdh_emulation_take(line, mask, bits, lane);
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// The first lane of the segment of this one, and the lane that a distance leads to: its own one
// where that is in another segment.
static inline int mdh_emulation_segment(int width) {
  return (int)mdh_emulation_lane() / width * width;
}
static inline int mdh_emulation_lane_at(int lane, int width) {
  const int first = mdh_emulation_segment(width);
  return lane < first || lane >= first + width ? (int)mdh_emulation_lane() : lane;
}
static inline int mdh_emulation_width(int width = 32) { return width; }
#define __shfl_sync(mask, value, lane, ...)                                       \
  mdh_emulation_of_lane(__LINE__, mask, value,                                    \
                        mdh_emulation_segment(mdh_emulation_width(__VA_ARGS__)) + \
                            (lane) % mdh_emulation_width(__VA_ARGS__))
#define __shfl_up_sync(mask, value, delta, ...)                                         \
  mdh_emulation_of_lane(__LINE__, mask, value,                                          \
                        mdh_emulation_lane_at((int)mdh_emulation_lane() - (int)(delta), \
                                              mdh_emulation_width(__VA_ARGS__)))
#define __shfl_down_sync(mask, value, delta, ...)                                       \
  mdh_emulation_of_lane(__LINE__, mask, value,                                          \
                        mdh_emulation_lane_at((int)mdh_emulation_lane() + (int)(delta), \
                                              mdh_emulation_width(__VA_ARGS__)))
#define __shfl_xor_sync(mask, value, lanes, ...)                                        \
  mdh_emulation_of_lane(__LINE__, mask, value,                                          \
                        mdh_emulation_lane_at((int)mdh_emulation_lane() ^ (int)(lanes), \
                                              mdh_emulation_width(__VA_ARGS__)))

// ---- atomic operations: the whole of one happens at once, because items change at barriers only

#define MDH_EMULATION_ATOMIC(name, next)                                            \
  template <class T, class U>                                                       \
  static inline __attribute__((no_sanitize_thread)) T name(T* address, U operand) { \
    mdh_emulation_atomic(address, sizeof *address);                                 \
    const T old = *address, value = (T)operand;                                     \
    *address = next;                                                                \
    return old;                                                                     \
  }
MDH_EMULATION_ATOMIC(atomicAdd, old + value)
MDH_EMULATION_ATOMIC(atomicSub, old - value)
MDH_EMULATION_ATOMIC(atomicExch, value)
MDH_EMULATION_ATOMIC(atomicMin, value < old ? value : old)
MDH_EMULATION_ATOMIC(atomicMax, value > old ? value : old)
MDH_EMULATION_ATOMIC(atomicAnd, old& value)
MDH_EMULATION_ATOMIC(atomicOr, old | value)
MDH_EMULATION_ATOMIC(atomicXor, old ^ value)
MDH_EMULATION_ATOMIC(atomicInc, old >= value ? 0 : old + 1)
#undef MDH_EMULATION_ATOMIC
template <class T, class U, class V>
static inline __attribute__((no_sanitize_thread)) T atomicCAS(T* address, U expected, V operand) {
  mdh_emulation_atomic(address, sizeof *address);
  const T old = *address;
  if (old == (T)expected) *address = (T)operand;
  return old;
}
