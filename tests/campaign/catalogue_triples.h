// Every program of the catalogue in all its types, at small and odd sizes: by default and by
// configurations drawn for the machines of GPUs.
#pragma once

#include "examples/catalogue.h"
#include "tests/campaign/backends.h"

namespace mdh::test {

/// Lowered for a target, ready to run; so many configurations are drawn for each type. Another seed
/// gives other sizes and other configurations.
std::vector<Prepared> prepared_of(const examples::Entry& entry, const std::string& target,
                                  int drawn_per_type, uint64_t seed = 7'000'000);

}  // namespace mdh::test
