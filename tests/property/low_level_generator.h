// Random programs of every kind and configurations with all that they can say, for the low level.
#pragma once

#include "examples/catalogue.h"
#include "mdh/hl/program.h"
#include "mdh/ll/config.h"
#include "mdh/machine/machine.h"
#include "mdh/support/random.h"

namespace mdh::test {

/// Small, because the literal evaluators visit every part of every point: programs of the
/// catalogue, generated ones, scans and operators of the user.
hl::Program small_program(Random& random);

/// A program of the catalogue at small, often odd sizes.
hl::Program catalogue_instance(const examples::Entry& entry, Random& random);

/// A machine that comes with mdh, or one of any depth that nobody has.
machine::Machine any_machine(Random& random);

/// How a configuration is drawn.
enum class Style {
  arbitrary,  // every phase with an order and layers of its own
  staged,     // one order; tiles and accumulators in regions and layouts
};

/// A valid configuration; drawn again until the validator accepts it.
ll::Config any_config(const hl::Program& program, const machine::Machine& machine, Style style,
                      Random& random);

/// One of the known fast configurations on a small instance of its program, with other counts and
/// some decisions changed.
struct Mutated {
  hl::Program program;
  machine::Machine machine;
  ll::Config config;
};
Mutated mutated_config(Random& random);

}  // namespace mdh::test
