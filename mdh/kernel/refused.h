// A printed source that a compiler does not take.
#pragma once

#include "mdh/support/diagnostic.h"

namespace mdh::kernel {

/// A bug, of mdh or of the compiler. Told apart from all others because there is a way out of it:
/// another compiler, or another configuration.
class Refused : public Error {
 public:
  explicit Refused(const std::string& message)
      : Error({DiagnosticKind::internal,
               "",
               {},
               message,
               {},
               "this is a bug of mdh; please report it with the command that led here"}) {}
};

}  // namespace mdh::kernel
