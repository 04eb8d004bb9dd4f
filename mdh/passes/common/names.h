// Names that nothing else in a loop program has.
#pragma once

#include <map>
#include <set>
#include <string>

#include "mdh/loop/program.h"

namespace mdh::passes {

class Names {
 public:
  explicit Names(const loop::Program& p);

  /// The name itself or, if it is taken, with an underscore, then also with a number. Accesses may
  /// be called x.1, values x_1.
  Symbol fresh(std::string name);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> copies_;  // of a name, that have a number
};

}  // namespace mdh::passes
