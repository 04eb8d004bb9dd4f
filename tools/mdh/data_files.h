// --input NAME=F.npy and --output NAME=F.npy.
#pragma once

#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/scalar/array.h"

namespace mdh::tool {

/// Those inputs that have a file are read from it, the others stay as they are.
void read_inputs(const hl::Program& p, const std::vector<std::string>& options,
                 std::vector<scalar::Array>& inputs);

/// Writes the outputs that have a file. Elements that the program leaves alone become 0.
void write_outputs(const hl::Program& p, const std::vector<std::string>& options,
                   const std::vector<scalar::Array>& outputs);

/// The options name buffers of the program; said before anything is computed.
void check_files(const hl::Program& p, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs);

}  // namespace mdh::tool
