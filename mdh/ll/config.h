// A configuration says how a computation is de-composed and re-composed on a machine.
//
// Written as people think: for every dimension its digits, most significant first, each a layer and
// a number of parts; the order of the loops; where inputs are staged and results accumulated. The
// paper's fifteen parameters follow from it (ll/parameters.h).
//
//   {"mdh_config": 1, "program": "matvec", "sizes": {"I": 512, "K": 4096}, "types": {"T": "f32"},
//    "machine": "artificial",
//    "layers": ["HM", "COR", "L1"],
//    "split": {"i": ["HM 2", "COR 8", "L1 32"], "k": ["HM 4", "COR 16", "L1 64"]},
//    "order": ["HM.i", "HM.k", "COR.i", "COR.k", "L1.i", "L1.k"],
//    "stage": {"v": [{"from": "L1.i", "region": "L1"}]},
//    "acc": {"w": [{"inside": "L1.i", "region": "L1"}]}}
//
// Partitioning is padded: the product of a dimension's parts may exceed its size; border parts are
// then partial or empty.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/ll/code.h"
#include "mdh/ll/program.h"
#include "mdh/machine/machine.h"

namespace mdh::ll {

struct Digit {
  std::string layer;
  int64_t parts = 1;
  friend bool operator==(const Digit&, const Digit&) = default;
};

using Split = std::map<std::string, std::vector<Digit>>;  // by dimension

/// One axis of a layout: a buffer dimension by its position (1-based) or by the dimension of the
/// program that alone walks along it ("j"), whole, or only the digit of one layer ("j@L1").
struct LayoutAxis {
  std::string dimension;
  std::string layer;
  friend bool operator==(const LayoutAxis&, const LayoutAxis&) = default;
};

std::string to_string(const LayoutAxis& axis);

/// From a level inwards a buffer is kept elsewhere: "from" for inputs, "inside" for outputs. The
/// level "f" is the scalar function itself.
struct Relocation {
  LevelName from;
  std::string region;
  std::vector<LayoutAxis> layout;  // empty: as outside
  friend bool operator==(const Relocation&, const Relocation&) = default;
};

using Relocations = std::map<std::string, std::vector<Relocation>>;  // by buffer, outside in

using Tags = std::map<std::string, std::string>;  // machine dimensions by level: "BLK.j": "x"

/// A phase with an order of its own, or with its levels on other layers or machine dimensions: the
/// digits of a dimension have the counts of the common split, in the same significance, and a level
/// without a tag here has the common one.
struct PhaseOverride {
  std::vector<LevelName> order;
  Split split;
  Tags tags;
  friend bool operator==(const PhaseOverride&, const PhaseOverride&) = default;
};

struct Config {
  std::string program;                   // what it was made for; informative
  std::map<std::string, int64_t> sizes;  // sizes and types to use where the user gives none
  std::map<std::string, std::string> types;
  std::string machine;
  std::vector<std::vector<std::string>> fuse;  // dimensions joined to one before all else
  std::vector<std::string> layers;             // significance of the digits, most significant first
  Split split;
  std::vector<LevelName> order;  // outermost first; every level with more than one part
  Relocations stage;             // of inputs
  Relocations acc;               // of outputs
  std::map<std::string, PhaseOverride> phases;  // decomposition, scalar, recomposition
  Tags tags;
  Code code;
  friend bool operator==(const Config&, const Config&) = default;
};

/// The names of the phases, in their order.
const std::vector<std::string>& phase_names();

/// JSON text, both ways. Unknown keys are errors with the nearest name.
Config parse_config(std::string_view text, const std::string& file = "<config>");
std::string print(const Config& config);

/// The error, with a note that says which configuration it is about.
Error about(const Config& config, const Error& error);

/// The low-level program of a configuration. Throws the first rule the configuration breaks, naming
/// the rule, the level and the fix.
Program valid_program(const Config& config, const hl::Program& program,
                      const machine::Machine& machine);

/// Only throws.
void validate(const Config& config, const hl::Program& program, const machine::Machine& machine);

/// A configuration for any program on any machine: concatenated dimensions are dealt to the cores,
/// loops are ordered so that the innermost ones walk along memory.
Config default_config(const hl::Program& program, const machine::Machine& machine, int cores);

}  // namespace mdh::ll
