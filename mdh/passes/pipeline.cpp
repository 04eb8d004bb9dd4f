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
#include "mdh/passes/concrete/whole_rounds.h"
#include "mdh/passes/hints/hide_tiles.h"
#include "mdh/passes/hints/stream_stores.h"
#include "mdh/passes/registers/emit_order.h"
#include "mdh/passes/registers/keep_values.h"
#include "mdh/passes/registers/swizzle.h"
#include "mdh/passes/registers/transpose_copies.h"
#include "mdh/passes/registers/two_bodies.h"
#include "mdh/passes/registers/unroll_jam.h"
#include "mdh/passes/registers/unswitch.h"
#include "mdh/passes/registers/vectorise.h"
#include "mdh/passes/registers/widen.h"
#include "mdh/passes/structured/form_teams.h"
#include "mdh/passes/structured/forward.h"
#include "mdh/passes/structured/hold_back.h"
#include "mdh/passes/structured/interchange.h"
#include "mdh/passes/structured/pad.h"
#include "mdh/passes/structured/roll.h"
#include "mdh/passes/structured/stagger.h"

namespace mdh::passes {

namespace {

const std::set<Property> concrete = {Property::copied, Property::scanned, Property::accumulated,
                                     Property::counted};

// Each row says why it stands where it stands. Orders that a program shows are properties as well;
// the others decide how good the code is, not whether it is right.

std::vector<Pass> before_teams() {
  return {
      {"forward", "reads inside of vectors go past tiles of registers",
       "before roll, after which several copies fill a tile, so that no single one is its source",
       forward},
      {"roll",
       "tiles keep what the next iteration shares",
       "before pad, which refuses tiles that roll, and place-copies, which would copy all of them",
       roll,
       {},
       {Property::rolled}},
      {"stagger",
       "copies run ahead of the loops that need them",
       "before the teams, which wrap copies, so that they no longer begin the body of their loop",
       stagger,
       {Property::rolled},
       {Property::staggered}},
      {"interchange", "cores move outwards, registers inwards",
       "before pad, which wants registers innermost, and the teams, whose shares are whole loops",
       interchange},
      {"pad",
       "register tiles at borders are computed whole",
       "after interchange makes nests of registers, before the teams take axes off copies",
       pad,
       {Property::rolled}},
      {"hold-back",
       "copies of single numbers read again at edges what lies there",
       "after pad, which fills what is computed; before the teams take axes off copies",
       hold_back,
       {Property::rolled}},
  };
}

std::vector<Pass> to_loops() {
  return {
      {"place-copies",
       "copies become loops, loads and stores",
       "after the teams, which deal whole copies: once they are loops, every core would copy all",
       place_copies,
       {Property::rolled, Property::staggered, Property::dealt},
       {Property::copied}},
      {"scans",
       "scans inside of one core become loops",
       "after the teams, which write the scans that several cores do together",
       scans,
       {Property::dealt},
       {Property::scanned}},
      {"first-write",
       "accumulations become loads, f, combinations and stores",
       "after the teams, which combine slots by write-ups; before borders, which counts its loops",
       first_write,
       {Property::dealt},
       {Property::accumulated}},
      {"borders",
       "levels become counted loops",
       "after first-write, the last pass that makes loops over levels",
       borders,
       {Property::copied, Property::scanned, Property::accumulated},
       {Property::counted}},
      {"barriers", "cores wait where they depend on each other",
       "after borders: it has to see all loads and stores, and which loops repeat them", barriers,
       concrete},
  };
}

std::vector<Pass> for_borders() {
  return {
      {"whole-rounds", "loops that are written out run all rounds, or know which to leave out",
       "before peel, which counts rounds from 1, and settle, which knows more of all rounds",
       whole_rounds, concrete},
      {"peel", "first rounds run before loops that would have to decide",
       "before unswitch, which would write loops over registers twice for what peeling decides",
       peel, concrete},
      {"unswitch", "decisions leave loops over registers and lanes",
       "before unroll-jam, which would copy the choices, and vectorise, which refuses them",
       unswitch, concrete},
      {"copy-bounds", "bounds of copies leave their inner loops",
       "before settle, which drops what bounds imply; transpose-copies refuses conditions",
       copy_bounds, concrete},
      {"settle", "conditions that always hold are not asked",
       "before two-bodies, which makes a second body for every condition that is left", settle,
       concrete},
      {"two-bodies", "register tiles at borders and inside are separate",
       "before unroll-jam, which needs known counts, and last-rounds, which looks for its shifts",
       two_bodies, concrete},
      {"settle", "border tiles that do not exist are left out",
       "after two-bodies, whose choices loops may decide; before last-rounds copies them", settle,
       concrete},
      {"last-rounds", "tiles that are shifted back run after their loops",
       "after two-bodies, which shifts tiles; before unroll-jam, which would copy all shifts",
       last_rounds, concrete},
      {"settle", "tiles before them are not shifted",
       "after last-rounds, whose loops without their last round imply that shifts are 0", settle,
       concrete},
  };
}

std::vector<Pass> to_straight_code() {
  return {
      {"unroll-jam", "loops over registers become straight code",
       "before vectorise: lanes that end at borders are written out while they are still loops",
       unroll_jam, concrete},
      {"vectorise", "loops over lanes become vector code",
       "after unroll-jam; before emit-order and stream-stores, which work on vectors", vectorise,
       concrete},
      {"emit-order", "straight code in the order that is asked for",
       "after vectorise; before hide-tiles, which puts statements between those that it orders",
       emit_order, concrete},
      {"transpose-copies", "copies that transpose move squares by vectors",
       "after copy-bounds, whose copies have no conditions; no earlier pass knows squares",
       transpose_copies, concrete},
      {"stream-stores", "complete results are stored past the caches",
       "after vectorise, because only whole vectors are streamed", stream_stores, concrete},
      {"hide-tiles", "compilers do not look through copies",
       "after emit-order, when every read of a tile is where it will stay", hide_tiles, concrete},
      {"widen", "cores without vectors move neighbours at once",
       "after hide-tiles, which knows single loads and stores; before hoist, for the indices left",
       widen, concrete},
      {"swizzle", "pieces of lines change places",
       "after widen, which proves that neighbours lie side by side; before hoist, for new indices",
       swizzle, concrete},
      {"hoist", "index computations leave loops they do not depend on",
       "after last-rounds, which looks for shifts inside of their loops, and all that copy loops",
       hoist, concrete},
      {"simplify", "constants folded, trivial statements removed",
       "after all others but keep-values, which leave loops of one round and constants behind",
       simplify, concrete},
      {"keep-values", "straight code hands values on instead of storing and loading them",
       "last: after simplify no loops of one round part straight code", keep_values, concrete},
  };
}

std::vector<Pass> with_teams(const std::vector<Pass>& teams) {
  std::vector<Pass> table;
  for (const auto& part : {before_teams(), teams, to_loops(), for_borders(), to_straight_code()}) {
    table.insert(table.end(), part.begin(), part.end());
  }
  return table;
}

std::vector<Pass> one_team() {
  return {{"form-teams",
           "loops on cores become dealt shares",
           "after interchange puts cores outside; before place-copies, because it deals copies",
           form_teams,
           {Property::staggered},
           {Property::dealt}}};
}

std::vector<Pass> nested_teams() {
  return {
      {"form-grid",
       "loops on the grid become dealt shares",
       "after interchange puts the grid outside; before form-groups, which works on its shares",
       form_grid,
       {Property::staggered}},
      {"form-groups",
       "loops on cores of a group become dealt shares",
       "after form-grid, in whose shares it works; before place-copies, because it deals copies",
       form_groups,
       {Property::staggered},
       {Property::dealt}}};
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
  static const std::vector<Pass> one = with_teams(one_team());
  static const std::vector<Pass> nested = with_teams(nested_teams());
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
