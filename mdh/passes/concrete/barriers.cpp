#include "mdh/passes/concrete/barriers.h"

#include <algorithm>
#include <map>

#include "mdh/loop/verify_team.h"
#include "mdh/passes/concrete/slots.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Stmt;
using loop::StmtNode;
using loop::Team;

/// How a Deal shares its work; Deals of equal signature give equal shares to equal cores.
using Signature = std::string;

/// A Deal whose shares nobody owns: it is like no other, nor like itself in the next round.
const Signature nobody;

/// Of what belongs to the shares themselves.
Signature steady_signature(const loop::Deal& deal) {
  return fmt::format("steady {}", loop::volume_of(deal.shares));
}

Signature signature(const loop::Deal& deal, const Stmt& s) {
  if (deal.dealing == loop::Dealing::dynamic) return nobody;
  Signature text = deal.collective ? fmt::format("{}:", fmt::ptr(&s.node())) : "";
  text += deal.dealing == loop::Dealing::cyclic ? "cyclic:" : "block:";
  for (const loop::Counter& share : deal.shares) {
    text += fmt::format("{}/{},", share.var.name, share.count);
  }
  return text;
}

/// For each buffer or slot, who uses it, by signature, and whether a barrier of warps came after
/// that.
using Users = std::map<Place, std::map<Signature, bool>>;

void add_user(Users& users, const Place& place, const Signature& who, bool waited) {
  const auto [mine, is_new] = users[place].try_emplace(who, waited);
  mine->second = mine->second && waited;
}

void merge(Users& users, const Users& more) {
  for (const auto& [place, all] : more) {
    for (const auto& [who, waited] : all) add_user(users, place, who, waited);
  }
}

/// The same users of other places.
template <typename Change>
Users moved(const Users& users, const Change& change) {
  Users result;
  for (const auto& [place, all] : users) {
    for (const auto& [who, waited] : all) add_user(result, change(place), who, waited);
  }
  return result;
}

/// Since the last barrier: who reads and who writes each buffer. Asynchronous copies read and write
/// when their core waits for them: whichever side of a barrier they were issued on.
struct Pending {
  Users reads, writes;
  Users flying_reads, flying_writes;

  friend bool operator==(const Pending&, const Pending&) = default;

  void add(const Pending& other) {
    merge(reads, other.reads);
    merge(writes, other.writes);
    merge(flying_reads, other.flying_reads);
    merge(flying_writes, other.flying_writes);
  }

  void land() {
    merge(reads, flying_reads);
    merge(writes, flying_writes);
  }

  template <typename Change>
  Pending with_places(const Change& change) const {
    return {moved(reads, change), moved(writes, change), moved(flying_reads, change),
            moved(flying_writes, change)};
  }

  void separate() {
    reads.clear();
    writes.clear();
  }

  void separate_warps() {
    for (Users* users : {&reads, &writes}) {
      for (auto& [place, all] : *users) {
        for (auto& [who, waited] : all) waited = true;
      }
    }
  }
};

/// What a Deal uses, and by what name it is known to others.
class Collector {
 public:
  Collector(const loop::Program& p, const Around& around, const loop::Deal& deal, Signature me)
      : program_(p), around_(around), deal_(deal), me_(std::move(me)) {}

  void block(const Block& statements, Pending& uses) const {
    for (const Stmt& s : statements) {
      const loop::Uses direct = loop::uses_of(s);
      const bool flies = s.as<loop::AsyncCopy>();
      // A temporary that begins anew inside of a share is touched there when it is written.
      if (!s.as<loop::Alloc>()) {
        for (const Symbol& b : direct.writes) add(flies ? uses.flying_writes : uses.writes, s, b);
      }
      for (const Symbol& b : direct.reads) {
        add(uses.reads, s, b);
        if (flies) add(uses.flying_reads, s, b);
      }
      loop::for_each_child(s, [&](const Block& child) { block(child, uses); });
    }
  }

 private:
  void add(Users& users, const Stmt& s, const Symbol& buffer) const {
    const bool is_own = deal_.steady && find_buffer(program_, buffer).held;
    for (const Place& place : places_of(program_, s, buffer, around_)) {
      add_user(users, place, is_own ? steady_signature(deal_) : me_, false);
    }
  }

  const loop::Program& program_;
  const Around& around_;  // the Deal
  const loop::Deal& deal_;
  Signature me_;
};

bool counts_slots_with(const loop::Program& p, const Block& block, const Symbol& var) {
  for (const Stmt& s : block) {
    const loop::Uses direct = loop::uses_of(s);
    for (const auto* list : {&direct.reads, &direct.writes}) {
      for (const Symbol& b : *list) {
        for (const Place& place : places_of(p, s, b, {var.name})) {
          if (counts(place, var)) return true;
        }
      }
    }
    bool found = false;
    loop::for_each_child(
        s, [&](const Block& child) { found = found || counts_slots_with(p, child, var); });
    if (found) return true;
  }
  return false;
}

