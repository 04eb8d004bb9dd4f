#include "mdh/loop/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mdh/loop/test_programs.h"

namespace mdh::loop {
namespace {

std::vector<int64_t> result(const std::string& body, uint64_t seed = 1) {
  return numbers(evaluate(rows_with(body), rows_input(), seed).at(0));
}

/// What evaluate complains of, whatever the order of the parts.
std::string complaint(const std::string& body) {
  std::set<std::string> texts;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    texts.insert(internal_error_of([&] { result(body, seed); }));
  }
  return texts.size() == 1 ? *texts.begin() : fmt::format("{} complaints", texts.size());
}

const std::vector<int64_t> in_order = {1234, 5678, 2468};

// ---- structured

TEST(LoopEvaluate, digits_run_over_all_parts_and_combine_in_their_order) {
  EXPECT_EQ(result(R"(
    sequential L1.i p < 3 of i step 1 {
      sequential L1.k q < 4 of k step 1 { accumulate (y[i]) first (q) from (x[i, k]); }
    })"),
            in_order);
}

TEST(LoopEvaluate, digits_are_worth_their_step_in_any_order_of_loops) {
  const std::string f = "{ accumulate (y[i]) first (q, r) from (x[i, k]); } } }";
  const std::string i = "sequential L1.i p < 3 of i step 1 {";
  EXPECT_EQ(result(i + "sequential L2.k r < 2 of k step 2 { sequential L1.k q < 2 of k step 1" + f),
            in_order);
  // The inner digit outside: columns 0, 2, 1, 3.
  EXPECT_EQ(result(i + "sequential L1.k q < 2 of k step 1 { sequential L2.k r < 2 of k step 2" + f),
            (std::vector<int64_t>{1324, 5768, 2648}));
}

TEST(LoopEvaluate, parts_without_points_are_skipped) {
  // Three columns in a part: the second part holds one point, the third none. Two rows in a part.
  EXPECT_EQ(result(R"(
    sequential L2.i o < 3 of i step 2 {
      sequential L1.i p < 2 of i step 1 {
        sequential L2.k r < 3 of k step 3 {
          sequential L1.k q < 3 of k step 1 { accumulate (y[i]) first (r, q) from (x[i, k]); }
        }
      }
    })"),
            in_order);
}

TEST(LoopEvaluate, a_target_without_first_digits_is_overwritten) {
  EXPECT_EQ(result(R"(
    sequential L1.i p < 3 of i step 1 {
      sequential L1.k q < 4 of k step 1 { accumulate (y[i]) first () from (x[i, k]); }
    })"),
            (std::vector<int64_t>{4, 8, 8}));
}

TEST(LoopEvaluate, f_sees_the_point) {
  const Program p = parse(R"(mdh_loop 1
kernel points
dimension i < 2
dimension j < 3
buffer output y: i64[2, 3]
function f(i: i64, j: i64) { y: i64 = 10 * i + j; }
function combine() { }
body {
  sequential L1.j q < 3 of j step 1 {
    sequential L1.i p < 2 of i step 1 { accumulate (y[i, j]) first () from (); }
  }
})");
  EXPECT_EQ(numbers(evaluate(p, {}).at(0)), (std::vector<int64_t>{0, 1, 2, 10, 11, 12}));
}

TEST(LoopEvaluate, slots_are_combined_in_the_order_of_the_members) {
  // Slots 12 and 34, 56 and 78, 24 and 68; 10 * 12 + 34 = 154.
  const std::string body = R"(
    cores COR.k c < 2 of k step 2 {
      sequential L1.i p < 3 of i step 1 {
        sequential L1.k q < 2 of k step 1 { accumulate (t[c, p]) first (q) from (x[i, k]); }
      }
    }
    team_combine COR.k c < 2 of k step 2 elements (L1.i p < 3 of i step 1)
      (y[i]) first () from (t[c, p]);)";
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(result(body, seed), (std::vector<int64_t>{154, 638, 308}));
  }
}

