// Functions and loops: the part of ExprPrinter that prints statements.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "mdh/backend/c/expr.h"
#include "mdh/backend/c/lazy.h"
#include "mdh/backend/c/operation.h"
#include "mdh/scalar/free.h"
#include "mdh/scalar/rounds.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using scalar::Assignment;
using scalar::Binding;
using scalar::Expr;
using scalar::Function;

/// The same nodes, not equal ones: comparing whole functions takes as long as printing them.
bool is_same(const std::vector<Assignment>& a, const std::vector<Assignment>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Assignment& x, const Assignment& y) {
                      return x.target == y.target && x.value.same_as(y.value);
                    });
}

bool is_same(const Function& a, const Function& b) {
  return a.name == b.name && a.parameters == b.parameters && is_same(a.locals, b.locals) &&
         is_same(a.results, b.results);
}

/// A variable, or a part of one.
bool has_address(const Expr& e) {
  const auto* field = e.as<scalar::FieldOf>();
  return e.as<scalar::Variable>() || (field && has_address(field->operand));
}

std::string address_of(const std::string& value) {
  return value.starts_with('*') ? value.substr(1) : "&" + value;
}

/// if c then l else r, of the parameters l and r, which are records: what to ask for the right one.
std::optional<Expr> keeps_the_right(const Function& f) {
  const auto is = [&](const Expr& e, size_t n) {
    const auto* v = e.as<scalar::Variable>();
    return v && v->symbol == f.parameters[n].symbol;
  };
  const auto* s = f.results.front().value.as<scalar::Select>();
  if (!s || f.parameters.size() != 2 || f.parameters.front().type.is_scalar()) return std::nullopt;
  if (is(s->then, 1) && is(s->otherwise, 0)) return s->condition;
  if (!is(s->then, 0) || !is(s->otherwise, 1)) return std::nullopt;
  return unary(scalar::UnaryOp::logical_not, s->condition);
}

std::string definition_of(const std::vector<std::string>& parameters, const std::string& body) {
  return fmt::format("({}) {{\n{}}}", parameters.empty() ? "void" : join(parameters, ", "),
                     indent(body, 2));
}

}  // namespace

// ---- calls from statements

std::string ExprPrinter::call(const Function& f, const std::vector<std::string>& arguments,
                              const std::vector<std::string>& results) {
  internal_check(arguments.size() == f.parameters.size() && results.size() == f.results.size(),
                 "{} has {} parameters and {} results", f.name, f.parameters.size(),
                 f.results.size());
  if (results.empty()) return "";
  if (is_plain(f)) return called_in_place(f, arguments, results);
  const std::string name = function(f, calls_);
  std::vector<std::string> given;
  for (size_t n = 0; n < arguments.size(); ++n) {
    given.push_back(f.parameters[n].type.is_scalar() ? arguments[n] : address_of(arguments[n]));
  }
  const std::string first = value_type(f.results.front().value.type());
  if (results.size() == 1) {
    return fmt::format("const {} {} = {}({});\n", first, results[0], name, join(given, ", "));
  }
  std::string definitions;
  for (size_t n = 0; n < results.size(); ++n) {
    definitions += fmt::format("{} {};\n", value_type(f.results[n].value.type()), results[n]);
    given.push_back("&" + results[n]);
  }
  return fmt::format("{}{}({});\n", definitions, name, join(given, ", "));
}

/// Parameters become the arguments.
std::string ExprPrinter::called_in_place(const Function& f,
                                         const std::vector<std::string>& arguments,
                                         const std::vector<std::string>& results) {
  const std::vector<std::string> texts = values(f, arguments);
  std::string statements;
  for (size_t n = 0; n < results.size(); ++n) {
    statements += fmt::format("const {} {} = {};\n", value_type(f.results[n].value.type()),
                              results[n], texts[n]);
  }
  return statements;
}

