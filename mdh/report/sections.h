// The sections of the page, from top to bottom. All but the first two need a best
// configuration.
#pragma once

#include <string>
#include <string_view>

#include "mdh/report/tuning_page.h"

namespace mdh::report {

/// What was tuned, where and how, and what came of it; failures by kind.
std::string summary_section(const TuningPage& page);

/// Every trial in its order; the best so far.
std::string convergence_section(const TuningPage& page);

/// The best decomposition as a tree.
std::string tree_section(const TuningPage& page);

/// What moves between memories and where time goes, both estimated.
std::string traffic_section(const TuningPage& page);

/// How it is launched on a device with groups of threads, and where time goes, estimated.
std::string grid_section(const TuningPage& page);

/// What the machine would allow.
std::string roofline_section(const TuningPage& page);

/// The best configuration as text, and how to use it.
std::string config_section(const TuningPage& page);

/// A section with a heading, what it shows, and its content, which is markup already.
std::string section(std::string_view heading, std::string_view explanation,
                    std::string_view content);

}  // namespace mdh::report
