#include "mdh/loop/evaluate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mdh/loop/test_runs.h"

namespace mdh::loop::evaluate_test {
namespace {

// ---- structured

TEST(LoopEvaluate, loops_run_over_all_parts_and_combine_in_their_order) {
  EXPECT_EQ(result("loop p { loop q { accumulate (y[i]) first (q) from (x[i, k]); } }"), in_order);
}

TEST(LoopEvaluate, digits_are_worth_their_step_in_any_order_of_loops) {
  const More more{R"(digit r: L2.k < 2 of k step 2 sequential
digit s: L3.k < 2 of k step 1 sequential
)",
                  {}};
  const std::string f = "{ accumulate (y[i]) first (s, r) from (x[i, k]); } } }";
  EXPECT_EQ(result("loop p { loop r { loop s" + f, more), in_order);
  // The inner digit outside: columns 0, 2, 1, 3.
  EXPECT_EQ(result("loop p { loop s { loop r" + f, more), (std::vector<int64_t>{1324, 5768, 2648}));
}

TEST(LoopEvaluate, parts_without_points_are_skipped) {
  // Three columns in a part: the second part holds one point, the third none. Two rows in a part.
  const More more{R"(digit o: L2.i < 3 of i step 2 sequential
digit n: L3.i < 2 of i step 1 sequential
digit r: L2.k < 3 of k step 3 sequential
digit s: L3.k < 3 of k step 1 sequential
)",
                  {}};
  EXPECT_EQ(result("loop o { loop n { loop r { loop s {"
                   "accumulate (y[i]) first (r, s) from (x[i, k]); } } } }",
                   more),
            in_order);
}

TEST(LoopEvaluate, a_target_without_first_digits_is_overwritten) {
  EXPECT_EQ(result("loop p { loop q { accumulate (y[i]) first () from (x[i, k]); } }"),
            (std::vector<int64_t>{4, 8, 8}));
}

TEST(LoopEvaluate, f_sees_the_point) {
  const Program p = parse(R"(mdh_loop 1
kernel points
dimension i < 2 kept
dimension j < 3 kept
digit p: L1.i < 2 of i step 1 sequential
digit q: L1.j < 3 of j step 1 sequential
buffer output y: i64[2, 3]
function f(i: i64, j: i64) { y: i64 = 10 * i + j; }
function combine() { }
body { loop q { loop p { accumulate (y[i, j]) first () from (); } } })");
  EXPECT_EQ(numbers(evaluate(p, {}).at(0)), (std::vector<int64_t>{0, 1, 2, 10, 11, 12}));
}

const More halves{R"(digit c: COR.k < 2 of k step 2 cores
digit s: L2.k < 2 of k step 1 sequential
)",
                  {}};

TEST(LoopEvaluate, slots_are_combined_in_the_order_of_the_members) {
  // Slots 12 and 34, 56 and 78, 24 and 68; 10 * 12 + 34 = 154.
  const std::string body = R"(
    loop c { loop p { loop s { accumulate (t[c, p]) first (s) from (x[i, k]); } } }
    team_combine c elements (p) (y[i]) first () from (t[c, p]);)";
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    EXPECT_EQ(result(body, halves, seed), (std::vector<int64_t>{154, 638, 308}));
  }
}

TEST(LoopEvaluate, only_slots_of_members_with_points_are_combined) {
  // Three columns in a part: slots 123 and 4; the third and fourth members have no slot.
  const More more{R"(digit c: COR.k < 4 of k step 3 cores
digit s: L2.k < 3 of k step 1 sequential
)",
                  {}};
  EXPECT_EQ(result(R"(loop p {
      loop c { loop s { accumulate (t[c, 0]) first (s) from (x[i, k]); } }
      team_combine c elements () (y[i]) first () from (t[c, 0]);
    })",
                   more),
            in_order);
}

TEST(LoopEvaluate, a_team_combines_into_what_earlier_rounds_left) {
  // Rounds of two columns: slots 1 and 2 give 12, then slots 3 and 4 one by one: 123, 1234.
  const More more{R"(digit r: L2.k < 2 of k step 2 sequential
digit c: COR.k < 2 of k step 1 cores
)",
                  {}};
  EXPECT_EQ(result(R"(loop p { loop r {
      loop c { accumulate (t[c, 0]) first () from (x[i, k]); }
      team_combine c elements () (y[i]) first (r) from (t[c, 0]);
    } })",
                   more),
            in_order);
}

const More cut{R"(digit r: L2.k < 2 of k step 2 sequential
digit s: L3.k < 2 of k step 1 sequential
)",
               {}};

