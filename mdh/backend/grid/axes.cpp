#include "mdh/backend/grid/axes.h"

#include <algorithm>
#include <functional>

namespace mdh::backend {
namespace {

using loop::Counter;

const loop::Digit* digit_of(const loop::Program& p, const Counter& c) {
  return is_digit(p, c.var) ? &find_digit(p, c.var) : nullptr;
}

/// The most shares of a Deal; nobody owns them.
int64_t shared_shares(const loop::Block& block) {
  int64_t most = 1;
  for (const loop::Stmt& s : block) {
    const auto* deal = s.as<loop::Deal>();
    if (deal) most = std::max(most, loop::volume_of(deal->shares));
    loop::for_each_child(s, [&](const loop::Block& b) { most = std::max(most, shared_shares(b)); });
  }
  return most;
}

int64_t items_for(const loop::Block& block, int64_t many_items) {
  const int64_t owned = loop::owned_shares(block);
  return owned > 1 ? owned : std::min(shared_shares(block), many_items);
}

}  // namespace

size_t axis_of(const loop::Digit& digit) { return static_cast<size_t>(digit.axis.value_or(0)); }

OnAxes on_axes(const loop::Program& p, const std::vector<Counter>& shares) {
  OnAxes axes;
  for (const Counter& c : shares) {
    const loop::Digit* digit = digit_of(p, c);
    axes[digit ? axis_of(*digit) : 0].push_back(c);
  }
  return axes;
}

bool has_axes(const loop::Program& p, const std::vector<Counter>& shares) {
  return std::any_of(shares.begin(), shares.end(), [&](const Counter& c) {
    const loop::Digit* digit = digit_of(p, c);
    return digit && digit->axis;
  });
}

std::array<int64_t, 3> extents_of(const OnAxes& axes) {
  return {loop::volume_of(axes[0]), loop::volume_of(axes[1]), loop::volume_of(axes[2])};
}

Items items_of(const loop::Program& p, const loop::Block& body, int64_t many_items) {
  const int64_t count = items_for(body, many_items);
  Items along;
  bool some = false, all = true;
  const std::function<void(const loop::Block&)> visit = [&](const loop::Block& statements) {
    for (const loop::Stmt& s : statements) {
      loop::for_each_child(s, visit);
      const auto* deal = s.as<loop::Deal>();
      if (!deal || deal->collective) continue;
      some = some || has_axes(p, deal->shares);
      for (const Counter& c : deal->shares) all = all && is_digit(p, c.var);
      const auto extents = extents_of(on_axes(p, deal->shares));
      for (size_t a = 0; a < 3; ++a) along.extents[a] = std::max(along.extents[a], extents[a]);
    }
  };
  visit(body);
  along.along_axes = some && all && along.count() == count;
  return along.along_axes ? along : Items{{count, 1, 1}, false};
}

std::string swizzled(const std::string& type, int64_t rows, int64_t columns, int64_t together) {
  together = std::min(together, rows);  // more than there are: all of them
  return fmt::format(
      "const {type} mdh_block = mdh_flat / {area};\n"
      "const {type} mdh_rest = {rows} - mdh_block * {together};\n"
      "const {type} mdh_rows = mdh_rest < {together} ? mdh_rest : {together};\n"
      "const {type} mdh_row = mdh_block * {together} + mdh_flat % {area} % mdh_rows;\n"
      "const {type} mdh_column = mdh_flat % {area} / mdh_rows;\n",
      fmt::arg("type", type), fmt::arg("rows", rows), fmt::arg("together", together),
      fmt::arg("area", together * columns));
}

}  // namespace mdh::backend
