// Records, functions, operators and partial instantiation: the program that links records.
#include <gtest/gtest.h>

#include <cmath>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/support/random.h"
#include "mdh/support/testing.h"

namespace mdh::hl::definitions_test {
namespace {

const char* const link_records = R"(mdh 1
record person { surname: i32; forename: i32; born: i16[3]; town: i32; }
record best   { id: i32; weight: f64; status: i8; }

fun agree(same: bool, m: f64, u: f64): f64 =
  if same then log2(m / u) else log2((1.0 - m) / (1.0 - u));

fun weight(a: person, b: person): f64 {
  same_day = loop (k = 0, same = true) while (k < 3)
             { same = same && a.born[k] == b.born[k], k = k + 1 } yield same;
  return agree(a.surname == b.surname, 0.975, 0.001) + agree(a.forename == b.forename, 0.975, 0.006)
       + agree(same_day, 0.97, 0.00003) + agree(a.town == b.town, 0.9, 0.0025);
}

op better(l, r) = if l.weight > r.weight || l.weight == r.weight && l.id <= r.id then l else r;

program link<NN: size = 30, NE: size = 50> =
  out_view( M: best = [i] )
* md_hom( i: NN by cc, j: NE by pw(better) ) {
    w = weight(N, E);
    M = best{ id = i32(j), weight = w, status = if w > 45.0 then 2 else if w < 15.0 then 0 else 1 };
  }
* inp_view( N: person = [i]; E: person = [j] )
)";

struct Person {
  int32_t surname, forename;
  int16_t born[3];
  int32_t town;
};

struct Best {
  int32_t id;
  double weight;
  int8_t status;
};

double agreement(bool same, double m, double u) {
  return same ? std::log2(m / u) : std::log2((1.0 - m) / (1.0 - u));
}

Best best_of(const Person& a, const std::vector<Person>& all) {
  Best best{-1, -1e9, 0};
  for (size_t j = 0; j < all.size(); ++j) {
    const Person& b = all[j];
    const bool day = a.born[0] == b.born[0] && a.born[1] == b.born[1] && a.born[2] == b.born[2];
    const double w = agreement(a.surname == b.surname, 0.975, 0.001) +
                     agreement(a.forename == b.forename, 0.975, 0.006) +
                     agreement(day, 0.97, 0.00003) + agreement(a.town == b.town, 0.9, 0.0025);
    if (w > best.weight) best = {static_cast<int32_t>(j), w, int8_t(w > 45 ? 2 : w < 15 ? 0 : 1)};
  }
  return best;
}

std::vector<Person> people(Random& random, int count) {
  std::vector<Person> all;
  const auto few = [&] { return static_cast<int16_t>(random.between(0, 1)); };
  for (int n = 0; n < count; ++n) all.push_back({few(), few(), {few(), few(), 7}, few()});
  return all;
}

TEST(RecordLinkage, finds_the_best_partners) {
  const Program p = instantiate(parse(link_records), {{}, {{"NN", 9}, {"NE", 14}}, {}});
  ASSERT_EQ(scalar::bytes_of(p.inputs[0].type), static_cast<int>(sizeof(Person)));
  ASSERT_EQ(scalar::bytes_of(p.outputs[0].type), static_cast<int>(sizeof(Best)));
  Random random(1);
  const std::vector<Person> fresh = people(random, 9), known = people(random, 14);
  const Array result =
      evaluate(p, {scalar::copy_from_memory(p.inputs[0].type, {9}, fresh.data()),
                   scalar::copy_from_memory(p.inputs[1].type, {14}, known.data())})[0];
  std::vector<Best> found(9);
  scalar::copy_to_memory(result, found.data());
  for (size_t i = 0; i < 9; ++i) {
    const Best expected = best_of(fresh[i], known);
    EXPECT_EQ(found[i].id, expected.id) << i;
    EXPECT_EQ(found[i].weight, expected.weight) << i;
    EXPECT_EQ(found[i].status, expected.status) << i;
  }
}

TEST(RecordLinkage, is_read_back_equal_generic_and_concrete) {
  const Program generic = parse(link_records);
  EXPECT_TRUE(parse(print(generic)) == generic) << print(generic);
  const Program concrete = instantiate(generic, {});
  EXPECT_TRUE(parse(print(concrete)) == concrete) << print(concrete);
}

TEST(Definitions, of_all_kinds_are_read_back_equal) {
  for (const char* text : {R"(mdh 1
record pair { a: f16; b: bf16[4]; }
fun first(p: pair): f16 = p.a;
fun shifted(x: u32, n: u32): u32 { y = ~x << n; z = y >> 1; return y ^ z; }
op sum(x, y) = x + y;
program p<N: size = *> = out_view( s: i64 = [] ) * md_hom( i: N by pw(sum) ) { s = x / 2; }
* inp_view( x: i64 = [i / 2, i % 2] ))",
                           R"(mdh 1
op both(l, r) { t = l.s + r.s; s = t; m = max(l.m, r.m); }
combine side(x): same = if in_lhs(x) then lhs[x] else rhs[x];
combine least(x): zero { a = lhs[0]; return min(a, rhs[0]); }
program p<T: type, N: size = 4> = out_view( s: T = [i]; m: T = [i] )
* md_hom( i: N by ps(both), j: 3 by cc ) { y = x * 2; s = y; m = y - x; }
* inp_view( x: T[N, 9] = [i, j * j] ))"}) {
    const Program p = parse(text);
    EXPECT_TRUE(parse(print(p)) == p) << print(p);
    EXPECT_EQ(p.definitions.records.size() + p.definitions.combines.size(),
              p.definitions.operators.size() + (p.definitions.combines.empty() ? 0 : 1))
        << "nothing is dropped";
  }
}