TEST(LoopEvaluate, only_slots_of_members_with_points_are_combined) {
  // Three columns in a part: slots 123 and 4; the third and fourth members have no slot.
  EXPECT_EQ(result(R"(
    sequential L1.i p < 3 of i step 1 {
      cores COR.k c < 4 of k step 3 {
        sequential L1.k q < 3 of k step 1 { accumulate (t[c, 0]) first (q) from (x[i, k]); }
      }
      team_combine COR.k c < 4 of k step 3 elements () (y[i]) first () from (t[c, 0]);
    })"),
            in_order);
}

TEST(LoopEvaluate, a_team_combines_into_what_earlier_rounds_left) {
  // Rounds of two columns: slots 1 and 2 give 12, then slots 3 and 4 one by one: 123, 1234.
  EXPECT_EQ(result(R"(
    sequential L1.i p < 3 of i step 1 {
      sequential L2.k r < 2 of k step 2 {
        cores COR.k c < 2 of k step 1 { accumulate (t[c, 0]) first () from (x[i, k]); }
        team_combine COR.k c < 2 of k step 1 elements () (y[i]) first (r) from (t[c, 0]);
      }
    })"),
            in_order);
}

TEST(LoopEvaluate, write_up_moves_an_accumulator_into_an_outer_one) {
  EXPECT_EQ(result(R"(
    sequential L1.i p < 3 of i step 1 {
      sequential L2.k r < 2 of k step 2 {
        sequential L1.k q < 2 of k step 1 { accumulate (t[0, 0]) first (q) from (x[i, k]); }
        write_up (y[i]) first (r) from (t[0, 0]);
      }
    })"),
            (std::vector<int64_t>{154, 638, 308}));
}

// ---- concrete

const std::string concrete_rows = R"(
  deal (COR.i p < 3 of i step 1) {
    let i = p;
    for L1.k q < 4 sequential {
      load a = x[i, q];
      apply r = f(a; i, q);
      if q == 0 { store y[i] = r; } else { load o = y[i]; combine n = (o; r); store y[i] = n; }
    }
  })";

TEST(LoopEvaluate, concrete_statements_do_what_they_say) {
  EXPECT_EQ(result(concrete_rows), in_order);
}

TEST(LoopEvaluate, bounds_conditions_and_indices_are_evaluated) {
  // Columns 3, 2, 1 of every row: two of row 0, of row 1 not column 2.
  EXPECT_EQ(result(R"(
    deal (COR.i p < 3 of i step 1) {
      for L1.k q < min(p + 2, 3) sequential {
        if p != 1 || q != 1 {
          let k = max((q * 7 + 3) % 4, 0 - 1);
          load a = x[p, k * 5 / 5];
          apply r = f(a; p, k);
          if q == 0 { store y[p] = r; } else { load o = y[p]; combine n = (o; r); store y[p] = n; }
        }
      }
    })"),
            (std::vector<int64_t>{43, 86, 864}));
}

TEST(LoopEvaluate, loops_with_nothing_to_do_are_skipped) {
  EXPECT_EQ(complaint("for L1.k q < 0 sequential { load a = y[0]; }"), "(no error was raised)");
  EXPECT_EQ(complaint("for L1.k q < 2 - 3 sequential { load a = y[0]; }"), "(no error was raised)");
}

TEST(LoopEvaluate, dialects_may_be_mixed) {
  EXPECT_EQ(result(R"(
    sequential L2.k r < 2 of k step 3 {
      deal (COR.i c < 2 of i step 2) {
        sequential L1.i p < 2 of i step 1 {
          sequential L1.k q < 3 of k step 1 { accumulate (y[i]) first (r, q) from (x[i, k]); }
        }
      }
    })"),
            in_order);
}

TEST(LoopEvaluate, elements_that_nobody_writes_stay_undefined) {
  const Program p =
      rows_with("deal () { let i = 1; load a = x[i, 0]; apply r = f(a; i, 0); store y[i] = r; }");
  EXPECT_EQ(evaluate(p, rows_input()).at(0).defined, (std::vector<uint8_t>{0, 1, 0}));
}

