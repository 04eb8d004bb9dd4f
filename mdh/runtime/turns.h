// Processes that measure on one device take turns: two kernels that share a device are both slow, and
// nobody sees from outside that they do.
//
// A turn is a lock on a file, which the system takes back when its process ends, however it ends. Who
// waits is the next one: a second file is locked by the one that waits for the first, so that nobody
// who has just had a turn gets there before.
#pragma once

#include <string>

namespace mdh::runtime {

/// Has the device until the object is gone.
class Turn {
 public:
  Turn() = default;
  Turn(int lock, bool is_alone) : lock_(lock), is_alone_(is_alone) {}
  ~Turn();
  Turn(Turn&& other) noexcept;
  Turn& operator=(Turn&& other) noexcept;

  /// False if another process had the device for so long that nobody waited any longer: times that
  /// are measured now are those of a device that is shared.
  bool is_alone() const { return is_alone_; }

 private:
  int lock_ = -1;  // the descriptor of the locked file
  bool is_alone_ = true;
};

class Turns {
 public:
  /// `place` is Device::place(): the same text in all processes. Where it is empty, or nothing can be
  /// locked, there is nothing to wait for. Files are in the folder that MDH_DEVICE_LOCKS names, else
  /// in /tmp; "off" there means that nobody waits.
  explicit Turns(const std::string& place, double patience = 60);

  /// Waits, but not for ever: a process that has a turn may have been stopped. After one such wait
  /// the next ones are short, until a turn comes in time.
  Turn take();

 private:
  std::string current_, next_;  // files; empty: nobody waits
  double patience_;             // seconds
  bool is_in_vain_ = false;
};

}  // namespace mdh::runtime
