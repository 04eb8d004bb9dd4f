// Records, functions and loops; that they compute what they should is tested in tests/property.
#include <gtest/gtest.h>

#include <regex>

#include "mdh/backend/c/expr.h"
#include "mdh/scalar/elaborate.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"

namespace mdh::backend::function_test {
namespace {

using scalar::Expr;
using scalar::Function;
using scalar::Scalar;
using scalar::Type;

const Type& person() {
  static const Type type(scalar::Record{
      "person", {{"id", Scalar::i32}, {"born", Scalar::i16, 3}, {"alive", Scalar::boolean}}});
  return type;
}

/// Functions of p: person, x: f32 and k: i64; lets come first.
Function function(const std::vector<std::pair<std::string, std::string>>& lets,
                  const std::vector<std::pair<std::string, Type>>& results,
                  const std::vector<Function>& known = {}) {
  scalar::Scope scope;
  scope.declare_record(*person().record(), {});
  Function f{"f", {}, {}, {}};
  const std::vector<std::pair<std::string, Type>> parameters = {
      {"p", person()}, {"x", Scalar::f32}, {"k", Scalar::i64}};
  for (const auto& [name, type] : parameters) {
    f.parameters.push_back({scope.declare(name, type, "value", {}), type});
  }
  for (const Function& g : known) scope.declare_function(g, {});
  for (const auto& [name, text] : lets) {
    const Expr value = elaborate(resolve(scalar::parse_expression(text), scope), Type());
    f.locals.push_back({scope.declare_local(name, value.type(), "let", {}), value, {}});
  }
  for (const auto& [text, type] : results) {
    const Expr value = elaborate(resolve(scalar::parse_expression(text), scope), type);
    f.results.push_back({scalar::local("r" + std::to_string(f.results.size())), value, {}});
  }
  return f;
}

/// Hashes would make the texts unreadable.
std::string without_hashes(const std::string& text) {
  return std::regex_replace(text, std::regex("_[0-9a-f]{16}"), "");
}

struct Text {
  std::string statements, helpers;
};

Text called(const Function& f, Dialect dialect = Dialect::c) {
  ExprPrinter printer(dialect);
  std::vector<std::string> results;
  for (size_t n = 0; n < f.results.size(); ++n) results.push_back("r" + std::to_string(n));
  const std::string statements = printer.call(f, {"v", "2.0f", "i * 4 + 1"}, results);
  return {without_hashes(statements), without_hashes(printer.helpers())};
}

std::string definition(const std::string& name, const std::string& text) {
  return "#ifndef " + name + "_defined\n#define " + name + "_defined\n" + text + "\n#endif\n";
}

const std::string structures =
    definition("mdh_array_i16", "struct mdh_array_i16 { short at[3]; };") +
    definition("mdh_person",
               "struct mdh_person { int id; struct mdh_array_i16 born; unsigned char alive; };");

TEST(CRecord, structures_are_the_same_in_memory_and_in_variables) {
  ExprPrinter printer;
  const std::string name = printer.storage_type(person());
  EXPECT_EQ(printer.value_type(person()), name);
  EXPECT_EQ(without_hashes(name), "struct mdh_person");
  EXPECT_EQ(without_hashes(printer.helpers()), structures);
  EXPECT_EQ(printer.load(person(), "x[0]"), "x[0]");
  EXPECT_EQ(printer.store(person(), "x[0]", "v"), "x[0] = v;\n");
}

TEST(CRecord, different_records_of_one_name_are_different_structures) {
  ExprPrinter printer;
  const Type other(scalar::Record{"person", {{"id", Scalar::i64}}});
  EXPECT_NE(printer.value_type(person()), printer.value_type(other));
}

TEST(CFunction, plain_functions_are_printed_in_place) {
  Function f = function({}, {{"x * x + 0.5", Scalar::f32}, {"k < 3", Scalar::boolean}});
  f.parameters.front().type = Scalar::i8;  // records are not plain
  const Text text = called(f);
  EXPECT_EQ(text.statements,
            "const float r0 = (((2.0f) * (2.0f)) + 0.5f);\n"
            "const _Bool r1 = ((i * 4 + 1) < 3L);\n");
  EXPECT_EQ(text.helpers, "");
}

TEST(CFunction, functions_with_lets_and_records_are_helpers) {
  const Text text = called(
      function({{"y", "x + 1.0"}}, {{"if p.alive then y * y else f32(p.born[1])", Scalar::f32}}));
  EXPECT_EQ(text.statements, "const float r0 = mdh_f(&v, 2.0f, i * 4 + 1);\n");
  EXPECT_EQ(
      text.helpers,
      structures +
          definition(
              "mdh_f",
              R"(static inline __attribute__((always_inline)) float mdh_f(const struct mdh_person *p, float x, long k) {
  const float y = (x + 1.0f);
  return ((p->alive != 0) ? (y * y) : (float)(p->born.at[1]));
})"));
}

TEST(CFunction, several_results_are_stored_at_addresses) {
  const Text text = called(function({}, {{"p.id", Scalar::i32}, {"p", person()}}));
  EXPECT_EQ(text.statements,
            "int r0;\nstruct mdh_person r1;\nmdh_f(&v, 2.0f, i * 4 + 1, &r0, &r1);\n");
  EXPECT_EQ(
      text.helpers,
      structures +
          definition(
              "mdh_f",
              R"(static inline __attribute__((always_inline)) void mdh_f(const struct mdh_person *p, float x, long k, int *r0, struct mdh_person *r1) {
  *r0 = p->id;
  *r1 = (*p);
})"));
}

TEST(CFunction, records_are_made_of_their_fields) {
  const Text text =
      called(function({}, {{"person{ id = 7, alive = x < 1.0, born = p.born }", person()}}));
  EXPECT_NE(text.helpers.find("return ((struct mdh_person){.id = 7, .alive = (x < 1.0f), .born = "
                              "p->born});\n"),
            std::string::npos)
      << text.helpers;
}

TEST(CFunction, indices_that_are_computed_stay_inside_of_the_array) {
  const Text text = called(function({}, {{"p.born[k] + p.born[2]", Scalar::i16}}));
  EXPECT_NE(text.helpers.find("p->born.at[mdh_inside(k, 3)]"), std::string::npos) << text.helpers;
  EXPECT_NE(text.helpers.find("p->born.at[2]"), std::string::npos) << text.helpers;
}

TEST(CFunction, functions_of_the_user_come_before_those_that_call_them) {
  Function g = function({}, {{"p.id + i32(k)", Scalar::i32}});
  g.name = "g";
  const Text text =
      called(function({}, {{"g(p, x, 1) * g(if p.alive then p else p, x, 2)", Scalar::i32}}, {g}));
  const size_t callee = text.helpers.find(" int mdh_g(const struct mdh_person *p");
  const size_t wrapper = text.helpers.find(
      " int mdh_g_of_values(struct mdh_person a0, float a1, long a2) {\n"
      "  return mdh_g(&a0, a1, a2);\n");
  const size_t caller = text.helpers.find(" int mdh_f(");
  ASSERT_NE(callee, std::string::npos) << text.helpers;
  ASSERT_NE(wrapper, std::string::npos) << text.helpers;
  ASSERT_NE(caller, std::string::npos) << text.helpers;
  EXPECT_LT(callee, wrapper);
  EXPECT_LT(wrapper, caller);
  EXPECT_EQ(text.helpers.find("int mdh_g(", callee + 30), std::string::npos) << "once";
}

TEST(CFunction, loops_are_functions_of_what_they_mention) {
  const Text text = called(function(
      {}, {{"loop (n = 0, s = x) while (n < k) { s = s * x + f32(p.id), n = n + 1 } yield s",
            Scalar::f32}}));
  EXPECT_NE(
      text.helpers.find(
          R"(static inline __attribute__((always_inline)) float mdh_loop(long n, float s, long k, float x, const struct mdh_person *p) {
  while ((n < k)) {
    const float next_s = ((s * x) + (float)(p->id));
    const long next_n = (long)((unsigned long)n + (unsigned long)1L);
    s = next_s;
    n = next_n;
  }
  return s;
})"),
      std::string::npos)
      << text.helpers;
  EXPECT_NE(text.helpers.find("return mdh_loop(0L, x, k, x, p);\n"), std::string::npos)
      << text.helpers;
}

/// Compilers unroll without end what has constants only, unless they are told how often.
TEST(CFunction, few_rounds_are_written_out_on_cuda) {
  const auto pragma_of = [](const std::string& loop, Dialect dialect = Dialect::cuda) {
    const Text text = called(function({}, {{loop, Scalar::f32}}), dialect);
    const size_t end = text.helpers.rfind('\n', text.helpers.find("while (")) + 1;
    const size_t begin = text.helpers.rfind('\n', end - 2) + 1;
    const std::string line = text.helpers.substr(begin, end - begin);
    return line.find('#') == std::string::npos ? "" : line.substr(line.find('#'));
  };
  const auto counting = [](const std::string& begin, const std::string& condition,
                           const std::string& update) {
    return "loop (n = " + begin + ", s = x) while (" + condition + ") { s = s * x, n = " + update +
           " } yield s";
  };
  const std::string few = "#pragma unroll\n", any = "#pragma unroll 1\n";
  EXPECT_EQ(pragma_of(counting("0", "n < 16", "n + 1")), few);
  EXPECT_EQ(pragma_of(counting("3", "n < 33", "n + 2")), few);
  EXPECT_EQ(pragma_of(counting("0", "s < 4.0 && n < 9", "n + 1")), few);
  EXPECT_EQ(pragma_of(counting("9", "n > 0", "n - 1")), few);
  EXPECT_EQ(pragma_of(counting("0", "n < 17", "n + 1")), any);
  EXPECT_EQ(pragma_of(counting("0", "n < k", "n + 1")), any);
  EXPECT_EQ(pragma_of(counting("k", "n < 9", "n + 1")), any);
  EXPECT_EQ(pragma_of(counting("0", "s < 4.0 || n < 9", "n + 1")), any);
  EXPECT_EQ(pragma_of(counting("0", "n < 9", "n + k")), any);
  EXPECT_EQ(pragma_of(counting("0", "n < 9", "n - 1")), any);
  EXPECT_EQ(pragma_of(counting("-9223372036854775807", "n < 9223372036854775807", "n + 1")), any);
  EXPECT_EQ(pragma_of(counting("0", "n < 9", "n + 1"), Dialect::opencl), "");
  const std::string inner = "(loop (m = 0, t = s) while (m < 9) { t = t * x, m = m + 1 } yield t)";
  const std::string outer =
      "loop (n = 0, s = x) while (n < 9) { s = " + inner + ", n = n + 1 } yield s";
  EXPECT_EQ(pragma_of(outer), few) << "of the inner loop, whose function comes first";
  const Text nested = called(function({}, {{outer, Scalar::f32}}), Dialect::cuda);
  EXPECT_NE(nested.helpers.find(any), std::string::npos) << "the outer one stays a loop";
}

TEST(CFunction, equal_functions_have_one_name_and_others_have_others) {
  const Function f = function({{"y", "x + 1.0"}}, {{"y", Scalar::f32}});
  const Function same = function({{"y", "x + 1.0"}}, {{"y", Scalar::f32}});
  const Function other = function({{"y", "x + 2.0"}}, {{"y", Scalar::f32}});
  ExprPrinter printer;
  const std::string first = printer.call(f, {"v", "x", "k"}, {"r"});
  const std::string helpers = printer.helpers();
  EXPECT_EQ(printer.call(f, {"v", "x", "k"}, {"r"}), first);
  EXPECT_EQ(printer.call(same, {"v", "x", "k"}, {"r"}), first);
  EXPECT_EQ(printer.helpers(), helpers);
  EXPECT_NE(printer.call(other, {"v", "x", "k"}, {"r"}), first);
}

TEST(CFunction, what_is_small_with_all_that_it_calls_is_always_expanded) {
  Function last = function({}, {{"p.id + i32(k)", Scalar::i32}});
  last.name = "g0";
  for (int n = 1; n < 40; ++n) {
    const std::string callee = last.name;
    last = function({}, {{callee + "(p, x, k) * " + callee + "(p, x, 1)", Scalar::i32}}, {last});
    last.name = "g" + std::to_string(n);
  }
  const std::string helpers = called(last).helpers;
  const std::string always = "static inline __attribute__((always_inline)) int mdh_";
  EXPECT_NE(helpers.find(always + "g0("), std::string::npos) << helpers;
  EXPECT_NE(helpers.find(always + "g5("), std::string::npos) << helpers;
  EXPECT_EQ(helpers.find(always + "g9("), std::string::npos) << helpers;
  EXPECT_NE(helpers.find("static inline int mdh_g39("), std::string::npos) << helpers;
  EXPECT_EQ(called(last, Dialect::opencl).helpers.find("__attribute__"), std::string::npos);
}

/// An operator on two persons.
Function better(const std::string& value) {
  Function f = function({}, {});
  f.name = "better";
  scalar::Scope scope;
  scope.declare_record(*person().record(), {});
  f.parameters.clear();
  for (const char* name : {"l", "r"}) {
    f.parameters.push_back({scope.declare(name, person(), "value", {}), person()});
  }
  f.results.push_back({scalar::local("x"),
                       elaborate(resolve(scalar::parse_expression(value), scope), person()),
                       {}});
  return f;
}

std::string body_of_better(const std::string& value, Dialect dialect = Dialect::c) {
  ExprPrinter printer(dialect);
  printer.call(better(value), {"a", "b"}, {"c"});
  const std::string helpers = printer.helpers();
  const size_t at = helpers.find(" {\n", helpers.find("mdh_better_", helpers.find(" *l") - 90)) + 3;
  return helpers.substr(at, helpers.find("\n}", at) + 1 - at);
}

TEST(CFunction, of_two_records_the_left_one_is_expected_to_stay) {
  EXPECT_EQ(body_of_better("if l.id >= r.id then l else r"),
            "  if (__builtin_expect(!(l->id >= r->id), 0)) {\n    __asm__(\"\");\n    return *r;\n"
            "  }\n  return *l;\n");
  EXPECT_EQ(body_of_better("if l.id < r.id then r else l"),
            "  if (__builtin_expect((l->id < r->id), 0)) {\n    __asm__(\"\");\n    return *r;\n"
            "  }\n  return *l;\n");
  EXPECT_EQ(body_of_better("if l.id < r.id then r else l", Dialect::opencl),
            "  return ((l->id < r->id) ? (*r) : (*l));\n");
  EXPECT_EQ(body_of_better("if l.id < r.id then r else r"),
            "  return ((l->id < r->id) ? (*r) : (*r));\n");
}

TEST(CFunction, functions_without_results_are_not_called) {
  EXPECT_EQ(called(function({}, {})).statements, "");
}

}  // namespace
}  // namespace mdh::backend::function_test
