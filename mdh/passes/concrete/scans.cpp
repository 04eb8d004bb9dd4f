#include "mdh/passes/concrete/scans.h"

#include "mdh/passes/common/walk.h"
#include "mdh/passes/concrete/scan_code.h"

namespace mdh::passes {

loop::Program scans(const loop::Program& program) {
  Names names(program);
  const ScanCode scans(program, names);
  return rewritten(program, [&](const loop::Stmt& s, const std::vector<loop::Digit>& around) {
    const auto* step = s.as<loop::ScanStep>();
    return step ? scans.step(*step, around) : loop::Block{s};
  });
}

}  // namespace mdh::passes
