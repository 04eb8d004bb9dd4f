#include "mdh/hl/edsl.h"

#include <algorithm>
#include <span>

#include "mdh/hl/define.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/resolve.h"
#include "mdh/hl/trace.h"
#include "mdh/support/text.h"

namespace mdh::hl::edsl {
namespace {

using scalar::Scope;
using scalar::Undecided;

/// Traces the lambdas into the program that parsing its text would give, names unresolved.
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
    for (const View& view : left_.out.buffers) p_.outputs.push_back(traced(view));
    for (size_t d = 0; d < hom_.dimensions.size(); ++d) {
      const auto& [name, size] = hom_.dimensions[d];
      p_.dimensions.push_back(
          {{name, -1}, scalar::index_literal(size), hom_.operators[d].op, hom_.where});
      needs_.add(hom_.operators[d].needs);
    }
    trace_body();
    for (const View& view : inp_.buffers) p_.inputs.push_back(traced(view));
    p_.definitions = needs_.definitions();
    return instantiate(resolve(p_, needs_.scope(hom_.where)), {});
  }

 private:
  BufferView traced(const View& view) {
    if (view.accesses.empty()) {
      user_error("E241", view.where, fmt::format("buffer '{}' has no access", view.name),
                 "add .at([](Index i) { return index(i); })");
    }
    needs_.add(view.type);
    BufferView result{{view.name, -1}, view.type, {}, {}, view.where};
    for (const Size extent : view.declared)
      result.declared.push_back(scalar::index_literal(extent));
    for (const View::NamedAccess& access : view.accesses) {
      result.accesses.push_back({{access.name, -1}, index_of(access, view), view.where});
    }
    name_accesses(result);
    return result;
  }

  std::vector<Expr> index_of(const View::NamedAccess& access, const View& view) const {
    const size_t rank = hom_.dimensions.size();
    if (access.function.arity() != rank) {
      user_error(
          "E242", view.where,
          fmt::format("an index function of '{}' takes {} indices, but md_hom has {} dimensions",
                      view.name, access.function.arity(), rank),
          "write one Index parameter per dimension");
    }
    std::vector<Index> at;
    for (const auto& [name, size] : hom_.dimensions) at.push_back(mention(name));
    std::vector<Expr> index;
    for (const Term& term : access.function(at)) {
      index.push_back(without_lets(term, "an index function", view.where));
    }
    return index;
  }

  void trace_body() {
    const std::vector<std::string> known = output_names(p_);
    if (known.empty()) return;  // verify() has the message
    Outputs results = hom_.f(Scalars()).values;
    for (auto& [name, value] : results) {
      if (name.empty()) name = known.front();
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        user_error("E205", hom_.where, fmt::format("'{}' is not an output", name),
                   "known: " + join(known, ", "));
      }
    }
    p_.body = body_of(results, hom_.where);
    needs_.add(p_.body);
  }

  const MdHom& hom_;
  const OutOfMdHom& left_;
  const InpView& inp_;
  Needs needs_;
  Program p_;
};

Combine combined(Shape shape, std::span<const Operator> ops) {
  Combine result{{shape, {}}};
  Needs needs;
  for (const Operator& op : ops) {
    result.op.operators.push_back(op.name);
    needs.add(op.needs);
  }
  result.needs = needs.definitions();
  return result;
}

Term question(const std::string& name, const Index& x) {
  return Term(scalar::call({name, {x.expr()}, nullptr}, Undecided::name), x.lets());
}

}  // namespace

View::View(std::string name, Type type, Location where)
    : name(std::move(name)), type(std::move(type)), where(std::move(where)) {}

View View::extents(std::vector<Size> sizes) const {
  View result = *this;
  result.declared = std::move(sizes);
  return result;
}

View View::at(std::string access, Lambda<IndexTuple> function) const {
  View result = *this;
  result.accesses.push_back({std::move(access), std::move(function)});
  return result;
}

View buffer(std::string name, Type type, const char* file, int line) {
  return {std::move(name), std::move(type), location(file, line)};
}

Term Scalars::operator[](const std::string& name) const { return mention(name); }

Term Scalars::operator()(const std::string& buffer, int number) const {
  return mention(fmt::format("{}.{}", buffer, number));
}

Operator::Operator(std::string name, Definitions needs)
    : name(std::move(name)), needs(std::move(needs)) {}

Operator op(const std::string& name, const std::function<Results(Term l, Term r)>& body,
            const char* file, int line) {
  const Location where = location(file, line);
  Outputs results = body(mention("l"), mention("r")).values;
  for (auto& [output, value] : results) {
    if (output.empty()) output = returned;
  }
  const std::vector<scalar::Assignment> assignments = body_of(results, where);
  Needs needs;
  needs.add(assignments);
  Scope inside = needs.scope(where);
  inside.declare_local(name, Undecided::name, "operator", where);
  const Symbol l = inside.declare_local("l", Undecided::name, "operand", where);
  const Symbol r = inside.declare_local("r", Undecided::name, "operand", where);
  Definitions definitions = needs.definitions();
  definitions.operators.push_back({name, l, r, resolved_body(assignments, inside), where});
  return {name, std::move(definitions)};
}

Combine cc() { return {{Shape::concatenate, {}}}; }
Combine pw(const Operator& op) { return combined(Shape::pointwise, {&op, 1}); }
Combine ps(const Operator& op) { return combined(Shape::scan, {&op, 1}); }

Combine pw(std::initializer_list<Operator> ops) {
  return combined(Shape::pointwise, {ops.begin(), ops.size()});
}

Combine ps(std::initializer_list<Operator> ops) {
  return combined(Shape::scan, {ops.begin(), ops.size()});
}

Term Operand::operator[](const Index& x) const { return mention(side_)[x]; }
Term Operand::has(const Index& x) const { return question("in_" + side_, x); }
Term Operand::last(const Index& x) const { return question("last_" + side_, x); }

Combine combine(const std::string& name, IndexSet indices,
                const std::function<Term(Index x, Operand lhs, Operand rhs)>& body,
                const char* file, int line) {
  const Location where = location(file, line);
  const std::vector<scalar::Assignment> assignments =
      body_of({{returned, body(mention("x"), Operand("lhs"), Operand("rhs"))}}, where);
  Needs needs;
  needs.add(assignments);
  Scope inside = needs.scope(where);
  inside.declare_local(name, Undecided::name, "operator", where);
  const Symbol x = inside.declare_local("x", Scalar::i64, "index", where);
  declare_operands(inside, where);
  const bool to_zero = indices == IndexSet::zero;
  Definitions definitions = needs.definitions();
  definitions.combines.push_back({name, x, to_zero, resolved_body(assignments, inside), where});
  return {{Shape::custom, {name}, to_zero}, std::move(definitions)};
}

MdHom md_hom(std::vector<std::pair<std::string, Size>> dimensions, ScalarFunction f,
             std::vector<Combine> operators, const char* file, int line) {
  return {std::move(dimensions), std::move(f), std::move(operators), location(file, line)};
}

Program operator*(const OutOfMdHom& left, const InpView& inp) { return Builder(left, inp).build(); }

Program named(std::string name, Program p) {
  p.name = std::move(name);
  return p;
}

}  // namespace mdh::hl::edsl
