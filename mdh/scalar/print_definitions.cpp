#include "mdh/scalar/print_definitions.h"

#include "mdh/scalar/define.h"
#include "mdh/scalar/print.h"
#include "mdh/support/text.h"

namespace mdh::scalar {

std::string print_assignment(const Assignment& a, bool is_let) {
  if (a.target.name == returned) return fmt::format("return {};", print(a.value));
  return fmt::format("{} = {};", a.target.name, is_let ? print_typed(a.value) : print(a.value));
}

std::string print_body(const std::vector<Assignment>& body) {
  std::vector<std::string> texts;
  for (const Assignment& a : body) {
    const bool is_let = a.target == local(a.target.name) && a.target.name != returned;
    texts.push_back(print_assignment(a, is_let));
  }
  return "{ " + join(texts, " ") + " }";
}

std::string print_definition(const Record& record) {
  std::string text = fmt::format("record {} {{", record.name);
  for (const Field& field : record.fields) {
    text += fmt::format(" {}: {}{};", field.name, to_string(field.type),
                        field.count > 0 ? fmt::format("[{}]", field.count) : "");
  }
  return text + " }\n";
}

std::string print_definition(const Function& f) {
  std::vector<std::string> parameters;
  for (const Parameter& p : f.parameters) {
    parameters.push_back(fmt::format("{}: {}", p.symbol.name, to_string(p.type)));
  }
  std::vector<Assignment> body = f.locals;
  body.push_back({local(returned), result_of(f), {}});
  return fmt::format("fun {}({}): {} {}\n", f.name, join(parameters, ", "),
                     to_string(result_of(f).type()), print_body(body));
}

}  // namespace mdh::scalar
