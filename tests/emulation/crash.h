// Kernels that crash: a fault of the processor ends an item, not the process.
#pragma once

#include <csignal>

#include "tests/emulation/fiber.h"

namespace mdh::emulation {

/// As long as this object lives, faults on fibers of this thread that resumed_without_crash() runs
/// are caught.
class CrashGuard {
 public:
  CrashGuard();
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

 private:
  stack_t stack_before_;
};

/// False if the fiber touched what it must not; it is then gone, and `fault` is the address.
bool resumed_without_crash(Fiber& fiber, const void** fault);

}  // namespace mdh::emulation
