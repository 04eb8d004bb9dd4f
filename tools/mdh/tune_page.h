// The page about a search.
#pragma once

#include <string>

#include "mdh/tuning/tuner.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {

/// Whether a later run finds the best configuration by itself.
enum class Recorded { yes, no };

/// HTML.
std::string tune_page(const Request& request, const TuneVerbOptions& verb, const Problem& problem,
                      const tuning::TuneReport& report, Recorded recorded);

/// Words as a shell reads them back: matvec, --size, 'my file.mdh'.
std::string command_line(const std::vector<std::string>& words);

}  // namespace mdh::tool
