// Registers and lanes for the tests of this folder; nothing else includes it.
#pragma once

#include "mdh/loop/evaluate.h"
#include "mdh/passes/common/test_programs.h"

namespace mdh::passes {

/// Rows: c on cores or o, columns: h, u copies, a lanes; accumulators and a tile in registers.
inline const More registers{R"(digit h: L1.k < 2 of k step 8 sequential
digit u: REG.k < 2 of k step 4 unrolled
digit a: SIMD.k < 4 of k step 1 lanes
)",
                            R"(buffer temporary acc: i64[2, 4] in REG of registers per (c)
buffer temporary tile: i64[10] in REG of registers per (c)
)"};

/// A pass keeps what a program computes.
inline void expect_meaning(PassFunction pass, const std::string& body, const More& more = registers,
                           const TargetFacts& facts = {}) {
  const loop::Program before = matvec_with(body, more), after = pass(before, facts);
  loop::verify(after);
  Random random(1);
  std::vector<scalar::Array> inputs;
  for (const loop::Buffer& b : before.buffers) {
    if (b.role != loop::Role::input) continue;
    inputs.push_back(scalar::Array::undefined(b.type, b.extents));
    for (scalar::Value& cell : inputs.back().cells) {
      cell = scalar::Value::integer(random.between(-9, 9));
    }
    std::fill(inputs.back().defined.begin(), inputs.back().defined.end(), uint8_t{1});
  }
  EXPECT_EQ(loop::evaluate(after, inputs), loop::evaluate(before, inputs)) << loop::print(after);
}

}  // namespace mdh::passes
