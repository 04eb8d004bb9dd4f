// Programs and data for the tests of several folders; nothing else includes it. The names are in
// mdh, so that all tests see them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "mdh/hl/parse.h"
#include "mdh/ll/config.h"
#include "mdh/scalar/array.h"

namespace mdh {

using scalar::Array;
using scalar::Scalar;
using scalar::Value;

/// w = M v, I x K.
inline hl::Program matvec(Scalar type, int64_t I, int64_t K) {
  return hl::parse(
      fmt::format("mdh 1\nprogram matvec = out_view( w: {0} = [i] )"
                  " * md_hom( i: {1} by cc, k: {2} by pw(add) ) {{ w = M * v; }}"
                  " * inp_view( M: {0} = [i, k]; v: {0} = [k] )",
                  to_string(type), I, K));
}

/// C = A B, n x n.
inline hl::Program matmul(int64_t n) {
  return hl::parse(
      fmt::format("mdh 1\nprogram matmul = out_view( C: f32 = [i, j] )"
                  " * md_hom( i: {0} by cc, j: {0} by cc, k: {0} by pw(add) ) {{ C = A * B; }}"
                  " * inp_view( A: f32 = [i, k]; B: f32 = [k, j] )",
                  n));
}

/// s = the sum of x[k].
inline hl::Program sum(Scalar type, int64_t K) {
  return hl::parse(
      fmt::format("mdh 1\nprogram sum = out_view( s: {0} = [] )"
                  " * md_hom( k: {1} by pw(add) ) {{ s = x; }} * inp_view( x: {0} = [k] )",
                  to_string(type), K));
}

/// y[step * i] = f(x[i]).
inline hl::Program map(Scalar type, int64_t I, const std::string& f, int step = 1) {
  return hl::parse(
      fmt::format("mdh 1\nprogram map = out_view( y: {0} = [{3} * i] )"
                  " * md_hom( i: {1} by cc ) {{ y = {2}; }} * inp_view( x: {0} = [i] )",
                  to_string(type), I, f, step));
}

inline Array array_of(Scalar type, const scalar::Extents& extents,
                      const std::vector<double>& values) {
  Array array = Array::undefined(type, extents);
  for (size_t n = 0; n < values.size(); ++n) {
    array.cells[n] = scalar::from_floating(type, values[n]);
    array.defined[n] = 1;
  }
  return array;
}

/// The numbers in memory of C++ type T.
template <class T>
std::vector<T> numbers(const Array& array) {
  std::vector<T> all(array.cells.size());
  copy_to_memory(array, all.data());
  return all;
}

/// A whole output made by compiled code or by hand.
template <class T>
Array array_from(Scalar type, const scalar::Extents& extents, const std::vector<T>& all) {
  return scalar::copy_from_memory(type, extents, all.data());
}

/// The configuration in the lines "layers", "split" and "order" of a file.
inline ll::Config config_of(const std::string& lines) {
  return ll::parse_config("{\"mdh_config\": 1, " + lines + "}");
}

}  // namespace mdh
