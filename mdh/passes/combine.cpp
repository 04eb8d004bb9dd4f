#include "mdh/passes/combine.h"

#include "mdh/passes/scan_code.h"
#include "mdh/passes/walk.h"

namespace mdh::passes {

loop::Program combine(const loop::Program& program) {
  Names names(program);
  const ScanCode scans(program, names);
  return rewritten(program, [&](const loop::Stmt& s, const std::vector<loop::Digit>& around) {
    const auto* step = s.as<loop::ScanStep>();
    return step ? scans.step(*step, around) : loop::Block{s};
  });
}

}  // namespace mdh::passes
