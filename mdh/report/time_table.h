// What an estimate is made of, as a table with bars.
#pragma once

#include <string>
#include <vector>

namespace mdh::report {

struct TimePart {
  std::string name;
  double ns = 0;
};

/// The parts, their total (less than the sum, where they overlap) and what was measured.
std::string time_table(const std::string& heading, const std::vector<TimePart>& parts,
                       double total_ns, double measured_us);

/// A cell with a bar that fills this share of it.
std::string bar(double share, const char* style);

}  // namespace mdh::report
