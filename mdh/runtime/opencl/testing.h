// For tests: a device, or a reason to skip, and modules in a line.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "mdh/runtime/opencl/kernel.h"
#include "mdh/runtime/opencl/testing_device.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::runtime::opencl {

/// PoCL keeps what it compiles in a folder of the user's, which tests leave alone. It reads the
/// variable once, so the folder lasts as long as the process.
inline void use_cache_of_tests() {
  static const TemporaryDirectory folder;
  static const ScopedEnvironment cache("POCL_CACHE_DIR", folder.path().string());
}

/// A device; without one the tests are skipped. The tests of a suite share a context: the
/// first program in each is the slowest.
class OpenCl : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    use_cache_of_tests();
    try {
      context_.emplace(device_of_tests());
    } catch (const Error& e) {
      if (e.diagnostic().kind != DiagnosticKind::missing) throw;
      why_not_ = e.diagnostic().message;
    }
  }
  static void TearDownTestSuite() { context_.reset(); }

  void SetUp() override {
    if (!context_) GTEST_SKIP() << "SKIP: " << why_not_;
  }

  static const Context& context() { return *context_; }
  static const Device& device() { return context_->device(); }

  static Kernel load_one(const kernel::Module& module) {
    return load({&module, 1}, context()).front();
  }

 private:
  static inline std::optional<Context> context_;
  static inline std::string why_not_;
};

inline kernel::Argument output(const std::string& name, const std::string& type, int bytes,
                               std::vector<int64_t> extents) {
  return {name, type, bytes, std::move(extents), true};
}

inline kernel::Argument input(const std::string& name, const std::string& type, int bytes,
                              std::vector<int64_t> extents) {
  return {name, type, bytes, std::move(extents), false};
}

inline kernel::Module module_of(std::vector<kernel::Argument> arguments, std::string source,
                                std::vector<kernel::Step> steps) {
  kernel::Module module{.language = "opencl", .name = "test", .source = std::move(source)};
  module.arguments = std::move(arguments);
  module.steps = std::move(steps);
  return module;
}

/// Calls a kernel on vectors, outputs first.
template <class... T>
void call(const Kernel& kernel, std::vector<T>&... buffers) {
  void* const pointers[] = {buffers.data()...};
  kernel(pointers);
}

}  // namespace mdh::runtime::opencl
