// Mutations: one small change that makes a kernel wrong, or leaves it as right as it was.
//
// Those of loops and of printed text choose their place by its position; applied to two programs
// that differ in types and functions only, they make the same change twice. Those of functions
// change operations on floats only: a program without any stays as it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/driver/target.h"
#include "mdh/loop/program.h"

namespace mdh::test {

/// What is changed.
enum class Layer { loops, function, text };

struct Mutation {
  std::string kind;
  uint64_t place = 0;   // which of the places of that kind
  uint64_t detail = 0;  // how, where there are several ways
  friend bool operator==(const Mutation&, const Mutation&) = default;
};

std::string describe(const Mutation& m);

/// All kinds of a layer.
std::vector<std::string> kinds_of(Layer layer);

/// The layer of a kind; a user error if there is no such kind.
Layer layer_of(const std::string& kind);

/// A mutation of loops or functions; nothing where the program has no such place.
std::optional<loop::Program> mutated(const loop::Program& p, const Mutation& m);

/// A mutation of the text of a kernel, not of the helpers before it.
std::optional<std::string> mutated_text(const kernel::Module& module, const Mutation& m);

/// A target that prints every program with the mutation, where it has a place for it.
driver::Target planted(const driver::Target& target, const Mutation& m);

}  // namespace mdh::test
