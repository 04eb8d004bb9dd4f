// The catalogue: computations that come with mdh, each as text, as C++ and as an independent plain
// loop.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "mdh/hl/edsl.h"
#include "mdh/hl/instantiate.h"
#include "mdh/scalar/array.h"

namespace mdh::examples {

/// Values of constants that a named size brings along: SH = 2.
using Settings = std::map<std::string, int64_t>;

/// One instance of an entry: its element type and its sizes, in dimension order.
struct Instance {
  scalar::Scalar type = scalar::Scalar::f32;
  std::vector<int64_t> sizes;
  Settings settings = {};

  /// A setting, or what the constant is without one.
  int64_t setting(const std::string& name, int64_t otherwise) const;
};

struct Entry {
  std::string name;
  std::string summary;
  std::vector<scalar::Scalar> types;                     // element types it supports
  std::map<std::string, std::vector<int64_t>> sizes;     // by name: "paper", "paper2"
  std::map<std::string, Settings> settings;              // of those sizes that have some
  std::map<std::string, std::string> integer_constants;  // values of constants for integer types
  std::function<hl::Program(const Instance&)> build;     // the C++ form
  // a plain loop, outputs first
  std::function<void(const Instance&, std::span<void* const> buffers)> plain;
  // inputs that make sense, where numbers drawn at random do not
  std::function<std::vector<scalar::Array>(const Instance&, const hl::Program&, uint64_t seed)>
      inputs;

  /// The text form, generic in type and sizes.
  hl::Program generic() const;

  /// The settings of a named size; none if it has none, or is not a name.
  Settings settings_of(const std::string& size) const;

  /// Constants that the element type asks for.
  std::map<std::string, scalar::Expr> constants(scalar::Scalar type) const;
};

const std::vector<Entry>& catalogue();

/// Nothing if there is no entry of that name.
const Entry* find_entry(const std::string& name);

// A new entry is a folder with its three forms and a row in catalogue.cpp.
Entry dot_entry();
Entry matvec_entry();
Entry matmul_entry();
Entry matmul_t_entry();
Entry bmatmul_entry();
Entry conv2d_entry();
Entry mcc_entry();
Entry mcc_strided_entry();
Entry mcc_nchw_entry();
Entry mcc_capsule_entry();
std::vector<Entry> ccsdt_entries();  // nine contractions of one kind
Entry jacobi1d_entry();
Entry jacobi2d_entry();
Entry jacobi3d_entry();
Entry histo_entry();
Entry genhisto_entry();
Entry map_entry();
Entry reduce_entry();
Entry reduce2_entry();
Entry scan_entry();
Entry mbbs_entry();
Entry mandelbrot_entry();
Entry prl_entry();
Entry prl_multi_entry();

}  // namespace mdh::examples
