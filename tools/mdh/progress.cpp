#include "tools/mdh/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "mdh/support/text.h"
#include "tools/mdh/say.h"

namespace mdh::tool {

Progress::Progress(int steps, bool quiet)
    : steps_(steps), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (!quiet_ && terminal_ && done_ > 0) say("\r\033[K");
}

void Progress::step(const std::string& what) {
  if (quiet_) return;
  if (!terminal_) {
    say("mdh: {} ...\n", what);
    return;
  }
  draw(done_, what);
  ++done_;
  what_ = what;
  begin_ = drawn_ = Clock::now();
  last_ = 0;
}

void Progress::share(double done) {
  if (quiet_ || !terminal_ || done <= 0) return;
  const Clock::time_point now = Clock::now();
  if (done < last_) begin_ = now;  // the step does its work once more
  last_ = done;
  const std::chrono::duration<double> spent = now - begin_, since = now - drawn_;
  if (spent.count() < 1 || since.count() < 0.1) return;
  drawn_ = now;
  draw(done_ - 1 + done, fmt::format("{}: {}", what_, time_left(done, spent.count())));
}

void Progress::draw(double done, const std::string& text) const {
  constexpr int width = 24;
  const auto filled = static_cast<size_t>(width * done / steps_);
  say("\r\033[K[{}{}] {}", std::string(filled, '#'), std::string(width - filled, '.'), text);
  std::fflush(stderr);
}

}  // namespace mdh::tool
