#include "mdh/passes/structured/form_teams.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/concrete/scan_code.h"
#include "mdh/passes/structured/combine_atomically.h"
#include "mdh/passes/structured/combine_in_cluster.h"
#include "mdh/passes/structured/combine_parts.h"
#include "mdh/passes/structured/copy_shape.h"
#include "mdh/passes/structured/join_scans.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Counter;
using loop::Digit;
using loop::How;
using loop::Stmt;
using loop::StmtNode;
using loop::Team;

/// Elements are dealt until there are this many shares: enough to keep many cores busy, few enough
/// to keep inner loops long. Cores of a grid take one element each.
constexpr int64_t enough_shares = 64;

/// The program without some temporaries, which nobody uses.
loop::Program without(loop::Program p, const std::set<std::string>& temporaries) {
  const std::function<Block(const Block&)> rest = [&](const Block& block) {
    Block result;
    for (const Stmt& s : block) {
      const auto* alloc = s.as<loop::Alloc>();
      if (alloc && temporaries.contains(alloc->buffer.name)) continue;
      result.push_back(loop::map_children(s, rest));
    }
    return result;
  };
  if (temporaries.empty()) return p;
  p.body = rest(p.body);
  std::erase_if(p.buffers,
                [&](const loop::Buffer& b) { return temporaries.contains(b.symbol.name); });
  return p;
}

class Former {
 public:
  Former(const loop::Program& p, const Domain& domain)
      : program_(p),
        domain_(domain),
        dealer_(p, domain),
        names_(p),
        scans_(p, names_),
        gatherer_(dealer_, names_),
        parts_(dealer_, names_, gatherer_),
        atomics_(dealer_, names_, gatherer_),
        clusters_(dealer_, names_, gatherer_),
        joiner_(dealer_, names_, scans_, gatherer_) {}

  /// The program with this body.
  loop::Program with(const Block& body) const {
    loop::Program result = program_;
    result.body = body;
    const auto& more = gatherer_.buffers();
    result.buffers.insert(result.buffers.end(), more.begin(), more.end());
    if (parts_.exchanges() || joiner_.exchanges()) result.warp = domain_.lockstep;
    for (const auto& names : {joiner_.unneeded(), atomics_.unneeded(), clusters_.unneeded()}) {
      result = without(result, names);
    }
    return result;
  }

  /// `team`: the digits of the loops on cores around the block, not dealt yet; `around`: the other
  /// ones that have a value.
  Block block(const Block& statements, const std::vector<Digit>& team,
              const std::vector<Digit>& around) {
    if (!needs_team(statements))
      return statements.empty() ? Block{} : Block{dealer_.deal(team, around, statements)};
    Block result, alone;
    const auto flush = [&] {
      if (!alone.empty()) result.push_back(dealer_.deal(team, around, alone));
      alone.clear();
    };
    for (const Stmt& s : statements) {
      if (const auto* parts = s.as<loop::TeamCombine>();
          parts && alone.empty() && !result.empty()) {
        if (const auto whole = atomics_.combined(*parts, result.back(), around)) {
          result.pop_back();
          append(result, *whole);
          continue;
        }
        auto whole = parts_.done_last(*parts, result.back(), around);
        if (!whole) whole = clusters_.combined(*parts, result.back(), around);
        if (whole) {
          result.back() = StmtNode{*whole};
          continue;
        }
      }
      if (const auto* fix = s.as<loop::ScanFix>(); fix && alone.empty() && !result.empty()) {
        if (const auto whole = joiner_.looking_back(*fix, result.back(), around)) {
          result.back() = StmtNode{*whole};
          continue;
        }
      }
      const bool shared_copy = s.as<loop::Copy>() && has_more_cores(statements);
      if (s.as<loop::Alloc>()) {
        result.push_back(s);
      } else if (s.as<loop::Commit>() || s.as<loop::Wait>() || is_dealt(s)) {
        // All cores, whoever has issued the copies.
        flush();
        result.push_back(s);
      } else if (!needs_team(s) && !shared_copy) {
        alone.push_back(s);
      } else {
        flush();
        append(result, formed(s, team, around));
      }
    }
    flush();
    return result;
  }

  /// Inside the shares of the grid.
  Block inside_grid(const Block& statements, const std::vector<Digit>& around) {
    Block result;
    for (const Stmt& s : statements) {
      const auto* dealt = s.as<loop::Deal>();
      std::vector<Digit> inside = around;
      if (const auto* loop = s.as<loop::Loop>()) {
        inside.push_back(find_digit(program_, loop->digit));
      }
      if (!dealt || dealt->team != Team::grid) {
        result.push_back(
            loop::map_children(s, [&](const Block& child) { return inside_grid(child, inside); }));
        continue;
      }
      loop::Deal deal = *dealt;
      for (const Counter& share : deal.shares) {
        if (is_digit(program_, share.var)) inside.push_back(find_digit(program_, share.var));
      }
      const size_t shared = joiner_.shared().size();
      deal.body = unguarded(deal.body, inside);
      result.insert(result.end(), joiner_.shared().begin() + static_cast<long>(shared),
                    joiner_.shared().end());
      result.push_back(StmtNode{deal});
    }
    return result;
  }

