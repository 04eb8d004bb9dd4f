#include "mdh/passes/concrete/barriers.h"

#include <map>
#include <set>

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

/// For each buffer, who uses it, by signature.
using Users = std::map<std::string, std::set<std::string>>;

void merge(Users& users, const Users& more) {
  for (const auto& [buffer, who] : more) users[buffer].insert(who.begin(), who.end());
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
};

bool others(const Users& all, const std::string& buffer, const Signature& me) {
  const auto found = all.find(buffer);
  if (found == all.end()) return false;
  return me == nobody || found->second.size() > 1 || !found->second.contains(me);
}

void collect(const Block& block, const Signature& me, Pending& uses) {
  for (const Stmt& s : block) {
    const loop::Uses direct = loop::uses_of(s);
    // A temporary that begins anew inside of a share is touched there when it is written.
    const bool flies = s.as<loop::AsyncCopy>();
    if (!s.as<loop::Alloc>()) {
      Users& writes = flies ? uses.flying_writes : uses.writes;
      for (const Symbol& b : direct.writes) writes[b.name].insert(me);
    }
    for (const Symbol& b : direct.reads) {
      uses.reads[b.name].insert(me);
      if (flies) uses.flying_reads[b.name].insert(me);
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
    if (who.contains(me)) mine[buffer].insert(me);
  }
  return mine;
}

/// Puts barriers between the Deals of one team.
class Separator {
 public:
  explicit Separator(Team team) : team_(team) {}

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
    Pending uses;
    collect(deal.body, me, uses);
    if (has_wait(deal.body)) {
      merge(uses.flying_reads, mine_of(pending.flying_reads, me));
      merge(uses.flying_writes, mine_of(pending.flying_writes, me));
      uses.land();
    }
    if (conflicts(uses, pending, me)) {
      result.push_back(StmtNode{loop::Barrier{team_}});
      pending.separate();
    }
    pending.add(uses);
    result.push_back(s);
  }

  static bool conflicts(const Pending& uses, const Pending& pending, const Signature& me) {
    for (const auto& [buffer, who] : uses.reads) {
      if (others(pending.writes, buffer, me)) return true;
    }
    // A copy may land as soon as it is issued: nobody may still need what is overwritten.
    for (const auto* writes : {&uses.writes, &uses.flying_writes}) {
      for (const auto& [buffer, who] : *writes) {
        if (others(pending.writes, buffer, me) || others(pending.reads, buffer, me)) return true;
      }
    }
    return false;
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
};

/// The cores of each member of the grid wait for themselves only.
Block in_groups(const Block& statements) {
  Block result;
  for (const Stmt& s : statements) {
    const auto* deal = s.as<loop::Deal>();
    if (deal && deal->team == Team::grid) {
      loop::Deal inner = *deal;
      Pending pending;
      inner.body = Separator(Team::cores).block(deal->body, pending);
      result.push_back(StmtNode{inner});
    } else {
      result.push_back(loop::map_children(s, in_groups));
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

}  // namespace

loop::Program barriers(const loop::Program& program) {
  loop::Program result = program;
  Pending pending;
  if (has_grid(program.body)) {
    result.body = in_groups(Separator(Team::grid).block(program.body, pending));
  } else {
    result.body = Separator(Team::cores).block(program.body, pending);
  }
  return result;
}

}  // namespace mdh::passes
