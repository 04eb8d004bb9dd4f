// Asynchronous copies between their issue and their landing, for the loop evaluator.
#pragma once

#include <vector>

#include "mdh/loop/evaluation/memory.h"

namespace mdh::loop {

/// One element of an instance of a buffer.
struct Place {
  Memory* memory;
  std::vector<int64_t> index;
};

/// The copies of all cores. A share stands for a core of its own, with a queue of its own: where
/// one core takes several shares its queue is longer, so that Wait lands more than here, never
/// less.
class InFlight {
 public:
  /// Nobody may read `to` from here to the landing.
  void issue(const Place& to, const Place& from, const Moment& now);
  void commit(const Moment& now) { groups_.push_back(now), close(now); }
  void wait(int64_t keep, const Moment& now);

  /// Copies into it have not landed yet.
  bool has_into(const Memory& memory) const;
  void expect_none() const;

 private:
  static constexpr size_t open = SIZE_MAX;

  struct Copy {
    Place to, from;
    Moment issued;
    size_t group = open;
  };

  void close(const Moment& now);
  static void land(const Copy& copy, const Moment& now);

  /// Groups in the queue of the core behind that of its copy.
  int64_t younger(const Copy& copy) const;

  std::vector<Copy> copies_;
  std::vector<Moment> groups_;  // when and by whom each one was committed
};

}  // namespace mdh::loop