TEST(LoopEvaluate, write_up_moves_an_accumulator_into_an_outer_one) {
  EXPECT_EQ(result(R"(loop p { loop r {
      loop s { accumulate (t[0, 0]) first (s) from (x[i, k]); }
      write_up () (y[i]) first (r) from (t[0, 0]);
    } })",
                   cut),
            (std::vector<int64_t>{154, 638, 308}));
}

TEST(LoopEvaluate, write_up_moves_all_points_of_its_digits_that_exist) {
  // Five rows in the tile of which three exist; the others are undefined and not touched.
  const More more{"digit o: L2.i < 5 of i step 1 sequential\n",
                  "buffer temporary u: i64[5] in L1 of core per ()\n"};
  EXPECT_EQ(result(R"(
      loop o { loop q { accumulate (u[o]) first (q) from (x[i, k]); } }
      write_up (o) (y[i]) first () from (u[o]);)",
                   more),
            in_order);
}

TEST(LoopEvaluate, digits_that_write_up_runs_over_may_decide_about_the_first_write) {
  // Two accumulators side by side, for columns 0, 2 and 1, 3: 10 * 13 + 24.
  EXPECT_EQ(result(R"(loop p {
      loop s { loop r { accumulate (t[s, 0]) first (r) from (x[i, k]); } }
      write_up (s) (y[i]) first (s) from (t[s, 0]);
    })",
                   cut),
            (std::vector<int64_t>{154, 638, 308}));
}

TEST(LoopEvaluate, copies_move_the_elements_within_their_conditions) {
  // Columns 3, 2, 1, 0 of a row, of which the last one is left out.
  const More more{{}, "buffer temporary u: i64[4] in L1 of core per ()\n"};
  EXPECT_EQ(complaint(R"(loop p {
      copy (n < 4) u[n] = x[p, 3 - n] within (3 - n >= 1, n >= 0) team ();
      loop q { accumulate (y[i]) first (q) from (u[q]); }
    })",
                      more),
            "element 3 of 'u' is read before it is written");
  EXPECT_EQ(result(R"(loop p {
      copy (n < 2, m < 2) u[n * 2 + m] = x[i, 3 - n * 2 - m] within () team ();
      loop q { accumulate (y[i]) first (q) from (u[q]); }
    })",
                   more),
            (std::vector<int64_t>{4321, 8765, 8642}));
}

TEST(LoopEvaluate, what_is_allocated_begins_undefined_each_time) {
  const std::string undefined = "element 0 of 't' is read before it is written";
  const std::string body = R"(
    loop p { loop q { accumulate (t[0, 0]) first (p, q) from (x[i, k]); } })";
  EXPECT_EQ(complaint(body), fine);
  EXPECT_EQ(complaint("alloc t; " + body), fine);
  EXPECT_EQ(complaint("loop p { alloc t; loop q {"
                      "accumulate (t[0, 0]) first (p, q) from (x[i, k]); } }"),
            undefined);
  EXPECT_EQ(complaint(body + "alloc t; write_up () (y[0]) first () from (t[0, 0]);"), undefined);
}

const More private_sums{R"(digit c: COR.i < 3 of i step 1 cores
)",
                        "buffer temporary u: i64[] in L1 of core per (c)\n"};

TEST(LoopEvaluate, members_have_an_instance_each_of_what_is_per_them) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(result(R"(
        loop c { loop q { accumulate (u[]) first (q) from (x[i, k]); } }
        write_up (c) (y[i]) first () from (u[]);)",
                     private_sums, seed),
              in_order);
  }
}

TEST(LoopEvaluate, an_alloc_is_for_the_instances_of_the_members_that_run_it) {
  const std::string sums = "loop c { loop q { accumulate (u[]) first (q) from (x[i, k]); } }";
  // A member leaves those of others alone; outside of the team all begin anew.
  EXPECT_EQ(complaint(sums + "loop c { alloc u; copy () u[] = x[i, 0] within () team (); }"
                             "write_up (c) (y[i]) first () from (u[]);",
                      private_sums),
            fine);
  EXPECT_EQ(complaint(sums + "alloc u; write_up (c) (y[i]) first () from (u[]);", private_sums),
            "element 0 of 'u' is read before it is written");
}

TEST(LoopEvaluate, an_instance_is_used_where_its_digits_have_values) {
  EXPECT_EQ(complaint("copy () u[] = x[0, 0] within () team ();", private_sums),
            "'u' is used without a value of 'c', which it is per");
}

// ---- scans

std::vector<scalar::Array> nine() { return {array({9}, {1, 2, 3, 4, 5, 6, 7, 8, 9})}; }

const std::vector<int64_t> prefixes = {1,      12,      123,      1234,     12345,
                                       123456, 1234567, 12345678, 123456789};

