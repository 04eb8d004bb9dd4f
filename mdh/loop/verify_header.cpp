#include "mdh/loop/verify_header.h"

#include <algorithm>

namespace mdh::loop {
namespace {

void verify_cores(const Program& p, const Cores& c) {
  internal_check(c.count >= 0, "layer '{}' has {} cores", c.layer, c.count);
  for (const Symbol& part : c.digits) {
    const How how = find_digit(p, part).how;
    internal_check(how == How::cores || how == How::grid, "digit '{}' is not on cores", part.name);
  }
}

}  // namespace

void verify_header(const Program& p) {
  for (const Dimension& d : p.dimensions) {
    internal_check(d.size >= 1, "dimension '{}' has size {}", d.symbol.name, d.size);
  }
  for (const Digit& d : p.digits) {
    internal_check(d.parts >= 1 && d.step >= 1, "digit '{}' is empty", d.var.name);
    internal_check(d.dimension >= 0 && d.dimension < std::ssize(p.dimensions),
                   "digit '{}' has no dimension", d.var.name);
  }
  for (const Cores& c : p.cores) verify_cores(p, c);
  internal_check(p.warp >= 1, "warps of {} cores", p.warp);
  internal_check(p.bounds.cores >= 0 && p.bounds.groups >= 0, "bounds below 0");
  for (const Symbol& operand : p.emission.operands) {
    const auto& all = p.f.parameters;
    internal_check(
        std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.symbol == operand; }),
        "f has no parameter '{}' to order code by", operand.name);
  }
}

}  // namespace mdh::loop
