#include "mdh/hl/edsl.h"

#include <algorithm>

#include "mdh/hl/instantiate.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/text.h"

namespace mdh::hl::edsl {
namespace {

using scalar::BinaryOp;
using scalar::Scope;

Term joined(BinaryOp op, const Term& a, const Term& b) {
  return Term(scalar::binary(op, a.expr(), b.expr()));
}

Location location(const char* file, int line) {
  return {std::make_shared<const std::string>(file), line, 1};
}

/// Declares names in the same order as the text form does, then traces the lambdas.
class Builder {
 public:
  Builder(const OutOfMdHom& left, const InpView& inp) : hom_(left.hom), left_(left), inp_(inp) {}

  Program build() {
    if (hom_.operators.size() != hom_.dimensions.size()) {
      user_error("E240", hom_.where,
                 fmt::format("md_hom has {} dimensions, but {} combine operators",
                             hom_.dimensions.size(), hom_.operators.size()),
                 "give one operator per dimension, in the same order");
    }
    p_.name = "program";
    p_.where = hom_.where;
    for (const View& view : left_.out.buffers) p_.outputs.push_back(declared(view));
    for (size_t d = 0; d < hom_.dimensions.size(); ++d) {
      const auto& [name, size] = hom_.dimensions[d];
      p_.dimensions.push_back({scope_.declare(name, Scalar::i64, "dimension", hom_.where),
                               scalar::index_literal(size), hom_.operators[d], hom_.where});
    }
    for (const View& view : inp_.buffers) p_.inputs.push_back(declared(view));
    for (size_t b = 0; b < p_.outputs.size(); ++b) trace(left_.out.buffers[b], p_.outputs[b]);
    for (size_t b = 0; b < p_.inputs.size(); ++b) trace(inp_.buffers[b], p_.inputs[b]);
    trace_body();
    return instantiate(p_, {});
  }

 private:
  BufferView declared(const View& view) {
    if (view.accesses.empty()) {
      user_error("E241", view.where, fmt::format("buffer '{}' has no access", view.name),
                 "add .at([](Index i) { return index(i); })");
    }
    BufferView result;
    result.symbol = scope_.declare(view.name, view.type, "buffer", view.where);
    result.type = view.type;
    result.where = view.where;
    for (const Size extent : view.declared)
      result.declared.push_back(scalar::index_literal(extent));
    for (size_t n = 0; n < view.accesses.size(); ++n) {
      std::string name = view.accesses[n].name;
      if (name.empty() && view.accesses.size() > 1) name = fmt::format("{}.{}", view.name, n + 1);
      const Symbol symbol =
          name.empty() ? result.symbol : scope_.declare(name, view.type, "access", view.where);
      result.accesses.push_back({symbol, {}, view.where});
    }
    return result;
  }

  void trace(const View& view, BufferView& result) {
    std::vector<Index> at;
    for (const Dimension& d : p_.dimensions) {
      at.emplace_back(scalar::variable(d.symbol, Scalar::i64, view.where));
    }
    for (size_t n = 0; n < view.accesses.size(); ++n) {
      if (view.accesses[n].arity != at.size()) {
        user_error("E242", view.where,
                   fmt::format("an index function of '{}' takes {} indices, but md_hom has {} "
                               "dimensions",
                               view.name, view.accesses[n].arity, at.size()),
                   "write one Index parameter per dimension");
      }
      for (const Term& term : view.accesses[n].function(at)) {
        result.accesses[n].index.push_back(located(term.expr(), view.where));
      }
    }
  }

  void trace_body() {
    const Scalars in([this](const std::string& name) -> Expr {
      const Scope::Entry* entry = scope_.find(name);
      if (!entry) {
        user_error("E111", hom_.where, fmt::format("unknown name '{}'", name),
                   suggestion(name, scope_.names()));
      }
      return scalar::variable(entry->symbol, entry->type, hom_.where);
    });
    for (const auto& [name, term] : hom_.f(in)) {
      const bool is_only = name.empty() && !p_.outputs.empty();
      const Scope::Entry* entry =
          scope_.find(is_only ? p_.outputs.front().accesses.front().symbol.name : name);
      // Without any output verify() has the better message.
      if (!entry && p_.outputs.empty()) return;
      if (!entry) {
        user_error("E205", hom_.where, fmt::format("'{}' is not an output", name),
                   "known: " + join(scope_.names(), ", "));
      }
      p_.body.push_back({entry->symbol, located(term.expr(), hom_.where), hom_.where});
    }
  }

