// The machines that come with mdh. A new one is a file here and a row in machine.cpp.
#pragma once

#include "mdh/machine/machine.h"

namespace mdh::machine {

// The paper's nine.
Machine artificial();
Machine openmp();
Machine openmp_l3();
Machine openmp_l3_simd();
Machine cuda();
Machine cuda_wrp();
Machine opencl();
Machine multi_gpu();
Machine multi_node_multi_gpu();

// Ours: with registers and lanes as layers.
Machine cpu();
Machine gpu();
Machine gpu_nowarp();

/// The CPU under our feet: `cpu` with the caches, cores and vectors that the system reports.
Machine host();

}  // namespace mdh::machine
