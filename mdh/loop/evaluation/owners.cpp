#include "mdh/loop/evaluation/owners.h"

namespace mdh::loop {

void Owners::begin(const Deal& deal, int64_t share, Moment& now) {
  now.warp = warp_of(deal, share);
  const int32_t owner = owner_of(deal, share);
  if (deal.team == Team::cores) {
    now.owner[1] = owner;
    return;
  }
  now.owner[0] = owner;
  now.owner[1] = deal.team == Team::all ? owner : -1;
  ++now.epoch[1];  // a member of the grid begins with all of its cores
}

/// Which core gets a share depends on all counters, their order and how far they count.
int32_t Owners::owner_of(const Deal& deal, int64_t share) {
  if (deal.steady) return number_of(fmt::format("steady {}: {}", volume_of(deal.shares), share));
  std::string identity = deal.team == Team::all ? "all," : "";
  if (deal.collective) identity += fmt::format("{},", fmt::ptr(&deal));
  if (deal.dealing == Dealing::cyclic) identity += "cyclic,";
  // Nobody knows who gets it, and who had it before does not matter.
  if (deal.dealing == Dealing::dynamic) identity += fmt::format("{},", ++dealt_);
  for (const Counter& c : deal.shares) identity += fmt::format("{}/{},", c.var.name, c.count);
  identity += std::to_string(share);
  return number_of(identity);
}

int32_t Owners::number_of(const std::string& identity) {
  return numbers_.try_emplace(identity, static_cast<int32_t>(numbers_.size())).first->second;
}

/// Core n of a group has its share n. Where there are more shares than cores, nobody knows.
int64_t Owners::warp_of(const Deal& deal, int64_t share) {
  if (warp_ == 1) return -1;
  if (deal.team == Team::grid) cores_ = owned_shares(deal.body);
  return deal.team == Team::cores && volume_of(deal.shares) <= cores_ ? share / warp_ : -1;
}

}  // namespace mdh::loop
