#include "mdh/report/units.h"

#include <fmt/format.h>

#include <array>

namespace mdh::report {

std::string time_text(double microseconds) {
  if (microseconds < 1) return number_text(microseconds * 1e3) + " ns";
  if (microseconds < 1e3) return number_text(microseconds) + " µs";
  if (microseconds < 1e6) return number_text(microseconds / 1e3) + " ms";
  return number_text(microseconds / 1e6) + " s";
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return number_text(bytes) + " " + units[unit];
}

std::string number_text(double value) {
  const bool is_long = value >= 1e4 && value < 1e7;
  return is_long ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  if (percent >= 10) return fmt::format("{:.0f} %", percent);
  return fmt::format("{:.{}f} %", percent, percent >= 0.05 ? 1 : 0);
}

}  // namespace mdh::report
