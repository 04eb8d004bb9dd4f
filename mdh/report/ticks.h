// Where an axis has its marks.
#pragma once

#include <cstddef>
#include <vector>

namespace mdh::report {

/// Round numbers between two others, 1, 2 or 5 times a power of ten apart; as many as possible up
/// to `most`. None if there is no range.
std::vector<double> linear_ticks(double low, double high, size_t most);

/// For a logarithmic axis: powers of ten and, where there is room, multiples of them. A range too
/// narrow for that has linear ones.
std::vector<double> log_ticks(double low, double high, size_t most);

/// Only whole numbers, for counts.
std::vector<double> whole_ticks(double low, double high, size_t most);

}  // namespace mdh::report
