#include "mdh/scalar/units.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace mdh::scalar {
namespace {

using Units = std::vector<Expr>;

/// Thrown and caught in this file only.
struct CannotExpand {};

class UnitExpander {
 public:
  using Environment = std::map<Symbol, Units>;

  Units results(const Function& f, Environment environment) {
    for (const Assignment& a : f.locals) environment[a.target] = units(a.value, environment);
    Units all;
    for (const Assignment& a : f.results) {
      Units more = units(a.value, environment);
      std::move(more.begin(), more.end(), std::back_inserter(all));
    }
    return all;
  }

 private:
  Units units(const Expr& e, const Environment& environment) {
    constexpr int most_visits = 20'000;
    if (++visits_ > most_visits) throw CannotExpand();
    return std::visit([&](const auto& is) { return node(is, e, environment); }, e.node().is);
  }

  Expr one(const Expr& e, const Environment& environment) { return units(e, environment).front(); }

  Units node(const Literal&, const Expr& e, const Environment&) { return {e}; }

  Units node(const Variable& v, const Expr&, const Environment& environment) {
    const auto found = environment.find(v.symbol);
    internal_check(found != environment.end(), "'{}' has no value", v.symbol.name);
    return found->second;
  }

  Units node(const Unary& u, const Expr&, const Environment& environment) {
    return {unary(u.op, one(u.operand, environment))};
  }

  Units node(const Binary& b, const Expr&, const Environment& environment) {
    const Expr left = one(b.left, environment), right = one(b.right, environment);
    return {binary(b.op, left, right)};
  }

  Units node(const Select& s, const Expr&, const Environment& environment) {
    const Expr condition = one(s.condition, environment);
    Units result = units(s.then, environment);
    const Units otherwise = units(s.otherwise, environment);
    for (size_t n = 0; n < result.size(); ++n) {
      result[n] = select(condition, result[n], otherwise[n]);
    }
    return result;
  }

  Units node(const Cast& c, const Expr& e, const Environment& environment) {
    return {cast(e.type(), one(c.operand, environment))};
  }

  Units node(const FieldOf& f, const Expr&, const Environment& environment) {
    const auto& fields = f.operand.type().record()->fields;
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& candidate) {
      return candidate.name == f.field;
    });
    return {units(f.operand, environment)[static_cast<size_t>(field - fields.begin())]};
  }

  Units node(const ElementOf& at, const Expr&, const Environment& environment) {
    const Expr array = one(at.operand, environment);
    return {element_of(array, one(at.index, environment))};
  }

  Units node(const Make& m, const Expr& e, const Environment& environment) {
    Units result;
    for (const Field& field : e.type().record()->fields) {
      const auto given =
          std::find_if(m.fields.begin(), m.fields.end(),
                       [&](const Binding& binding) { return binding.symbol.name == field.name; });
      if (given == m.fields.end()) throw CannotExpand();
      result.push_back(one(given->value, environment));
    }
    return result;
  }

  Units node(const Loop&, const Expr&, const Environment&) { throw CannotExpand(); }

  Units node(const Call& c, const Expr& e, const Environment& environment) {
    if (!c.callee) {
      Call inner{c.name, {}, nullptr};
      for (const Expr& argument : c.arguments)
        inner.arguments.push_back(one(argument, environment));
      return {call(std::move(inner), e.type())};
    }
    Environment inside;
    for (size_t n = 0; n < c.arguments.size(); ++n) {
      inside[c.callee->parameters[n].symbol] = units(c.arguments[n], environment);
    }
    return results(*c.callee, std::move(inside));
  }

  int visits_ = 0;
};

/// Lets are shared, so that an expression may be far larger than what it is made of.
bool is_small(const Expr& e, int& nodes_left) {
  bool small = --nodes_left > 0;
  for_each_child(e, [&](const Expr& child) { small = small && is_small(child, nodes_left); });
  return small;
}

}  // namespace

std::vector<Expr> unit_variables(const Parameter& parameter) {
  const Record* record = parameter.type.record();
  if (!record) return {variable(parameter.symbol, parameter.type)};
  std::vector<Expr> fields;
  for (const Field& field : record->fields) {
    fields.push_back(variable(local(parameter.symbol.name + "." + field.name), type_of(field)));
  }
  return fields;
}

std::optional<std::vector<Expr>> unit_expressions(const Function& f) {
  UnitExpander::Environment environment;
  for (const Parameter& p : f.parameters) environment[p.symbol] = unit_variables(p);
  try {
    Units results = UnitExpander().results(f, std::move(environment));
    int nodes_left = 20'000;
    for (const Expr& e : results) {
      if (!is_small(e, nodes_left)) return std::nullopt;
    }
    return results;
  } catch (const CannotExpand&) {
    return std::nullopt;
  }
}

}  // namespace mdh::scalar