// ---- partial instantiation

const char* const generic_text = R"(mdh 1
program scaled<T: type, I: size = *, K: size = I + 1, c: T = 1.0 / 3.0> =
  out_view( y: T = [i] ) * md_hom( i: I by cc, k: K by pw(add) ) { y = c * x * T(K); }
* inp_view( x: T = [i, k] ))";

TEST(Bind, in_steps_of_any_order_equals_everything_at_once) {
  const Program p = parse(generic_text);
  const Bindings type{{{"T", scalar::Scalar::f32}}, {}, {}}, size{{}, {{"I", 5}}, {}},
      other{{}, {{"K", 3}}, {}};
  Bindings all = type;
  all.sizes = {{"I", 5}, {"K", 3}};
  const Program expected = instantiate(p, all);
  EXPECT_TRUE(instantiate(bind(bind(p, type), size), other) == expected);
  EXPECT_TRUE(instantiate(bind(bind(p, size), other), type) == expected);
  EXPECT_TRUE(instantiate(bind(bind(p, other), type), size) == expected);
  EXPECT_TRUE(instantiate(bind(p, all), {}) == expected);
}

TEST(Bind, removes_what_is_bound_and_keeps_the_rest) {
  const Program p = bind(parse(generic_text), {{{"T", scalar::Scalar::f64}}, {{"I", 4}}, {}});
  ASSERT_EQ(p.parameters.size(), 2u);
  EXPECT_EQ(p.parameters[0].symbol.name, "K");
  EXPECT_EQ(p.parameters[1].symbol.name, "c");
  EXPECT_FALSE(is_concrete(p));
  EXPECT_TRUE(instantiate(parse(print(p)), {}) == instantiate(p, {})) << print(p);
  EXPECT_EQ(extents(instantiate(p, {}), instantiate(p, {}).inputs[0]), (Extents{4, 5}));
}

// In f a literal takes the type of its surroundings, so a value says its own.
TEST(Bind, values_are_written_with_their_types) {
  const Program p = parse(R"(mdh 1
program p<T: type, N: size, M: size = N + 1, c: f32, d: u64, q: bool> =
  out_view( y: T[N + 3] = [N - 1 - i] )
* md_hom( i: N by cc ) { y = if q then T(c) * sqrt(x) else T(N) + T(d); } * inp_view( x: T = [i] ))");
  const Expr tenth = scalar::decimal(0.1), great = scalar::literal(scalar::Scalar::u64, {~0ull});
  const Expr no = scalar::literal(scalar::Scalar::boolean, {0});
  const Program partial = bind(p, {{}, {{"N", 4}}, {{"c", tenth}, {"d", great}, {"q", no}}});
  EXPECT_EQ(print(partial), R"(mdh 1
program p<T: type, M: size = 4 + 1> =
  out_view( y: T[4 + 3] = [4 - 1 - i] )
* md_hom( i: 4 by cc ) { y = if false then T(f32(0.1)) * sqrt(x) else T(i64(4)) + T(18446744073709551615); }
* inp_view( x: T = [i] )
)");
  EXPECT_TRUE(parse(print(partial)) == partial);
}

TEST(Bind, of_everything_is_the_concrete_program) {
  const Bindings all{
      {{"T", scalar::Scalar::f32}}, {{"I", 5}, {"K", 3}}, {{"c", scalar::integer(2)}}};
  const Program p = bind(parse(generic_text), all);
  EXPECT_TRUE(p == instantiate(parse(generic_text), all));
  EXPECT_TRUE(parse(print(p)) == p) << print(p);
}

TEST(Bind, of_a_constant_waits_for_its_type) {
  const auto constant_first = [] {
    bind(parse(generic_text), {{}, {}, {{"c", scalar::integer(2)}}});
  };
  const Diagnostic d = diagnostic_of(constant_first);
  EXPECT_EQ(d.code, "E219");
  EXPECT_EQ(d.message, "constant 'c' is bound before its type T");
  EXPECT_EQ(d.hint, "bind the type first, or both at once");
}

TEST(Bind, reaches_the_types_of_mathematics) {
  const Program p = parse(R"(mdh 1
program p<S: size = 3, T: type = f64> = out_view( y: T = [i] )
* md_hom( i: S by cc ) { y = atan2(sqrt(x), 1); } * inp_view( x: T = [i] ))");
  for (const Bindings& step :
       {Bindings{{}, {{"S", 2}}, {}}, Bindings{{{"T", scalar::Scalar::f32}}, {}, {}}}) {
    const Program partial = bind(p, step);
    EXPECT_TRUE(parse(print(partial)) == partial) << print(partial);
  }
  EXPECT_TRUE(instantiate(p, {}).body[0].value.type() == Type(scalar::Scalar::f64));
}

TEST(Bind, of_an_unknown_name_is_refused) {
  const Diagnostic d = diagnostic_of([] { bind(parse(generic_text), {{}, {{"J", 4}}, {}}); });
  EXPECT_EQ(d.code, "E210");
}

TEST(SizeAtRunTime, has_no_value_of_its_own) {
  const Program p = parse(generic_text);
  EXPECT_TRUE(p.parameters[1].dynamic);
  EXPECT_NE(print(p).find("I: size = *"), std::string::npos) << print(p);
  const Diagnostic d = diagnostic_of([&] {
    instantiate(p, {{{"T", scalar::Scalar::f32}}, {}, {}});
  });
  EXPECT_EQ(d.code, "E211");
  EXPECT_EQ(d.message, "size 'I' of program 'scaled' has no value");
}

}  // namespace
}  // namespace mdh::hl::definitions_test
