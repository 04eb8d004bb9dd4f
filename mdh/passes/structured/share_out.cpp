#include "mdh/passes/structured/share_out.h"

#include <algorithm>
#include <numeric>

#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

using loop::Block;
using loop::Digit;
using loop::Expr;
using loop::Stmt;
using loop::StmtNode;
using scalar::BinaryOp;
using scalar::index_literal;

namespace {

/// Members may have a quarter more to do than if all had the same, so that what they have lies in one
/// piece.
bool is_even(int64_t parts, int64_t members) {
  const int64_t each = (parts + members - 1) / members;
  return 4 * each * members <= 5 * parts;
}

/// How many pieces each digit is cut into: their product is the number of members. The outermost
/// digit, if its pieces are about the same; otherwise several; and what none of them can be cut into
/// falls to the one with the largest pieces.
std::vector<int64_t> pieces_of(const Digits& digits, int64_t members) {
  std::vector<int64_t> pieces(digits.size(), 1);
  for (size_t n = 0; n < digits.size(); ++n) {
    if (!is_even(digits[n].parts, members)) continue;
    pieces[n] = members;
    return pieces;
  }
  size_t largest = 0;
  for (size_t n = 0; n < digits.size(); ++n) {
    pieces[n] = std::gcd(digits[n].parts, members);
    members /= pieces[n];
    if (digits[n].parts / pieces[n] > digits[largest].parts / pieces[largest]) largest = n;
  }
  pieces[largest] *= members;
  return pieces;
}

}  // namespace

ShareOut::ShareOut(const Digits& digits, const Digit& members, Names& names) {
  if (digits.empty()) {
    exists_ = first_round(loop::index_variable(members.var));
    return;
  }
  const std::vector<int64_t> pieces = pieces_of(digits, members.parts);
  int64_t rest = members.parts;
  for (size_t n = 0; n < digits.size(); ++n) {
    Expr piece = loop::index_variable(members.var);
    if (rest < members.parts) {
      piece = scalar::binary(BinaryOp::remainder, piece, index_literal(rest));
    }
    rest /= pieces[n];
    if (rest > 1) piece = scalar::binary(BinaryOp::divide, piece, index_literal(rest));
    split(digits[n], pieces[n], piece, names);
  }
}

void ShareOut::split(const Digit& digit, int64_t pieces, const Expr& piece, Names& names) {
  if (pieces == 1) {
    counters_.push_back({digit.var, digit.parts});
    return;
  }
  const int64_t each = (digit.parts + pieces - 1) / pieces;
  Expr value = piece * index_literal(each);
  if (each > 1) {
    counters_.push_back({names.fresh(digit.var.name + "_here"), each});
    value = value + loop::index_variable(counters_.back().var);
  }
  values_.emplace(digit.var, scalar::simplify(value));
  if (each * pieces == digit.parts) return;
  const Expr is_there = below(values_.at(digit.var), digit.parts);
  exists_ = exists_ ? scalar::binary(BinaryOp::logical_and, *exists_, is_there) : is_there;
}

Block ShareOut::of_member(const Block& block) const {
  Block result = in_counters(block);
  return exists_ ? Block{StmtNode{loop::If{*exists_, result, {}}}} : result;
}

Block ShareOut::in_counters(const Block& block) const {
  const auto in_counters = [&](const Expr& e) {
    return scalar::simplify(
        substitute(e, [&](const scalar::Variable& v, const Expr&) -> std::optional<Expr> {
          const auto value = values_.find(v.symbol);
          return value == values_.end() ? std::nullopt : std::optional(value->second);
        }));
  };
  Block result;
  for (const Stmt& s : block) {
    const Stmt inside =
        loop::map_children(s, [&](const Block& child) { return this->in_counters(child); });
    result.push_back(loop::map_expressions(inside, in_counters));
  }
  return result;
}

}  // namespace mdh::passes
