#include "mdh/passes/registers/widen.h"

#include <gtest/gtest.h>

#include "mdh/passes/common/alignment.h"
#include "mdh/passes/common/test_programs.h"

namespace mdh::passes::widen_test {
namespace {

/// Rows of 8 numbers, in memory that all see, in registers, and rows of 7.
const More rows{"digit e: BLK.i < 3 of i step 1 cores\n",
                "buffer temporary ta: i64[4, 8] in MM of all per ()\n"
                "buffer temporary tb: i64[4, 8] in MM of all per ()\n"
                "buffer temporary reg: i64[8] in REG of registers per () holds 8\n"
                "buffer temporary odd: i64[4, 7] in MM of all per ()\n"
                "buffer temporary inst: i64[7] in SM of group per (c)\n"};

void expect_widened(const std::string& before, const std::string& after, int64_t bytes = 16) {
  const machine::TargetFacts facts{.access_bytes = bytes};
  const auto dealt = [](const std::string& body) { return "deal cores (c < 7) {" + body + "}"; };
  expect_rewrite(widen, dealt(before), dealt(after), rows, facts);
}

TEST(Widen, loops_that_copy_move_several_elements_at_once) {
  const std::string copy = "for - m < 4 sequential { load x = ta[2, m + 4]; store tb[1, m] = x; }";
  expect_widened(copy,
                 "load (x_, x_2) = ta[2, 4]; load (x_3, x_4) = ta[2, 6];"
                 "store tb[1, 0] = (x_, x_2); store tb[1, 2] = (x_3, x_4);");
  expect_widened(copy, "load (x_, x_2, x_3, x_4) = ta[2, 4]; store tb[1, 0] = (x_, x_2, x_3, x_4);",
                 32);
  expect_widened(copy, copy, 0);
}

TEST(Widen, counters_may_have_any_value) {
  expect_widened("for - m < 2 sequential { load x = ta[c, 2 * (c % 3) + m]; store tb[1, m] = x; }",
                 "load (x_, x_2) = ta[c, 2 * (c % 3)]; store tb[1, 0] = (x_, x_2);");
  // c + 4 may be odd.
  expect_widened("for - m < 2 sequential { load x = ta[0, c + 4 + m]; store tb[1, m] = x; }",
                 "load x_ = ta[0, c + 4]; load x_2 = ta[0, c + 5]; store tb[1, 0] = (x_, x_2);");
}

TEST(Widen, rows_of_odd_length_are_read_one_by_one) {
  expect_widened("for - m < 2 sequential { load x = odd[c, m]; store tb[1, m] = x; }",
                 "load x_ = odd[c, 0]; load x_2 = odd[c, 1]; store tb[1, 0] = (x_, x_2);");
  // The first row is known to begin at a multiple.
  expect_widened("for - m < 2 sequential { load x = odd[0, m]; store tb[1, m] = x; }",
                 "load (x_, x_2) = odd[0, 0]; store tb[1, 0] = (x_, x_2);");
  // Instances of seven elements begin anywhere.
  expect_widened("for - m < 2 sequential { load x = inst[m]; store tb[1, m] = x; }",
                 "load x_ = inst[0]; load x_2 = inst[1]; store tb[1, 0] = (x_, x_2);");
}

TEST(Widen, what_lies_apart_is_moved_one_by_one) {
  expect_widened(
      "for - m < 2 sequential { load x = ta[m, 0]; store tb[0, 2 - 2 * m] = x; }",
      "load x_ = ta[0, 0]; load x_2 = ta[1, 0]; store tb[0, 2] = x_; store tb[0, 0] = x_2;");
}

TEST(Widen, stores_past_the_caches_stay_that) {
  const More out{rows.digits, rows.buffers + "buffer output z: i64[8] streaming\n"};
  expect_rewrite(
      widen,
      "deal cores (c < 7) { lanes - s < 2 { load x = ta[1, s]; store z[s + 2] = x streaming; } }",
      "deal cores (c < 7) { load (x_, x_2) = ta[1, 0]; store z[2] = (x_, x_2) streaming; }", out,
      {.access_bytes = 16});
}

TEST(Widen, lanes_that_run_backwards_are_read_at_once) {
  expect_widened("lanes - s < 2 { load x = ta[1, 3 - s]; store reg[s] = x; }",
                 "load (x_2, x_) = ta[1, 2]; store reg[0] = x_; store reg[1] = x_2;");
}

TEST(Widen, lanes_may_have_names_for_values) {
  expect_widened("lanes - s < 2 { let m = s + 2; load x = ta[0, m]; store reg[s] = x; }",
                 "load (x_, x_2) = ta[0, 2]; store reg[0] = x_; store reg[1] = x_2;");
}

TEST(Widen, registers_are_named_one_by_one) {
  expect_widened("for - m < 2 sequential { load x = ta[0, m]; store reg[m + 2] = x; }",
                 "load (x_, x_2) = ta[0, 0]; store reg[2] = x_; store reg[3] = x_2;");
}

TEST(Widen, lanes_become_straight_code) {
  expect_widened(R"(
    lanes VEC.k s < 2 {
      load x = ta[1, s + 2];
      load y = v[0];
      apply z = f(x, y; c, s);
      store reg[s] = z;
    })",
                 R"(
    load (x_, x_2) = ta[1, 2];
    load y_ = v[0];
    load y_2 = v[0];
    apply z_ = f(x_, y_; c, 0);
    apply z_2 = f(x_2, y_2; c, 1);
    store reg[0] = z_;
    store reg[1] = z_2;)");
}

TEST(Widen, rounds_that_need_one_another_follow_each_other) {
  expect_widened(R"(
    for VEC.k s < 2 lanes {
      load x = ta[1, s + 2];
      load old = reg[0];
      combine sum = (old; x);
      store reg[0] = sum;
    })",
                 R"(
    load (x_, x_2) = ta[1, 2];
    load old_ = reg[0];
    combine sum_ = (old_; x_);
    store reg[0] = sum_;
    load old_2 = reg[0];
    combine sum_2 = (old_2; x_2);
    store reg[0] = sum_2;)");
  // Compilers take long for straight code without end.
  std::string many;
  for (int n = 0; n < 200; ++n) {
    many += fmt::format(
        "for VEC.k s{0} < 2 lanes {{ load x{0} = ta[1, s{0}]; load y{0} = reg[0];"
        " store reg[0] = x{0}; }}",
        n);
  }
  expect_widened(many, many);
  // What a round writes is not read before it.
  const std::string shifted =
      "for VEC.k s < 2 lanes { load x = ta[1, s + 2]; load y = ta[1, 0]; store ta[1, s + 3] = x; }";
  expect_widened(shifted, shifted);
}

