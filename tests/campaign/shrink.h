// A smaller triple that still fails.
#pragma once

#include <functional>

#include "tests/property/triples.h"

namespace mdh::test {

/// Leaves out tiles, accumulators, phases and code, and takes away parts, as long as the triple
/// stays valid and goes on failing.
Triple shrunk(const Triple& triple, const std::function<bool(const Triple&)>& fails);

}  // namespace mdh::test
