// The text of kernels, one after the other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mdh/backend/grid/axes.h"
#include "mdh/backend/grid/storage.h"
#include "mdh/backend/grid/words.h"

namespace mdh::backend {

class KernelText {
 public:
  virtual ~KernelText() = default;

  /// What every kernel does first: it waits for the launch before it, where nobody else does.
  virtual std::string entry() = 0;

  /// The body of a kernel whose groups have so many items.
  virtual std::string grid(const loop::Deal& s, const Items& items) = 0;

  /// As many groups as asked for run the members of the grid, one after the other.
  virtual std::string persistent(const loop::Deal& s, const Items& items) = 0;

  /// Every work-item takes element after element.
  virtual std::string elements(const loop::Deal& s) = 0;

  /// Of the kernel printed last.
  virtual int64_t local_bytes() const = 0;

  /// Of all kernels: what they need before them, and the arrays that threads have of their own.
  virtual std::string helpers() const = 0;
  virtual std::vector<std::string> arrays() const = 0;

  /// In memory.
  virtual std::string type(const scalar::Type& type) = 0;
};

/// What is given has to stay.
std::unique_ptr<KernelText> kernel_text(const loop::Program& p, const GridStorage& storage,
                                        const GridWords& words);

/// Small groups spread a few elements; of many elements, beginning groups would take the time.
int64_t items_of_elements(int64_t elements, const GridWords& words);

}  // namespace mdh::backend