bool has_wait(const Block& block) {
  for (const Stmt& s : block) {
    bool found = s.as<loop::Wait>();
    loop::for_each_child(s, [&](const Block& child) { found = found || has_wait(child); });
    if (found) return true;
  }
  return false;
}

/// The part of some users that is `me`.
Users mine_of(const Users& users, const std::string& me) {
  Users mine;
  for (const auto& [place, who] : users) {
    if (who.contains(me)) add_user(mine, place, me, false);
  }
  return mine;
}

/// Which temporaries neighbouring cores use among themselves.
class Warps {
 public:
  Warps(const loop::Program& p, int64_t cores) : program_(p), cores_(cores) {
    // Neighbours on several axes are no neighbours in the order of shares.
    if (loop::has_axes(p)) cores_ = 1;
  }

  /// Of the group whose Deals come next.
  void enter(const Block& group) { items_ = loop::owned_shares(group); }

  void note(const Signature& who, const loop::Deal& deal) { shares_[who] = deal.shares; }

  /// Whatever two Deals do with an instance of the buffer is done by cores of one warp.
  bool stays_inside(const std::string& buffer, const Signature& a, const Signature& b) const {
    if (cores_ == 1 || a == nobody || b == nobody) return false;
    const Symbol symbol = loop::named(buffer);
    const loop::Buffer& used = find_buffer(program_, symbol);
    if (used.role != loop::Role::temporary) return false;
    const auto &one = shares_.at(a), &other = shares_.at(b);
    if (loop::volume_of(one) > items_ || loop::volume_of(other) > items_) return false;
    int64_t outside = 1;
    for (size_t n = 0; n < std::min(one.size(), other.size()); ++n) {
      if (one[n] != other[n] || !is_per(used, one[n].var)) break;
      outside *= one[n].count;
    }
    const int64_t inside = loop::volume_of(one) / outside;
    return inside == loop::volume_of(other) / outside && cores_ % inside == 0;
  }

 private:
  static bool is_per(const loop::Buffer& b, const Symbol& digit) {
    return std::find(b.per.begin(), b.per.end(), digit) != b.per.end();
  }

  const loop::Program& program_;
  int64_t cores_;
  int64_t items_ = 1;
  std::map<Signature, std::vector<loop::Counter>> shares_;
};

/// What has to stand between two Deals.
enum class Needed { nothing, barrier_of_warps, barrier };

/// Puts barriers between the Deals of one team.
class Separator {
 public:
  Separator(const loop::Program& p, Team team, Warps& warps)
      : program_(p), team_(team), warps_(warps) {}

  /// Inside of loops the second round begins with what the first one left behind.
  Block block(const Block& statements, Pending& pending) {
    Block result;
    for (const Stmt& s : statements) {
      if (const auto* deal = s.as<loop::Deal>(); deal && is_mine(*deal)) {
        separate(*deal, s, pending, result);
      } else if (s.as<loop::Wait>()) {
        pending.land();
        result.push_back(s);
      } else if (const auto* loop = s.as<loop::For>()) {
        result.push_back(repeated(*loop, pending));
      } else if (const auto* last = s.as<loop::Last>()) {
        // Who is done last has waited for all others.
        pending.separate();
        result.push_back(StmtNode{loop::Last{last->over, block(last->body, pending)}});
      } else if (s.as<loop::Follow>() || s.as<loop::Meet>()) {
        // So has who follows others, or meets them.
        pending.separate();
        result.push_back(s);
      } else if (const auto* choice = s.as<loop::If>()) {
        result.push_back(either(*choice, pending));
      } else {
        result.push_back(
            loop::map_children(s, [&](const Block& child) { return block(child, pending); }));
      }
    }
    return result;
  }

 private:
  bool is_mine(const loop::Deal& deal) const {
    return team_ == Team::cores ? deal.team == Team::cores : deal.team != Team::cores;
  }

  void separate(const loop::Deal& deal, const Stmt& s, Pending& pending, Block& result) {
    const Signature me = signature(deal, s);
    warps_.note(me, deal);
    if (deal.steady) warps_.note(steady_signature(deal), deal);
    Pending uses;
    Collector(program_, around_, deal, me).block(deal.body, uses);
    if (has_wait(deal.body)) {
      merge(uses.flying_reads, mine_of(pending.flying_reads, me));
      merge(uses.flying_writes, mine_of(pending.flying_writes, me));
      uses.land();
    }
    const Needed needed = needed_before(uses, pending);
    if (needed == Needed::barrier) {
      result.push_back(StmtNode{loop::Barrier{team_}});
      pending.separate();
    } else if (needed == Needed::barrier_of_warps) {
      result.push_back(StmtNode{loop::Barrier{Team::warp}});
      pending.separate_warps();
    }
    pending.add(uses);
    result.push_back(s);
  }

