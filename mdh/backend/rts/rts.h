// The run-time system of generated code: helpers that are the same in every source that needs them.
// They are files of their own beside this one, which travel inside the library.
#pragma once

#include <string>

namespace mdh::backend {

/// The text of a file without its extension, less the comment that it begins with.
std::string rts_text(const std::string& name);

}  // namespace mdh::backend
