// Loops whose rounds lie side by side in one core: copies in registers, or lanes of vectors.
#pragma once

#include <set>

#include "mdh/loop/program.h"

namespace mdh::passes {

bool is_replicated(loop::How how);

/// The statement as a loop of that kind, or nothing.
const loop::For* as_replicated(const loop::Stmt& s);

/// All names that statements define: variables of loops, indices, values.
std::set<Symbol> defined_in(const loop::Block& block);

/// The expression mentions none of the names.
bool is_free_of(const loop::Expr& e, const std::set<Symbol>& names);

/// A statement, here or deeper, satisfies the condition.
bool any_of(const loop::Block& block, const std::function<bool(const loop::Stmt&)>& holds);

/// The statement itself, not one inside it, reads or writes the buffer; an Alloc writes it.
bool reads(const loop::Stmt& s, const Symbol& buffer);
bool writes(const loop::Stmt& s, const Symbol& buffer);

/// Cores of a team meet or part somewhere in it.
bool has_teams(const loop::Block& block);

/// A load, an application, a combination or a store.
bool is_leaf(const loop::Stmt& s);

/// The statement, or one inside it, reads or writes temporaries in registers.
bool uses_registers(const loop::Program& p, const loop::Stmt& s);

/// Every round of the loop has an instance of a temporary of its own: the variable says which, so
/// that no number can stand in its place.
bool chooses_instance(const loop::Program& p, const loop::For& loop);

}  // namespace mdh::passes
