// Printed modules, compiled for the emulation and loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/support/files.h"

namespace mdh::emulation {

/// A kernel in a library.
struct Function {
  void (*enter)(void** arguments) = nullptr;  // buffers, workspace, indices of loops of the host
  std::vector<int64_t> cuts;  // offsets at which pieces of its dynamic local memory begin
};

/// One shared object. Its kernels call the functions of hooks.cpp.
class Library {
 public:
  explicit Library(std::string path, std::shared_ptr<const TemporaryDirectory> folder = nullptr);

  /// An internal error if it has no such kernel.
  Function function(const std::string& name) const;

  /// Offsets at which pieces of a module's workspace begin.
  std::vector<int64_t> workspace_cuts(const std::string& module) const;

  /// Constants of printed code are in the object itself.
  bool contains(const void* address) const { return address >= begin_ && address < end_; }

  /// The line of the module's source that an address belongs to; 0 if nobody can tell.
  size_t line_of(const void* code) const;

  const std::string& path() const { return path_; }

 private:
  std::vector<int64_t> numbers(const std::string& symbol) const;

  std::string path_;
  std::shared_ptr<const TemporaryDirectory> folder_;
  std::shared_ptr<void> handle_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

/// Whether modules in this language are understood.
bool understands(const std::string& language);

/// The compiler, or nothing where there is none.
std::string find_compiler(const std::string& language);

/// Compiles modules of one language as one unit. kernel::Refused if the compiler does not take it.
std::shared_ptr<const Library> compiled(std::span<const kernel::Module> modules);

}  // namespace mdh::emulation
