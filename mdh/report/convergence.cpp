#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mdh/report/axis.h"
#include "mdh/report/config_text.h"
#include "mdh/report/markup.h"
#include "mdh/report/sections.h"
#include "mdh/report/ticks.h"
#include "mdh/report/units.h"

namespace mdh::report {
namespace {

constexpr double plot_width = 1000;

/// Without any time there is only the lane of failures.
double height_of(const tuning::TuneReport& report) { return report.best ? 400 : 108; }

/// Trial n is drawn at n + 1: people count from one.
double position(size_t trial) { return static_cast<double>(trial + 1); }

class ConvergencePlot {
 public:
  explicit ConvergencePlot(const tuning::TuneReport& report)
      : report_(report),
        failed_lane_(report.failures.empty() ? 0 : 26),
        svg_(plot_width, height_of(report), "Time of every configuration in the order of trials"),
        x_{Scale::linear, 0, position(report.trials.size()), 76, plot_width - 16},
        y_{Scale::logarithmic, 1, 10, height_of(report) - 48 - failed_lane_, 34} {
    double least = 1e300, most = 0;
    for (const tuning::Trial& trial : report.trials) {
      if (!trial.is_good()) continue;
      least = std::min(least, trial.timing.median_us);
      most = std::max(most, trial.timing.median_us);
    }
    if (most == 0) return;
    // Below the best one there is room for its label.
    const double range = std::max(std::log(most / least), 0.25);
    y_.low = least * std::exp(-0.16 * range);
    y_.high = most * std::exp(0.06 * range);
  }

  std::string draw() {
    draw_axes();
    draw_final();
    draw_untuned();
    draw_best_so_far();
    for (size_t n = 0; n < report_.trials.size(); ++n) draw_trial(n);
    draw_best();
    return svg_.str();
  }

 private:
  void draw_axes() {
    std::vector<Tick> times, numbers;
    for (const double us : log_ticks(y_.low, y_.high, 9)) times.push_back({us, time_text(us)});
    for (const double n : whole_ticks(1, static_cast<double>(report_.trials.size()), 12)) {
      numbers.push_back({n, fmt::format("{:.0f}", n)});
      const double seconds = report_.trials[static_cast<size_t>(n) - 1].seconds;
      svg_.text({x_.at(n), y_.end - 8}, fmt::format("{:.{}f} s", seconds, seconds < 10 ? 1 : 0),
                "tick", Anchor::middle);
    }
    if (report_.trials.size() == 1) numbers.push_back({1, "1"});
    if (report_.best) draw_vertical(svg_, x_, y_, times, "time");
    Axis floored = y_;
    floored.begin += failed_lane_;
    draw_horizontal(svg_, x_, floored, numbers, "configurations tried");
    if (failed_lane_ == 0) return;
    svg_.line({x_.begin, y_.begin}, {x_.end, y_.begin}, "axis");
    svg_.text({x_.begin - 8, y_.begin + failed_lane_ / 2 + 4}, "failed", "tick", Anchor::end);
  }

  bool has_final() const { return report_.best && report_.searched < report_.trials.size(); }

  /// The best few are measured again, with all compilers.
  void draw_final() {
    if (!has_final()) return;
    const double at = x_.at(position(report_.searched) - 0.5);
    svg_.box({at, y_.end, x_.end - at, y_.begin - y_.end}, 0, "final-area");
  }

  void draw_untuned() {
    if (!report_.untuned) return;
    const double at = y_.at(report_.untuned->timing.median_us);
    svg_.line({x_.begin, at}, {x_.end, at}, "untuned");
  }

  /// The final has a line of its own, because its times are better known than those before.
  void draw_best_so_far() {
    double best = 0;
    std::string points;
    for (size_t n = 0; n < report_.searched; ++n) {
      const tuning::Trial& trial = report_.trials[n];
      if (trial.is_good() && (best == 0 || trial.timing.median_us < best)) {
        best = trial.timing.median_us;
      }
      if (best == 0) continue;
      points += fmt::format("{}{:.1f},{:.1f} L{:.1f},{:.1f}", points.empty() ? "M" : " L",
                            x_.at(position(n)), y_.at(best), x_.at(position(n) + 1), y_.at(best));
    }
    if (has_final()) {
      const double at = y_.at(report_.best->timing.median_us);
      points += fmt::format(" M{:.1f},{:.1f} L{:.1f},{:.1f}", x_.at(position(report_.searched)), at,
                            x_.end, at);
    }
    if (!points.empty()) svg_.path(points, "best-so-far");
  }

  std::string title_of(size_t n) const {
    const tuning::Trial& trial = report_.trials[n];
    const std::string came = trial.is_good()
                                 ? time_text(trial.timing.median_us)
                                 : to_string(trial.outcome) + ": " + shortened(trial.reason, 160);
    return fmt::format("{}, after {:.1f} s: {}\n{}", n + 1, trial.seconds, came,
                       short_text(trial.config));
  }

  void draw_trial(size_t n) {
    const tuning::Trial& trial = report_.trials[n];
    const double at = x_.at(position(n));
    const double radius = report_.trials.size() > 400 ? 2.2 : 3.4;
    if (trial.is_good()) {
      svg_.circle({at, y_.at(trial.timing.median_us)}, radius,
                  n < report_.searched ? "trial" : "trial of-final", title_of(n));
    } else {
      svg_.box({at - 1.5, y_.begin + 5, 3, failed_lane_ - 10}, 1, "failure", title_of(n));
    }
  }

  void draw_best() {
    if (!report_.best) return;
    const double us = report_.best->timing.median_us;
    for (size_t n = report_.trials.size(); n-- > 0;) {
      const tuning::Trial& trial = report_.trials[n];
      if (!trial.is_good() || trial.timing.median_us != us) continue;
      const Spot spot{x_.at(position(n)), y_.at(us)};
      svg_.circle(spot, 7, "ring");
      const bool is_left = spot.x < (x_.begin + x_.end) / 2;
      svg_.text({spot.x + (is_left ? -6 : 6), spot.y + 22}, "best " + time_text(us), "label strong",
                is_left ? Anchor::start : Anchor::end);
      return;
    }
  }

  const tuning::TuneReport& report_;
  double failed_lane_;  // failures have a lane of their own below the times
  Svg svg_;
  Axis x_, y_;
};

std::string legend(const tuning::TuneReport& report) {
  if (!report.best) return {};
  std::string text = "<p class=\"legend\"><i class=\"dot search\"></i>tried";
  if (report.searched < report.trials.size()) text += "<i class=\"dot final\"></i>of the final";
  text += "<i class=\"stroke best\"></i>best so far";
  if (report.untuned) text += "<i class=\"stroke untuned\"></i>untuned";
  if (!report.failures.empty()) text += "<i class=\"stroke failed\"></i>failed";
  return text + "</p>\n";
}

}  // namespace

std::string convergence_section(const TuningPage& page) {
  const bool any = !page.report.trials.empty();
  return section(
      "Convergence",
      "Every configuration that was tried, in order, and the best one so far. Seconds of "
      "the search are above the plot; a dot says which configuration it is.",
      any ? legend(page.report) + "<div class=\"figure\">\n" + ConvergencePlot(page.report).draw() +
                "</div>\n"
          : "<p>Nothing was tried.</p>\n");
}

}  // namespace mdh::report
