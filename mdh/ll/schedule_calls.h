// The text of a schedule, call by call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mdh/support/diagnostic.h"

namespace mdh::ll {

/// a, b = name(x, y)
struct ScheduleCall {
  Location where;
  std::vector<std::string> results;
  std::string name;
  std::vector<std::string> arguments;
};

/// E360 if the first line is not "mdh_schedule 1", E361 for a line that is not a call.
std::vector<ScheduleCall> read_calls(std::string_view text, const std::string& file);

}  // namespace mdh::ll
