#include "mdh/hl/instantiate.h"

#include <algorithm>
#include <cmath>

#include "mdh/hl/verify.h"
#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/simplify.h"
#include "mdh/scalar/tape/tape.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using Kind = Parameter::Kind;

std::string word(Kind kind) {
  return kind == Kind::type ? "type" : kind == Kind::size ? "size" : "constant";
}

std::vector<std::string> names_of(const Program& p, Kind kind) {
  std::vector<std::string> names;
  for (const Parameter& parameter : p.parameters) {
    if (parameter.kind == kind) names.push_back(parameter.symbol.name);
  }
  return names;
}

template <class Map>
void check_names(const Program& p, const Map& bound, Kind kind) {
  const std::vector<std::string> known = names_of(p, kind);
  for (const auto& [name, value] : bound) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    user_error("E210", {}, fmt::format("program '{}' has no {} '{}'", p.name, word(kind), name),
               suggestion(name, known));
  }
}

/// How a value stands where its parameter stood.
enum class Form {
  typed,    // a literal that knows its type, in a program that becomes concrete
  written,  // as the user would write it, in one that stays generic: its text is read back the same
};

/// Where an expression stands: in index functions, extents and sizes all literals are i64 anyway.
enum class Place { index, value };

/// Binds one parameter after the other, because defaults may mention earlier ones.
class Binder {
 public:
  Binder(const Program& p, const Bindings& bindings, Form form)
      : program_(p), bindings_(bindings), form_(form) {}

  void bind(const Parameter& parameter) {
    switch (parameter.kind) {
      case Kind::type:
        types_.insert_or_assign(parameter.symbol.name, bound_type(parameter));
        return;
      case Kind::size:
        values_.insert_or_assign(parameter.symbol.name, bound_size(parameter));
        return;
      case Kind::value:
        values_.insert_or_assign(parameter.symbol.name, bound_value(parameter));
        return;
    }
  }

  Type substituted(const Type& type) const {
    if (!type.is_parameter()) return type;
    const auto bound = types_.find(std::get<Symbol>(type.is).name);
    return bound == types_.end() ? type : bound->second;
  }

  Expr substituted(const Expr& e, Place place) const {
    if (const auto* v = e.as<scalar::Variable>()) {
      const auto bound = values_.find(v->symbol.name);
      if (bound == values_.end()) {
        return scalar::variable(v->symbol, substituted(e.type()), e.where());
      }
      const Expr& value = bound->second;
      return placed(form_ == Form::written ? written(value, place) : value, e.where());
    }
    if (const auto* c = e.as<scalar::Cast>()) {
      return scalar::cast(substituted(e.type()), substituted(c->operand, place), e.where());
    }
    return map_children(e, [&](const Expr& child) { return substituted(child, place); });
  }

 private:
  /// 3 in an index, i64(3) or f32(0.1) elsewhere: a bare literal would take any type.
  static Expr written(const Expr& value, Place place) {
    const Expr bare = scalar::parse_expression(scalar::print(value));
    const bool told = place == Place::index && value.type() == Type(scalar::Scalar::i64);
    return told || !bare.type().is_undecided() ? bare : scalar::cast(value.type(), bare);
  }

  /// A value in the place of the name it is put for: that is where errors are.
  static Expr placed(const Expr& value, const Location& where) {
    scalar::ExprNode node = value.node();
    node.where = where;
    return node;
  }

  /// Substitutes what is bound so far, and insists that nothing is left.
  Expr closed(const Expr& value, const Parameter& parameter) const {
    return scalar::substitute(
        substituted(value, Place::value),
        [&](const scalar::Variable& v, const Expr& e) -> std::optional<Expr> {
          if (v.symbol == scalar::local(v.symbol.name)) return std::nullopt;  // of a loop
          user_error("E218", e.where(),
                     fmt::format("'{}' has no value in the default of '{}'", v.symbol.name,
                                 parameter.symbol.name),
                     "a default mentions only parameters that are declared before it");
        });
  }

  [[noreturn]] void no_value(const Parameter& parameter) const {
    const std::string& name = parameter.symbol.name;
    const std::string option = parameter.kind == Kind::type   ? "--type f32"
                               : parameter.kind == Kind::size ? fmt::format("--size {}=64", name)
                                                              : fmt::format("--set {}=1", name);
    user_error("E211", parameter.where,
               fmt::format("{} '{}' of program '{}' has no value", word(parameter.kind), name,
                           program_.name),
               "give it one: " + option);
  }

