#include "tools/mdh/tune_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "mdh/tuning/model_choice.h"
#include "tools/mdh/say.h"

namespace mdh::tool {

TuneProgressBar::TuneProgressBar(const tuning::TuneOptions& options, bool quiet)
    : seconds_(options.seconds),
      evaluations_(options.evaluations),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0) {
  const tuning::CandidateOptions& on = options.candidates;
  const char* first = tuning::has_cost_model(*on.target, on.machine) ? "estimating configurations"
                                                                     : "trying the untuned choice";
  if (!quiet_) say("mdh: {} ...{}", first, terminal_ ? "" : "\n");
}

TuneProgressBar::~TuneProgressBar() {
  if (!quiet_ && terminal_) say("\r\033[K");
}

void TuneProgressBar::warn_of_load(const tuning::Trial& trial) {
  if (!trial.is_good() || !trial.is_loaded() || quiet_ || has_warned_) return;
  has_warned_ = true;
  say("{}mdh: note: other programs use the cores, for {:.0f} % of the time. Times that this "
      "changes "
      "are taken again, and marked in the records if that does not help\n",
      terminal_ ? "\r\033[K" : "", 100 * trial.timing.load);
}

std::string progress_text(const tuning::TuneProgress& progress, double seconds,
                          size_t evaluations) {
  std::string text =
      progress.best_us ? fmt::format("best {:.4g} us", *progress.best_us) : "no best";
  text += fmt::format(", {} tried, {} failed", progress.evaluations, progress.failures);
  if (evaluations > 0) {
    const size_t left = evaluations - std::min(evaluations, progress.evaluations);
    return text + fmt::format(", {} left", left);
  }
  return text + fmt::format(", {:.0f} s left", std::max(0.0, seconds - progress.seconds));
}

void TuneProgressBar::show(const tuning::TuneProgress& progress) {
  if (quiet_) return;
  const double part = evaluations_ > 0 ? static_cast<double>(progress.evaluations) /
                                             static_cast<double>(evaluations_)
                                       : progress.seconds / seconds_;
  const std::string text = progress_text(progress, seconds_, evaluations_);
  if (!terminal_) {
    if (progress.seconds - shown_ < 5) return;
    shown_ = progress.seconds;
    say("mdh: {}: {}\n", progress.phase, text);
    return;
  }
  constexpr int width = 24;
  const auto filled = static_cast<size_t>(width * std::clamp(part, 0.0, 1.0));
  say("\r\033[K[{}{}] {}: {}", std::string(filled, '#'), std::string(width - filled, '.'),
      progress.phase, text);
  std::fflush(stderr);
}

}  // namespace mdh::tool
