// Two decompositions side by side.
#pragma once

#include <string>
#include <vector>

#include "mdh/ll/config.h"

namespace mdh::ll {

/// One parameter in which two configurations differ, as both write it; "-" where one says nothing.
struct Difference {
  std::string parameter;  // "split.k", "order", "stage.B[1].layout", "code.kernel.flags"
  std::string left, right;
  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Parameter by parameter, in the order of the file form; nothing if they mean the same.
std::vector<Difference> diff(const Config& left, const Config& right);

/// Both columns, one line per difference.
std::string print(const std::vector<Difference>& differences, const std::string& left,
                  const std::string& right);

}  // namespace mdh::ll