  bool needs_team(const Block& statements) const {
    return std::any_of(statements.begin(), statements.end(),
                       [&](const Stmt& s) { return needs_team(s); });
  }

 private:
  /// The guard of a share of the grid moves to what its cores do, each of which is guarded anyway:
  /// barriers inside of conditions are more than some drivers can take.
  Block unguarded(const Block& body, const std::vector<Digit>& around) {
    const auto begin =
        std::find_if_not(body.begin(), body.end(), [&](const Stmt& s) { return begins_across(s); });
    const auto end = std::find_if(
        begin, body.end(), [](const Stmt& s) { return s.as<loop::Last>() || s.as<loop::Meet>(); });
    Block result(body.begin(), begin);
    append(result, block(without_guard(program_, around, Block(begin, end)), {}, around));
    result.insert(result.end(), end, body.end());
    return result;
  }

  /// What members of the grid show each other is there whether they have points or not.
  bool begins_across(const Stmt& s) const {
    const auto* alloc = s.as<loop::Alloc>();
    return alloc && find_buffer(program_, alloc->buffer).across;
  }

  /// What a share of the grid ends with may be dealt to its cores already.
  bool is_dealt(const Stmt& s) const {
    const auto* deal = s.as<loop::Deal>();
    return deal && deal->team == Team::cores && !domain_.grid;
  }

  /// Several members act together in the statement, or it is done by all of them.
  bool needs_team(const Stmt& s) const {
    if (is_dealt(s)) return true;
    if (const auto* loop = s.as<loop::Loop>(); loop && dealer_.deals(loop->digit)) return true;
    if (const auto* copy = s.as<loop::Copy>()) return dealer_.deals_any(copy->team);
    if (const auto* up = s.as<loop::WriteUp>()) return dealer_.deals_any(up->over);
    if (const auto* combine = s.as<loop::TeamCombine>()) {
      return dealer_.deals(combine->over) || dealer_.deals_any(combine->elements);
    }
    if (const auto* step = s.as<loop::ScanStep>()) return acts_in(step->shape);
    if (const auto* fix = s.as<loop::ScanFix>()) {
      return dealer_.deals(fix->shape.digit) || acts_in(fix->shape) || joiner_.looks_back(*fix);
    }
    bool inside = false;
    loop::for_each_child(s, [&](const Block& block) { inside = inside || needs_team(block); });
    return inside;
  }

  bool acts_in(const loop::ScanShape& shape) const {
    return dealer_.deals_any(shape.lines) || dealer_.deals_any(shape.coarse) ||
           dealer_.deals_any(shape.fine);
  }

  /// There are loops on cores further in: cores that would have nothing to do here.
  bool has_more_cores(const Block& statements) const {
    return std::any_of(statements.begin(), statements.end(), [&](const Stmt& s) {
      const auto* loop = s.as<loop::Loop>();
      return loop && (dealer_.deals(loop->digit) || has_more_cores(loop->body));
    });
  }

  Block formed(const Stmt& s, const std::vector<Digit>& team, const std::vector<Digit>& around) {
    if (const auto* loop = s.as<loop::Loop>()) {
      const Digit& digit = find_digit(program_, loop->digit);
      if (domain_.deals(digit)) return block(loop->body, joined_digits(team, {digit}), around);
      return {StmtNode{
          loop::Loop{loop->digit, block(loop->body, team, joined_digits(around, {digit}))}}};
    }
    if (const auto* copy = s.as<loop::Copy>()) return {shared(*copy, team)};
    if (const auto* up = s.as<loop::WriteUp>()) return {written_up(*up, team, around)};
    if (const auto* combine = s.as<loop::TeamCombine>()) {
      return parts_.combined(*combine, team, around);
    }
    if (const auto* step = s.as<loop::ScanStep>()) return {stepped(*step, team, around)};
    const auto* fix = s.as<loop::ScanFix>();
    internal_check(fix != nullptr, "a statement that needs a team and has none");
    return joiner_.joined(*fix, team, around);
  }

  // ---- Deals