  Needed needed_before(const Pending& uses, const Pending& pending) const {
    Needed most = between(pending.writes, uses.reads);
    // A copy may land as soon as it is issued: nobody may still need what is overwritten.
    for (const auto* writes : {&uses.writes, &uses.flying_writes}) {
      most = std::max(most, between(pending.writes, *writes));
      most = std::max(most, between(pending.reads, *writes));
    }
    return most;
  }

  Needed between(const Users& before, const Users& now) const {
    Needed most = Needed::nothing;
    for (const auto& [place, mine] : now) {
      for (const auto& [other, theirs] : before) {
        if (!may_meet(place, other)) continue;
        for (const auto& [me, unused] : mine) most = std::max(most, between(theirs, place, me));
      }
    }
    return most;
  }

  Needed between(const std::map<Signature, bool>& theirs, const Place& place,
                 const Signature& me) const {
    Needed most = Needed::nothing;
    for (const auto& [who, waited] : theirs) {
      if (who == me && me != nobody) continue;
      if (!warps_.stays_inside(place.buffer, who, me)) return Needed::barrier;
      if (!waited) most = Needed::barrier_of_warps;
    }
    return most;
  }

  Stmt repeated(const loop::For& loop, Pending& pending) {
    loop::For result = loop;
    const bool is_new = around_.insert(loop.var.name).second;
    Pending before = pending;
    if (counts_slots_with(program_, loop.body, loop.var)) {
      before = pending.with_places([&](const Place& p) { return when_begins(p, loop); });
    }
    while (true) {
      Pending after = before;
      result.body = block(loop.body, after);
      Pending again = before;
      again.add(after.with_places([&](const Place& p) { return in_next_round(p, loop.var); }));
      if (again == before) break;
      before = again;
    }
    // The loop may not run at all.
    Pending after = before;
    result.body = block(loop.body, after);
    after.add(before);
    pending = after.with_places([&](const Place& p) { return behind(p, loop.var); });
    if (is_new) around_.erase(loop.var.name);
    return StmtNode{result};
  }

  /// Nobody knows which branch is taken.
  Stmt either(const loop::If& choice, Pending& pending) {
    Pending then = pending, otherwise = pending;
    loop::If result{choice.condition, block(choice.then, then), block(choice.otherwise, otherwise)};
    then.add(otherwise);
    pending = then;
    return StmtNode{result};
  }

  const loop::Program& program_;
  Team team_;
  Warps& warps_;
  Around around_ = {};
};

/// The cores of each member of the grid wait for themselves only.
Block in_groups(const loop::Program& p, const Block& statements, Warps& warps) {
  Block result;
  for (const Stmt& s : statements) {
    const auto* deal = s.as<loop::Deal>();
    if (deal && deal->team == Team::grid) {
      loop::Deal inner = *deal;
      Pending pending;
      warps.enter(deal->body);
      inner.body = Separator(p, Team::cores, warps).block(deal->body, pending);
      result.push_back(StmtNode{inner});
    } else {
      result.push_back(
          loop::map_children(s, [&](const Block& child) { return in_groups(p, child, warps); }));
    }
  }
  return result;
}

bool has_grid(const Block& block) {
  for (const Stmt& s : block) {
    const auto* deal = s.as<loop::Deal>();
    bool inside = deal && deal->team != Team::cores;
    loop::for_each_child(s, [&](const Block& child) { inside = inside || has_grid(child); });
    if (inside) return true;
  }
  return false;
}

bool has_barrier_of_warps(const Block& block) {
  for (const Stmt& s : block) {
    const auto* barrier = s.as<loop::Barrier>();
    bool found = barrier && barrier->team == Team::warp;
    loop::for_each_child(s, [&](const Block& b) { found = found || has_barrier_of_warps(b); });
    if (found) return true;
  }
  return false;
}

}  // namespace

loop::Program barriers(const loop::Program& program, const machine::TargetFacts& facts) {
  loop::Program result = program;
  Pending pending;
  if (has_grid(program.body)) {
    Warps none(program, 1), warps(program, facts.lockstep);
    result.body = in_groups(
        program, Separator(program, Team::grid, none).block(program.body, pending), warps);
    if (has_barrier_of_warps(result.body)) result.warp = std::max(program.warp, facts.lockstep);
  } else {
    Warps none(program, 1);
    result.body = Separator(program, Team::cores, none).block(program.body, pending);
  }
  return result;
}

}  // namespace mdh::passes