std::vector<std::string> ExprPrinter::values(const Function& f,
                                             const std::vector<std::string>& arguments) {
  Names names;
  for (size_t n = 0; n < arguments.size(); ++n) {
    const std::string& a = arguments[n];
    names.bind(f.parameters[n].symbol, {is_word(a) ? a : "(" + a + ")"});
  }
  std::vector<std::string> texts;
  for (const Assignment& result : f.results) texts.push_back(text(result.value, names));
  return texts;
}

// ---- functions

/// The function's name in C. It is printed once: functions that call the one before them twice
/// would take exponential time.
std::string ExprPrinter::function(const Function& f, int64_t calls) {
  for (const auto& [known, name] : functions_) {
    if (is_same(known, f)) return name;
  }
  functions_.emplace_back(f, define_function(f, calls));
  return functions_.back().second;
}

/// One result is returned, several are stored at addresses that are passed behind the arguments.
std::string ExprPrinter::define_function(const Function& defined, int64_t calls) {
  const Dialect dialect = helpers_.dialect();
  const bool branches = facts_of(dialect).branches_are_cheap;
  const Function f = branches ? with_lazy_truth(defined) : with_needs_first(defined);
  const std::string begin = linkage(dialect, f, calls);
  Names names;
  std::vector<std::string> parameters;
  for (const scalar::Parameter& p : f.parameters) {
    parameters.push_back(parameter(p.symbol, p.type, names));
  }
  std::string body;
  for (const Assignment& a : f.locals) {
    const std::string value = text(a.value, names);
    body += fmt::format("const {} {} = {};\n", value_type(a.value.type()), names.declare(a.target),
                        value);
  }
  if (f.results.size() == 1) {
    const Expr& value = f.results.front().value;
    body += returned(f, names);
    return helpers_.define(f.name, fmt::format("{}{} ", begin, value_type(value.type())),
                           definition_of(parameters, body));
  }
  for (const Assignment& a : f.results) {
    const std::string target = names.fresh(a.target.name);
    parameters.push_back(fmt::format("{} *{}", value_type(a.value.type()), target));
    body += fmt::format("*{} = {};\n", target, text(a.value, names));
  }
  return helpers_.define(f.name, begin + "void ", definition_of(parameters, body));
}

/// Of many values that are compared one by one with the best so far, the n-th wins with probability
/// 1/n: the left one, what was combined already, is expected to stay. A compiler would rather copy
/// by selects, which makes each round wait for the comparison of the one before; across an empty
/// asm it has to branch.
std::string ExprPrinter::returned(const Function& f, const Names& names) {
  const auto right = keeps_the_right(f);
  const DialectFacts& facts = facts_of(helpers_.dialect());
  if (!facts.is_gnu || !facts.branches_are_cheap || !right) {
    return fmt::format("return {};\n", text(f.results.front().value, names));
  }
  return fmt::format(
      "if (__builtin_expect({}, 0)) {{\n  __asm__(\"\");\n  return *{};\n}}\nreturn *{};\n",
      text(*right, names), names.find(f.parameters[1].symbol).text,
      names.find(f.parameters[0].symbol).text);
}

std::string ExprPrinter::parameter(const Symbol& symbol, const scalar::Type& type, Names& names) {
  const std::string type_name = value_type(type);
  if (type.is_scalar()) return type_name + " " + names.declare(symbol);
  return fmt::format("const {} *{}", type_name, names.declare(symbol, true));
}

/// Scalars are passed by value, records by address.
std::string ExprPrinter::argument(const Expr& e, const Names& names) {
  if (e.type().is_scalar()) return text(e, names);
  const auto* variable = e.as<scalar::Variable>();
  const Names::Place place = variable ? names.find(variable->symbol) : Names::Place{};
  if (place.is_pointer) return place.text;
  return (has_address(e) ? "&" : "") + text(e, names);
}

std::string ExprPrinter::node(const scalar::Call& n, const Expr& e, const Names& names) {
  std::vector<std::string> arguments;
  for (const Expr& a : n.arguments) arguments.push_back(argument(a, names));
  if (!n.callee) return c_mathematics(helpers_, n.name, scalar_of(e.type()), arguments);
  const bool direct = std::all_of(n.arguments.begin(), n.arguments.end(), [](const Expr& a) {
    return a.type().is_scalar() || has_address(a);
  });
  const std::string name = function(*n.callee, 1);
  return fmt::format("{}({})", direct ? name : function_of_values(n, e, name),
                     join(arguments, ", "));
}

