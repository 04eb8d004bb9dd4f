// The run-time system of generated code: helpers that are the same in every source that needs them.
// They are files of their own beside this one, which travel inside the library.
#pragma once

#include <string>
#include <vector>

namespace mdh::backend {

/// The text of a file without its extension, less the comment that it begins with.
std::string rts_text(const std::string& name);

/// All of them, sorted.
std::vector<std::string> rts_names();

}  // namespace mdh::backend
