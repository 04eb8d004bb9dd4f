#include "tests/property/triples.h"

#include <gtest/gtest.h>

#include "mdh/driver/verification.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/evaluate.h"
#include "tests/property/decision_generator.h"
#include "tests/property/lane_generator.h"

namespace mdh::test {

using scalar::Array;

namespace {

bool has_rounding(const hl::Program& p) {
  for (const hl::BufferView& output : p.outputs) {
    if (output.type.is_scalar() && is_floating(scalar_of(output.type))) return true;
  }
  return false;
}

}  // namespace

Triple make_triple(uint64_t seed) {
  Random random(seed);
  if (seed % 5 == 4) {
    hl::Program program = lane_program(random);
    const machine::Machine& cpu = machine::find_machine("cpu");
    ll::Config config = lane_config(program, random);
    config = with_decisions(config, program, cpu, Random(random.next()));
    return {std::move(program), cpu, std::move(config)};
  }
  if (seed % 3 == 2) {
    Mutated m = mutated_config(random);
    return {std::move(m.program), std::move(m.machine), std::move(m.config)};
  }
  hl::Program program = small_program(random);
  machine::Machine machine = any_machine(random);
  const Style style = seed % 3 == 0 ? Style::arbitrary : Style::staged;
  ll::Config config = any_config(program, machine, style, random);
  return {std::move(program), std::move(machine), std::move(config)};
}

std::vector<Array> reshaped(std::vector<Array> arrays, const hl::Program& like,
                            const std::vector<hl::BufferView>& views) {
  for (size_t b = 0; b < arrays.size(); ++b) arrays[b].extents = hl::extents(like, views[b]);
  return arrays;
}

std::string complaint(const hl::Program& p, const std::vector<Array>& inputs,
                      const std::vector<Array>& outputs) {
  const std::vector<Array> expected = hl::evaluate(p, inputs);
  if (outputs.size() != expected.size()) return "another number of outputs";
  for (size_t b = 0; b < expected.size(); ++b) {
    for (size_t n = 0; n < expected[b].defined.size(); ++n) {
      if (expected[b].defined[n] == outputs[b].defined[n]) continue;
      return fmt::format("element {} of '{}' is {}", n, p.outputs[b].symbol.name,
                         expected[b].defined[n] != 0 ? "not written" : "written");
    }
  }
  if (has_rounding(p)) {
    const driver::Verification v =
        driver::verify_outputs(p, inputs, outputs, {.depth = driver::sequential_depth(p)});
    return v.right ? "" : v.complaint;
  }
  for (size_t b = 0; b < expected.size(); ++b) {
    const auto width = static_cast<size_t>(expected[b].width());
    for (size_t n = 0; n < expected[b].cells.size(); ++n) {
      if (expected[b].defined[n / width] == 0 || expected[b].cells[n] == outputs[b].cells[n]) {
        continue;
      }
      return fmt::format("element {} of '{}' is wrong", n / width, p.outputs[b].symbol.name);
    }
  }
  return "";
}

void expect_same(const hl::Program& p, const std::vector<Array>& inputs,
                 const std::vector<Array>& outputs) {
  ASSERT_EQ(complaint(p, inputs, outputs), "");
}

void expect_same_provenance(const hl::Program& p, const std::vector<Array>& inputs,
                            const AlgebraicRun& run) {
  if (hl::has_custom_operator(p)) return;
  scalar::ProvenanceAlgebra algebra(hl::sizes(p), static_cast<int>(hl::leaf_count(p.outputs)));
  const std::vector<Array> expected = hl::evaluate(p, inputs, algebra);
  const std::vector<Array> found = run(inputs, algebra);
  for (size_t b = 0; b < expected.size(); ++b) {
    ASSERT_EQ(found[b].defined, expected[b].defined);
    const auto width = static_cast<size_t>(expected[b].width());
    for (size_t n = 0; n < expected[b].cells.size(); ++n) {
      if (expected[b].defined[n / width] == 0) continue;
      ASSERT_EQ(algebra.points(found[b].cells[n]), algebra.points(expected[b].cells[n]));
    }
  }
}

}  // namespace mdh::test
