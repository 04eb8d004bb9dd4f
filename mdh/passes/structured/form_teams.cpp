#include "mdh/passes/structured/form_teams.h"

#include <algorithm>

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/geometry.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/passes/concrete/scan_code.h"
#include "mdh/passes/structured/copy_shape.h"
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

/// One team: the digits that are dealt to it.
struct Domain {
  bool grid, cores;
  Team team;
  Team together;  // of statements in which all of them act, whoever owns what
  int64_t enough;
  int64_t lockstep = 1;  // neighbouring cores that wait for each other more cheaply than for others
  int64_t access_bytes = 0;   // that a core without vectors moves at once
  bool along_memory = false;  // neighbouring cores combine what is stored side by side

  bool deals(const Digit& d) const {
    return (grid && d.how == How::grid) || (cores && d.how == How::cores);
  }
};

class Former {
 public:
  Former(const loop::Program& p, const Domain& domain)
      : program_(p), domain_(domain), names_(p), scans_(p, names_) {}

  /// `team`: the digits of the loops on cores around the block, not dealt yet; `around`: the other
  /// ones that have a value.
  Block block(const Block& statements, const std::vector<Digit>& team,
              const std::vector<Digit>& around) {
    if (!needs_team(statements))
      return statements.empty() ? Block{} : Block{deal(team, around, statements)};
    Block result, alone;
    const auto flush = [&] {
      if (!alone.empty()) result.push_back(deal(team, around, alone));
      alone.clear();
    };
    for (const Stmt& s : statements) {
      const bool shared_copy = s.as<loop::Copy>() && has_more_cores(statements);
      if (s.as<loop::Alloc>()) {
        result.push_back(s);
      } else if (s.as<loop::Commit>() || s.as<loop::Wait>()) {
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
      deal.body = unguarded(deal.body, inside);
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
    return block(without_guard(program_, around, body), {}, around);
  }

  bool deals(const Symbol& digit) const { return domain_.deals(find_digit(program_, digit)); }
  bool deals_any(const std::vector<Symbol>& digits) const {
    return std::any_of(digits.begin(), digits.end(), [&](const Symbol& d) { return deals(d); });
  }

  /// Several members act together in the statement, or it is done by all of them.
  bool needs_team(const Stmt& s) const {
    if (const auto* loop = s.as<loop::Loop>(); loop && deals(loop->digit)) return true;
    if (const auto* copy = s.as<loop::Copy>()) return deals_any(copy->team);
    if (const auto* up = s.as<loop::WriteUp>()) return deals_any(up->over);
    if (const auto* combine = s.as<loop::TeamCombine>()) {
      return deals(combine->over) || deals_any(combine->elements);
    }
    if (const auto* step = s.as<loop::ScanStep>()) return acts_in(step->shape);
    if (const auto* fix = s.as<loop::ScanFix>()) {
      return deals(fix->shape.digit) || acts_in(fix->shape);
    }
    bool inside = false;
    loop::for_each_child(s, [&](const Block& block) { inside = inside || needs_team(block); });
    return inside;
  }

  bool acts_in(const loop::ScanShape& shape) const {
    return deals_any(shape.lines) || deals_any(shape.coarse) || deals_any(shape.fine);
  }

  /// There are loops on cores further in: cores that would have nothing to do here.
  bool has_more_cores(const Block& statements) const {
    return std::any_of(statements.begin(), statements.end(), [&](const Stmt& s) {
      const auto* loop = s.as<loop::Loop>();
      return loop && (deals(loop->digit) || has_more_cores(loop->body));
    });
  }

  static std::vector<Digit> extended(std::vector<Digit> digits, const Digit& digit) {
    digits.push_back(digit);
    return digits;
  }

  Block formed(const Stmt& s, const std::vector<Digit>& team, const std::vector<Digit>& around) {
    if (const auto* loop = s.as<loop::Loop>()) {
      const Digit& digit = find_digit(program_, loop->digit);
      if (domain_.deals(digit)) return block(loop->body, extended(team, digit), around);
      return {StmtNode{loop::Loop{loop->digit, block(loop->body, team, extended(around, digit))}}};
    }
    if (const auto* copy = s.as<loop::Copy>()) return {shared(*copy, team)};
    if (const auto* up = s.as<loop::WriteUp>()) return {written_up(*up, team, around)};
    if (const auto* combine = s.as<loop::TeamCombine>()) {
      if (combine->tree && domain_.cores) return joined_in_steps(*combine, team, around);
      return {folded(*combine, team, around)};
    }
    if (const auto* step = s.as<loop::ScanStep>()) return {stepped(*step, team, around)};
    const auto* fix = s.as<loop::ScanFix>();
    internal_check(fix != nullptr, "a statement that needs a team and has none");
    return joined(*fix, team, around);
  }

  // ---- Deals

  static std::vector<Counter> counters(const std::vector<Digit>& digits) {
    std::vector<Counter> shares;
    for (const Digit& d : digits) shares.push_back({d.var, d.parts});
    return shares;
  }

  /// Only parts that hold points do anything.
  Stmt deal(const std::vector<Digit>& digits, std::vector<Digit> around, Block body,
            bool collective = false) const {
    around.insert(around.end(), digits.begin(), digits.end());
    body = where_points_are(program_, around, body);
    const Team team = collective ? domain_.together : domain_.team;
    loop::Deal deal{team, counters(digits), collective, body};
    // The cores of a group have one share each.
    if (!collective && domain_.grid) deal_as_asked(deal, digits);
    return StmtNode{deal};
  }

  /// The outermost layer that says something about its cores says how shares are dealt; every
  /// layer, how many cores there are.
  void deal_as_asked(loop::Deal& deal, const std::vector<Digit>& digits) const {
    int64_t cores = 1;
    std::vector<std::string> asked;
    for (const Digit& digit : digits) {
      const auto mine = std::find_if(program_.cores.begin(), program_.cores.end(),
                                     [&](const loop::Cores& c) { return has(c, digit); });
      if (mine == program_.cores.end()) {
        cores *= digit.parts;
        continue;
      }
      if (asked.empty()) deal.dealing = mine->dealing;
      if (asked.empty() && deal.team == Team::grid) deal.swizzle = mine->swizzle;
      if (std::find(asked.begin(), asked.end(), mine->layer) != asked.end()) continue;
      asked.push_back(mine->layer);
      cores *= cores_of(*mine, digits);
    }
    if (cores < loop::volume_of(deal.shares)) deal.on = cores;
  }

  static bool has(const loop::Cores& cores, const Digit& digit) {
    return std::find(cores.digits.begin(), cores.digits.end(), digit.var) != cores.digits.end();
  }

  static int64_t cores_of(const loop::Cores& cores, const std::vector<Digit>& digits) {
    int64_t parts = 1;
    for (const Digit& digit : digits) parts *= has(cores, digit) ? digit.parts : 1;
    return cores.count == 0 ? parts : std::min(parts, cores.count);
  }

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

  /// Moves the digits that are dealt from the list to the team.
  std::vector<Digit> with_dealt(std::vector<Digit> team, std::vector<Symbol>& digits) const {
    for (auto d = digits.begin(); d != digits.end();) {
      const bool now = deals(*d);
      if (now) team.push_back(find_digit(program_, *d));
      d = now ? digits.erase(d) : std::next(d);
    }
    return team;
  }

  /// Every member writes up its own results.
  Stmt written_up(loop::WriteUp up, const std::vector<Digit>& team,
                  const std::vector<Digit>& around) const {
    const std::vector<Digit> members = with_dealt(team, up.over);
    return deal(members, around, {StmtNode{up}});
  }

  /// Moves elements to the members until all cores have something to do; each of them has a number
  /// of shares anyway.
  std::vector<Digit> with_enough(std::vector<Digit> members, std::vector<Symbol>& elements,
                                 int64_t shares) const {
    while (!elements.empty() && shares * loop::volume_of(counters(members)) < domain_.enough) {
      members.push_back(find_digit(program_, elements.front()));
      elements.erase(elements.begin());
    }
    return members;
  }

  /// Tiles that are shifted back or padded at an edge are asked for where points are computed; parts
  /// are combined once.
  bool may_end_anywhere(const Digit& digit) const {
    const loop::Edge edge = program_.dimensions[static_cast<size_t>(digit.dimension)].edge;
    return edge != loop::Edge::overlap && edge != loop::Edge::pad;
  }

  /// In the order in which the results lie, so that neighbouring cores read and write side by side.
  /// Numbers that lie in one vector stay with one core.
  std::vector<Digit> along_memory(std::vector<Digit> members, loop::TeamCombine& s) const {
    const loop::Element result = in_digits(program_, s.target.elements, members).front();
    const loop::Expr address = address_of(program_, result);
    const auto stride = [&](const Digit& digit) {
      return std::abs(scalar::coefficient(address, digit.var).value_or(0));
    };
    std::stable_sort(members.begin(), members.end(),
                     [&](const Digit& a, const Digit& b) { return stride(a) > stride(b); });
    if (members.size() > 1 && members.back().how == How::lanes && stride(members.back()) == 1 &&
        may_end_anywhere(members.back())) {
      s.elements.push_back(members.back().var);
      members.pop_back();
    }
    return members;
  }

  Stmt folded(loop::TeamCombine s, const std::vector<Digit>& team,
              std::vector<Digit> around) const {
    std::vector<Digit> members = with_enough(with_dealt(team, s.elements), s.elements, 1);
    const size_t left = s.elements.size();
    if (domain_.along_memory) members = along_memory(members, s);
    const bool has_vector = s.elements.size() > left;
    const std::vector<Digit> outside = around;
    around.insert(around.end(), members.begin(), members.end());
    for (const Symbol& digit : s.elements) around.push_back(find_digit(program_, digit));
    const Digit& over = find_digit(program_, s.over);
    loop::Target target = s.target;
    target.first.push_back(s.over);
    Block body = {StmtNode{loop::WriteUp{{}, s.from, target}}};
    if (has_vector) {
      body = {StmtNode{loop::Loop{s.elements.back(), body}}};
      s.elements.pop_back();
    }
    body = {StmtNode{
        loop::For{over.var, trip(program_, around, over), How::sequential, over.level, body}}};
    for (auto digit = s.elements.rbegin(); digit != s.elements.rend(); ++digit) {
      body = {StmtNode{loop::Loop{*digit, body}}};
    }
    return deal(members, outside, body, true);
  }

  /// Slots 2tp and 2tp + t meet in the first of both, for t = 1, 2, 4, ...; the order of the parts
  /// is kept, and nobody asks how many cores there are. At last slot 0 has all of them, and who
  /// made it writes it up.
  Block joined_in_steps(const loop::TeamCombine& s, const std::vector<Digit>& team,
                        const std::vector<Digit>& around) {
    const int64_t parts = find_digit(program_, s.over).parts;
    Block steps;
    for (int64_t distance = 1; distance < parts; distance *= 2) {
      steps.push_back(met(s, distance, team, around));
    }
    return steps;
  }

  static std::vector<loop::Element> at_slot(const loop::TeamCombine& s, const loop::Expr& slot) {
    return replaced(s.from, [&](const Symbol& name) -> std::optional<loop::Expr> {
      return name == s.over ? std::optional(slot) : std::nullopt;
    });
  }

  /// Slots at a distance of each other, in all elements.
  Stmt met(const loop::TeamCombine& s, int64_t distance, const std::vector<Digit>& team,
           const std::vector<Digit>& around) {
    const Digit& over = find_digit(program_, s.over);
    const auto literal = [](int64_t n) { return scalar::index_literal(n); };
    const int64_t pairs = (over.parts + distance - 1) / (2 * distance);
    Counter pair{names_.fresh("pair"), pairs};
    const loop::Expr left = loop::index_variable(pair.var) * literal(2 * distance);
    const loop::Expr right = left + literal(distance);
    std::vector<Symbol> elements = s.elements;
    std::vector<Digit> members = with_dealt(team, elements);
    if (elements.empty() && domain_.lockstep % over.parts == 0) pair.count = over.parts;
    members = with_enough(members, elements, pair.count);
    const std::vector<Digit> inside = joined_digits(around, members);
    Block body = combined_slots(s, left, right);
    const loop::Expr filled = trip(program_, inside, over);
    if (constant(filled) != over.parts) {
      const auto exists = scalar::binary(scalar::BinaryOp::less, right, filled);
      body = {StmtNode{loop::If{exists, body, {}}}};
    }
    if (2 * distance >= over.parts) {
      body.push_back(StmtNode{loop::WriteUp{{}, at_slot(s, literal(0)), s.target}});
    }
    for (auto digit = elements.rbegin(); digit != elements.rend(); ++digit) {
      body = {StmtNode{loop::Loop{*digit, body}}};
    }
    if (pair.count > pairs) {
      const auto exists =
          scalar::binary(scalar::BinaryOp::less, loop::index_variable(pair.var), literal(pairs));
      body = {StmtNode{loop::If{exists, body, {}}}};
    }
    std::vector<Counter> shares = counters(members);
    shares.push_back(pair);
    return StmtNode{
        loop::Deal{domain_.together, shares, true, where_points_are(program_, inside, body)}};
  }

  Block combined_slots(const loop::TeamCombine& s, const loop::Expr& left,
                       const loop::Expr& right) {
    std::vector<Symbol> values, before, sums;
    for (size_t n = 0; n < s.from.size(); ++n) {
      before.push_back(names_.fresh("left"));
      values.push_back(names_.fresh("right"));
      sums.push_back(names_.fresh("both"));
    }
    Block block = loads(values, at_slot(s, right));
    append(block, combined(at_slot(s, left), values, before, sums));
    return block;
  }

  // ---- scans

  static std::vector<Digit> joined_digits(std::vector<Digit> a, const std::vector<Digit>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  Stmt stepped(const loop::ScanStep& s, const std::vector<Digit>& team,
               const std::vector<Digit>& around) {
    std::vector<Symbol> lines = s.shape.lines;
    const std::vector<Digit> members = with_dealt(team, lines);
    const bool others = deals_any(s.shape.coarse) || deals_any(s.shape.fine);
    return deal(members, around, scans_.step(s, joined_digits(around, members)), others);
  }

  /// First everybody tells, then everybody reads.
  Block joined(const loop::ScanFix& s, const std::vector<Digit>& team,
               const std::vector<Digit>& around) {
    std::vector<Symbol> lines = s.shape.lines;
    const std::vector<Digit> members =
        with_dealt(extended(team, find_digit(program_, s.shape.digit)), lines);
    const std::vector<Digit> inside = joined_digits(around, members);
    const bool others = deals_any(s.shape.coarse) || deals_any(s.shape.fine);
    return {deal(members, around, scans_.totals(s, inside), others),
            deal(members, around, scans_.offsets(s, inside), true)};
  }

  const loop::Program& program_;
  Domain domain_;
  Names names_;
  ScanCode scans_;
};

Domain grid_of(const machine::TargetFacts& facts) {
  return {.grid = true,
          .cores = false,
          .team = Team::grid,
          .together = Team::all,
          .enough = INT64_MAX,
          .along_memory = facts.access_bytes > 0};
}

}  // namespace

loop::Program form_teams(const loop::Program& program) {
  loop::Program result = program;
  Former former(program, {true, true, Team::cores, Team::cores, enough_shares});
  result.body = former.block(program.body, {}, {});
  return result;
}

bool is_cut_by_grid(const loop::Program& p, const Block& block) {
  return Former(p, grid_of({})).needs_team(block);
}

loop::Program form_grid(const loop::Program& program, const machine::TargetFacts& facts) {
  loop::Program result = program;
  Former former(program, grid_of(facts));
  result.body = former.block(program.body, {}, {});
  return result;
}

loop::Program form_groups(const loop::Program& program, const machine::TargetFacts& facts) {
  loop::Program result = program;
  Former former(program, {false, true, Team::cores, Team::cores, INT64_MAX, facts.lockstep,
                          facts.access_bytes});
  result.body = former.inside_grid(program.body, {});
  return result;
}

}  // namespace mdh::passes