void expect_prefixes(const std::string& body, const More& more) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_EQ(numbers(evaluate(prefixes_with(body, more), nine(), seed).at(0)), prefixes);
  }
}

/// Of parts that take turns only: they are not combined in their order.
void expect_points_of_prefixes(const std::string& body, const More& more) {
  scalar::ProvenanceAlgebra algebra({9}, 1);
  const scalar::Array y = evaluate(prefixes_with(body, more), nine(), algebra).at(0);
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 9; ++i) {
    expected.push_back(i);
    EXPECT_EQ(algebra.points(y.cells[i]), expected) << i;
  }
}

const std::string f_at_i = "accumulate (y[i]) first () from (x[i]);";

/// Digits a and b of the scanned dimension, a worth more; 12 parts for 9 points.
More scan_digits(const std::string& a_how, const std::string& b_how) {
  return {
      fmt::format("digit a: L2.i < 3 of i step 4 {}\ndigit b: L1.i < 4 of i step 1 {}\n", a_how,
                  b_how),
      "buffer temporary u: i64[3, 4] in MM of all per ()\nbuffer temporary o: i64[3, 4] in MM of "
      "all per ()\n"};
}

TEST(LoopEvaluate, a_scan_step_joins_a_part_with_those_before_it) {
  expect_prefixes("loop a { loop b {" + f_at_i + R"(
        scan_step b coarse () fine () lines () (y[a * 4 + b]); }
      scan_step a coarse () fine (b) lines () (y[a * 4 + b]); })",
                  scan_digits("sequential", "sequential"));
}

TEST(LoopEvaluate, a_scan_step_joins_parts_that_take_turns) {
  expect_points_of_prefixes("loop b { loop a {" + f_at_i + R"(
        scan_step a coarse () fine () lines () (y[a * 4 + b]); }
      scan_step b coarse (a) fine () lines () (y[a * 4 + b]); })",
                            scan_digits("sequential", "sequential"));
}

TEST(LoopEvaluate, without_a_step_parts_are_scanned_for_themselves) {
  const Program p = prefixes_with("loop a { loop b {" + f_at_i + R"(
      scan_step b coarse () fine () lines () (y[a * 4 + b]); } })",
                                  scan_digits("sequential", "sequential"));
  EXPECT_EQ(numbers(evaluate(p, nine()).at(0)),
            (std::vector<int64_t>{1, 12, 123, 1234, 5, 56, 567, 5678, 9}));
}

TEST(LoopEvaluate, a_scan_fix_joins_all_parts_of_a_team) {
  expect_prefixes("loop a { loop b {" + f_at_i + R"(
        scan_step b coarse () fine () lines () (y[a * 4 + b]); } }
      scan_fix a coarse () fine (b) lines () (y[a * 4 + b]) totals (u[a, 0]) offset (o[a, 0]);)",
                  scan_digits("cores", "sequential"));
}

TEST(LoopEvaluate, a_scan_fix_joins_parts_that_take_turns) {
  expect_points_of_prefixes("loop b { loop a {" + f_at_i + R"(
        scan_step a coarse () fine () lines () (y[a * 4 + b]); } }
      scan_fix b coarse (a) fine () lines () (y[a * 4 + b]) totals (u[a, b]) offset (o[a, b]);)",
                            scan_digits("sequential", "cores"));
}

TEST(LoopEvaluate, a_digit_between_two_others_has_coarse_and_fine_ones) {
  // i = 4 a + 2 m + n; m outside.
  const More more{R"(digit m: COR.i < 2 of i step 2 sequential
digit a: L2.i < 3 of i step 4 sequential
digit n: L1.i < 2 of i step 1 sequential
)",
                  {}};
  expect_points_of_prefixes("loop m { loop a { loop n {" + f_at_i + R"(
          scan_step n coarse () fine () lines () (y[a * 4 + m * 2 + n]); }
        scan_step a coarse () fine (n) lines () (y[a * 4 + m * 2 + n]); }
      scan_step m coarse (a) fine (n) lines () (y[a * 4 + m * 2 + n]); })",
                            more);
}

TEST(LoopEvaluate, every_line_is_scanned_for_itself) {
  const Program p = parse(R"(mdh_loop 1
kernel lines
dimension i < 3 scanned
dimension j < 2 kept
digit a: L1.i < 3 of i step 1 sequential
digit l: L1.j < 3 of j step 1 sequential
buffer output y: i64[3, 2]
buffer input x: i64[3, 2]
function f(x: i64, i: i64, j: i64) { y: i64 = x; }
function combine(l: i64, r: i64) { x: i64 = 10 * l + r; }
body {
  loop a {
    loop l { accumulate (y[i, j]) first () from (x[i, j]); }
    scan_step a coarse () fine () lines (l) (y[a, l]);
  }
})");
  // The third line does not exist.
  EXPECT_EQ(numbers(evaluate(p, {array({3, 2}, {1, 2, 3, 4, 5, 6})}).at(0)),
            (std::vector<int64_t>{1, 2, 13, 24, 135, 246}));
}

