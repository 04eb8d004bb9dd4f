#include "mdh/passes/concrete/barriers.h"

#include <algorithm>
#include <map>

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

Signature signature(const loop::Deal& deal, const Stmt& s) {
  if (deal.dealing == loop::Dealing::dynamic) return nobody;
  Signature text = deal.collective ? fmt::format("{}:", fmt::ptr(&s.node())) : "";
  text += deal.dealing == loop::Dealing::cyclic ? "cyclic:" : "block:";
  for (const loop::Counter& share : deal.shares) {
    text += fmt::format("{}/{},", share.var.name, share.count);
  }
  return text;
}

/// For each buffer, who uses it, by signature, and whether a barrier of warps came after that.
using Users = std::map<std::string, std::map<Signature, bool>>;

void add_user(Users& users, const std::string& buffer, const Signature& who, bool waited) {
  const auto [mine, is_new] = users[buffer].try_emplace(who, waited);
  mine->second = mine->second && waited;
}

void merge(Users& users, const Users& more) {
  for (const auto& [buffer, all] : more) {
    for (const auto& [who, waited] : all) add_user(users, buffer, who, waited);
  }
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

  void separate() {
    reads.clear();
    writes.clear();
  }

  void separate_warps() {
    for (Users* users : {&reads, &writes}) {
      for (auto& [buffer, all] : *users) {
        for (auto& [who, waited] : all) waited = true;
      }
    }
  }
};

void collect(const Block& block, const Signature& me, Pending& uses) {
  for (const Stmt& s : block) {
    const loop::Uses direct = loop::uses_of(s);
    // A temporary that begins anew inside of a share is touched there when it is written.
    const bool flies = s.as<loop::AsyncCopy>();
    if (!s.as<loop::Alloc>()) {
      Users& writes = flies ? uses.flying_writes : uses.writes;
      for (const Symbol& b : direct.writes) add_user(writes, b.name, me, false);
    }
    for (const Symbol& b : direct.reads) {
      add_user(uses.reads, b.name, me, false);
      if (flies) add_user(uses.flying_reads, b.name, me, false);
    }
    loop::for_each_child(s, [&](const Block& child) { collect(child, me, uses); });
  }
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
  for (const auto& [buffer, who] : users) {
    if (who.contains(me)) add_user(mine, buffer, me, false);
  }
  return mine;
}

/// Which temporaries neighbouring cores use among themselves.
class Warps {
 public:
  Warps(const loop::Program& p, int64_t cores) : program_(p), cores_(cores) {
    for (const loop::Digit& d : p.digits) {
      // Neighbours on several axes are no neighbours in the order of shares.
      if (d.how == loop::How::cores && d.axis) cores_ = 1;
    }
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
  Separator(Team team, Warps& warps) : team_(team), warps_(warps) {}

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
    Pending uses;
    collect(deal.body, me, uses);
    if (has_wait(deal.body)) {
      merge(uses.flying_reads, mine_of(pending.flying_reads, me));
      merge(uses.flying_writes, mine_of(pending.flying_writes, me));
      uses.land();
    }
    const Needed needed = needed_before(uses, pending, me);
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

  Needed needed_before(const Pending& uses, const Pending& pending, const Signature& me) const {
    Needed most = Needed::nothing;
    for (const auto& [buffer, who] : uses.reads) {
      most = std::max(most, between(pending.writes, buffer, me));
    }
    // A copy may land as soon as it is issued: nobody may still need what is overwritten.
    for (const auto* writes : {&uses.writes, &uses.flying_writes}) {
      for (const auto& [buffer, who] : *writes) {
        most = std::max(most, between(pending.writes, buffer, me));
        most = std::max(most, between(pending.reads, buffer, me));
      }
    }
    return most;
  }

  Needed between(const Users& all, const std::string& buffer, const Signature& me) const {
    const auto found = all.find(buffer);
    Needed most = Needed::nothing;
    if (found == all.end()) return most;
    for (const auto& [who, waited] : found->second) {
      if (who == me && me != nobody) continue;
      if (!warps_.stays_inside(buffer, who, me)) return Needed::barrier;
      if (!waited) most = Needed::barrier_of_warps;
    }
    return most;
  }

  Stmt repeated(const loop::For& loop, Pending& pending) {
    loop::For result = loop;
    Pending before = pending;
    while (true) {
      Pending after = before;
      result.body = block(loop.body, after);
      Pending again = before;
      again.add(after);
      if (again == before) break;
      before = again;
    }
    // The loop may not run at all.
    Pending after = before;
    result.body = block(loop.body, after);
    after.add(before);
    pending = after;
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

  Team team_;
  Warps& warps_;
};

/// The cores of each member of the grid wait for themselves only.
Block in_groups(const Block& statements, Warps& warps) {
  Block result;
  for (const Stmt& s : statements) {
    const auto* deal = s.as<loop::Deal>();
    if (deal && deal->team == Team::grid) {
      loop::Deal inner = *deal;
      Pending pending;
      warps.enter(deal->body);
      inner.body = Separator(Team::cores, warps).block(deal->body, pending);
      result.push_back(StmtNode{inner});
    } else {
      result.push_back(
          loop::map_children(s, [&](const Block& child) { return in_groups(child, warps); }));
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
    result.body = in_groups(Separator(Team::grid, none).block(program.body, pending), warps);
    if (has_barrier_of_warps(result.body)) result.warp = std::max(program.warp, facts.lockstep);
  } else {
    Warps none(program, 1);
    result.body = Separator(Team::cores, none).block(program.body, pending);
  }
  return result;
}

}  // namespace mdh::passes
