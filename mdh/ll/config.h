// A configuration says how a computation is de-composed and re-composed on a machine.
//
// Written as people think: for every dimension its digits, most significant first, each a layer and
// a number of parts; and the order of the loops. From it follow the paper's number of parts (#PRT),
// orders (D1, S1, R1) and assignments (D2, S2, R2).
//
//   {"mdh_config": 1, "program": "matvec", "sizes": {"I": 512, "K": 4096}, "types": {"T": "f32"},
//   "machine": "artificial",
//    "layers": ["HM", "COR", "L1"],
//    "split": {"i": ["HM 2", "COR 8", "L1 32"], "k": ["HM 4", "COR 16", "L1 64"]},
//    "order": ["HM.i", "HM.k", "COR.i", "COR.k", "L1.i", "L1.k"]}
//
// Partitioning is padded: the product of a dimension's parts may exceed its size; border parts are
// then partial or empty.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/machine/machine.h"

namespace mdh::ll {

struct Digit {
  std::string layer;
  int64_t parts = 1;
  friend bool operator==(const Digit&, const Digit&) = default;
};

/// One level of the decomposition: a layer in a dimension, written "L1.k".
struct LevelName {
  std::string layer;
  std::string dimension;
  friend bool operator==(const LevelName&, const LevelName&) = default;
};

std::string to_string(const LevelName& level);

struct Config {
  std::string program;                   // what it was made for; informative
  std::map<std::string, int64_t> sizes;  // sizes and types to use where the user gives none
  std::map<std::string, std::string> types;
  std::string machine;
  std::vector<std::string> layers;  // significance of the digits, most significant first
  std::map<std::string, std::vector<Digit>> split;  // by dimension
  std::vector<LevelName> order;  // outermost first; every level with more than one part
  friend bool operator==(const Config&, const Config&) = default;
};

/// JSON text, both ways. Unknown keys are errors with the nearest name.
Config parse_config(std::string_view text, const std::string& file = "<config>");
std::string print(const Config& config);

/// Throws the first rule the configuration breaks, naming the rule, the level and the fix.
void validate(const Config& config, const hl::Program& program, const machine::Machine& machine);

/// A configuration for any program on any machine: the first concatenated dimension is dealt to the
/// cores, loops are ordered so that the innermost ones walk along memory.
Config default_config(const hl::Program& program, const machine::Machine& machine, int cores);

}  // namespace mdh::ll