// ---- the memory model

const std::string fine = "(no error was raised)";

TEST(LoopEvaluate, reading_an_undefined_element_is_reported) {
  EXPECT_EQ(complaint("load a = y[1];"), "element 1 of 'y' is read before it is written");
  // Wrong digits decide about the first write: row 1 is combined with nothing.
  EXPECT_EQ(complaint(R"(
    sequential L1.i p < 3 of i step 1 {
      sequential L1.k q < 4 of k step 1 { accumulate (y[i]) first (p) from (x[i, k]); }
    })"),
            "element 1 of 'y' is read before it is written");
}

TEST(LoopEvaluate, an_index_outside_of_its_buffer_is_reported) {
  EXPECT_EQ(complaint("load a = x[0, 4];"), "index 4 is outside of [0, 4)");
}

/// Part a of three stores to `to`.
std::string store(const std::string& to) {
  return "deal (COR.i a < 3 of i step 1) { load v = x[a, 0]; store " + to + " = v; }";
}

/// The part of three whose digit is 0 loads from `from`.
std::string load_in_part_0(const std::string& digit, const std::string& from) {
  return fmt::format("deal (COR.i {0} < 3 of i step 1) {{ if {0} == 0 {{ load w = {1}; }} }}",
                     digit, from);
}

TEST(LoopEvaluate, two_parts_that_write_one_element_race) {
  EXPECT_EQ(complaint(store("y[0]")), "race: element 0 of 'y' is written by two parts");
  EXPECT_EQ(complaint(store("y[a]")), fine);
}

TEST(LoopEvaluate, a_part_that_reads_what_another_one_wrote_needs_a_barrier) {
  const std::string race = "race: element 1 of 't' is read while another part writes it";
  EXPECT_EQ(complaint(store("t[0, a]") + load_in_part_0("b", "t[0, 1]")), race);
  EXPECT_EQ(complaint(store("t[0, a]") + load_in_part_0("a", "t[0, 1]")), race);
  EXPECT_EQ(complaint(store("t[0, a]") + "load w = t[0, 1];"), race);
  EXPECT_EQ(complaint(store("t[0, a]") + "barrier;" + load_in_part_0("b", "t[0, 1]")), fine);
}

TEST(LoopEvaluate, a_part_that_overwrites_what_another_one_read_needs_a_barrier) {
  const std::string begin = store("t[0, a]") + "barrier;" + load_in_part_0("b", "t[0, 1]");
  EXPECT_EQ(complaint(begin + store("t[0, a]")),
            "race: element 1 of 't' is written while another part reads it");
  EXPECT_EQ(complaint(begin + "barrier;" + store("t[0, a]")), fine);
}

TEST(LoopEvaluate, two_deals_that_write_one_element_need_a_barrier) {
  const std::string again = "deal () { load u = x[0, 0]; store t[0, 2] = u; }";
  EXPECT_EQ(complaint(store("t[0, a]") + again), "race: element 2 of 't' is written by two parts");
  EXPECT_EQ(complaint(store("t[0, a]") + "barrier;" + again), fine);
}

TEST(LoopEvaluate, equal_digits_are_one_owner) {
  EXPECT_EQ(complaint(store("t[0, a]") + store("t[0, a]")), fine);
  EXPECT_EQ(complaint(store("t[0, a]") + load_in_part_0("a", "t[0, 0]")), fine);
}

TEST(LoopEvaluate, digits_with_other_names_numbers_or_neighbours_are_other_owners) {
  const std::string race = "race: element 0 of 't' is read while another part writes it";
  EXPECT_EQ(complaint(store("t[0, a]") + load_in_part_0("b", "t[0, 0]")), race);
  EXPECT_EQ(complaint(store("t[0, a]") +
                      "deal (COR.i a < 4 of i step 1) { if a == 0 { load w = t[0, 0]; } }"),
            race);
  EXPECT_EQ(complaint(store("t[0, a]") + "deal (COR.i a < 3 of i step 1, L1.k c < 2 of k step 1) "
                                         "{ if a == 0 && c == 0 { load w = t[0, 0]; } }"),
            race);
  EXPECT_EQ(complaint(store("t[0, a]") + "deal () { load w = t[0, 0]; }"), race);
}

