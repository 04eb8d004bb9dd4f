#include "mdh/scalar/necessary.h"

#include <algorithm>

#include "mdh/scalar/function.h"

namespace mdh::scalar {
namespace {

/// Nodes of conditions that are looked at.
constexpr int64_t most_nodes = 2000;

/// Alternatives of a clause, and clauses that are looked at.
constexpr size_t most_alternatives = 3, most_clauses = 24;

/// Of a comparison, whatever its operands are.
constexpr double even_chance = 0.5;

/// Comparisons of which one has to hold, and how likely that is, as far as types tell.
struct Clause {
  std::vector<Expr> any;
  double chance = 0;
};

/// All of them have to hold.
using Clauses = std::vector<Clause>;

// ---- functions in place

Expr with_values(const Expr& e, const std::vector<std::pair<Symbol, Expr>>& values) {
  return substitute(e, [&](const Variable& v, const Expr&) -> std::optional<Expr> {
    for (const auto& [symbol, value] : values) {
      if (symbol == v.symbol) return value;
    }
    return std::nullopt;
  });
}

/// What a function computes, of its arguments. Loops name variables that arguments may have, too.
std::optional<Expr> body_of(const Call& call) {
  if (!call.callee || call.callee->results.size() != 1) return std::nullopt;
  const auto has_no_loop = [](const Expr& e) { return e.as<Loop>() == nullptr; };
  if (!all_nodes(*call.callee, has_no_loop)) return std::nullopt;
  std::vector<std::pair<Symbol, Expr>> values;
  for (size_t n = 0; n < call.arguments.size(); ++n) {
    values.emplace_back(call.callee->parameters[n].symbol, call.arguments[n]);
  }
  for (const Assignment& local : call.callee->locals) {
    values.emplace_back(local.target, with_values(local.value, values));
    if (nodes_of(values.back().second, most_nodes) >= most_nodes) return std::nullopt;
  }
  return with_values(call.callee->results.front().value, values);
}

/// Functions that decide, written into their calls, as long as that gives no more nodes than are
/// left: functions that call the one before them twice are endless.
Expr inlined(const Expr& e, int64_t& left) {
  const auto* call = e.as<Call>();
  if (call && e.type() == Type(Scalar::boolean) && left > 0) {
    const auto body = body_of(*call);
    if (body) left -= nodes_of(*body, most_nodes);
    return body && left > 0 ? inlined(*body, left) : e;
  }
  const auto* b = e.as<Binary>();
  const auto* u = e.as<Unary>();
  const bool decides = (b && is_logical(b->op)) || (u && u->op == UnaryOp::logical_not);
  if (!decides) return e;
  return map_children(e, [&](const Expr& child) { return inlined(child, left); });
}

// ---- chances

/// Of two values of a type that they are equal: of numbers that are no counters few are small.
double chance_of_equal(const Type& type) {
  if (!type.is_scalar() || type == Type(Scalar::boolean)) return even_chance;
  const size_t bytes = bytes_of(type);
  return bytes == 1 ? 1.0 / 16 : bytes == 2 ? 1.0 / 64 : 1.0 / 256;
}

double chance_of(const Expr& comparison, bool holds) {
  const auto* b = comparison.as<Binary>();
  if (!b || (b->op != BinaryOp::equal && b->op != BinaryOp::not_equal)) return even_chance;
  const double equal = chance_of_equal(b->left.type());
  return (b->op == BinaryOp::equal) == holds ? equal : 1 - equal;
}

// ---- clauses

void add_alternatives(Clause& clause, const Clause& more) {
  for (const Expr& e : more.any) {
    if (std::find(clause.any.begin(), clause.any.end(), e) == clause.any.end()) {
      clause.any.push_back(e);
    }
  }
}

double chance_of(const Clause& clause) {
  double none = 1;
  for (const Expr& e : clause.any) {
    const auto* u = e.as<Unary>();
    const bool is_not = u && u->op == UnaryOp::logical_not;
    none *= 1 - (is_not ? chance_of(u->operand, false) : chance_of(e, true));
  }
  return 1 - none;
}

/// What a comparison is about: elements of one array are likely to say the same.
Expr subject_of(const Expr& e) {
  if (const auto* element = e.as<ElementOf>()) return subject_of(element->operand);
  return map_children(e, subject_of);
}

bool is_about_the_same(const Clause& a, const Clause& b) {
  return std::is_permutation(
      a.any.begin(), a.any.end(), b.any.begin(), b.any.end(),
      [](const Expr& x, const Expr& y) { return subject_of(x) == subject_of(y); });
}

bool implies(const Clause& a, const Clause& b) {
  return std::all_of(a.any.begin(), a.any.end(), [&](const Expr& e) {
    return std::find(b.any.begin(), b.any.end(), e) != b.any.end();
  });
}

/// The least likely ones, without those that others imply, and one of several about the same.
Clauses best_of(Clauses all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Clause& a, const Clause& b) { return a.chance < b.chance; });
  Clauses best;
  for (Clause& clause : all) {
    const auto says_more = [&](const Clause& other) {
      return implies(other, clause) || is_about_the_same(other, clause);
    };
    if (best.size() < most_clauses && std::none_of(best.begin(), best.end(), says_more)) {
      best.push_back(std::move(clause));
    }
  }
  return best;
}

