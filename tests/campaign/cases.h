// Triples as files: program.mdh, machine.json and config.json in a folder of their own.
#pragma once

#include <string>
#include <vector>

#include "tests/property/triples.h"

namespace mdh::test {

struct Case {
  std::string name;   // of its folder
  uint64_t seed = 0;  // for its data: the number at the end of the name, or 1
  Triple triple;
};

/// All folders below this one that hold a triple, in the order of their names.
std::vector<std::string> folders_of_cases(const std::string& folder);

/// Throws if mdh refuses one of the files.
Case read_case(const std::string& folder);

/// All below this folder.
std::vector<Case> read_cases(const std::string& folder);

/// Writes one, and tells its folder.
std::string write_case(const Triple& triple, uint64_t seed, const std::string& parent);

}  // namespace mdh::test
