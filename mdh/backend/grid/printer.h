// Programs on a grid of groups of items, in any language that has such a grid.
#pragma once

#include <array>
#include <string>

#include "mdh/backend/c/dialect.h"
#include "mdh/kernel/module.h"
#include "mdh/loop/program.h"

namespace mdh::backend {

/// How a language calls what all of them have.
struct GridWords {
  std::string language;  // of the module
  Dialect dialect = Dialect::opencl;
  std::string kernel;                // begins the definition of a function that is launched
  std::string local;                 // begins the definition of an array that a group shares
  std::string to_global;             // in the type of a pointer to global memory, with a blank
  std::string to_local;              // in the type of a pointer to such an array, with a blank
  std::string alone;                 // of a pointer: nothing else points to this memory
  std::array<std::string, 3> group;  // the number of this group, along each axis of a launch
  std::array<std::string, 3> item;   // the number of this item in its group
  std::string item_of_all;           // ... in the grid; launches along one axis only
  std::string items_of_all;          // of the grid
  std::string barrier;  // of a group: writes before it, of all items, are seen after it
};

/// Every grid of the program becomes a function that is launched, loops around grids become loops
/// of the host. Groups and items are numbered along one axis, unless digits say on which they are.
kernel::Module print_grid(const loop::Program& program, const std::string& name,
                          const GridWords& words);

}  // namespace mdh::backend
