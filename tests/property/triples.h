// Random (program, machine, configuration) triples, and what all of them must satisfy.
#pragma once

#include <functional>

#include "mdh/scalar/algebra.h"
#include "mdh/scalar/array.h"
#include "tests/property/low_level_generator.h"

namespace mdh::test {

struct Triple {
  hl::Program program;
  machine::Machine machine;
  ll::Config config;
};

/// A fifth on lanes; of the others a third arbitrary, a third fused and staged, a third made of
/// known fast configurations.
Triple make_triple(uint64_t seed);

/// Fused dimensions join neighbouring buffer dimensions: the same memory in another shape.
std::vector<scalar::Array> reshaped(std::vector<scalar::Array> arrays, const hl::Program& like,
                                    const std::vector<hl::BufferView>& views);

/// What is wrong with the outputs, or nothing: exactly what should be is written, integers and
/// records are equal, floats within the bound of any order of combination.
std::string complaint(const hl::Program& p, const std::vector<scalar::Array>& inputs,
                      const std::vector<scalar::Array>& outputs);
void expect_same(const hl::Program& p, const std::vector<scalar::Array>& inputs,
                 const std::vector<scalar::Array>& outputs);

/// The same points, each as often, behind every element. Operators of the user on whole MDAs are
/// left out: their bodies are scalar code, not ⊕.
using AlgebraicRun = std::function<std::vector<scalar::Array>(
    const std::vector<scalar::Array>& inputs, scalar::Algebra& algebra)>;
void expect_same_provenance(const hl::Program& p, const std::vector<scalar::Array>& inputs,
                            const AlgebraicRun& run);

}  // namespace mdh::test
