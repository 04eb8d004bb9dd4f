// Kernels as a program of their own, so that sanitizers see them and nothing else.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/support/files.h"

namespace mdh::test {

/// How the program is compiled and what its environment is.
struct Sanitizer {
  std::string name;      // "address", "thread"
  std::string compiler;  // a path; empty: not there
  std::vector<std::string> flags;
  std::vector<std::string> environment;  // "TSAN_OPTIONS=..."
};

/// Out-of-bounds accesses and undefined behaviour, with gcc.
Sanitizer address_sanitizer();

/// Races, with clang, whose OpenMP runtime tells the sanitizer about its barriers; the compiler is
/// empty where clang, its runtime or that tool (libarcher) is missing.
Sanitizer thread_sanitizer();

/// One executable with the kernels of many modules. Buffers have exactly the size they should have.
class Standalone {
 public:
  Standalone(const std::vector<kernel::Module>& modules, const Sanitizer& sanitizer);

  /// What is wrong, or nothing: the kernel runs on the buffers, outputs first, and outputs come
  /// back in them.
  std::string run(size_t number, std::span<void* const> buffers, int threads) const;

 private:
  std::vector<kernel::Module> modules_;
  std::vector<std::string> environment_;
  std::unique_ptr<TemporaryDirectory> folder_;
};

}  // namespace mdh::test
