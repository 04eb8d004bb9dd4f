// What a fault is planted in: a program at some size, a machine, a configuration.
#pragma once

#include "mdh/driver/stages.h"
#include "tests/faults/meaning.h"
#include "tests/faults/programs.h"
#include "tests/property/triples.h"

namespace mdh::test {

struct Subject {
  std::string name;  // of the program
  scalar::Scalar type = scalar::Scalar::f32;
  Triple triple;
  Inputs inputs;  // none: those that are drawn from a seed
};

/// Configurations of all kinds: the default one, lanes, stagings, cores, known fast ones.
Subject draw_subject(const std::string& target, Random& random);

/// The default configuration of a sum of about 2²⁰ terms, and the same at a size that can be
/// evaluated: the loops are the same but for their bounds.
struct Large {
  Subject large, small;
};
Large draw_large(const std::string& target, Random& random);

/// Its stages on a target, right as they are; nothing for what the target does not do.
std::optional<driver::Stages> stages_of(const Subject& subject, const driver::Target& target);

/// Random data, whole numbers, and those of the program.
std::vector<std::vector<scalar::Array>> data_of(const Subject& subject);

Meaning meaning_of(const Subject& subject, const driver::Stages& stages);

}  // namespace mdh::test
