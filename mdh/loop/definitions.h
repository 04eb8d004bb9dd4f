// The records and functions of the user that a loop program mentions: its text defines them first.
#pragma once

#include <vector>

#include "mdh/loop/program.h"

namespace mdh::loop {

struct Definitions {
  std::vector<scalar::Record> records;
  std::vector<scalar::Function> functions;  // each one behind those that it calls
};

Definitions definitions_of(const Program& p);

}  // namespace mdh::loop
