#include "tests/campaign/coverage.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "mdh/driver/target.h"
#include "mdh/ll/nest.h"
#include "mdh/passes/pipeline.h"

namespace mdh::test {
namespace {

using loop::Block;
using loop::How;
using loop::Stmt;

class Finder {
 public:
  explicit Finder(const loop::Program& p) : program_(p) {}

  std::vector<std::string> run(const ll::Program& low) {
    if (ll::common_prefix(low) < static_cast<int>(low.decompose.size()))
      found_.insert("separate phases");
    for (const loop::Dimension& d : program_.dimensions) partition(d);
    for (const auto& [buffer, tiles] : low.code.stage) {
      for (const ll::StageCode& tile : tiles) {
        if (tile.pad > 0) found_.insert("padded lines");
        if (tile.width > 0) found_.insert("narrow copies");
      }
    }
    for (const loop::Buffer& b : program_.buffers) {
      if (b.depth > 1) found_.insert("copies in flight");
      if (b.holds > 0) found_.insert("exact tile in registers");
      if (!b.per.empty()) found_.insert("instance per core");
    }
    for (const loop::Cores& c : program_.cores) {
      if (c.dealing == loop::Dealing::cyclic) found_.insert("parts dealt in turn");
      if (c.dealing == loop::Dealing::dynamic) found_.insert("parts dealt as they are taken");
      if (c.count > 0) found_.insert("number of cores");
      if (c.swizzle > 1 && c.digits.size() > 1) found_.insert("groups in another order");
    }
    for (const loop::Digit& d : program_.digits) {
      if (d.axis && *d.axis > 0) found_.insert("axes of a launch");
    }
    block(program_.body, {});
    return {found_.begin(), found_.end()};
  }

 private:
  void partition(const loop::Dimension& d) {
    int64_t parts = 1;
    std::vector<int64_t> steps;
    for (const loop::Digit& digit : program_.digits) {
      if (program_.dimensions[digit.dimension].symbol != d.symbol) continue;
      parts *= digit.parts;
      steps.push_back(digit.step);
    }
    if (parts > d.size) found_.insert("padded partition");
    if (parts > d.size && d.edge == loop::Edge::clamp) found_.insert("clamped edge");
    if (parts > d.size && d.edge == loop::Edge::mask) found_.insert("masked edge");
    if (!std::is_sorted(steps.rbegin(), steps.rend())) found_.insert("finer loop outside");
  }

  void block(const Block& statements, std::vector<Symbol> around) {
    for (const Stmt& s : statements) {
      if (const auto* loop = s.as<loop::Loop>()) {
        std::vector<Symbol> inside = around;
        inside.push_back(loop->digit);
        block(loop->body, inside);
      }
      if (const auto* copy = s.as<loop::Copy>()) copied(*copy, around);
      if (const auto* f = s.as<loop::Accumulate>()) updated(f->target);
      if (const auto* up = s.as<loop::WriteUp>()) {
        found_.insert("write up");
        updated(up->target);
        if (has_replica(*up)) found_.insert("replicated accumulators");
      }
      if (const auto* combine = s.as<loop::TeamCombine>()) {
        if (combine->how == loop::Meeting::tree) found_.insert("slots that meet in steps");
        found_.insert(find_digit(program_, combine->over).how == How::grid ? "slots of the grid"
                                                                           : "slots of cores");
      }
      if (const auto* step = s.as<loop::ScanStep>()) {
        found_.insert(step->shape.coarse.empty() ? "scan, ascending" : "scan, interleaved");
      }
      if (const auto* fix = s.as<loop::ScanFix>()) {
        found_.insert(fix->shape.coarse.empty() ? "scan on cores, ascending"
                                                : "scan on cores, interleaved");
      }
    }
  }

  void copied(const loop::Copy& copy, const std::vector<Symbol>& around) {
    if (copy.ahead) found_.insert("asked for ahead");
    if (!copy.blocks.empty()) found_.insert("copy in blocks");
    found_.insert(find_buffer(program_, copy.from.buffer).role == loop::Role::input
                      ? "copy of the user's buffer"
                      : "copy of a tile");
    if (!copy.team.empty()) found_.insert("copy by a team");
    if (copy.transport == loop::Transport::async) found_.insert("asynchronous copy");
    if (copy.transport == loop::Transport::registers) found_.insert("copy through registers");
    if (!copy.within.empty()) found_.insert("guarded copy");
    if (copy.across) found_.insert("copy across a loop");
    if (copy.roll) found_.insert(copy.team.empty() ? "rolling tile" : "rolling tile of a team");
    const bool in_cores = std::any_of(around.begin(), around.end(), [&](const Symbol& digit) {
      const How how = find_digit(program_, digit).how;
      return how == How::cores || how == How::grid;
    });
    if (in_cores && copy.team.empty()) found_.insert("copy per member");
    const bool lockstep = !copy.team.empty() && !around.empty() &&
                          find_digit(program_, around.back()).how == How::sequential;
    if (lockstep) found_.insert("lockstep");
  }

  void updated(const loop::Target& target) {
    if (!target.first.empty()) found_.insert("first write");
    if (target.first.size() > 1) found_.insert("first write of several levels");
  }