// ---- order

/// Computes nothing and writes down the points in the order in which f meets them.
class Diary : public scalar::Algebra {
 public:
  void f(std::span<const scalar::Value>, std::span<const int64_t> point,
         std::span<scalar::Value>) override {
    points.emplace_back(point.begin(), point.end());
  }
  void combine(std::span<const scalar::Value>, std::span<const scalar::Value>,
               std::span<scalar::Value>) override {
    ++combinations;
  }

  std::vector<std::vector<int64_t>> points;
  int combinations = 0;
};

TEST(LoopEvaluate, the_seed_decides_about_the_order_of_parts_and_not_about_the_result) {
  const std::string structured_rows = R"(
    cores COR.i p < 3 of i step 1 {
      sequential L1.k q < 4 of k step 1 { accumulate (y[i]) first (q) from (x[i, k]); }
    })";
  for (const std::string& body : {concrete_rows, structured_rows}) {
    std::set<std::vector<std::vector<int64_t>>> orders;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      Diary diary;
      evaluate(rows_with(body), rows_input(), diary, seed);
      EXPECT_EQ(diary.points.size(), 12u);
      EXPECT_EQ(diary.combinations, 9);
      orders.insert(diary.points);
      EXPECT_EQ(result(body, seed), in_order);
    }
    EXPECT_EQ(orders.size(), 6u) << body;  // of three rows, each from its first column to its last
  }
}

TEST(LoopEvaluate, provenance_tells_the_points_behind_an_element) {
  scalar::ProvenanceAlgebra algebra({3, 4}, 1);
  const scalar::Array y = evaluate(rows_with(concrete_rows), rows_input(), algebra).at(0);
  EXPECT_EQ(algebra.points(y.cells[0]), (std::vector<int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(algebra.points(y.cells[2]), (std::vector<int64_t>{8, 9, 10, 11}));
}

// ---- the call

TEST(LoopEvaluate, programs_that_do_not_verify_are_noticed) {
  const Expr z = index_variable(named("z"));
  const auto complaint_of_let = [&](const Expr& e) {
    Program p = rows_with("let z = 1;");
    p.body.push_back(StmtNode{Let{named("a"), e}});
    return internal_error_of([&] { evaluate(p, rows_input()); });
  };
  EXPECT_EQ(complaint_of_let(z), fine);
  EXPECT_EQ(complaint_of_let(index_variable(named("b"))), "index 'b' has no value");
  EXPECT_EQ(complaint_of_let(unary(scalar::UnaryOp::negate, z)), "not an index expression");
}

TEST(LoopEvaluate, digits_have_no_value_behind_their_loop) {
  for (const std::string& loop : {std::string("sequential L1.i p < 3 of i step 1 { }"),
                                  std::string("for L1.i p < 3 sequential { }"),
                                  std::string("deal (COR.i p < 3 of i step 1) { }")}) {
    Program p = rows_with(loop);
    p.body.push_back(StmtNode{Let{named("a"), index_variable(named("p"))}});
    EXPECT_EQ(internal_error_of([&] { evaluate(p, rows_input()); }), "index 'p' has no value")
        << loop;
  }
}

TEST(LoopEvaluate, inputs_must_be_those_of_the_program) {
  const Program p = rows_with("");
  const std::vector<scalar::Array> right = rows_input();
  EXPECT_EQ(internal_error_of([&] { evaluate(p, {}); }), "too few inputs");
  EXPECT_EQ(internal_error_of([&] { evaluate(p, {right[0], right[0]}); }), "too many inputs");
  EXPECT_EQ(internal_error_of([&] {
              evaluate(p, {array({4, 3}, numbers(right[0]))});
            }),
            "'x' is given with other extents");
}

}  // namespace
}  // namespace mdh::loop