TEST(Widen, copies_in_flight_need_neighbours_on_both_sides) {
  const auto copy = [](const std::string& to) {
    return "for - m < 2 sequential { async tb[" + to + "] = ta[0, m]; } commit; wait 0;";
  };
  expect_widened(copy("0, m"), "async wide 2 tb[0, 0] = ta[0, 0]; commit; wait 0;");
  expect_widened(copy("m, 0"),
                 "async tb[0, 0] = ta[0, 0]; async tb[1, 0] = ta[0, 1]; commit; wait 0;");
}

TEST(Widen, bounds_may_end_a_copy_early) {
  const std::string loop =
      "for - m < min(2, 9 - c) sequential { load x = ta[0, m]; store tb[1, m] = x; }";
  expect_widened(loop,
                 "if 9 - c >= 2 { load (x_, x_2) = ta[0, 0]; store tb[1, 0] = (x_, x_2); }"
                 " else { " +
                     loop + " }");
  // Nothing would be gained.
  const std::string apart =
      "for - m < min(2, 9 - c) sequential { load x = ta[m, 0]; store reg[m] = x; }";
  expect_widened(apart, apart);
}

TEST(Widen, lets_are_looked_through) {
  expect_widened(
      "let g2 = 2 * c; for - m < 2 sequential { load x = ta[0, g2 + m]; store reg[m] = x; }",
      "let g2 = 2 * c; load (x_, x_2) = ta[0, g2]; store reg[0] = x_; store reg[1] = x_2;");
}

TEST(Widen, other_loops_stay) {
  for (const std::string body :
       {"for - m < 32 sequential { load x = ta[0, m]; store tb[1, m] = x; }",
        "for - m < 2 sequential { load x = ta[0, m]; load y = ta[1, m]; store tb[1, m] = x; }",
        "for - m < 2 sequential { load x = ta[0, m]; if m == 0 { store tb[1, m] = x; } }",
        "for - m < 2 sequential { load x = ta[0, m]; store ta[0, m + 1] = x; }"}) {
    expect_widened(body, body);
  }
}

// ---- what is known of places

TEST(Alignment, is_the_greatest_number_that_always_divides) {
  const loop::Program p = matvec_with("", rows);
  const loop::Expr c = loop::index_variable(loop::named("c"));
  EXPECT_EQ(alignment_of(p, {loop::named("ta"), {scalar::index_literal(1), c}}), 1);
  EXPECT_EQ(alignment_of(p, {loop::named("ta"), {c, c}}), 9) << "8 c + c";
  EXPECT_EQ(alignment_of(p, {loop::named("ta"),
                             {loop::index_variable(loop::named("c")), scalar::index_literal(4)}}),
            4);
  EXPECT_EQ(
      alignment_of(p, {loop::named("ta"), {scalar::index_literal(0), scalar::index_literal(0)}}), 0)
      << "everything divides 0";
}

TEST(Alignment, widest_accesses_are_those_of_shared_numbers) {
  const loop::Program p = matvec_with("", rows);
  const auto width = [&](const char* buffer, int64_t bytes) {
    return widest_access(p, loop::named(buffer), bytes);
  };
  EXPECT_EQ(width("ta", 16), 2);
  EXPECT_EQ(width("ta", 31), 2);
  EXPECT_EQ(width("ta", 32), 4);
  EXPECT_EQ(width("ta", 0), 1);
  EXPECT_EQ(width("reg", 16), 1) << "registers";
  EXPECT_EQ(width("inst", 16), 1) << "instances of seven elements";
  EXPECT_EQ(width("M", 16), 2);
}

}  // namespace
}  // namespace mdh::passes::widen_test
