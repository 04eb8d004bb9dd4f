#include "mdh/loop/print.h"

#include "mdh/loop/keywords.h"
#include "mdh/scalar/print.h"
#include "mdh/support/text.h"

namespace mdh::loop {
namespace {

std::string print_names(const std::vector<Symbol>& symbols) {
  std::vector<std::string> names;
  for (const Symbol& symbol : symbols) names.push_back(symbol.name);
  return join(names, ", ");
}

std::string print_exprs(const std::vector<Expr>& exprs) {
  std::vector<std::string> texts;
  for (const Expr& e : exprs) texts.push_back(scalar::print_sum(e));
  return join(texts, ", ");
}

std::string print_elements(const std::vector<Element>& elements) {
  std::vector<std::string> texts;
  for (const Element& element : elements) texts.push_back(print(element));
  return "(" + join(texts, ", ") + ")";
}

std::string print_target(const Target& target) {
  return fmt::format("{} first ({})", print_elements(target.elements), print_names(target.first));
}

/// Prints a body; statements know nothing of indentation, blocks add it.
class Printer {
 public:
  explicit Printer(const Program& p) : program_(p) {}

  std::string block(const Block& block) const {
    std::string text;
    for (const Stmt& s : block) text += std::visit(*this, s.node().is);
    return "{\n" + indent(text, 2) + "}";
  }

  std::string operator()(const Digits& s) const {
    return fmt::format("{} {} {}\n", word(s.how), digit(s.digit), block(s.body));
  }
  std::string operator()(const Accumulate& s) const {
    return fmt::format("accumulate {} from {};\n", print_target(s.target), print_elements(s.reads));
  }
  std::string operator()(const WriteUp& s) const {
    return fmt::format("write_up {} from {};\n", print_target(s.target), print_elements(s.from));
  }
  std::string operator()(const TeamCombine& s) const {
    return fmt::format("team_combine {} elements {}\n  {} from {};\n", digit(s.over),
                       digits(s.elements), print_target(s.target), print_elements(s.from));
  }
  std::string operator()(const For& s) const {
    return fmt::format("for {} {} < {} {} {}\n", s.level, s.var.name, scalar::print_sum(s.trip),
                       word(s.how), block(s.body));
  }
  std::string operator()(const Deal& s) const {
    return fmt::format("deal {} {}\n", digits(s.digits), block(s.body));
  }
  std::string operator()(const Barrier&) const { return "barrier;\n"; }
  std::string operator()(const If& s) const {
    const std::string otherwise = s.otherwise.empty() ? "" : " else " + block(s.otherwise);
    return fmt::format("if {} {}{}\n", scalar::print(s.condition), block(s.then), otherwise);
  }
  std::string operator()(const Let& s) const {
    return fmt::format("let {} = {};\n", s.var.name, scalar::print_sum(s.value));
  }
  std::string operator()(const Load& s) const {
    return fmt::format("load {} = {};\n", s.result.name, print(s.from));
  }
  std::string operator()(const Apply& s) const {
    return fmt::format("apply {} = f({}; {});\n", print_names(s.results), print_names(s.inputs),
                       print_exprs(s.point));
  }
  std::string operator()(const Combine& s) const {
    return fmt::format("combine {} = ({}; {});\n", print_names(s.results), print_names(s.left),
                       print_names(s.right));
  }
  std::string operator()(const Store& s) const {
    return fmt::format("store {} = {};\n", print(s.to), s.value.name);
  }

 private:
  std::string digit(const Digit& d) const {
    return fmt::format("{} {} < {} of {} step {}", d.level, d.var.name, d.parts,
                       program_.dimensions[d.dimension].symbol.name, d.step);
  }

  std::string digits(const std::vector<Digit>& all) const {
    std::vector<std::string> texts;
    for (const Digit& d : all) texts.push_back(digit(d));
    return "(" + join(texts, ", ") + ")";
  }

  const Program& program_;
};

std::string print_buffer(const Buffer& b) {
  std::vector<std::string> extents;
  for (const int64_t n : b.extents) extents.push_back(std::to_string(n));
  return fmt::format("buffer {} {}: {}[{}]\n", word(b.role), b.symbol.name, to_string(b.type),
                     join(extents, ", "));
}

std::string print_function(const scalar::Function& f) {
  std::vector<std::string> parameters;
  for (const auto& p : f.parameters) {
    parameters.push_back(fmt::format("{}: {}", p.symbol.name, to_string(p.type)));
  }
  std::string results;
  for (const auto& r : f.results) {
    results += fmt::format(" {}: {} = {};", r.target.name, to_string(r.value.type()),
                           scalar::print(r.value));
  }
  return fmt::format("function {}({}) {{{} }}\n", f.name, join(parameters, ", "), results);
}

}  // namespace

std::string print(const Element& element) {
  return fmt::format("{}[{}]", element.buffer.name, print_exprs(element.index));
}

std::string print(const Program& p) {
  std::string text = fmt::format("mdh_loop 1\nkernel {}\n", p.name);
  for (const Dimension& d : p.dimensions) {
    text +=
        fmt::format("dimension {} < {}{}\n", d.symbol.name, d.size, d.reduced ? " reduced" : "");
  }
  for (const Buffer& b : p.buffers) text += print_buffer(b);
  text += print_function(p.f);
  text += print_function(p.combine);
  return text + "body " + Printer(p).block(p.body) + "\n";
}

}  // namespace mdh::loop
