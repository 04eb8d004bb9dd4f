#include "mdh/loop/verify_cover.h"

#include <algorithm>

namespace mdh::loop {
namespace {

/// Mixed radix: every digit is worth as much as all combinations of the finer ones.
void covered(const Program& p, const std::vector<Digit>& around, int dimension) {
  std::vector<std::pair<int64_t, int64_t>> digits;
  for (const Digit& digit : around) {
    if (digit.dimension == dimension) digits.emplace_back(digit.step, digit.parts);
  }
  std::sort(digits.begin(), digits.end());
  const Dimension& d = p.dimensions[static_cast<size_t>(dimension)];
  int64_t reach = 1;
  bool gapless = true;
  for (const auto& [step, parts] : digits) {
    gapless = gapless && step == reach;
    internal_check(!__builtin_mul_overflow(reach, parts, &reach),
                   "dimension '{}' has more parts than 64 bits hold", d.symbol.name);
  }
  internal_check(gapless && reach >= d.size, "the digits around f do not cover dimension '{}'",
                 d.symbol.name);
}

}  // namespace

void verify_cover(const Program& p, const std::vector<Digit>& around) {
  for (size_t d = 0; d < p.dimensions.size(); ++d) covered(p, around, static_cast<int>(d));
}

}  // namespace mdh::loop