  Type bound_type(const Parameter& parameter) const {
    const auto bound = bindings_.types.find(parameter.symbol.name);
    if (bound != bindings_.types.end()) return bound->second;
    if (parameter.type.is_undecided()) no_value(parameter);
    return substituted(parameter.type);
  }

  Expr bound_size(const Parameter& parameter) const {
    const auto bound = bindings_.sizes.find(parameter.symbol.name);
    const bool is_bound = bound != bindings_.sizes.end();
    if (!is_bound && !parameter.value) no_value(parameter);  // also if it is dynamic
    const Expr size =
        is_bound ? scalar::index_literal(bound->second)
                 : simplify(elaborate(closed(*parameter.value, parameter), scalar::Scalar::i64));
    const auto number = constant(size);
    if (!number) {
      user_error(
          "E214", parameter.where,
          fmt::format("size '{}' is not a number: {}", parameter.symbol.name, scalar::print(size)),
          "it does not fit 64 bits, or is divided by zero");
    }
    if (*number < 1) {
      user_error(
          "E215", parameter.where,
          fmt::format("size '{}' is {}, but sizes are at least 1", parameter.symbol.name, *number));
    }
    return size;
  }

  /// Constants are evaluated once, in their declared type, so that every back end sees the same
  /// number.
  Expr bound_value(const Parameter& parameter) const {
    const auto bound = bindings_.values.find(parameter.symbol.name);
    if (bound == bindings_.values.end() && !parameter.value) no_value(parameter);
    const Expr value = bound == bindings_.values.end() ? *parameter.value : bound->second;
    const Type type = substituted(parameter.type);
    if (type.is_parameter()) {
      user_error("E219", parameter.where,
                 fmt::format("constant '{}' is bound before its type {}", parameter.symbol.name,
                             to_string(type)),
                 "bind the type first, or both at once");
    }
    if (!type.is_scalar()) {
      unsupported("E219", parameter.where,
                  fmt::format("constant '{}' of type {}", parameter.symbol.name, to_string(type)),
                  "constants are scalars; write the record out in the scalar function");
    }
    const scalar::Value result = value_of(elaborate(closed(value, parameter), type));
    if (is_floating(scalar_of(type)) && !std::isfinite(result.as_floating())) {
      unsupported("E219", value.where(),
                  fmt::format("the value {} of constant '{}'", to_string(scalar_of(type), result),
                              parameter.symbol.name),
                  "constants are finite: the text form has no way to write others");
    }
    return scalar::literal(type, result, value.where());
  }

  /// A division by zero has no place of its own; it gets that of the whole expression.
  static scalar::Value value_of(const Expr& e) {
    scalar::Value result;
    try {
      const scalar::Function f{"constant", {}, {{{}, e, {}}}, {}};
      const scalar::Tape tape(f, scalar::Precision::declared, scalar::ByZero::is_error);
      tape.run({}, {&result, 1}, 100'000);
    } catch (const Error& error) {
      Diagnostic diagnostic = error.diagnostic();
      diagnostic.where = e.where();
      throw Error(diagnostic);
    }
    return result;
  }

  const Program& program_;
  const Bindings& bindings_;
  Form form_;
  std::map<std::string, Type> types_;
  std::map<std::string, Expr> values_;
};

/// Index functions, extents and sizes of dimensions.
void change_indices(Program& p, const std::function<Expr(const Expr&)>& change) {
  for (auto* views : {&p.outputs, &p.inputs}) {
    for (BufferView& view : *views) {
      for (Expr& extent : view.declared) extent = change(extent);
      for (Access& access : view.accesses) {
        for (Expr& index : access.index) index = change(index);
      }
    }
  }
  for (Dimension& d : p.dimensions) d.size = change(d.size);
}

Type type_of_target(const Program& p, const Symbol& target) {
  for (const BufferView& view : p.outputs) {
    for (const Access& access : view.accesses) {
      if (access.symbol == target) return view.type;
    }
  }
  return {};
}

void elaborate_program(Program& p) {
  change_indices(p, [](const Expr& e) { return simplify(elaborate(e, scalar::Scalar::i64)); });
  scalar::LocalTypes locals;
  for (scalar::Assignment& a : p.body) {
    a.value = elaborate(a.value, type_of_target(p, a.target), locals);
    locals[a.target.name] = a.value.type();
  }
}

bool is_bound(const Parameter& parameter, const Bindings& bindings) {
  const std::string& name = parameter.symbol.name;
  return bindings.types.contains(name) || bindings.sizes.contains(name) ||
         bindings.values.contains(name);
}

void check_names(const Program& p, const Bindings& bindings) {
  check_names(p, bindings.types, Kind::type);
  check_names(p, bindings.sizes, Kind::size);
  check_names(p, bindings.values, Kind::value);
}

/// Everything but the parameters themselves.
Program substituted(const Program& p, const Binder& binder) {
  Program result = p;
  change_indices(result, [&](const Expr& e) { return binder.substituted(e, Place::index); });
  for (scalar::Assignment& a : result.body) a.value = binder.substituted(a.value, Place::value);
  for (BufferView& view : result.outputs) view.type = binder.substituted(view.type);
  for (BufferView& view : result.inputs) view.type = binder.substituted(view.type);
  result.parameters.clear();
  return result;
}

}  // namespace

