// How this thread treats numbers.
#pragma once

#include <cstdint>

namespace mdh::runtime::host {

/// A processor can be told to round in another direction, to take subnormal numbers for zero and to
/// flush those that it computes. Programs of mdh mean the usual mode: to nearest, with subnormals.
/// As long as this object lives, the calling thread, and threads that it makes, are in that mode;
/// what was before comes back then. It costs a few instructions.
///
/// A process gets into other modes without asking for it: a shared library that was linked by gcc
/// with -ffast-math changes the mode of the thread that loads it.
class UsualFloatMode {
 public:
  UsualFloatMode();
  ~UsualFloatMode();
  UsualFloatMode(const UsualFloatMode&) = delete;
  UsualFloatMode& operator=(const UsualFloatMode&) = delete;

 private:
  uint64_t before_;
};

}  // namespace mdh::runtime::host
