// Configurations for the tests of this folder; nothing else includes it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "mdh/ll/config.h"
#include "mdh/ll/names.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll {

/// Everything after the version: `"layers": [...], "split": ...`.
inline Config config(const std::string& entries) {
  return parse_config("{\"mdh_config\": 1, " + entries + "}");
}

/// The low-level program of a configuration that keeps the rules.
inline Program lowered(const Config& c, const hl::Program& program,
                       const machine::Machine& machine) {
  return valid_program(c, program, machine);
}

/// "code message | hint" of what is wrong with a configuration; "accepted" if nothing is.
inline std::string verdict(const Config& c, const hl::Program& program,
                           const machine::Machine& machine) {
  try {
    validate(c, program, machine);
  } catch (const Error& e) {
    const Diagnostic& d = e.diagnostic();
    const std::string code = d.kind == DiagnosticKind::user ? d.code : "internal";
    return fmt::format("{} {}{}", code, d.message, d.hint.empty() ? "" : " | " + d.hint);
  }
  return "accepted";
}

inline const std::string f32_matmul_text =
    "matmul<I: size, J: size, K: size> = out_view( C: f32 = [i, j] )"
    " * md_hom( i: I by cc, j: J by cc, k: K by pw(add) ) { C = A * B; }"
    " * inp_view( A: f32 = [i, k]; B: f32 = [k, j] )";

/// TVM's schedule of MatMul 16x1000x2048 for CUDA, as the paper decodes it.
inline const std::string tvm_entries = R"("machine": "cuda",
  "layers": ["BLK", "DEV", "THR", "SHR", "REG"],
  "split": {"i": ["BLK 2", "DEV 2", "THR 4"], "j": ["BLK 50", "THR 20"],
            "k": ["DEV 8", "SHR 128", "REG 2"]},
  "order": ["BLK.i", "BLK.j", "BLK.k", "THR.i", "THR.j", "THR.k", "DEV.k", "DEV.i", "DEV.j",
            "SHR.k", "SHR.i", "SHR.j", "REG.k", "REG.i", "REG.j"],
  "stage": {"A": [{"from": "DEV.i", "region": "SM"}], "B": [{"from": "DEV.i", "region": "SM"}]},
  "acc": {"C": [{"inside": "DEV.k", "region": "RM"}]},
  "tags": {"BLK.j": "x", "BLK.i": "y", "BLK.k": "z", "THR.j": "x", "THR.i": "y", "THR.k": "z"})";

inline hl::Program tvm_matmul() {
  return computation(f32_matmul_text, {{"I", 16}, {"J", 1000}, {"K", 2048}});
}

// ---- random configurations: names and digits are valid, other rules may be broken

/// Layers, splits and an order in which some levels of one part stand, too.
inline Config random_split(Random& random, const hl::Program& program,
                           const machine::Machine& machine) {
  Config c{.program = program.name, .machine = machine.name};
  for (const machine::Layer& layer : machine.layers) c.layers.push_back(layer.name);
  random.shuffle(c.layers);
  if (random.chance(30)) c.layers.resize(std::max<size_t>(2, c.layers.size() - 1));
  const std::vector<int64_t> sizes = hl::sizes(program);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::string& name = program.dimensions[d].symbol.name;
    const std::vector<int64_t> parts = random_parts(random, sizes[d], c.layers.size());
    for (size_t l = 0; l < parts.size(); ++l) {
      if (parts[l] > 1) c.split[name].push_back({c.layers[l], parts[l]});
      if (parts[l] > 1 || random.chance(25)) c.order.push_back({c.layers[l], name});
    }
  }
  random.shuffle(c.order);
  return c;
}

/// A permutation of the buffer's dimensions; where one dimension of the program walks, perhaps the
/// digits of the levels inside.
inline std::vector<LayoutAxis> random_layout(Random& random, const Config& c,
                                             const hl::Program& program,
                                             const hl::BufferView& buffer,
                                             const std::vector<LevelName>& inside) {
  std::vector<LayoutAxis> layout;
  for (size_t e = 0; e < buffer.accesses.front().index.size(); ++e) {
    const auto walks = walking_dimension(program, buffer, e);
    const size_t before = layout.size();
    for (const LevelName& level : inside) {
      const bool mine = walks && program.dimensions[*walks].symbol.name == level.dimension;
      if (mine) layout.push_back({std::to_string(e + 1), level.layer});
    }
    if (random.chance(60) || layout.size() == before) {
      layout.resize(before, {"", ""});
      layout.push_back({std::to_string(e + 1), ""});
    }
  }
  random.shuffle(layout);
  return c.layers.empty() ? std::vector<LayoutAxis>{} : layout;
}

inline Relocations random_relocations(Random& random, const Config& c, const hl::Program& program,
                                      const machine::Machine& machine,
                                      const std::vector<hl::BufferView>& buffers,
                                      const std::vector<LevelName>& order) {
  Relocations all;
  for (const hl::BufferView& buffer : buffers) {
    for (size_t q = 0; q <= order.size(); ++q) {
      if (!random.chance(20)) continue;
      const std::vector<LevelName> inside(order.begin() + static_cast<int64_t>(q), order.end());
      Relocation one{
          q < order.size() ? order[q] : LevelName{"f", ""}, random.pick(machine.regions).name, {}};
      if (random.chance(50)) one.layout = random_layout(random, c, program, buffer, inside);
      all[buffer.symbol.name].push_back(std::move(one));
    }
  }
  return all;
}

/// Dimensions of the machine for some levels, none of them twice on a layer.
inline Tags random_tags(Random& random, const Config& c, const hl::Program& program,
                        const machine::Machine& machine) {
  Tags tags;
  if (c.layers.size() < machine.layers.size()) return tags;
  for (const machine::Layer& layer : machine.layers) {
    const std::vector<int> axes = shuffled(random, program.dimensions.size());
    for (size_t d = 0; d < axes.size(); ++d) {
      if (!random.chance(40)) continue;
      tags[to_string(LevelName{layer.name, program.dimensions[d].symbol.name})] =
          machine_axis(axes[d]);
    }
  }
  return tags;
}

/// The digits of every dimension on layers of its own.
inline Split moved(Random& random, const Split& split, const machine::Machine& machine) {
  Split result = split;
  for (auto& [dimension, digits] : result) {
    const std::vector<int> layers = shuffled(random, machine.layers.size());
    for (size_t n = 0; n < digits.size(); ++n) digits[n].layer = machine.layers[layers[n]].name;
  }
  return result;
}

inline Config random_config(Random& random, const hl::Program& program,
                            const machine::Machine& machine) {
  Config c = random_split(random, program, machine);
  const bool tagged = random.chance(50);
  if (tagged) c.tags = random_tags(random, c, program, machine);
  for (const std::string& name : phase_names()) {
    if (!random.chance(40)) continue;
    PhaseOverride& phase = c.phases[name];
    if (random.chance(60)) random.shuffle(phase.order = c.order);
    // Tags are about the common layers: on others two levels could meet.
    if (!tagged && random.chance(60)) phase.split = moved(random, c.split, machine);
  }
  c.stage =
      random_relocations(random, c, program, machine, program.inputs, order_of(c, "decomposition"));
  c.acc = random_relocations(random, c, program, machine, program.outputs,
                             order_of(c, "recomposition"));
  return c;
}

}  // namespace mdh::ll