  /// All cores copy, whoever needs it: instances first, then as many axes as it takes.
  Stmt shared(loop::Copy copy, const std::vector<Digit>& team) {
    const loop::Buffer& buffer = find_buffer(program_, copy.to.buffer);
    std::vector<Counter> shares;
    for (const Digit& d : team) {
      if (std::find(buffer.per.begin(), buffer.per.end(), d.var) != buffer.per.end()) {
        shares.push_back({d.var, d.parts});
      }
    }
    // What moves within a buffer stays in order along the last axis.
    size_t kept = copy.to.buffer == copy.from.buffer ? 1 : 0;
    const bool is_shaped = copy.whole.has_value();
    if (is_shaped) {
      kept = static_cast<size_t>(*copy.whole);
    } else if (domain_.access_bytes > 0) {
      CopyShape shape = shape_of(program_, copy, domain_.access_bytes, names_);
      copy = std::move(shape.copy);
      kept = std::max(kept, shape.kept);
    }
    while (copy.axes.size() > kept && loop::volume_of(shares) < domain_.enough) {
      shares.push_back(copy.axes.front());
      copy.axes.erase(copy.axes.begin());
    }
    copy.team.clear();
    loop::Deal deal{domain_.together, shares, true, {StmtNode{copy}}};
    deal.steady = is_shaped;
    return StmtNode{deal};
  }

  /// Every member writes up its own results, or, where those of neighbours would be far apart and
  /// all can read them, what lies side by side.
  Stmt written_up(loop::WriteUp up, const std::vector<Digit>& team,
                  const std::vector<Digit>& around) const {
    const std::vector<Digit> members = dealer_.with_dealt(team, up.over);
    if (!is_far_apart(up, members)) return dealer_.deal(members, around, {StmtNode{up}});
    Digits all = in_memory(up, members);
    up.over = {all.back().var};
    all.pop_back();
    return dealer_.deal(all, around, {StmtNode{up}}, true);
  }

  /// What tells results apart, in the order in which they lie.
  Digits in_memory(const loop::WriteUp& up, const Digits& members) const {
    return dealer_.along_memory(joined_digits(members, digits_of(program_, up.over)),
                                up.target.elements.front());
  }

  bool is_far_apart(const loop::WriteUp& up, const Digits& members) const {
    const loop::Element& to = up.target.elements.front();
    const bool is_read_by_all =
        std::all_of(up.from.begin(), up.from.end(), [&](const loop::Element& e) {
          return find_buffer(program_, e.buffer).scope == loop::Scope::group;
        });
    if (domain_.access_bytes == 0 || members.empty() || up.over.empty() || !is_read_by_all ||
        find_buffer(program_, to.buffer).scope != loop::Scope::all || !up.target.first.empty()) {
      return false;
    }
    const int64_t bytes = scalar::bytes_of(find_buffer(program_, to.buffer).type);
    const Digits inner = digits_of(program_, up.over);
    const Digits all = in_memory(up, members);
    const Digit& last = all.back();
    const bool is_own = std::find(inner.begin(), inner.end(), last) != inner.end();
    return is_own && last.parts * bytes <= domain_.access_bytes && all.size() > 1 &&
           dealer_.stride_of(members.back(), to) * bytes > domain_.access_bytes;
  }

  // ---- scans

  Stmt stepped(const loop::ScanStep& s, const std::vector<Digit>& team,
               const std::vector<Digit>& around) {
    std::vector<Symbol> lines = s.shape.lines;
    const std::vector<Digit> members = dealer_.with_dealt(team, lines);
    const bool others = dealer_.deals_any(s.shape.coarse) || dealer_.deals_any(s.shape.fine);
    return dealer_.deal(members, around, scans_.step(s, joined_digits(around, members)), others);
  }

  const loop::Program& program_;
  Domain domain_;
  Dealer dealer_;
  Names names_;
  ScanCode scans_;
  PartGatherer gatherer_;
  PartCombiner parts_;
  AtomicCombiner atomics_;
  ClusterCombiner clusters_;
  ScanJoiner joiner_;
};

Domain grid_of(const machine::TargetFacts& facts) {
  return {.grid = true,
          .cores = false,
          .team = Team::grid,
          .together = Team::all,
          .enough = INT64_MAX,
          .along_memory = facts.access_bytes > 0,
          .has_last = facts.knows_last,
          .atomics = facts.knows_last && facts.atomics,
          .follows = facts.follows,
          .most_that_meet = facts.most_that_meet};
}

}  // namespace

loop::Program form_teams(const loop::Program& program) {
  Former former(program, {true, true, Team::cores, Team::cores, enough_shares});
  return former.with(former.block(program.body, {}, {}));
}

bool is_cut_by_grid(const loop::Program& p, const Block& block) {
  return Former(p, grid_of({})).needs_team(block);
}

loop::Program form_grid(const loop::Program& program, const machine::TargetFacts& facts) {
  Former former(program, grid_of(facts));
  return former.with(former.block(program.body, {}, {}));
}

loop::Program form_groups(const loop::Program& program, const machine::TargetFacts& facts) {
  Former former(program, {.grid = false,
                          .cores = true,
                          .team = Team::cores,
                          .together = Team::cores,
                          .enough = INT64_MAX,
                          .lockstep = facts.lockstep,
                          .access_bytes = facts.access_bytes,
                          .exchanges = facts.exchanges});
  return former.with(former.inside_grid(program.body, {}));
}

}  // namespace mdh::passes
