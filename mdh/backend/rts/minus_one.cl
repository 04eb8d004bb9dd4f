// NVIDIA's assembler (CUDA 13.0, sm_90) loses minus signs of integers up to 32 bits: it makes
// max(max(-a, b), -c) of max(max(-a, -b), -c), and takes -(-32768) of 16 bits for 32768. So it does not get to know
// that there is one: launches have at most three dimensions, which only the host knows.

#ifdef __NV_CL_C_VERSION  /* its assembler loses minus signs */
#define mdh_minus_one ((int)~(get_work_dim() >> 2))
#else
#define mdh_minus_one (-1)
#endif