Clauses of_both(Clauses a, const Clauses& b) {
  a.insert(a.end(), b.begin(), b.end());
  return best_of(std::move(a));
}

Clauses of_either(const Clauses& a, const Clauses& b) {
  Clauses all;
  for (const Clause& left : a) {
    for (const Clause& right : b) {
      Clause both = left;
      add_alternatives(both, right);
      both.chance = chance_of(both);
      if (both.any.size() <= most_alternatives) all.push_back(std::move(both));
    }
  }
  return best_of(std::move(all));
}

/// Of a condition that holds, or does not.
Clauses clauses_of(const Expr& e, bool holds) {
  if (const auto* u = e.as<Unary>(); u && u->op == UnaryOp::logical_not) {
    return clauses_of(u->operand, !holds);
  }
  if (const auto* b = e.as<Binary>(); b && is_logical(b->op)) {
    const Clauses left = clauses_of(b->left, holds), right = clauses_of(b->right, holds);
    return (b->op == BinaryOp::logical_and) == holds ? of_both(left, right)
                                                     : of_either(left, right);
  }
  if (!is_cheap(e)) return {};
  Clause clause{{holds ? e : unary(UnaryOp::logical_not, e)}, 0};
  clause.chance = chance_of(clause);
  return {clause};
}

// ---- which of them

bool share_a_subject(const Clause& a, const Clause& b) {
  return std::any_of(a.any.begin(), a.any.end(), [&](const Expr& x) {
    return std::any_of(b.any.begin(), b.any.end(),
                       [&](const Expr& y) { return subject_of(x) == subject_of(y); });
  });
}

Expr text_of(const Clause& clause) {
  Expr any = clause.any.front();
  for (size_t n = 1; n < clause.any.size(); ++n) {
    any = binary(BinaryOp::logical_or, any, clause.any[n]);
  }
  return any;
}

}  // namespace

bool is_cheap(const Expr& e) {
  const auto* b = e.as<Binary>();
  const auto* element = e.as<ElementOf>();
  if (b && (b->op == BinaryOp::divide || b->op == BinaryOp::remainder)) return false;
  if (element && !constant(element->index)) return false;
  if (e.as<Call>() || e.as<Loop>() || e.as<Select>()) return false;
  bool cheap = true;
  for_each_child(e, [&](const Expr& child) { cheap = cheap && is_cheap(child); });
  return cheap;
}

/// The least likely clause, and the least likely one about something else.
std::optional<Expr> necessary(const Expr& condition) {
  int64_t left = most_nodes;
  const Expr whole = inlined(condition, left);
  const int64_t nodes = nodes_of(whole, most_nodes);
  if (nodes >= most_nodes) return std::nullopt;
  const Clauses all = clauses_of(whole, true);
  if (all.empty() || all.front().chance >= even_chance) return std::nullopt;
  const auto second = std::find_if(all.begin(), all.end(), [&](const Clause& c) {
    return c.chance < even_chance && !share_a_subject(c, all.front());
  });
  const Expr first = text_of(all.front());
  const Expr result =
      second == all.end() ? first : binary(BinaryOp::logical_and, first, text_of(*second));
  constexpr int64_t worth_it = 2;  // times as much
  if (worth_it * nodes_of(result, most_nodes) > nodes) return std::nullopt;
  return result;
}

}  // namespace mdh::scalar
