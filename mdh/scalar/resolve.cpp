#include "mdh/scalar/resolve.h"

#include <algorithm>
#include <array>

#include "mdh/scalar/mathematics.h"
#include "mdh/scalar/operator_table.h"
#include "mdh/support/text.h"

namespace mdh::scalar {
namespace {

constexpr const char* type_kind = "type";
constexpr const char* record_kind = "record";
constexpr const char* function_kind = "function";
constexpr std::array<std::string_view, 9> keywords = {"if",   "then",  "else",  "true",  "false",
                                                      "loop", "while", "yield", "return"};

void need_arguments(const Expr& e, size_t count) {
  const Call& call = *e.as<Call>();
  if (call.arguments.size() == count) return;
  user_error("E112", e.where(),
             fmt::format("'{}' takes {} argument{}, got {}", call.name, count,
                         count == 1 ? "" : "s", call.arguments.size()),
             "give one expression per parameter");
}

/// A loop's variables are visible in its condition, updates and result, not in their own initial
/// values.
Expr resolve_loop(const Loop& l, const Expr& e, const Scope& scope) {
  Loop result = l;
  Scope inside = scope;
  for (Binding& binding : result.initial) {
    binding.value = resolve(binding.value, scope);
    binding.symbol =
        inside.declare_local(binding.symbol.name, Undecided::name, "loop variable", e.where());
  }
  result.condition = resolve(l.condition, inside);
  for (Binding& binding : result.updates) {
    const bool known = std::any_of(l.initial.begin(), l.initial.end(), [&](const Binding& b) {
      return b.symbol.name == binding.symbol.name;
    });
    if (!known) {
      user_error("E115", e.where(),
                 fmt::format("'{}' is updated, but has no initial value", binding.symbol.name),
                 fmt::format("write loop (..., {} = ...)", binding.symbol.name));
    }
    binding.value = resolve(binding.value, inside);
  }
  result.result = resolve(l.result, inside);
  return loop(std::move(result), e.where());
}

Expr resolve_record(const Make& m, const Expr& e, const Scope& scope) {
  const Scope::Entry* entry = scope.find(m.record);
  if (!entry || entry->kind != record_kind) {
    user_error("E116", e.where(), fmt::format("unknown record '{}'", m.record),
               suggestion(m.record, scope.names_of_kind(record_kind)));
  }
  return make(entry->type, m, e.where());
}

}  // namespace

void Scope::check_free(const std::string& name, const Location& where) const {
  if (const Entry* other = find(name)) {
    user_error(
        "E110", where, fmt::format("the name '{}' is already taken by a {}", name, other->kind),
        "names of parameters, buffers, accesses and dimensions are distinct within a program");
  }
  const bool is_keyword = std::find(keywords.begin(), keywords.end(), name) != keywords.end();
  if (find_scalar(name) || find_call(name) || find_math(name) || is_keyword) {
    user_error("E110", where, fmt::format("the name '{}' is built in", name),
               "choose another name");
  }
}

Symbol Scope::declare(const std::string& name, Type type, const std::string& kind,
                      const Location& where) {
  check_free(name, where);
  entries_.push_back({{name, next_++}, std::move(type), kind, nullptr});
  return entries_.back().symbol;
}

Symbol Scope::declare_local(const std::string& name, Type type, const std::string& kind,
                            const Location& where) {
  check_free(name, where);
  entries_.push_back({local(name), std::move(type), kind, nullptr});
  return entries_.back().symbol;
}

void Scope::declare_record(const Record& record, const Location& where) {
  declare_local(record.name, Type(record), record_kind, where);
}

void Scope::declare_function(const Function& function, const Location& where) {
  declare_local(function.name, result_of(function).type(), function_kind, where);
  entries_.back().function = std::make_shared<const Function>(function);
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

std::vector<std::string> Scope::names_of_kind(const std::string& kind) const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (entry.kind == kind) names.push_back(entry.symbol.name);
  }
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
  if (const auto* l = e.as<Loop>()) return resolve_loop(*l, e, scope);
  const Expr inner = map_children(e, [&](const Expr& child) { return resolve(child, scope); });
  if (const auto* m = inner.as<Make>()) return resolve_record(*m, inner, scope);
  return inner.as<Call>() ? resolve_call(inner, scope) : inner;
}

Expr resolve_call(const Expr& e, const Scope& scope) {
  const Call& parts = *e.as<Call>();
  if (const OperatorRow* row = find_call(parts.name)) {
    need_arguments(e, 2);
    return binary(row->op, parts.arguments[0], parts.arguments[1], e.where());
  }
  if (const MathFunction* math = find_math(parts.name)) {
    need_arguments(e, static_cast<size_t>(math->arguments));
    return call(parts, joined_type(parts.arguments), e.where());
  }
  const Scope::Entry* entry = scope.find(parts.name);
  if (entry && entry->function) {
    need_arguments(e, entry->function->parameters.size());
    return call({parts.name, parts.arguments, entry->function}, entry->type, e.where());
  }
  if (find_scalar(parts.name) || (entry && entry->kind == type_kind)) {
    need_arguments(e, 1);
    return cast(resolve_type(parts.name, e.where(), scope), parts.arguments[0], e.where());
  }
  std::vector<std::string> known = scalar_names();
  known.insert(known.end(), {"min", "max"});
  for (const auto& more : {math_names(), scope.names_of_kind(function_kind)}) {
    known.insert(known.end(), more.begin(), more.end());
  }
  user_error("E113", e.where(), fmt::format("unknown function '{}'", parts.name),
             suggestion(parts.name, known));
}

Type resolve_type(const std::string& name, const Location& where, const Scope& scope) {
  if (const auto scalar = find_scalar(name)) return *scalar;
  const Scope::Entry* entry = scope.find(name);
  if (entry && entry->kind == type_kind) return Type(entry->symbol);
  if (entry && entry->kind == record_kind) return entry->type;
  std::vector<std::string> known = scalar_names();
  for (const char* kind : {type_kind, record_kind}) {
    const std::vector<std::string> more = scope.names_of_kind(kind);
    known.insert(known.end(), more.begin(), more.end());
  }
  user_error("E114", where, fmt::format("unknown type '{}'", name), suggestion(name, known));
}

}  // namespace mdh::scalar
