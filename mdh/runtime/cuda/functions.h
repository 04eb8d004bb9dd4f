// The functions of a loaded module.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mdh/kernel/module.h"
#include "mdh/runtime/cuda/context.h"
#include "mdh/runtime/cuda/limits.h"

namespace mdh::runtime::cuda {

/// A cubin or PTX in a context, with all functions that a module launches. They are checked: they
/// exist, take all arguments that they get if the driver tells that, and keep the limits of the
/// device. Any number of threads may launch them.
class Functions {
 public:
  /// `object` is the content of the file. A driver that refuses PTX throws kernel::Refused.
  Functions(const kernel::Module& module, const std::string& object,
            std::shared_ptr<const Context> context);
  ~Functions();
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;

  /// Each launch waits for the one before it in the stream, by itself or because the driver begins it
  /// only then.
  void launch(const kernel::Launch& launch, void** parameters, CuStream stream) const;

  /// One by one.
  std::vector<Resources> resources() const;

 private:
  void add(const kernel::Launch& launch, size_t arguments);
  FunctionNeeds needs_of(CuFunction function) const;
  bool wait_by_themselves() const;

  std::shared_ptr<const Context> context_;
  CuModule module_ = nullptr;
  bool wait_by_themselves_ = false;
  std::map<std::string, CuFunction> functions_;
  std::map<std::string, int64_t> dynamic_bytes_;  // of shared memory that launches ask for, at most
};

}  // namespace mdh::runtime::cuda
