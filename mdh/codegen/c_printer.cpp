#include "mdh/codegen/c_printer.h"

#include <algorithm>

#include "mdh/scalar/simplify.h"
#include "mdh/support/text.h"

namespace mdh::codegen {
namespace {

using loop::Block;
using loop::Stmt;
using scalar::Expr;

bool mentions(const Block& block, const Symbol& symbol);

bool mentions(const Stmt& s, const Symbol& symbol) {
  bool found = false;
  loop::map_expressions(s, [&](const Expr& e) {
    found = found || scalar::mentions(e, symbol);
    return e;
  });
  loop::for_each_child(s, [&](const Block& b) { found = found || mentions(b, symbol); });
  return found;
}

bool mentions(const Block& block, const Symbol& symbol) {
  return std::any_of(block.begin(), block.end(),
                     [&](const Stmt& s) { return mentions(s, symbol); });
}

const char* note(loop::How how) {
  switch (how) {
    case loop::How::unrolled:
      return ", side by side in registers";
    case loop::How::lanes:
      return ", lanes";
    default:
      return "";
  }
}

}  // namespace

CPrinter::CPrinter(const loop::Program& p) : program_(p) {}

std::string CPrinter::block(const Block& statements) {
  std::string text;
  for (size_t n = 0; n < statements.size(); ++n) {
    // An index that nothing uses would only be noise.
    const auto* let = statements[n].as<loop::Let>();
    const Block rest(statements.begin() + static_cast<std::ptrdiff_t>(n) + 1, statements.end());
    const bool used = !let || mentions(rest, let->var);
    if (used) text += statement(statements[n]);
  }
  return text;
}

std::string CPrinter::statement(const Stmt& s) {
  if (const auto* loop = s.as<loop::For>()) return for_loop(*loop);
  if (const auto* dealt = s.as<loop::Deal>()) return deal(*dealt);
  if (s.as<loop::Barrier>()) return barrier();
  if (const auto* choice_ = s.as<loop::If>()) return choice(*choice_);
  if (const auto* let = s.as<loop::Let>()) {
    return fmt::format("const long {} = {};\n", c_name(let->var.name),
                       expressions_.print_index(let->value));
  }
  if (const auto* load = s.as<loop::Load>()) {
    return define(load->result, find_buffer(program_, load->from.buffer).type, element(load->from));
  }
  if (const auto* applied = s.as<loop::Apply>()) return apply(*applied);
  if (const auto* combined = s.as<loop::Combine>()) return combine(*combined);
  const auto* store = s.as<loop::Store>();
  internal_check(store != nullptr, "a structured statement reached the printer");
  return fmt::format("{} = {};\n", element(store->to), c_name(store->value.name));
}

std::string CPrinter::for_loop(const loop::For& s) {
  const std::string var = c_name(s.var.name);
  return fmt::format("for (long {0} = 0; {0} < {1}; ++{0}) {{  /* {2}{3} */\n{4}}}\n", var,
                     expressions_.print_index(s.trip), s.level, note(s.how),
                     indent(block(s.body), 2));
}

std::string CPrinter::choice(const loop::If& s) {
  std::string text = fmt::format("if ({}) {{\n{}}}", expressions_.print_index(s.condition),
                                 indent(block(s.then), 2));
  if (!s.otherwise.empty()) text += fmt::format(" else {{\n{}}}", indent(block(s.otherwise), 2));
  return text + "\n";
}

std::string CPrinter::apply(const loop::Apply& s) {
  std::vector<Expr> arguments;
  for (const Symbol& input : s.inputs) arguments.push_back(value(input));
  arguments.insert(arguments.end(), s.point.begin(), s.point.end());
  return call(program_.f, arguments, s.results);
}

std::string CPrinter::combine(const loop::Combine& s) {
  std::vector<Expr> arguments;
  for (const auto* side : {&s.left, &s.right}) {
    for (const Symbol& x : *side) arguments.push_back(value(x));
  }
  return call(program_.combine, arguments, s.results);
}

/// Functions are printed in place: their parameters become the arguments.
std::string CPrinter::call(const scalar::Function& f, const std::vector<Expr>& arguments,
                           const std::vector<Symbol>& results) {
  std::string text;
  for (size_t c = 0; c < results.size(); ++c) {
    const Expr inlined = substitute(
        f.results[c].value, [&](const scalar::Variable& v, const Expr&) -> std::optional<Expr> {
          for (size_t n = 0; n < f.parameters.size(); ++n) {
            if (f.parameters[n].symbol == v.symbol) return arguments[n];
          }
          return std::nullopt;
        });
    text += define(results[c], scalar_of(f.results[c].value.type()), expressions_.print(inlined));
  }
  return text;
}

std::string CPrinter::define(const Symbol& symbol, scalar::Scalar type, const std::string& text) {
  types_[symbol.name] = type;
  return fmt::format("const {} {} = {};\n", c_type(type), c_name(symbol.name), text);
}

/// Row-major, with constant strides.
std::string CPrinter::element(const loop::Element& e) {
  const loop::Buffer& buffer = find_buffer(program_, e.buffer);
  int64_t stride = 1;
  Expr address = scalar::index_literal(0);
  for (size_t d = e.index.size(); d-- > 0;) {
    const Expr term = e.index[d] * scalar::index_literal(stride);
    address = stride == 1 ? term : term + address;
    stride *= buffer.extents[d];
  }
  return fmt::format("{}[{}]", c_name(e.buffer.name), expressions_.print_index(address));
}

Expr CPrinter::value(const Symbol& symbol) const {
  return scalar::variable(symbol, types_.at(symbol.name));
}

}  // namespace mdh::codegen
