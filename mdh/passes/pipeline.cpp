#include "mdh/passes/pipeline.h"

#include "mdh/loop/verify.h"
#include "mdh/passes/concrete/barriers.h"
#include "mdh/passes/concrete/borders.h"
#include "mdh/passes/concrete/copy_bounds.h"
#include "mdh/passes/concrete/first_write.h"
#include "mdh/passes/concrete/hoist.h"
#include "mdh/passes/concrete/last_rounds.h"
#include "mdh/passes/concrete/peel.h"
#include "mdh/passes/concrete/place_copies.h"
#include "mdh/passes/concrete/scans.h"
#include "mdh/passes/concrete/settle.h"
#include "mdh/passes/concrete/simplify.h"
#include "mdh/passes/hints/hide_tiles.h"
#include "mdh/passes/hints/stream_stores.h"
#include "mdh/passes/registers/emit_order.h"
#include "mdh/passes/registers/transpose_copies.h"
#include "mdh/passes/registers/two_bodies.h"
#include "mdh/passes/registers/unroll_jam.h"
#include "mdh/passes/registers/unswitch.h"
#include "mdh/passes/registers/vectorise.h"
#include "mdh/passes/structured/form_teams.h"
#include "mdh/passes/structured/forward.h"
#include "mdh/passes/structured/interchange.h"
#include "mdh/passes/structured/pad.h"
#include "mdh/passes/structured/roll.h"
#include "mdh/passes/structured/stagger.h"

namespace mdh::passes {

namespace {

const std::set<Property> concrete = {Property::copied, Property::scanned, Property::accumulated,
                                     Property::counted};

std::vector<Pass> with_teams(const std::vector<Pass>& teams) {
  std::vector<Pass> table = {
      {"forward", "reads inside of vectors go past tiles of registers", forward},
      {"roll", "tiles keep what the next iteration shares", roll},
      {"stagger", "copies run ahead of the loops that need them", stagger},
      {"interchange", "cores move outwards, registers inwards", interchange},
      {"pad", "register tiles at borders are computed whole", pad},
  };
  table.insert(table.end(), teams.begin(), teams.end());
  const std::vector<Pass> rest = {
      {"place-copies",
       "copies become loops, loads and stores",
       place_copies,
       {},
       {Property::copied}},
      {"scans", "scans inside of one core become loops", scans, {}, {Property::scanned}},
      {"first-write",
       "accumulations become loads, f, combinations and stores",
       first_write,
       {},
       {Property::accumulated}},
      {"borders",
       "levels become counted loops",
       borders,
       {Property::copied, Property::scanned, Property::accumulated},
       {Property::counted}},
      {"barriers", "cores wait where they depend on each other", barriers, concrete},
      {"peel", "first rounds run before loops that would have to decide", peel, concrete},
      {"unswitch", "decisions leave loops over registers and lanes", unswitch, concrete},
      {"copy-bounds", "bounds of copies leave their inner loops", copy_bounds, concrete},
      {"settle", "conditions that always hold are not asked", settle, concrete},
      {"two-bodies", "register tiles at borders and inside are separate", two_bodies, concrete},
      {"settle", "border tiles that do not exist are left out", settle, concrete},
      {"last-rounds", "tiles that are shifted back run after their loops", last_rounds, concrete},
      {"settle", "tiles before them are not shifted", settle, concrete},
      {"unroll-jam", "loops over registers become straight code", unroll_jam, concrete},
      {"vectorise", "loops over lanes become vector code", vectorise, concrete},
      {"emit-order", "straight code in the order that is asked for", emit_order, concrete},
      {"transpose-copies", "copies that transpose move squares by vectors", transpose_copies,
       concrete},
      {"stream-stores", "complete results are stored past the caches", stream_stores, concrete},
      {"hide-tiles", "compilers do not look through copies", hide_tiles, concrete},
      {"hoist", "index computations leave loops they do not depend on", hoist, concrete},
      {"simplify", "constants folded, trivial statements removed", simplify, concrete},
  };
  table.insert(table.end(), rest.begin(), rest.end());
  return table;
}

void expect_all(const std::set<Property>& expected, const std::set<Property>& there,
                const char* how) {
  for (const Property property : expected) {
    internal_check(there.contains(property), "{}: the program is not {}", how, to_string(property));
  }
}

/// `given` is what the passes before give; the program has it.
loop::Program run_checked(const Pass& pass, const loop::Program& before, const TargetFacts& facts,
                          std::set<Property>& given) {
  try {
    expect_all(pass.needs, given, "needed");
    loop::Program after = pass.run(before, facts);
    loop::verify(after);
    given.insert(pass.gives.begin(), pass.gives.end());
    if (!given.empty()) expect_all(given, properties_of(after), "given");
    return after;
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::internal) throw;
    Diagnostic d = e.diagnostic();
    d.notes.push_back("after pass " + pass.name);
    throw Error(d);
  }
}

}  // namespace

const std::vector<Pass>& pipeline(Teams teams) {
  static const std::vector<Pass> one =
      with_teams({{"form-teams", "loops on cores become dealt shares", form_teams}});
  static const std::vector<Pass> nested =
      with_teams({{"form-grid", "loops on the grid become dealt shares", form_grid},
                  {"form-groups", "loops on cores of a group become dealt shares", form_groups}});
  return teams == Teams::one ? one : nested;
}

loop::Program run_pipeline(const loop::Program& structured, const TargetFacts& facts,
                           const Observer& observer) {
  loop::verify(structured);
  loop::Program p = structured;
  std::set<Property> given;
  for (const Pass& pass : pipeline(facts.teams)) {
    p = run_checked(pass, p, facts, given);
    if (observer) observer(pass, p);
  }
  internal_check(loop::is_concrete(p), "the pipeline left structured statements");
  return p;
}

}  // namespace mdh::passes
