// Random files of the whole grammar of the text form.
#pragma once

#include <string>
#include <vector>

#include "mdh/hl/instantiate.h"
#include "tests/property/choices.h"

namespace mdh::test {

/// A .mdh file: definitions of all kinds, parameters with and without values, several buffers,
/// accesses and outputs, all combine operators, all expressions.
struct RandomFile {
  std::string text;
  hl::Bindings bindings;  // for parameters without a value, and for some of the others
};

/// Nearly all of them are valid: what a literal is worth in a type that is chosen later is not
/// looked at.
RandomFile random_file(Choices& choices);

/// f and the combine operator of a program.
std::vector<scalar::Function> functions_of(const hl::Program& p);

/// Those of a random file; none if the generator wrote something that is refused.
std::vector<scalar::Function> random_functions(Choices& choices);

}  // namespace mdh::test