  bool has_replica(const loop::WriteUp& up) const {
    return std::any_of(up.over.begin(), up.over.end(), [&](const Symbol& digit) {
      const loop::Digit& d = find_digit(program_, digit);
      return program_.dimensions[d.dimension].kind == loop::Kind::reduced;
    });
  }

  const loop::Program& program_;
  std::set<std::string> found_;
};

bool applies_on_lanes(const Block& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Stmt& s) {
    const auto* lanes = s.as<loop::Lanes>();
    bool found = lanes && std::any_of(lanes->body.begin(), lanes->body.end(), [](const Stmt& in) {
                   return in.as<loop::Apply>() != nullptr;
                 });
    loop::for_each_child(s, [&](const Block& b) { found = found || applies_on_lanes(b); });
    return found;
  });
}

template <class Kind>
bool contains(const Block& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Stmt& s) {
    bool found = s.as<Kind>() != nullptr;
    loop::for_each_child(s, [&](const Block& b) { found = found || contains<Kind>(b); });
    return found;
  });
}

/// What passes find to do for groups whose cores move several numbers at once.
std::vector<std::string> rules_of_groups(const loop::Program& planned) {
  const std::map<std::string, std::string> by_pass = {
      {"hold-back", "copies that hold back at edges"},
      {"whole-rounds", "all rounds or those that exist"},
      {"widen", "several numbers at once"},
      {"swizzle", "pieces of lines that change places"},
      {"keep-values", "values handed on"}};
  std::vector<std::string> rules;
  loop::Program before = planned;
  const passes::TargetFacts& facts = driver::find_target("cuda").facts;
  passes::run_pipeline(planned, facts, [&](const passes::Pass& pass, const loop::Program& after) {
    const auto rule = by_pass.find(pass.name);
    if (rule != by_pass.end() && !(after.body == before.body)) rules.push_back(rule->second);
    before = after;
  });
  if (contains<loop::Exchange>(before.body)) rules.emplace_back("exchanges of registers");
  if (contains<loop::Last>(before.body)) rules.emplace_back("the last of a grid");
  if (contains<loop::AtomicCombine>(before.body)) rules.emplace_back("atomic combinations");
  if (contains<loop::Follow>(before.body)) rules.emplace_back("members that look back");
  if (contains<loop::Meet>(before.body)) rules.emplace_back("members that meet");
  return rules;
}

}  // namespace

const std::vector<std::string>& rule_names() {
  static const std::vector<std::string> names = {
      "padded partition",
      "finer loop outside",
      "copy of the user's buffer",
      "copy of a tile",
      "copy by a team",
      "copy per member",
      "guarded copy",
      "asked for ahead",
      "copy in blocks",
      "lockstep",
      "exact tile in registers",
      "reads past registers",
      "tiles computed beyond an edge",
      "bounds of copies",
      "conditions that always hold",
      "decision before registers",
      "whole and border tiles",
      "straight code",
      "vectors",
      "lets and loops on lanes",
      "order of straight code",
      "stores past the caches",
      "tiles that compilers do not know",
      "copies by squares",
      "copies in flight",
      "asynchronous copy",
      "copy through registers",
      "instance per core",
      "first write",
      "first write of several levels",
      "write up",
      "slots of cores",
      "slots of the grid",
      "slots that meet in steps",
      "exchanges of registers",
      "the last of a grid",
      "atomic combinations",
      "members that look back",
      "members that meet",
      "clamped edge",
      "masked edge",
      "axes of a launch",
      "groups in another order",
      "replicated accumulators",
      "scan, ascending",
      "scan, interleaved",
      "scan on cores, ascending",
      "scan on cores, interleaved",
      "separate phases",
      "copy across a loop",
      "rolling tile",
      "rolling tile of a team",
      "parts dealt in turn",
      "parts dealt as they are taken",
      "number of cores",
      "padded lines",
      "narrow copies",
      "copies that hold back at edges",
      "all rounds or those that exist",
      "several numbers at once",
      "pieces of lines that change places",
      "values handed on",
  };
  return names;
}

std::vector<std::string> rules_of(const ll::Program& low, const loop::Program& planned) {
  std::vector<std::string> rules = Finder(planned).run(low);
  // What a pass finds to do.
  const std::map<std::string, std::string> by_pass = {
      {"forward", "reads past registers"},
      {"pad", "tiles computed beyond an edge"},
      {"copy-bounds", "bounds of copies"},
      {"settle", "conditions that always hold"},
      {"unswitch", "decision before registers"},
      {"two-bodies", "whole and border tiles"},
      {"unroll-jam", "straight code"},
      {"vectorise", "vectors"},
      {"emit-order", "order of straight code"},
      {"stream-stores", "stores past the caches"},
      {"hide-tiles", "tiles that compilers do not know"},
      {"transpose-copies", "copies by squares"}};
  loop::Program before = planned;
  passes::run_pipeline(planned, {}, [&](const passes::Pass& pass, const loop::Program& after) {
    const auto rule = by_pass.find(pass.name);
    const bool changed = !(after.body == before.body);
    if (rule != by_pass.end() && changed) rules.push_back(rule->second);
    before = after;
  });
  if (!is_plain(before.f) && applies_on_lanes(before.body)) {
    rules.emplace_back("lets and loops on lanes");
  }
  for (const std::string& rule : rules_of_groups(planned)) rules.push_back(rule);
  return rules;
}

}  // namespace mdh::test
