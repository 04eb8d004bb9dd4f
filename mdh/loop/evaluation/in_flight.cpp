#include "mdh/loop/evaluation/in_flight.h"

#include <algorithm>

#include "mdh/support/diagnostic.h"

namespace mdh::loop {
namespace {

/// What is done outside of a team's Deals is done by all of its cores.
bool includes(const Moment& who, const Moment& core) {
  const auto in = [&](int team) {
    return who.owner[team] == -1 || who.owner[team] == core.owner[team];
  };
  return in(0) && in(1);
}

}  // namespace

void InFlight::issue(const Place& to, const Place& from, const Moment& now) {
  std::vector<scalar::Value> unused;  // it may be read as early as this
  from.memory->load(from.index, now, unused);
  to.memory->expect(to.index, now);
  copies_.push_back({to, from, now});
}

void InFlight::close(const Moment& now) {
  for (Copy& copy : copies_) {
    if (copy.group == open && includes(now, copy.issued)) copy.group = groups_.size() - 1;
  }
}

void InFlight::wait(int64_t keep, const Moment& now) {
  std::vector<Copy> rest;
  for (const Copy& copy : copies_) {
    const bool lands = copy.group != open && includes(now, copy.issued) && younger(copy) >= keep;
    if (lands) {
      land(copy, now);
    } else {
      rest.push_back(copy);
    }
  }
  copies_ = std::move(rest);
}

/// By the core that issued it, at the time of the wait.
void InFlight::land(const Copy& copy, const Moment& now) {
  const Moment& by = copy.issued;
  const Moment then{
      {by.owner[0], by.owner[1]}, {now.epoch[0], now.epoch[1]}, by.warp, now.warp_epoch};
  std::vector<scalar::Value> leaves;
  copy.from.memory->load(copy.from.index, then, leaves);
  copy.to.memory->store(copy.to.index, then, leaves);
}

int64_t InFlight::younger(const Copy& copy) const {
  return std::count_if(groups_.begin() + static_cast<std::ptrdiff_t>(copy.group) + 1, groups_.end(),
                       [&](const Moment& group) { return includes(group, copy.issued); });
}

bool InFlight::has_into(const Memory& memory) const {
  return std::any_of(copies_.begin(), copies_.end(),
                     [&](const Copy& copy) { return copy.to.memory == &memory; });
}

void InFlight::expect_none() const {
  if (copies_.empty()) return;
  internal_check(false, "{} copies never land, the first one into '{}'", copies_.size(),
                 copies_.front().to.memory->name());
}

}  // namespace mdh::loop
