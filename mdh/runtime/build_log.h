// What the log of a compiler talks about.
#pragma once

#include <string>
#include <string_view>

namespace mdh::runtime {

/// The lines of a source that a log mentions, as in "x.cl:12:3: error", "x.cu(12): error" or
/// "line 12", with their neighbours and their numbers; a limited number of them.
std::string offending_lines(std::string_view source, std::string_view log);

}  // namespace mdh::runtime
