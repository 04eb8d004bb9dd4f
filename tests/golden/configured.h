// The configurations of this folder with the programs of the catalogue they were made for.
#pragma once

#include <filesystem>
#include <string>

#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"

namespace mdh::test {

struct Configured {
  ll::Config config;
  hl::Program program;
  machine::Machine machine;
};

std::filesystem::path golden_folder();

/// A file of this folder, the catalogue's program at its sizes, and its machine.
Configured configured(const std::string& file);

}  // namespace mdh::test
