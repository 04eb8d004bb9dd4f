#include "mdh/runtime/turns.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <utility>

#include "mdh/support/hash.h"

namespace mdh::runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// Of another user's file as well: reading is enough to lock it. Asking to create what is there may
/// be forbidden in a folder that all may write to.
int open_lock(const std::string& path) {
  constexpr int always = O_RDONLY | O_CLOEXEC | O_NOFOLLOW;
  const int there = open(path.c_str(), always);
  if (there >= 0 || errno != ENOENT) return there;
  const int made = open(path.c_str(), always | O_CREAT, 0644);
  return made >= 0 ? made : open(path.c_str(), always);
}

/// The descriptor, or -1 where it is not free in time.
int locked_until(int descriptor, Clock::time_point deadline) {
  constexpr std::chrono::microseconds shortest(50), longest(2000);
  auto pause = shortest;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const bool is_taken = errno == EWOULDBLOCK || errno == EINTR;
    if (!is_taken || Clock::now() >= deadline) {
      close(descriptor);
      return -1;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest);
  }
  return descriptor;
}

}  // namespace

Turn::~Turn() {
  if (lock_ >= 0) close(lock_);  // and with it the lock
}

Turn::Turn(Turn&& other) noexcept
    : lock_(std::exchange(other.lock_, -1)), is_alone_(other.is_alone_) {}

Turn& Turn::operator=(Turn&& other) noexcept {
  std::swap(lock_, other.lock_);
  std::swap(is_alone_, other.is_alone_);
  return *this;
}

Turns::Turns(const std::string& place, double patience) : patience_(patience) {
  const char* named = std::getenv("MDH_DEVICE_LOCKS");
  const std::string folder = named == nullptr || *named == '\0' ? "/tmp" : named;
  if (place.empty() || folder == "off") return;
  current_ = (std::filesystem::path(folder) / ("mdh-device-" + hash_name(place))).string();
  next_ = current_ + "-next";
}

Turn Turns::take() {
  if (current_.empty()) return {};
  const int queue = open_lock(next_), device = open_lock(current_);
  if (queue < 0 || device < 0) {
    if (queue >= 0) close(queue);
    if (device >= 0) close(device);
    return {};
  }
  constexpr double short_wait = 0.1;
  const std::chrono::duration<double> wait(is_in_vain_ ? short_wait : patience_);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
  const int place_in_queue = locked_until(queue, deadline);
  const int lock = locked_until(device, deadline);
  if (place_in_queue >= 0) close(place_in_queue);
  is_in_vain_ = lock < 0;
  return {lock, lock >= 0};
}

}  // namespace mdh::runtime
