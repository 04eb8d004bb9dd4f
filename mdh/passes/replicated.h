// Loops whose rounds lie side by side in one core: copies in registers, or lanes of vectors.
#pragma once

#include <set>

#include "mdh/loop/program.h"

namespace mdh::passes {

bool is_replicated(const loop::For& loop);

/// The statement as a loop of that kind, or nothing.
const loop::For* as_replicated(const loop::Stmt& s);

/// All names that statements define: variables of loops, indices, values.
std::set<Symbol> defined_in(const loop::Block& block);

/// The expression mentions none of the names.
bool is_free_of(const loop::Expr& e, const std::set<Symbol>& names);

/// A statement, here or deeper, satisfies the condition.
bool any_of(const loop::Block& block, const std::function<bool(const loop::Stmt&)>& holds);

/// Cores of a team meet or part somewhere in it.
bool has_teams(const loop::Block& block);

/// A load, an application, a combination or a store.
bool is_leaf(const loop::Stmt& s);

/// How many of them are written.
int64_t size_of(const loop::Block& block);

}  // namespace mdh::passes
