// Axes of plots.
#pragma once

#include <string>
#include <vector>

#include "mdh/report/svg.h"

namespace mdh::report {

enum class Scale { linear, logarithmic };

/// Values from low to high on pixels from begin to end, which may run backwards.
struct Axis {
  Scale scale = Scale::linear;
  double low = 0, high = 1;
  double begin = 0, end = 1;

  double at(double value) const;
};

struct Tick {
  double value = 0;
  std::string label;
};

/// Grid lines across the plot, labels and a title outside of it: below, or at the left.
void draw_horizontal(Svg& svg, const Axis& x, const Axis& y, const std::vector<Tick>& ticks,
                     const std::string& title);
void draw_vertical(Svg& svg, const Axis& x, const Axis& y, const std::vector<Tick>& ticks,
                   const std::string& title);

}  // namespace mdh::report
