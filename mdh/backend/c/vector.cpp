#include "mdh/backend/c/vector.h"

#include <fmt/format.h>

#include "mdh/backend/c/lazy.h"
#include "mdh/backend/c/vector_text.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using scalar::Assignment;
using scalar::Scalar;

}  // namespace

std::string vector_type(Helpers& helpers, Scalar type, int64_t lanes) {
  const std::string name = fmt::format("{}x{}", to_string(type), lanes);
  helpers.define_type(
      name, fmt::format("typedef {} {} __attribute__((vector_size({})));", helpers.value_type(type),
                        name, lanes * scalar::bytes_of(type)));
  return name;
}

std::string unaligned_vector_type(Helpers& helpers, Scalar type, int64_t lanes) {
  const std::string name = fmt::format("{}x{}_at", to_string(type), lanes);
  helpers.define_type(
      name, fmt::format("typedef {} {} __attribute__((vector_size({}), aligned({}), may_alias));",
                        helpers.value_type(type), name, lanes * scalar::bytes_of(type),
                        scalar::bytes_of(type)));
  return name;
}

std::string as_vector(Helpers& helpers, Scalar type, int64_t lanes, const LaneValue& value) {
  if (value.is_vector) return value.text;
  const std::vector<std::string> all(static_cast<size_t>(lanes), value.text);
  return fmt::format("(({}){{{}}})", vector_type(helpers, type, lanes), join(all, ", "));
}

std::vector<LaneValue> vector_call(ExprPrinter& printer, const scalar::Function& f,
                                   const std::vector<LaneValue>& arguments, int64_t lanes) {
  VectorText text(printer, lanes);
  for (size_t n = 0; n < arguments.size(); ++n) text.bind(f.parameters[n].symbol, arguments[n]);
  std::vector<LaneValue> results;
  for (const Assignment& result : f.results) results.push_back(text.value(result.value));
  return results;
}

VectorFunction vector_function(ExprPrinter& printer, const scalar::Function& f,
                               const std::vector<LaneValue>& arguments, int64_t lanes) {
  VectorFunction made;
  VectorText text(printer, lanes);
  std::vector<std::string> parameters;
  for (size_t n = 0; n < arguments.size(); ++n) {
    const auto& [symbol, type] = f.parameters[n];
    if (!mentions(f, symbol)) continue;
    made.passed.push_back(n);
    const LaneValue parameter{text.names().fresh(symbol.name), arguments[n].is_vector};
    parameters.push_back(text.type_of(parameter, type) + " " + parameter.text);
    text.bind(symbol, parameter);
  }
  for (const Assignment& a : f.locals) {
    text.bind(a.target, text.named(text.value(a.value), a.value.type(), a.target.name));
  }
  std::string stored, first;
  for (const Assignment& a : f.results) {
    const LaneValue value = text.value(a.value);
    made.is_vector.push_back(value.is_vector);
    const std::string type = text.type_of(value, a.value.type());
    if (first.empty()) first = fmt::format("{} ", f.results.size() == 1 ? type : "void");
    const std::string target = text.names().fresh(a.target.name);
    if (f.results.size() > 1) parameters.push_back(fmt::format("{} *{}", type, target));
    stored += f.results.size() == 1 ? fmt::format("return {};\n", value.text)
                                    : fmt::format("*{} = {};\n", target, value.text);
  }
  made.name = printer.definitions().define(
      fmt::format("{}_x{}", f.name, lanes),
      linkage(printer.definitions().dialect(), f, printer.calls()) + first,
      fmt::format("({}) {{\n{}}}", parameters.empty() ? "void" : join(parameters, ", "),
                  indent(text.statements() + stored, 2)));
  return made;
}

}  // namespace mdh::backend
