// For tests: a driver without a GPU, a compiler for it, and modules in a line.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mdh/runtime/cuda/context.h"
#include "mdh/runtime/cuda/runtime.h"
#include "mdh/runtime/testing.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::cuda {

/// A function of the fake driver (fake/driver.cpp).
struct FakeFunction {
  std::string name;
  std::string verb = "nothing";
  int parameters = 2;
  int registers = 32;
  int shared = 0;
  int local = 0;
  int threads = 1024;
  int width = 8;  // of a parameter
};

inline std::string fake_line(const FakeFunction& f) {
  return fmt::format(
      "function {} parameters {} registers {} shared {} local {} threads {} width {} does {}\n",
      f.name, f.parameters, f.registers, f.shared, f.local, f.threads, f.width, f.verb);
}

/// Its "source" is what the driver loads, and the compiler a copying program.
inline kernel::Module fake_module(const FakeFunction& function, std::vector<kernel::Step> steps) {
  kernel::Module module{.language = "cuda", .name = "fake_" + function.name};
  module.source = "fake\n" + fake_line(function);
  module.arguments = {{"out", "i64", 8, {8}, true}};
  module.steps = std::move(steps);
  module.compiler = "nvcc";
  return module;
}

/// out[n] = n, by two groups of four items.
inline kernel::Module fake_index() {
  return fake_module({.name = "f", .verb = "index"}, {{kernel::Launch{"f", {2, 1, 1}, {4, 1, 1}}}});
}

/// Everything below happens with the fake driver, and with a "compiler" that copies.
class FakeCuda : public testing::Test {
 protected:
  FakeCuda()
      : nvcc_(copying, "nvcc"),
        driver_("MDH_LIBCUDA", MDH_FAKE_CUDA_FILE),
        compiler_("MDH_NVCC", nvcc_.path()),
        library_(dlopen(MDH_FAKE_CUDA_FILE, RTLD_NOW)) {
    ask<const char*>("fake_cuda_journal");  // forgets what others did
  }
  ~FakeCuda() override { ask<void>("fake_cuda_mend"); }

  /// A question to the fake driver itself.
  template <class T>
  T ask(const char* name) const {
    return reinterpret_cast<T (*)()>(dlsym(library_, name))();
  }

  std::string journal() const { return ask<const char*>("fake_cuda_journal"); }

  static std::shared_ptr<const runtime::Device> open() { return cuda::runtime().open("cuda:0"); }

  std::shared_ptr<const LoadedKernel> load_one(const kernel::Module& module) const {
    return open()->load({&module, 1}).front();
  }

  static std::vector<long> called(const LoadedKernel& kernel) {
    std::vector<long> out(8, -1);
    void* const buffers[] = {out.data()};
    kernel.call(buffers, 1);
    return out;
  }

  /// "nvcc -cubin -o OBJECT SOURCE ...", and "nvcc --version".
  static constexpr const char* copying =
      "if [ \"$1\" = --version ]; then echo copies; else cp \"$4\" \"$3\"; fi";

 private:
  Script nvcc_;
  ScopedEnvironment driver_, compiler_;
  void* library_;
};

}  // namespace mdh::runtime::cuda