// ---- concrete

const std::string concrete_rows = R"(
  deal cores (p < 3) {
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

TEST(LoopEvaluate, bounds_conditions_choices_and_indices_are_evaluated) {
  // Columns 3, 2, 1 of every row: two of row 0, of row 1 not column 2.
  EXPECT_EQ(result(R"(
    deal cores (p < 3) {
      for L1.k q < min(p + 2, 3) sequential {
        if p != 1 || q != 1 {
          let k = max((q * 7 + 3) % 4, 0 - 1);
          load a = x[p, min(if k < 0 then 0 else k, 3) * 5 / 5];
          apply r = f(a; p, k);
          if q == 0 { store y[p] = r; } else { load o = y[p]; combine n = (o; r); store y[p] = n; }
        }
      }
    })"),
            (std::vector<int64_t>{43, 86, 864}));
}

TEST(LoopEvaluate, loops_with_nothing_to_do_are_skipped) {
  EXPECT_EQ(complaint("for L1.k n < 0 sequential { load a = y[0]; }"), fine);
  EXPECT_EQ(complaint("for L1.k n < 2 - 3 sequential { load a = y[0]; }"), fine);
}

TEST(LoopEvaluate, a_deal_has_a_share_for_every_combination_of_its_counters) {
  const More more{{}, "buffer temporary u: i64[6] in L1 of core per ()\n"};
  EXPECT_EQ(complaint(R"(
    deal cores (n < 2, m < 3) { load a = x[m, n]; store u[n * 3 + m] = a; }
    barrier cores;
    deal cores (e < 6) { load b = u[e]; if e < 3 { store y[e] = b; } })",
                      more),
            fine);
}

TEST(LoopEvaluate, dialects_may_be_mixed) {
  const More more{R"(digit r: L2.k < 2 of k step 3 sequential
digit s: L3.k < 3 of k step 1 sequential
digit c: COR.i < 2 of i step 2 cores
digit n: L2.i < 2 of i step 1 sequential
)",
                  {}};
  EXPECT_EQ(result(R"(
    loop r {
      deal cores (c < 2) {
        loop n { loop s { accumulate (y[i]) first (r, s) from (x[i, k]); } }
      }
    })",
                   more),
            in_order);
}

TEST(LoopEvaluate, elements_that_nobody_writes_stay_undefined) {
  const Program p = rows_with(
      "deal cores () { let i = 1; load a = x[i, 0]; apply r = f(a; i, 0); store y[i] = r; }");
  EXPECT_EQ(evaluate(p, rows_input()).at(0).defined, (std::vector<uint8_t>{0, 1, 0}));
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
  const std::string f = "{ loop q { accumulate (y[i]) first (q) from (x[i, k]); } }";
  const More more{R"(digit c: COR.i < 3 of i step 1 cores
digit g: BLK.i < 3 of i step 1 grid
)",
                  {}};
  for (const std::string& body : {concrete_rows, "loop c " + f, "loop g " + f}) {
    std::set<std::vector<std::vector<int64_t>>> orders;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
      Diary diary;
      evaluate(rows_with(body, more), rows_input(), diary, seed);
      EXPECT_EQ(diary.points.size(), 12u);
      EXPECT_EQ(diary.combinations, 9);
      orders.insert(diary.points);
      EXPECT_EQ(result(body, more, seed), in_order);
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

TEST(LoopEvaluate, digits_and_counters_have_no_value_behind_their_statement) {
  const More more{"digit a: L2.i < 9 of i step 1 sequential\n", {}};
  for (const std::string& statement :
       {std::string("loop p { }"), std::string("for L1.i p < 3 sequential { }"),
        std::string("deal cores (p < 3) { }"),
        std::string("copy (p < 3) t[0, p] = x[p, 0] within () team ();"),
        std::string("copy () t[0, 0] = x[0, 0] within () team ();"
                    "write_up (p) (y[0]) first () from (t[0, 0]);")}) {
    Program p = rows_with(statement, more);
    p.body.push_back(StmtNode{Let{named("b"), index_variable(named("p"))}});
    EXPECT_EQ(internal_error_of([&] { evaluate(p, rows_input()); }), "index 'p' has no value")
        << statement;
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
}  // namespace mdh::loop::evaluate_test
