// The paper's fifteen parameters, exactly typed, on all levels of the machine.
//
//   0      parts           level -> number of parts
//   D1 D2  decomposition   order of the levels, and the machine's level that each is assigned to
//   D3 D4  reads           where and in which layout each level reads each input
//   S1 S2  scalar          order and assignment
//   S3 S4  f_reads         where f reads each input
//   S5 S6  f_writes        where f writes each output
//   R1 R2  recomposition   order and assignment
//   R3 R4  writes          where and in which layout each level writes each output
//
// A configuration is the same in the words of its author: parameters_of and config_of translate.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mdh/ll/config.h"
#include "mdh/ll/levels.h"
#include "mdh/ll/program.h"

namespace mdh::ll {

struct PhaseParameters {
  std::vector<Level> order;                  // outermost first: a permutation of all levels
  std::map<Level, MachineLevel> assignment;  // a bijection
  friend bool operator==(const PhaseParameters&, const PhaseParameters&) = default;
};

using Places = std::map<Level, Place>;

struct Parameters {
  std::vector<std::string> layers;  // every layer of the machine, most significant first
  std::map<Level, int64_t> parts;
  PhaseParameters decomposition, scalar, recomposition;
  std::vector<Places> reads;  // by input
  std::vector<Place> f_reads;
  std::vector<Place> f_writes;
  std::vector<Places> writes;  // by output
  friend bool operator==(const Parameters&, const Parameters&) = default;
};

/// x, y, z, w4, w5, ...
std::string machine_axis(int number);

/// The parameters of a configuration whose names and digits are valid. Levels that it leaves out
/// have one part and come last.
Parameters parameters_of(const Config& config, const hl::Program& program,
                         const machine::Machine& machine);

/// The configuration with these parameters: what parameters_of gave is found again.
Config config_of(const Parameters& parameters, const hl::Program& program,
                 const machine::Machine& machine);

/// The low-level program of a configuration whose names and digits are valid, with its code.
Program program_of(const Config& config, const hl::Program& program,
                   const machine::Machine& machine);

/// The same without code.
Program program_of(const Levels& levels, const hl::Program& program,
                   const machine::Machine& machine);

/// The low-level program: levels with one part are left out.
Program program_of(const Parameters& parameters, const hl::Program& program,
                   const machine::Machine& machine);

}  // namespace mdh::ll
