#include "mdh/passes/pipeline.h"

#include "mdh/loop/verify.h"
#include "mdh/passes/borders.h"
#include "mdh/passes/first_write.h"
#include "mdh/passes/form_teams.h"
#include "mdh/passes/hoist.h"
#include "mdh/passes/simplify.h"

namespace mdh::passes {

const std::vector<Pass>& pipeline() {
  static const std::vector<Pass> table = {
      {"form-teams", "loops on cores become dealt parts and barriers", form_teams},
      {"first-write", "accumulations become loads, f, combinations and stores", first_write},
      {"borders", "levels become counted loops", borders},
      {"hoist", "index computations leave loops they do not depend on", hoist},
      {"simplify", "constants folded, trivial statements removed", simplify},
  };
  return table;
}

loop::Program run_pipeline(const loop::Program& structured, const Observer& observer) {
  loop::verify(structured);
  loop::Program p = structured;
  for (const Pass& pass : pipeline()) {
    p = pass.run(p);
    try {
      loop::verify(p);
    } catch (Error& e) {
      Diagnostic d = e.diagnostic();
      d.notes.push_back("after pass " + pass.name);
      throw Error(d);
    }
    if (observer) observer(pass, p);
  }
  internal_check(loop::is_concrete(p), "the pipeline left structured statements");
  return p;
}

}  // namespace mdh::passes
