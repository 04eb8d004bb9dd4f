#include "mdh/hl/print.h"

#include "mdh/scalar/print.h"
#include "mdh/scalar/print_definitions.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

std::string print_list(const std::vector<Expr>& items) {
  std::vector<std::string> texts;
  for (const Expr& item : items) texts.push_back(scalar::print_sum(item));
  return "[" + join(texts, ", ") + "]";
}

std::string print_parameter(const Parameter& p) {
  const std::string& name = p.symbol.name;
  if (p.kind == Parameter::Kind::type) {
    return name + ": type" + (p.type.is_undecided() ? "" : " = " + to_string(p.type));
  }
  const std::string kind = p.kind == Parameter::Kind::size ? "size" : to_string(p.type);
  if (p.dynamic) return name + ": " + kind + " = *";
  return name + ": " + kind + (p.value ? " = " + scalar::print_sum(*p.value) : "");
}

/// Accesses are named only where the name is not the one they get anyway: the buffer's, or
/// buffer.1, buffer.2, ...
std::string print_access(const BufferView& view, size_t number) {
  const Access& access = view.accesses[number];
  const bool single = view.accesses.size() == 1;
  const std::string usual =
      single ? view.symbol.name : fmt::format("{}.{}", view.symbol.name, number + 1);
  const std::string name = access.symbol.name == usual ? "" : access.symbol.name + ": ";
  return name + print_list(access.index);
}

std::string print_view(const BufferView& view) {
  std::vector<std::string> accesses;
  for (size_t n = 0; n < view.accesses.size(); ++n) accesses.push_back(print_access(view, n));
  return fmt::format("{}: {}{} = {}", view.symbol.name, to_string(view.type),
                     view.declared.empty() ? "" : print_list(view.declared), join(accesses, ", "));
}

std::string print_views(const char* keyword, const std::vector<BufferView>& views) {
  const std::string head = fmt::format("{}(", keyword);
  if (views.empty()) return head + ")";
  std::vector<std::string> texts;
  for (const BufferView& view : views) texts.push_back(print_view(view));
  return head + " " + join(texts, ";\n" + std::string(head.size() + 3, ' ')) + " )";
}

std::string print_dimensions(const Program& p) {
  if (p.dimensions.empty()) return "md_hom()";
  std::vector<std::string> texts;
  for (const Dimension& d : p.dimensions) {
    texts.push_back(
        fmt::format("{}: {} by {}", d.symbol.name, scalar::print_sum(d.size), print(d.combine)));
  }
  return "md_hom( " + join(texts, ", ") + " )";
}

std::string print_definitions(const Definitions& d) {
  std::string text;
  for (const scalar::Record& record : d.records) text += scalar::print_definition(record);
  for (const scalar::Function& f : d.functions) text += scalar::print_definition(f);
  for (const UserOperator& op : d.operators) {
    text += fmt::format("op {}({}, {}) {}\n", op.name, op.left.name, op.right.name,
                        scalar::print_body(op.body));
  }
  for (const UserCombine& combine : d.combines) {
    text += fmt::format("combine {}({}): {} {}\n", combine.name, combine.index.name,
                        combine.to_zero ? "zero" : "same", scalar::print_body(combine.body));
  }
  return text;
}

}  // namespace

std::string print(const CombineOperator& op) {
  switch (op.shape) {
    case Shape::concatenate:
      return "cc";
    case Shape::pointwise:
      return "pw(" + join(op.operators, ", ") + ")";
    case Shape::scan:
      return "ps(" + join(op.operators, ", ") + ")";
    case Shape::custom:
      return op.operators.front();
  }
  return "cc";
}

std::string print_declaration(const Program& p) {
  std::vector<std::string> parameters;
  for (const Parameter& parameter : p.parameters) parameters.push_back(print_parameter(parameter));
  const std::string generic = parameters.empty() ? "" : "<" + join(parameters, ", ") + ">";
  return print_definitions(p.definitions) +
         fmt::format("program {}{} =\n  {}\n* {} {}\n* {}\n", p.name, generic,
                     print_views("out_view", p.outputs), print_dimensions(p),
                     scalar::print_body(p.body), print_views("inp_view", p.inputs));
}

std::string print(const Program& p) { return "mdh 1\n" + print_declaration(p); }

}  // namespace mdh::hl
