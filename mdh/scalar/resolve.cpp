#include "mdh/scalar/resolve.h"

#include <algorithm>

#include "mdh/scalar/operator_table.h"
#include "mdh/support/text.h"

namespace mdh::scalar {
namespace {

constexpr const char* type_kind = "type";

}  // namespace

Symbol Scope::declare(const std::string& name, Type type, const std::string& kind,
                      const Location& where) {
  if (const Entry* other = find(name)) {
    user_error(
        "E110", where, fmt::format("the name '{}' is already taken by a {}", name, other->kind),
        "names of parameters, buffers, accesses and dimensions are distinct within a program");
  }
  const bool is_keyword = name == "if" || name == "then" || name == "else";
  if (find_scalar(name) || find_call(name) || is_keyword || name == "true" || name == "false") {
    user_error("E110", where, fmt::format("the name '{}' is built in", name),
               "choose another name");
  }
  entries_.push_back({{name, next_++}, std::move(type), kind});
  return entries_.back().symbol;
}

const Scope::Entry* Scope::find(const std::string& name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& e) { return e.symbol.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.symbol.name);
  return names;
}

Expr resolve(const Expr& e, const Scope& scope) {
  if (const auto* v = e.as<Variable>()) {
    const Scope::Entry* entry = scope.find(v->symbol.name);
    if (!entry) {
      user_error("E111", e.where(), fmt::format("unknown name '{}'", v->symbol.name),
                 suggestion(v->symbol.name, scope.names()));
    }
    return variable(entry->symbol, entry->type, e.where());
  }
  const Expr inner = map_children(e, [&](const Expr& child) { return resolve(child, scope); });
  return inner.as<Call>() ? resolve_call(inner, scope) : inner;
}

Expr resolve_call(const Expr& e, const Scope& scope) {
  const Call& call = *e.as<Call>();
  const auto need = [&](size_t count) {
    if (call.arguments.size() == count) return;
    user_error("E112", e.where(),
               fmt::format("'{}' takes {} argument{}, got {}", call.name, count,
                           count == 1 ? "" : "s", call.arguments.size()));
  };
  if (const OperatorRow* row = find_call(call.name)) {
    need(2);
    return binary(row->op, call.arguments[0], call.arguments[1], e.where());
  }
  const Scope::Entry* entry = scope.find(call.name);
  if (find_scalar(call.name) || (entry && entry->kind == type_kind)) {
    need(1);
    return cast(resolve_type(call.name, e.where(), scope), call.arguments[0], e.where());
  }
  std::vector<std::string> known = scalar_names();
  known.insert(known.end(), {"min", "max"});
  user_error("E113", e.where(), fmt::format("unknown function '{}'", call.name),
             suggestion(call.name, known));
}

Type resolve_type(const std::string& name, const Location& where, const Scope& scope) {
  if (const auto scalar = find_scalar(name)) return *scalar;
  const Scope::Entry* entry = scope.find(name);
  if (entry && entry->kind == type_kind) return Type(entry->symbol);
  if (name == "f16" || name == "bf16") {
    unsupported("E114", where, fmt::format("element type '{}'", name), "use f32");
  }
  std::vector<std::string> known = scalar_names();
  for (const std::string& other : scope.names()) {
    if (scope.find(other)->kind == type_kind) known.push_back(other);
  }
  user_error("E114", where, fmt::format("unknown type '{}'", name), suggestion(name, known));
}

}  // namespace mdh::scalar
