// OpenCL C as C: what its words mean to the emulation.
#pragma once

#include "common.h"

#define bool _Bool
#define true 1
#define false 0
#define __kernel
#define __global
#define __local
#define __private
#define __constant const

// ---- vectors: only their parts are used

#define MDH_EMULATION_VECTORS(type, name)               \
  typedef struct {                                      \
    type x, y;                                          \
  } __attribute__((aligned(2 * sizeof(type)))) name##2; \
  typedef struct {                                      \
    type x, y, z, w;                                    \
  } __attribute__((aligned(4 * sizeof(type)))) name##4;
MDH_EMULATION_VECTORS(int, int)
MDH_EMULATION_VECTORS(unsigned, uint)
MDH_EMULATION_VECTORS(long, long)
MDH_EMULATION_VECTORS(unsigned long, ulong)
MDH_EMULATION_VECTORS(float, float)
MDH_EMULATION_VECTORS(double, double)
#undef MDH_EMULATION_VECTORS

#define get_group_id mdh_emulation_group
#define get_local_id mdh_emulation_item
#define get_local_size mdh_emulation_items
#define get_num_groups mdh_emulation_groups
#define get_global_id(axis) \
  (mdh_emulation_group(axis) * mdh_emulation_items(axis) + mdh_emulation_item(axis))
#define get_global_size(axis) (mdh_emulation_groups(axis) * mdh_emulation_items(axis))
#define get_work_dim() 3u

#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(fences) mdh_emulation_barrier(__LINE__, fences)
