// Copies of statements: one round of a loop by itself.
#pragma once

#include <map>

#include "mdh/loop/program.h"
#include "mdh/passes/common/names.h"

namespace mdh::passes {

/// Makes copies in which some variables have values, and all that is defined has a new name. A copy
/// of the maker forgets what is defined inside of a block.
class Instance {
 public:
  explicit Instance(Names& names) : names_(names) {}

  /// From now on the variable has this value.
  void set(const Symbol& var, const loop::Expr& value) { values_.insert_or_assign(var, value); }

  /// Simplified.
  loop::Expr expression(const loop::Expr& e) const;

  /// The statement itself, not the blocks inside it: its definitions are renamed from here on.
  loop::Stmt statement(const loop::Stmt& s);

  /// All statements, with what Lets say in place of their names, and choices made where the values
  /// decide them.
  loop::Block without_lets(const loop::Block& block);

 private:
  loop::Block chosen(const loop::If& s) const;
  loop::Block inside(const loop::Block& block) const;
  void rename_defined(const loop::Stmt& s);
  Symbol name(const Symbol& symbol) const;

  Names& names_;
  std::map<Symbol, loop::Expr> values_;
  std::map<Symbol, Symbol> renamed_;
};

/// One round of a loop by itself, without Lets.
loop::Block round_of(const loop::For& loop, int64_t n, Names& names);

}  // namespace mdh::passes
