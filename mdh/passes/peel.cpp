#include "mdh/passes/peel.h"

#include <algorithm>
#include <map>

#include "mdh/passes/names.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;

bool is_zero_test(const Expr& e, const Symbol& var) {
  const auto* b = e.as<scalar::Binary>();
  if (!b || b->op != BinaryOp::equal) return false;
  const auto* v = b->left.as<scalar::Variable>();
  return v && v->symbol == var && constant(b->right) == 0;
}

/// One of the things that must all hold is that the variable is 0.
bool needs_zero(const Expr& condition, const Symbol& var) {
  const auto* b = condition.as<scalar::Binary>();
  if (b && b->op == BinaryOp::logical_and) {
    return needs_zero(b->left, var) || needs_zero(b->right, var);
  }
  return is_zero_test(condition, var);
}

/// What is left of the condition when the variable is 0; nothing if it then holds.
std::optional<Expr> without_zero(const Expr& condition, const Symbol& var) {
  if (is_zero_test(condition, var)) return std::nullopt;
  const auto* b = condition.as<scalar::Binary>();
  if (!b || b->op != BinaryOp::logical_and) return condition;
  const auto left = without_zero(b->left, var), right = without_zero(b->right, var);
  if (!left || !right) return left ? left : right;
  return scalar::binary(BinaryOp::logical_and, *left, *right);
}

template <class Visit>
bool any_statement(const Block& block, const Visit& visit) {
  return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
    bool found = visit(s);
    loop::for_each_child(s,
                         [&](const Block& child) { found = found || any_statement(child, visit); });
    return found;
  });
}

class Peeler {
 public:
  explicit Peeler(const loop::Program& p) : names_(p) {}

  Block block(const Block& statements) {
    Block result;
    for (const Stmt& s : statements) {
      const Stmt inner = loop::map_children(s, [&](const Block& child) { return block(child); });
      const auto* loop = inner.as<loop::For>();
      if (loop && decides(*loop)) {
        const Block peeled_loop = peeled(*loop);
        result.insert(result.end(), peeled_loop.begin(), peeled_loop.end());
      } else {
        result.push_back(inner);
      }
    }
    return result;
  }

 private:
  static bool decides(const loop::For& loop) {
    if (loop.first != 0) return false;
    const bool stays = any_statement(loop.body, [](const Stmt& s) {
      const auto* inner = s.as<loop::For>();  // peeled: doing so again would double the code again
      return s.as<loop::Deal>() || s.as<loop::Barrier>() || (inner && inner->first != 0);
    });
    return !stays && any_statement(loop.body, [&](const Stmt& s) {
      const auto* choice = s.as<loop::If>();
      return choice && needs_zero(choice->condition, loop.var);
    });
  }

  Block peeled(const loop::For& loop) {
    renamed_.clear();
    Block first = first_round(loop.body, loop.var);
    loop::For rest = loop;
    rest.body = other_rounds(loop.body, loop.var);
    rest.first = 1;
    if (const auto trip = constant(loop.trip); !trip || *trip < 1) {
      const Expr runs = scalar::binary(BinaryOp::greater, loop.trip, scalar::index_literal(0));
      first = {StmtNode{loop::If{runs, first, {}}}};
    }
    first.push_back(StmtNode{rest});
    return first;
  }

  /// With the variable 0, and names of its own for all that it defines.
  Block first_round(const Block& statements, const Symbol& var) {
    Block result;
    for (const Stmt& s : statements) {
      if (const auto* choice = s.as<loop::If>(); choice && needs_zero(choice->condition, var)) {
        const Block then = first_round(choice->then, var);
        const auto left = without_zero(choice->condition, var);
        if (!left) {
          result.insert(result.end(), then.begin(), then.end());
        } else {
          result.push_back(
              StmtNode{loop::If{with_zero(*left, var), then, first_round(choice->otherwise, var)}});
        }
        continue;
      }
      rename_defined(s);
      const Stmt inner =
          loop::map_children(s, [&](const Block& child) { return first_round(child, var); });
      const Stmt zero =
          loop::map_expressions(inner, [&](const Expr& e) { return with_zero(e, var); });
      result.push_back(renamed(zero));
    }
    return result;
  }

  static Block other_rounds(const Block& statements, const Symbol& var) {
    Block result;
    for (const Stmt& s : statements) {
      const auto* choice = s.as<loop::If>();
      if (choice && needs_zero(choice->condition, var)) {
        const Block rest = other_rounds(choice->otherwise, var);
        result.insert(result.end(), rest.begin(), rest.end());
      } else {
        result.push_back(
            loop::map_children(s, [&](const Block& child) { return other_rounds(child, var); }));
      }
    }
    return result;
  }

  Expr with_zero(const Expr& e, const Symbol& var) const {
    return simplify(
        substitute(e, [&](const scalar::Variable& v, const Expr& at) -> std::optional<Expr> {
          if (v.symbol == var) return scalar::index_literal(0);
          const auto found = renamed_.find(v.symbol);
          if (found == renamed_.end()) return std::nullopt;
          return scalar::variable(found->second, at.type());
        }));
  }

  void rename_defined(const Stmt& s) {
    const auto rename = [&](const Symbol& symbol) {
      renamed_.insert_or_assign(symbol, names_.fresh(symbol.name));
    };
    if (const auto* let = s.as<loop::Let>()) rename(let->var);
    if (const auto* load = s.as<loop::Load>()) rename(load->result);
    if (const auto* f = s.as<loop::Apply>()) {
      for (const Symbol& result : f->results) rename(result);
    }
    if (const auto* sum = s.as<loop::Combine>()) {
      for (const Symbol& result : sum->results) rename(result);
    }
  }

  Symbol name(const Symbol& symbol) const {
    const auto found = renamed_.find(symbol);
    return found == renamed_.end() ? symbol : found->second;
  }
  void rename_all(std::vector<Symbol>& symbols) const {
    for (Symbol& symbol : symbols) symbol = name(symbol);
  }

  Stmt renamed(const Stmt& s) const {
    StmtNode node = s.node();
    if (auto* let = std::get_if<loop::Let>(&node.is)) let->var = name(let->var);
    if (auto* load = std::get_if<loop::Load>(&node.is)) load->result = name(load->result);
    if (auto* store = std::get_if<loop::Store>(&node.is)) store->value = name(store->value);
    if (auto* f = std::get_if<loop::Apply>(&node.is)) {
      rename_all(f->results);
      rename_all(f->inputs);
    }
    if (auto* sum = std::get_if<loop::Combine>(&node.is)) {
      rename_all(sum->results);
      rename_all(sum->left);
      rename_all(sum->right);
    }
    return node == s.node() ? s : Stmt(std::move(node));
  }

  Names names_;
  std::map<Symbol, Symbol> renamed_;
};

}  // namespace

loop::Program peel(const loop::Program& program) {
  loop::Program result = program;
  result.body = Peeler(program).block(program.body);
  return result;
}

}  // namespace mdh::passes
