#include "mdh/loop/verify_team.h"

#include <algorithm>

#include "mdh/loop/count.h"

namespace mdh::loop {
namespace {

void is_private(const Program& p, const Exchange& s, const Element& e) {
  const Buffer& b = find_buffer(p, e.buffer);
  internal_check(b.role == Role::temporary && b.scope >= Scope::core,
                 "an exchange of '{}', which is not private", b.symbol.name);
  for (const Counter& share : s.shares) {
    internal_check(std::find(b.per.begin(), b.per.end(), share.var) != b.per.end(),
                   "an exchange of '{}', of which there is not one for each '{}'", b.symbol.name,
                   share.var.name);
  }
}

}  // namespace

bool has_axes(const Program& p) {
  return std::any_of(p.digits.begin(), p.digits.end(),
                     [](const Digit& d) { return d.how == How::cores && d.axis; });
}

bool has_warps(const Program& p) { return p.warp > 1 && !has_axes(p); }

bool is_in_one_warp(const std::vector<Counter>& shares, const Symbol& over, int64_t warp) {
  const int64_t behind = distance_along(shares, over);
  const auto mine = std::find_if(shares.begin(), shares.end(),
                                 [&](const Counter& share) { return share.var == over; });
  return volume_of(shares) <= warp || warp % (behind * mine->count) == 0;
}

void verify_exchange(const Program& p, const Exchange& s) {
  internal_check(has_warps(p), "an exchange in warps that do not exist");
  const auto over = std::find_if(s.shares.begin(), s.shares.end(),
                                 [&](const Counter& share) { return share.var == s.over; });
  internal_check(over != s.shares.end(), "an exchange over '{}', which is none of its shares",
                 s.over.name);
  internal_check(is_in_one_warp(s.shares, s.over, p.warp),
                 "an exchange over '{}', whose parts are in several warps", s.over.name);
  internal_check(s.by != 0 && std::abs(s.by) < over->count, "an exchange over '{}' by {}",
                 s.over.name, s.by);
  is_private(p, s, s.to);
  is_private(p, s, s.from);
  const scalar::Type &to = find_buffer(p, s.to.buffer).type,
                     &from = find_buffer(p, s.from.buffer).type;
  internal_check(to == from, "'{}' is taken from another type", s.to.buffer.name);
}

void verify_lasts(const Deal& deal) {
  const int64_t count = count_of<Last>(deal.body);
  if (count == 0) return;
  const auto* last = deal.body.back().as<Last>();
  internal_check(count == 1 && deal.team == Team::grid && last != nullptr,
                 "the last one of a grid does something that is not the end of its share");
  internal_check(has_counter(deal.shares, last->over), "the last one of '{}', which is no share",
                 last->over.name);
}

void verify_follows(const Deal& deal) {
  const int64_t count = count_of<Follow>(deal.body);
  if (count == 0) return;
  int64_t by_all = 0;
  for (const Stmt& s : deal.body) {
    const auto* follow = s.as<Follow>();
    if (!follow) continue;
    ++by_all;
    internal_check(has_counter(deal.shares, follow->over),
                   "shares follow each other in '{}', which is none of them", follow->over.name);
  }
  internal_check(deal.team == Team::grid && count == by_all,
                 "shares of a grid follow others that need not get there");
  internal_check(deal.on == 0 && deal.swizzle == 1 && deal.dealing == Dealing::block,
                 "shares of a grid that begin in another order follow each other");
}

void verify_hearing(const Program& p, const Follow& s) {
  internal_check(s.tells.size() == s.hears.size(), "{} are told, and {} are heard", s.tells.size(),
                 s.hears.size());
  for (size_t n = 0; n < s.tells.size(); ++n) {
    const Buffer &told = find_buffer(p, s.tells[n].buffer),
                 &heard = find_buffer(p, s.hears[n].buffer);
    for (const Buffer* b : {&told, &heard}) {
      internal_check(
          b->role == Role::temporary && b->scope == Scope::group,
          "shares that follow others tell or hear '{}', which does not belong to a group",
          b->symbol.name);
    }
    internal_check(told.type == heard.type, "'{}' is heard as another type", told.symbol.name);
  }
}

void verify_fix(const ScanFix& s) {
  for (size_t n = 0; n < s.totals.size(); ++n) {
    internal_check(s.totals[n].index == s.offset[n].index,
                   "'{}' is not the offset of every total in '{}'", s.offset[n].buffer.name,
                   s.totals[n].buffer.name);
  }
}

}  // namespace mdh::loop
