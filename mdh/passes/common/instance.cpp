#include "mdh/passes/common/instance.h"

#include "mdh/passes/common/blocks.h"
#include "mdh/passes/common/conditions.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Block;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;

Expr Instance::expression(const Expr& e) const {
  return simplify(
      substitute(e, [&](const scalar::Variable& v, const Expr& at) -> std::optional<Expr> {
        if (const auto value = values_.find(v.symbol); value != values_.end()) return value->second;
        const auto renamed = renamed_.find(v.symbol);
        if (renamed == renamed_.end()) return std::nullopt;
        return scalar::variable(renamed->second, at.type());
      }));
}

Stmt Instance::statement(const Stmt& s) {
  rename_defined(s);
  const Stmt changed = loop::map_expressions(s, [&](const Expr& e) { return expression(e); });
  StmtNode node =
      loop::map_values(changed, [&](const Symbol& value) { return name(value); }).node();
  if (auto* let = std::get_if<loop::Let>(&node.is)) let->var = name(let->var);
  return node;
}

Block Instance::without_lets(const Block& block) {
  Block result;
  for (const Stmt& s : block) {
    if (const auto* let = s.as<loop::Let>()) {
      set(let->var, expression(let->value));
      continue;
    }
    if (const auto* choice = s.as<loop::If>()) {
      append(result, chosen(*choice));
      continue;
    }
    const Stmt inner = loop::map_children(s, [&](const Block& b) { return inside(b); });
    result.push_back(statement(inner));
  }
  return result;
}

/// A choice that the values decide is made.
Block Instance::chosen(const loop::If& s) const {
  const Expr condition = expression(s.condition);
  const auto holds = decided(condition);
  if (holds) return inside(*holds ? s.then : s.otherwise);
  const Block then = inside(s.then);
  return {StmtNode{loop::If{undecided_part(condition), then, inside(s.otherwise)}}};
}

/// What is defined inside has no value, and no other name, after it.
Block Instance::inside(const Block& block) const { return Instance(*this).without_lets(block); }

/// Counters of loops keep their names: they are known in the loop only. So do those of statements that
/// are done for many elements.
void Instance::rename_defined(const Stmt& s) {
  const bool counts = s.as<loop::For>() || s.as<loop::Lanes>() || s.as<loop::Deal>();
  if (counts || s.as<loop::Exchange>() || s.as<loop::Follow>() || s.as<loop::Transpose>()) return;
  for (const Symbol& symbol : loop::defined_by(s)) {
    renamed_.insert_or_assign(symbol, names_.fresh(symbol.name));
  }
}

Symbol Instance::name(const Symbol& symbol) const {
  const auto found = renamed_.find(symbol);
  return found == renamed_.end() ? symbol : found->second;
}

Block round_of(const loop::For& loop, int64_t n, Names& names) {
  Instance round(names);
  round.set(loop.var, scalar::index_literal(n));
  return round.without_lets(loop.body);
}

}  // namespace mdh::passes
