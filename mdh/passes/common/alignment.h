// What is known of the places of elements, whatever the values of counters.
#pragma once

#include <map>

#include "mdh/loop/program.h"

namespace mdh::passes {

/// What Lets say, by name.
using Lets = std::map<Symbol, loop::Expr>;

/// The expression with what Lets say in place of their names.
loop::Expr without_lets(const loop::Expr& e, const Lets& lets);

/// The greatest number of which the place of an element is always a multiple; 0 if it is always 0.
int64_t alignment_of(const loop::Program& p, const loop::Element& e, const Lets& lets = {});

/// So many elements of a buffer can be moved at once, if they lie side by side and their place is a
/// multiple of that: 1 if none can. What lies in registers cannot, nor can a buffer whose instances
/// begin elsewhere.
int64_t widest_access(const loop::Program& p, const Symbol& buffer, int64_t bytes);

}  // namespace mdh::passes
