// Progress on stderr: a bar on a terminal, plain lines elsewhere, nothing if quiet.
#pragma once

#include <chrono>
#include <string>

namespace mdh::tool {

class Progress {
 public:
  /// `steps`: how many calls of step() there will be.
  Progress(int steps, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(const std::string& what);

  /// How much of the step is done, from 0 to 1. Shown with the time left on a terminal, once the
  /// step has taken a second.
  void share(double done);

 private:
  using Clock = std::chrono::steady_clock;

  void draw(double done, const std::string& text) const;

  int steps_;
  int done_ = 0;  // steps begun
  bool quiet_;
  bool terminal_;
  std::string what_;
  Clock::time_point begin_, drawn_;
  double last_ = 0;
};

}  // namespace mdh::tool
