// For tests: errors as values.
#pragma once

#include <utility>

#include "mdh/support/diagnostic.h"

namespace mdh {

/// The diagnostic that calling `f` throws. Where nothing is thrown its message says so and it is of
/// no kind at all, so that a comparison with the expected one fails and shows why.
template <class F>
Diagnostic diagnostic_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const Error& e) {
    return e.diagnostic();
  }
  return {static_cast<DiagnosticKind>(-1), "", {}, "(no error was raised)", {}, ""};
}

}  // namespace mdh
