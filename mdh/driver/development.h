// For those who work on mdh itself: single passes on text.
#pragma once

#include <string>

namespace mdh::driver {

/// The loop program of a file (.loop.mdh) after one pass, as text. A user error with the nearest
/// name if there is no such pass.
std::string run_pass(const std::string& pass, const std::string& file);

/// All passes in the order of their pipelines, one line each.
std::string list_passes();

}  // namespace mdh::driver
