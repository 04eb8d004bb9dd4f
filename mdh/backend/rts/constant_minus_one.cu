// NVIDIA's assembler (CUDA 13.0, sm_90) loses minus signs of integers up to 32 bits: see minus_one.cl. A constant that
// the host could still change is none that it knows.

__constant__ int mdh_minus_one = -1;
