// For tests: searches that never ran.
#pragma once

#include "mdh/report/tuning_page.h"

namespace mdh::report {

/// matmul of 1024 with the configuration that the tests of costs have.
hl::Program test_matmul();
ll::Config test_config();

/// The same search on a device: 256 blocks of 8 warps.
TuningPage test_page_of_device();

/// Twelve trials, two of which failed, the last three of the final.
TuningPage test_page();

}  // namespace mdh::report
