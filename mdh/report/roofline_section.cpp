#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mdh/hl/analysis.h"
#include "mdh/report/axis.h"
#include "mdh/report/roofline.h"
#include "mdh/report/sections.h"
#include "mdh/report/ticks.h"
#include "mdh/report/units.h"

namespace mdh::report {
namespace {

constexpr double roof_width = 1000, roof_height = 380;

class RooflinePlot {
 public:
  RooflinePlot(const Roofline& roofs, double best, double untuned)
      : roofs_(roofs),
        best_(best),
        untuned_(untuned),
        svg_(roof_width, roof_height, "Roofline: operations per second over operations per byte"),
        x_{Scale::logarithmic, 1, 10, 76, roof_width - 16},
        y_{Scale::logarithmic, 1, 10, roof_height - 48, 14} {
    x_.low = std::min(roofs.intensity, roofs.ridge()) / 10;
    x_.high = std::max(roofs.intensity, roofs.ridge()) * 10;
    const double least = untuned > 0 ? std::min(best, untuned) : best;
    y_.low = std::min(least, roofs.roof_at(x_.low)) / 1.5;
    y_.high = std::max(best, roofs.peak) * 2.5;
  }

  std::string draw() {
    draw_axes();
    draw_slope(roofs_.memory, "roof", "memory " + number_text(roofs_.memory) + " GB/s");
    // Closer roofs cannot be told apart.
    if (roofs_.cache > 1.6 * roofs_.memory) {
      draw_slope(roofs_.cache, "roof minor",
                 roofs_.cache_name + " " + number_text(roofs_.cache) + " GB/s");
    }
    const double peak = y_.at(roofs_.peak);
    svg_.line({x_.at(roofs_.ridge()), peak}, {x_.end, peak}, "roof");
    svg_.text({x_.end - 6, peak - 8}, "peak " + number_text(roofs_.peak) + " GFLOP/s", "label",
              Anchor::end);
    draw_points();
    return svg_.str();
  }

 private:
  void draw_axes() {
    std::vector<Tick> across, up;
    for (const double v : log_ticks(x_.low, x_.high, 12)) across.push_back({v, number_text(v)});
    for (const double v : log_ticks(y_.low, y_.high, 9)) up.push_back({v, number_text(v)});
    draw_horizontal(svg_, x_, y_, across, "operations per byte of all buffers");
    draw_vertical(svg_, x_, y_, up, "GFLOP/s");
  }

  /// A rate of bytes is a line that rises as fast as the axes say, up to the peak.
  void draw_slope(double rate, const char* style, const std::string& text) {
    const double from = std::max(x_.low, y_.low / rate), to = roofs_.peak / rate;
    const Spot begin{x_.at(from), y_.at(from * rate)}, end{x_.at(to), y_.at(roofs_.peak)};
    svg_.line(begin, end, style);
    const double degrees = std::atan2(end.y - begin.y, end.x - begin.x) * 180 / std::numbers::pi;
    const double part = 0.12;
    svg_.text({begin.x + part * (end.x - begin.x), begin.y + part * (end.y - begin.y) - 7}, text,
              "label", Anchor::start, degrees);
  }

  void draw_points() {
    const double x = x_.at(roofs_.intensity);
    svg_.line({x, y_.begin}, {x, y_.at(roofs_.roof_at(roofs_.intensity))}, "untuned");
    if (untuned_ > 0) {
      svg_.circle({x, y_.at(untuned_)}, 6, "point untuned-point",
                  "untuned: " + number_text(untuned_) + " GFLOP/s");
      svg_.text({x - 12, y_.at(untuned_) + 4}, "untuned " + number_text(untuned_), "label",
                Anchor::end);
    }
    svg_.circle({x, y_.at(best_)}, 6, "point best-point",
                "best: " + number_text(best_) + " GFLOP/s");
    svg_.text({x + 12, y_.at(best_) + 4}, "best " + number_text(best_), "label strong");
  }

  const Roofline& roofs_;
  double best_, untuned_;
  Svg svg_;
  Axis x_, y_;
};

std::string limits_text(const Roofline& roofs, double best, double bytes,
                        const model::Rates& rates) {
  const double roof = roofs.roof_at(roofs.intensity);
  std::string text = fmt::format(
      "The best configuration reaches {} of the {} GFLOP/s that {} allows at {} operations per "
      "byte, and {} of the peak.",
      percent_text(best / roof), number_text(roof), roofs.peak <= roof ? "computing" : "memory",
      number_text(roofs.intensity), percent_text(best / roofs.peak));
  if (bytes < static_cast<double>(rates.last_cache().bytes)) {
    text += " All buffers together fit the last cache, so that memory need not be the limit.";
  }
  return text;
}

}  // namespace

std::string roofline_section(const TuningPage& page) {
  const bool typical = are_typical(page.rates, page.machine);
  const std::string source =
      fmt::format("Roofs of {} core{} by {} rates. ", page.rates.cores,
                  page.rates.cores == 1 ? "" : "s", typical ? "typical, not measured" : "measured");
  const double operations = static_cast<double>(hl::operations(page.program));
  const tuning::TuneReport& report = page.report;
  if (operations == 0) {
    return section("Roofline", "The program only moves data: there are no operations to count.",
                   "");
  }
  const auto rate = [&](const std::optional<tuning::Trial>& trial) {
    return trial ? operations / trial->timing.median_us / 1e3 : 0;
  };
  const Roofline roofs = roofline_of(page.program, page.rates);
  return section("Roofline",
                 source + limits_text(roofs, rate(report.best),
                                      static_cast<double>(hl::bytes(page.program)), page.rates),
                 "<div class=\"figure\">\n" +
                     RooflinePlot(roofs, rate(report.best), rate(report.untuned)).draw() +
                     "</div>\n");
}

}  // namespace mdh::report
