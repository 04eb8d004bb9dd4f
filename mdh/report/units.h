// Numbers for people.
#pragma once

#include <string>

namespace mdh::report {

/// "850 ns", "153.2 µs", "1.53 ms"
std::string time_text(double microseconds);

/// "512 B", "64 KiB", "1.5 MiB"
std::string bytes_text(double bytes);

/// Four digits and no exponent where there are few more: "0.125", "85.31", "12840".
std::string number_text(double value);

/// "43 %"; "0.4 %" where it is little.
std::string percent_text(double share);

}  // namespace mdh::report
