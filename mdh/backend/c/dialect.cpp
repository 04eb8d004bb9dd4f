#include "mdh/backend/c/dialect.h"

#include "mdh/support/diagnostic.h"

namespace mdh::backend {

const DialectFacts& facts_of(Dialect dialect) {
  static const DialectFacts c = {.is_gnu = true,
                                 .has_one_memory = true,
                                 .branches_are_cheap = true,
                                 .truth = "_Bool",
                                 .unroll = "#pragma GCC unroll",
                                 .doubles = ""};
  static const DialectFacts opencl = {.has_generic_mathematics = true,
                                      .minus_one = "minus_one",
                                      .truth = "bool",
                                      .unroll = "#pragma unroll",
                                      .unrolls_known_counts = true,
                                      .loses_rounds = true,
                                      .doubles = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"};
  static const DialectFacts cuda = {.is_cpp = true,
                                    .has_one_memory = true,
                                    .has_generic_mathematics = true,
                                    .minus_one = "constant_minus_one",
                                    .function = "static __device__ inline",
                                    .truth = "bool",
                                    .unroll = "#pragma unroll",
                                    .unrolls_known_counts = true,
                                    .loses_rounds = true,
                                    .knows_places_before_loops = true,
                                    .not_unrolled = "#pragma unroll 1\n",
                                    .has_ptx = true,
                                    .doubles = ""};
  switch (dialect) {
    case Dialect::c:
      return c;
    case Dialect::opencl:
      return opencl;
    case Dialect::cuda:
      return cuda;
  }
  internal_failure(false, "a dialect without facts");
}

}  // namespace mdh::backend
