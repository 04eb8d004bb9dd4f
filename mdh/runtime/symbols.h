// Functions of a library that is opened at run time. For the sources of runtimes only.
#pragma once

#include <dlfcn.h>

namespace mdh::runtime {

/// The address of a function, which takes the type of the pointer that it is stored in.
struct Symbol {
  void* address;
  template <class F>
  operator F*() const {  // NOLINT(google-explicit-constructor)
    return reinterpret_cast<F*>(address);
  }
};

/// No address where the library has no such function.
inline Symbol symbol_in(void* library, const char* name) { return {dlsym(library, name)}; }

}  // namespace mdh::runtime