Program instantiate(const Program& p, const Bindings& bindings) {
  check_names(p, bindings);
  Binder binder(p, bindings, Form::typed);
  for (const Parameter& parameter : p.parameters) binder.bind(parameter);
  Program concrete = renumbered(substituted(p, binder));
  elaborate_program(concrete);
  verify(concrete);
  return concrete;
}

Program instantiate_open(const Program& p, const Bindings& bindings) {
  check_names(p, bindings);
  Binder binder(p, bindings, Form::typed);
  std::vector<Parameter> open;
  for (const Parameter& parameter : p.parameters) {
    if (parameter.dynamic && !is_bound(parameter, bindings)) {
      open.push_back(parameter);
    } else {
      binder.bind(parameter);
    }
  }
  if (open.empty()) return instantiate(p, bindings);
  Program result = substituted(p, binder);
  result.parameters = std::move(open);
  result = renumbered(result);
  elaborate_program(result);
  return result;
}

Program bind(const Program& p, const Bindings& bindings) {
  check_names(p, bindings);
  Binder binder(p, bindings, Form::written);
  std::vector<Parameter> rest;
  for (const Parameter& parameter : p.parameters) {
    if (is_bound(parameter, bindings)) {
      binder.bind(parameter);
    } else {
      rest.push_back(parameter);
    }
  }
  if (rest.empty()) return instantiate(p, bindings);
  for (Parameter& parameter : rest) {
    const Place place = parameter.kind == Kind::size ? Place::index : Place::value;
    parameter.type = binder.substituted(parameter.type);
    if (parameter.value) parameter.value = binder.substituted(*parameter.value, place);
  }
  Program partial = substituted(p, binder);
  partial.parameters = std::move(rest);
  return renumbered(partial);
}

std::map<std::string, int64_t> sizes_by_dimension(const Program& p,
                                                  const std::vector<int64_t>& values) {
  if (values.size() != p.dimensions.size()) {
    std::vector<std::string> names;
    for (const Dimension& d : p.dimensions) names.push_back(d.symbol.name);
    user_error("E212", {},
               fmt::format("program '{}' has {} dimension{} ({}), got {} size{}", p.name,
                           names.size(), names.size() == 1 ? "" : "s", join(names, ", "),
                           values.size(), values.size() == 1 ? "" : "s"),
               "give one value per dimension, or names: --size I=7,K=13");
  }
  std::map<std::string, int64_t> sizes;
  for (size_t d = 0; d < values.size(); ++d) {
    const auto* v = p.dimensions[d].size.as<scalar::Variable>();
    if (!v) {
      user_error("E213", {},
                 fmt::format("the size of dimension '{}' is not a parameter of its own",
                             p.dimensions[d].symbol.name),
                 "give sizes by name: --size " + join(names_of(p, Kind::size), "=..,") + "=..");
    }
    const auto [known, is_new] = sizes.try_emplace(v->symbol.name, values[d]);
    if (!is_new && known->second != values[d]) {
      user_error("E213", {},
                 fmt::format("dimension '{}' has the size '{}' of an earlier one, which is {}, not "
                             "{}",
                             p.dimensions[d].symbol.name, known->first, known->second, values[d]),
                 "give equal values, or names: --size " + known->first + "=..");
    }
  }
  return sizes;
}

}  // namespace mdh::hl
