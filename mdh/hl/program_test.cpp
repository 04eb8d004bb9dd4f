#include "mdh/hl/program.h"

#include <gtest/gtest.h>

#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"

namespace mdh::hl::program_test {
namespace {

Program example() {
  return parse(R"(mdh 1
program p<T: type = f32, N: size = 4, c: T = 2> =
  out_view( y: T[N + 1] = [i] ) * md_hom( i: N by cc ) { y = c * T(x.1 + x.2); }
* inp_view( x: T = [i], [N - 1 - i] ))");
}

TEST(Program, is_concrete_without_parameters) {
  EXPECT_FALSE(is_concrete(example()));
  Program p = example();
  p.parameters.clear();
  EXPECT_TRUE(is_concrete(p));
}

TEST(Program, map_expressions_reaches_every_expression) {
  const Expr mark = scalar::variable({"mark", 99}, scalar::Scalar::i64);
  const Program p = map_expressions(example(), [&](const Expr&) { return mark; });
  EXPECT_EQ(print(p), R"(mdh 1
program p<T: type = f32, N: size = mark, c: T = mark> =
  out_view( y: T[mark] = [mark] )
* md_hom( i: mark by cc ) { y = mark; }
* inp_view( x: T = [mark], [mark] )
)");
}

TEST(Program, map_expressions_by_identity_changes_nothing) {
  EXPECT_TRUE(map_expressions(example(), [](const Expr& e) { return e; }) == example());
}

/// Adds to the number of every symbol, wherever it is declared or mentioned.
Program shifted(Program p, int by) {
  const auto shift = [=](const Type& type) {
    if (!type.is_parameter()) return type;
    const Symbol& symbol = std::get<Symbol>(type.is);
    return Type(Symbol{symbol.name, symbol.id + by});
  };
  const std::function<Expr(const Expr&)> change = [&](const Expr& e) -> Expr {
    if (const auto* v = e.as<scalar::Variable>()) {
      return scalar::variable({v->symbol.name, v->symbol.id + by}, shift(e.type()));
    }
    if (const auto* c = e.as<scalar::Cast>()) return cast(shift(e.type()), change(c->operand));
    return map_children(e, change);
  };
  p = map_expressions(p, change);
  for (Parameter& parameter : p.parameters) {
    parameter.symbol.id += by;
    parameter.type = shift(parameter.type);
  }
  for (auto* views : {&p.outputs, &p.inputs}) {
    for (BufferView& view : *views) {
      view.symbol.id += by;
      view.type = shift(view.type);
      for (Access& access : view.accesses) access.symbol.id += by;
    }
  }
  for (Dimension& d : p.dimensions) d.symbol.id += by;
  for (scalar::Assignment& a : p.body) a.target.id += by;
  return p;
}

TEST(Program, renumbered_gives_every_symbol_its_number_back) {
  const Program p = shifted(example(), 10);
  EXPECT_FALSE(p == example());
  EXPECT_TRUE(renumbered(p) == example());
  EXPECT_TRUE(renumbered(example()) == example());
}

}  // namespace
}  // namespace mdh::hl::program_test
