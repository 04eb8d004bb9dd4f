#include "mdh/report/ticks.h"

#include <algorithm>
#include <cmath>

namespace mdh::report {
namespace {

std::vector<double> multiples(double step, double low, double high) {
  std::vector<double> all;
  // A tick that rounding puts just outside still counts.
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double n = first; n <= last; ++n) all.push_back(n * step);
  return all;
}

/// Mantissas times powers of ten whose exponent is a multiple of `stride`.
std::vector<double> decades(const std::vector<int>& mantissas, int stride, double low,
                            double high) {
  std::vector<double> all;
  const int first = static_cast<int>(std::floor(std::log10(low))) - 1;
  const int last = static_cast<int>(std::ceil(std::log10(high))) + 1;
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % stride != 0) continue;
    for (const int mantissa : mantissas) {
      const double value = mantissa * std::pow(10.0, exponent);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) all.push_back(value);
    }
  }
  return all;
}

}  // namespace

std::vector<double> linear_ticks(double low, double high, size_t most) {
  if (!(high > low) || most == 0) return {};
  const double least = (high - low) / static_cast<double>(most + 1);
  double power = std::pow(10.0, std::floor(std::log10(least)));
  for (;; power *= 10) {
    for (const double mantissa : {1.0, 2.0, 5.0}) {
      std::vector<double> all = multiples(mantissa * power, low, high);
      if (all.size() <= most) return all;
    }
  }
}

std::vector<double> log_ticks(double low, double high, size_t most) {
  if (!(low > 0) || !(high > low) || most == 0) return {};
  const std::vector<int> dense[] = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 5}, {1, 3}};
  for (const std::vector<int>& mantissas : dense) {
    const std::vector<double> all = decades(mantissas, 1, low, high);
    if (all.size() <= most && all.size() >= 3) return all;
    if (all.size() <= most) return linear_ticks(low, high, most);
  }
  for (int stride = 1;; ++stride) {
    std::vector<double> all = decades({1}, stride, low, high);
    if (all.size() <= most) return all;
  }
}

std::vector<double> whole_ticks(double low, double high, size_t most) {
  std::vector<double> all = linear_ticks(low, high, most);
  const auto is_broken = [](double value) { return std::abs(value - std::round(value)) > 1e-6; };
  all.erase(std::remove_if(all.begin(), all.end(), is_broken), all.end());
  return all;
}

}  // namespace mdh::report
