// What `mdh tune` prints about a search.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/mdh/tune_search.h"

namespace mdh::tool {

/// Of a search that found something.
nlohmann::ordered_json json_of(const Problem& problem, const SearchOutcome& outcome);
void print_text(const Problem& problem, const SearchOutcome& outcome);

/// Of one that did not: how many failed in which way, and the reason of the first of each kind.
Diagnostic nothing_works(const tuning::TuneReport& report);

}  // namespace mdh::tool
