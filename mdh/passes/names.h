// Names that nothing else in a loop program has.
#pragma once

#include <set>
#include <string>

#include "mdh/loop/program.h"

namespace mdh::passes {

class Names {
 public:
  explicit Names(const loop::Program& p);

  /// The name itself or, if it is taken, with underscores. Accesses may be called x.1, values x_1.
  Symbol fresh(std::string name);

 private:
  std::set<std::string> taken_;
};

}  // namespace mdh::passes
