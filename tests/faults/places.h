// Statements of a loop program by their number: what a mutation changes is chosen by where it
// stands, never by types or names, so that the same change can be made to another program of the
// same shape.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "mdh/loop/program.h"

namespace mdh::test {

/// A counter around a statement, from `low` up to, not including, `high`.
struct Around {
  Symbol var;
  loop::Expr low, high;
};

struct Site {
  size_t number;    // in the order in which the program is read
  loop::Stmt stmt;  //
  std::vector<Around> around;
  size_t whole;    // the statement that a condition goes around: the Lanes it is in, or itself
  size_t outside;  // how many of `around` stand outside of `whole`
  bool in_lanes = false;
  bool in_grid = false;  // inside of a Deal, where groups of a device run
};

std::vector<Site> sites_of(const loop::Program& p);

/// The sites for which a condition holds; one of them, chosen by any number.
using IsPlace = std::function<bool(const Site&)>;
std::optional<Site> pick(const std::vector<Site>& sites, const IsPlace& holds, uint64_t place);

/// The program with other statements in place of one.
loop::Program replaced(const loop::Program& p, size_t number, const loop::Block& with);

/// Every use of some values is one of others; names are unique, so that scopes do not matter.
loop::Program with_other_value(const loop::Program& p, const Symbol& value, const Symbol& other);

}  // namespace mdh::test
