// Printed text as a source that a host compiler takes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mdh/kernel/module.h"

namespace mdh::emulation {

/// What the emulation knows of a language. What its words mean is in a header (prelude/).
struct Language {
  std::string name;      // of modules
  std::string compiled;  // as "c" or "c++"
  std::string standard;  // -std=
  std::string prelude;   // a file in prelude/
  std::string local;     // begins the definition of an array that a group shares
  std::string linkage;   // in front of definitions that are looked up by their names
};

const std::vector<Language>& languages();

/// Nothing if it is not understood.
const Language* find_language(const std::string& name);

/// The names of what a unit defines besides the kernels.
std::string entry_name(const std::string& function);  // calls a kernel with an array
std::string cuts_name(const std::string& function);   // of its dynamic local memory
std::string workspace_cuts_name(const std::string& module);

/// All modules as one unit. Lines keep their numbers within a module, and memory is asked for
/// instead of declared:
///   __local float tile[64];           an array that the emulation makes, aligned as asked for
///   extern __shared__ char all[];     its pieces, all + 1024, become arrays of their own
///   workspace + 448                   likewise
std::string unit_of(std::span<const kernel::Module> modules);

}  // namespace mdh::emulation
