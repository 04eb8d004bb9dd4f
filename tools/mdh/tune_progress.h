// The progress of a search on stderr: a bar on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>

#include "mdh/tuning/tuner.h"

namespace mdh::tool {

class TuneProgressBar {
 public:
  TuneProgressBar(const tuning::TuneOptions& options, bool quiet);
  ~TuneProgressBar();
  TuneProgressBar(const TuneProgressBar&) = delete;
  TuneProgressBar& operator=(const TuneProgressBar&) = delete;

  void show(const tuning::TuneProgress& progress);

  /// Once, at the first time that other programs disturbed.
  void warn_of_load(const tuning::Trial& trial);

 private:
  double seconds_;
  size_t evaluations_;
  bool quiet_, terminal_;
  bool has_warned_ = false;
  double shown_ = -1e9;  // seconds of the last line
};

/// "best 15.2 us, 118 tried, 3 failed, 12 s left"
std::string progress_text(const tuning::TuneProgress& progress, double seconds, size_t evaluations);

}  // namespace mdh::tool
