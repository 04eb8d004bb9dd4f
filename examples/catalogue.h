// The catalogue: computations that come with mdh, each as text, as C++ and as an independent plain
// loop.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "mdh/hl/edsl.h"
#include "mdh/hl/instantiate.h"

namespace mdh::examples {

/// One instance of an entry: its element type and its sizes, in dimension order.
struct Instance {
  scalar::Scalar type = scalar::Scalar::f32;
  std::vector<int64_t> sizes;
};

struct Entry {
  std::string name;
  std::string summary;
  std::vector<scalar::Scalar> types;                     // element types it supports
  std::map<std::string, std::vector<int64_t>> sizes;     // by name: "paper", "paper2"
  std::map<std::string, std::string> integer_constants;  // values of constants for integer types
  hl::Program (*build)(const Instance&);                 // the C++ form
  void (*plain)(const Instance&, std::span<void* const> buffers);  // a plain loop, outputs first

  /// The text form, generic in type and sizes.
  hl::Program generic() const;

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
Entry jacobi1d_entry();

}  // namespace mdh::examples
