// Random index sets, MDAs and buffers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mdh/hl/evaluate.h"
#include "tests/property/choices.h"

namespace mdh::test {

using Set = std::vector<int64_t>;

/// Up to `most` indices, in gaps and runs; possibly none.
Set random_set(Choices& choices, int64_t most);

/// The set dealt into parts, interleaved, each possibly empty.
std::vector<Set> dealt(Choices& choices, const Set& set, int parts);

/// Two parts that are not empty, of a set with at least two elements.
std::pair<Set, Set> halved(Choices& choices, const Set& set);

/// Small whole numbers, so that sums and products of them are exact and ties occur.
scalar::Value random_value(Choices& choices, scalar::Scalar type);
hl::Mda random_mda(Choices& choices, std::vector<Set> sets, int components);
std::vector<scalar::Array> random_inputs(Choices& choices, const hl::Program& p);

std::string describe(const hl::Mda& a);

}  // namespace mdh::test