/// A function that gives those of its arguments an address which have none, and calls another one.
/// (Literals have one in C, but OpenCL C does not tell in which memory.)
std::string ExprPrinter::function_of_values(const scalar::Call& c, const Expr& e,
                                            const std::string& name) {
  std::vector<std::string> parameters, arguments;
  for (const Expr& a : c.arguments) {
    const std::string type = value_type(a.type());
    const std::string parameter = fmt::format("a{}", parameters.size());
    const bool by_value = a.type().is_scalar() || !has_address(a);
    parameters.push_back(by_value ? fmt::format("{} {}", type, parameter)
                                  : fmt::format("const {} *{}", type, parameter));
    arguments.push_back((by_value && !a.type().is_scalar() ? "&" : "") + parameter);
  }
  const std::string begin = linkage(helpers_.dialect(), e);
  return helpers_.define(
      c.name + "_of_values", fmt::format("{}{} ", begin, value_type(e.type())),
      definition_of(parameters, fmt::format("return {}({});\n", name, join(arguments, ", "))));
}

// ---- loops

/// A function of the initial values and of what the loop mentions besides. Its variables are the
/// parameters.
std::string ExprPrinter::node(const scalar::Loop& n, const Expr& e, const Names& names) {
  Names inside;
  std::vector<std::string> parameters, arguments;
  for (const Binding& b : n.initial) {
    arguments.push_back(text(b.value, names));
    parameters.push_back(value_type(b.value.type()) + " " + inside.declare(b.symbol));
  }
  for (const auto& [symbol, type] : captured(n)) {
    arguments.push_back(argument(scalar::variable(symbol, type), names));
    parameters.push_back(parameter(symbol, type, inside));
  }
  const std::string body = loop_body(n, inside);
  const std::string begin = linkage(helpers_.dialect(), e);
  const std::string name = helpers_.define(
      "loop", fmt::format("{}{} ", begin, value_type(e.type())), definition_of(parameters, body));
  return fmt::format("{}({})", name, join(arguments, ", "));
}

namespace {

/// More rounds, or nodes of one, are a loop.
constexpr double most_written_rounds = 16;
constexpr int64_t most_written_nodes = 512;

bool has_short_rounds(const scalar::Loop& l) {
  int64_t nodes = 0;
  for (const Binding& b : l.updates) nodes += inlined_size(b.value, most_written_nodes);
  return nodes < most_written_nodes &&
         std::none_of(l.updates.begin(), l.updates.end(),
                      [](const Binding& b) { return runs_a_loop(b.value); });
}

bool runs_few_rounds(const scalar::Loop& l) {
  const auto rounds = scalar::rounds_of(l);
  return rounds && rounds->most <= most_written_rounds;
}

}  // namespace

/// Updates are simultaneous: all new values are computed before any of them is assigned. Few rounds
/// are written out, so that compilers know what each of them reads.
std::string ExprPrinter::loop_body(const scalar::Loop& l, Names& names) {
  std::string computed, assigned;
  for (const Binding& b : l.updates) {
    const std::string value = text(b.value, names), next = names.fresh("next_" + b.symbol.name);
    computed += fmt::format("const {} {} = {};\n", value_type(b.value.type()), next, value);
    assigned += fmt::format("{} = {};\n", names.find(b.symbol).text, next);
  }
  const DialectFacts& facts = facts_of(helpers_.dialect());
  const bool is_written_out =
      !facts.not_unrolled.empty() && runs_few_rounds(l) && has_short_rounds(l);
  const std::string rounds = is_written_out ? facts.unroll + "\n" : facts.not_unrolled;
  return fmt::format("{}while ({}) {{\n{}}}\nreturn {};\n", rounds, text(l.condition, names),
                     indent(computed + assigned, 2), text(l.result, names));
}

}  // namespace mdh::backend
