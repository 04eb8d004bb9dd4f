#include "mdh/backend/c/dialect.h"

namespace mdh::backend {

const DialectFacts& facts_of(Dialect dialect) {
  static const DialectFacts c = {.is_gnu = true,
                                 .has_one_memory = true,
                                 .branches_are_cheap = true,
                                 .truth = "_Bool",
                                 .unroll = "#pragma GCC unroll",
                                 .doubles = ""};
  static const DialectFacts opencl = {.has_generic_mathematics = true,
                                      .hides_minus = true,
                                      .truth = "bool",
                                      .unroll = "#pragma unroll",
                                      .doubles = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"};
  return dialect == Dialect::c ? c : opencl;
}

}  // namespace mdh::backend
