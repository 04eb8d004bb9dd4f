#include "tools/mdh/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace mdh::tool {

Progress::Progress(int steps, bool quiet)
    : steps_(steps), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (!quiet_ && terminal_ && done_ > 0) fmt::print(stderr, "\r\033[K");
}

void Progress::step(const std::string& what) {
  if (quiet_) return;
  if (!terminal_) {
    fmt::print(stderr, "mdh: {} ...\n", what);
    return;
  }
  constexpr int width = 24;
  const int filled = width * done_ / steps_;
  fmt::print(stderr, "\r\033[K[{}{}] {}", std::string(static_cast<size_t>(filled), '#'),
             std::string(static_cast<size_t>(width - filled), '.'), what);
  std::fflush(stderr);
  ++done_;
}

}  // namespace mdh::tool
