#include "mdh/report/axis.h"

#include <cmath>

namespace mdh::report {

double Axis::at(double value) const {
  const double part = scale == Scale::linear ? (value - low) / (high - low)
                                             : std::log(value / low) / std::log(high / low);
  return begin + part * (end - begin);
}

void draw_horizontal(Svg& svg, const Axis& x, const Axis& y, const std::vector<Tick>& ticks,
                     const std::string& title) {
  for (const Tick& tick : ticks) {
    const double at = x.at(tick.value);
    svg.line({at, y.begin}, {at, y.end}, "grid");
    svg.text({at, y.begin + 18}, tick.label, "tick", Anchor::middle);
  }
  svg.line({x.begin, y.begin}, {x.end, y.begin}, "axis");
  svg.text({(x.begin + x.end) / 2, y.begin + 38}, title, "axis-title", Anchor::middle);
}

void draw_vertical(Svg& svg, const Axis& x, const Axis& y, const std::vector<Tick>& ticks,
                   const std::string& title) {
  for (const Tick& tick : ticks) {
    const double at = y.at(tick.value);
    svg.line({x.begin, at}, {x.end, at}, "grid");
    svg.text({x.begin - 8, at + 4}, tick.label, "tick", Anchor::end);
  }
  svg.line({x.begin, y.begin}, {x.begin, y.end}, "axis");
  svg.text({14, (y.begin + y.end) / 2}, title, "axis-title", Anchor::middle, -90);
}

}  // namespace mdh::report
