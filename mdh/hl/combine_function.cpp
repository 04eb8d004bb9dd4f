// ⊕ of a program as one scalar function on the tuple of results.
#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/scalar/combiner.h"
#include "mdh/scalar/elaborate.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using scalar::Function;
using scalar::local;

struct Result {
  std::string name;
  Type type;
};

std::vector<Result> results_of(const Program& p) {
  std::vector<Result> results;
  for (const BufferView& view : p.outputs) {
    for (const Access& access : view.accesses) results.push_back({access.symbol.name, view.type});
  }
  return results;
}

const UserOperator* find_operator(const Program& p, const std::string& name) {
  for (const UserOperator& op : p.definitions.operators) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

/// l.s of several results is a parameter of its own; operands are called l and r, whatever the user
/// calls them, so that equal operators are equal functions.
Expr with_parameters(const Expr& e, const UserOperator& op, const std::vector<Result>& results) {
  const auto side_of = [&](const Expr& operand) -> const char* {
    const auto* v = operand.as<scalar::Variable>();
    if (v && v->symbol == op.left) return "l";
    return v && v->symbol == op.right ? "r" : nullptr;
  };
  if (const auto* f = e.as<scalar::FieldOf>(); f && results.size() > 1 && side_of(f->operand)) {
    std::vector<std::string> names;
    for (const Result& result : results) {
      names.push_back(result.name);
      if (result.name != f->field) continue;
      return scalar::variable(local(fmt::format("{}.{}", side_of(f->operand), f->field)),
                              result.type, e.where());
    }
    user_error("E255", e.where(), fmt::format("there is no output '{}'", f->field),
               suggestion(f->field, names));
  }
  if (const char* side = side_of(e)) {
    if (results.size() == 1) return scalar::variable(local(side), results[0].type, e.where());
    user_error("E256", e.where(),
               fmt::format("'{}' stands for all {} outputs at once", op.left.name, results.size()),
               fmt::format("name one of them, such as {}.{}", op.left.name, results[0].name));
  }
  return map_children(e, [&](const Expr& child) { return with_parameters(child, op, results); });
}

void add_parameters(Function& f, const std::vector<Result>& results) {
  for (const char* side : {"l", "r"}) {
    for (const Result& result : results) {
      const std::string name = results.size() == 1 ? side : fmt::format("{}.{}", side, result.name);
      f.parameters.push_back({local(name), result.type});
    }
  }
}

Function user_function(const UserOperator& op, const std::vector<Result>& results) {
  Function f{"combine", {}, {}, {}};
  add_parameters(f, results);
  scalar::LocalTypes locals;
  std::vector<scalar::Assignment> found(results.size(), {local(""), scalar::integer(0), {}});
  for (scalar::Assignment a : op.body) {
    const auto target = std::find_if(results.begin(), results.end(), [&](const Result& r) {
      return r.name == a.target.name || (a.target.name == "return" && results.size() == 1);
    });
    const bool is_result = target != results.end();
    a.value =
        elaborate(with_parameters(a.value, op, results), is_result ? target->type : Type(), locals);
    locals[a.target.name] = a.value.type();
    if (is_result) {
      found[static_cast<size_t>(target - results.begin())] = a;
    } else {
      f.locals.push_back(a);
    }
  }
  for (size_t c = 0; c < results.size(); ++c) {
    if (found[c].target.name.empty()) {
      user_error("E257", op.where,
                 fmt::format("operator '{}' gives no value to '{}'", op.name, results[c].name),
                 results.size() == 1 ? "end it with 'return ...;'"
                                     : fmt::format("write '{} = ...;'", results[c].name));
    }
    f.results.push_back({local("x" + std::to_string(c)), found[c].value, found[c].where});
  }
  return f;
}

/// One component by an operator of its own.
Expr component(const Program& p, const std::string& name, const Result& result, const Expr& l,
               const Expr& r) {
  if (const UserOperator* op = find_operator(p, name)) {
    auto callee = std::make_shared<const Function>(user_function(*op, {result}));
    return scalar::call({name, {l, r}, std::move(callee)}, result.type);
  }
  return scalar::binary(scalar::find_combiner(name)->op, l, r);
}

}  // namespace

Function combine_function(const Program& p, const CombineOperator& op) {
  const std::vector<Result> results = results_of(p);
  const UserOperator* user = find_operator(p, op.operators.front());
  if (op.operators.size() == 1 && user) return user_function(*user, results);
  Function f{"combine", {}, {}, {}};
  add_parameters(f, results);
  const size_t count = results.size();
  for (size_t c = 0; c < count; ++c) {
    const std::string& name = op.operators.size() == 1 ? op.operators[0] : op.operators[c];
    const scalar::Parameter &l = f.parameters[c], &r = f.parameters[count + c];
    f.results.push_back({local("x" + std::to_string(c)),
                         component(p, name, results[c], scalar::variable(l.symbol, l.type),
                                   scalar::variable(r.symbol, r.type)),
                         {}});
  }
  return f;
}

Function combine_function(const Program& p) {
  for (const Dimension& d : p.dimensions) {
    if (d.combine.shape == Shape::pointwise || d.combine.shape == Shape::scan) {
      return combine_function(p, d.combine);
    }
  }
  return {"combine", {}, {}, {}};
}

}  // namespace mdh::hl