  /// Traced expressions have no place of their own; they get that of the buffer or md_hom.
  static Expr located(const Expr& e, const Location& where) {
    scalar::ExprNode node =
        map_children(e, [&](const Expr& child) { return located(child, where); }).node();
    node.where = where;
    return node;
  }

  const MdHom& hom_;
  const OutOfMdHom& left_;
  const InpView& inp_;
  Scope scope_;
  Program p_;
};

}  // namespace

Term operator+(const Term& a, const Term& b) { return joined(BinaryOp::add, a, b); }
Term operator-(const Term& a, const Term& b) { return joined(BinaryOp::subtract, a, b); }
Term operator*(const Term& a, const Term& b) { return joined(BinaryOp::multiply, a, b); }
Term operator/(const Term& a, const Term& b) { return joined(BinaryOp::divide, a, b); }
Term operator%(const Term& a, const Term& b) { return joined(BinaryOp::remainder, a, b); }
Term operator-(const Term& a) { return Term(scalar::unary(scalar::UnaryOp::negate, a.expr())); }
Term operator<(const Term& a, const Term& b) { return joined(BinaryOp::less, a, b); }
Term operator>(const Term& a, const Term& b) { return joined(BinaryOp::greater, a, b); }
Term operator==(const Term& a, const Term& b) { return joined(BinaryOp::equal, a, b); }
Term operator<=(const Term& a, const Term& b) { return joined(BinaryOp::less_equal, a, b); }
Term operator>=(const Term& a, const Term& b) { return joined(BinaryOp::greater_equal, a, b); }
Term operator&&(const Term& a, const Term& b) { return joined(BinaryOp::logical_and, a, b); }
Term operator||(const Term& a, const Term& b) { return joined(BinaryOp::logical_or, a, b); }

Term math(const std::string& name, const Term& a) {
  const Expr call = scalar::call({name, {a.expr()}, nullptr}, scalar::Undecided::name);
  return Term(scalar::resolve_call(call, {}));
}

Term min(const Term& a, const Term& b) { return joined(BinaryOp::minimum, a, b); }
Term max(const Term& a, const Term& b) { return joined(BinaryOp::maximum, a, b); }

Term select(const Term& condition, const Term& then, const Term& otherwise) {
  return Term(scalar::select(condition.expr(), then.expr(), otherwise.expr()));
}

Term cast(Type type, const Term& a) { return Term(scalar::cast(std::move(type), a.expr())); }

Term constant(Scalar type, double value) {
  return Term(scalar::literal(type, scalar::from_floating(type, value)));
}

View::View(std::string name, Type type, Location where)
    : name(std::move(name)), type(std::move(type)), where(std::move(where)) {}

View View::extents(std::vector<Size> sizes) const {
  View result = *this;
  result.declared = std::move(sizes);
  return result;
}

View View::with_access(std::string access, std::pair<IndexFunction, size_t> function) const {
  View result = *this;
  result.accesses.push_back({std::move(access), std::move(function.first), function.second});
  return result;
}

View buffer(std::string name, Type type, const char* file, int line) {
  return {std::move(name), std::move(type), location(file, line)};
}

Term Scalars::operator()(const std::string& buffer, int number) const {
  return (*this)[fmt::format("{}.{}", buffer, number)];
}

CombineOperator cc() { return {Shape::concatenate, {}}; }
CombineOperator pw(NamedOperator op) { return {Shape::pointwise, {op.name}}; }

CombineOperator ps(NamedOperator op) { return {Shape::scan, {op.name}}; }

CombineOperator pw(std::initializer_list<NamedOperator> ops) {
  CombineOperator result{Shape::pointwise, {}};
  for (const NamedOperator& op : ops) result.operators.emplace_back(op.name);
  return result;
}

MdHom md_hom(std::vector<std::pair<std::string, Size>> dimensions, ScalarFunction f,
             std::vector<CombineOperator> operators, const char* file, int line) {
  return {std::move(dimensions), std::move(f), std::move(operators), location(file, line)};
}

Program operator*(const OutOfMdHom& left, const InpView& inp) { return Builder(left, inp).build(); }

Program named(std::string name, Program p) {
  p.name = std::move(name);
  return p;
}

}  // namespace mdh::hl::edsl
