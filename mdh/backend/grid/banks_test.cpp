#include "mdh/backend/grid/banks.h"

#include <gtest/gtest.h>

#include "mdh/loop/parse.h"
#include "mdh/loop/testing.h"

namespace mdh::backend::banks_test {
namespace {

/// A group of `cores` cores. Temporaries are s, in shared memory, and what else is declared.
loop::Program program(int64_t cores, const std::string& s, const std::string& body,
                      const std::string& more = "") {
  const std::string declared = fmt::format("buffer temporary s: {} in SM of group per ()\n", s);
  const std::string type = s.substr(0, s.find('['));
  return loop::parse(fmt::format(R"(mdh_loop 1
kernel moves
dimension i < {0} kept
digit g: BLK.i < 4 of i step {0} grid
digit c: THR.i < {0} of i step 1 cores
buffer output y: {1}[4096]
buffer input x: {1}[4096]
{2}{3}
function f(x: {1}, i: i64) {{ y: {1} = x; }}
function combine() {{ }}
body {{ deal grid (g < 4) {{ {4} {5} }} }})",
                                 cores, type, declared, more,
                                 loop::allocs_for(body, declared + more), body));
}

/// Of the only access to shared memory.
BankUse only_use(const loop::Program& p) {
  const std::vector<BankUse> uses = bank_uses(p);
  EXPECT_EQ(uses.size(), 1u);
  return uses.at(0);
}

/// Of one warp, whose lane c reads an element of s.
std::optional<BankPasses> passes(const std::string& s, const std::string& element) {
  const BankUse use = only_use(program(
      32, s, fmt::format("deal cores (c < 32) {{ load a = {}; store y[c] = a; }}", element)));
  EXPECT_EQ(use.direction, Direction::read);
  EXPECT_EQ(use.at_once, 1);
  return use.passes;
}

/// The same for four neighbours.
std::optional<BankPasses> passes_of_four(const std::string& s, const std::string& element) {
  const BankUse use = only_use(program(32, s,
                                       fmt::format("deal cores (c < 32) {{ load (a, b, d, e) = {};"
                                                   "store y[c * 4] = (a, b, d, e); }}",
                                                   element)));
  EXPECT_EQ(use.at_once, 4);
  return use.passes;
}

using Passes = std::optional<BankPasses>;

Passes are(int64_t needed, int64_t least) { return BankPasses{needed, least}; }

// ---- single numbers

TEST(Banks, a_row_lies_in_all_of_them) { EXPECT_EQ(passes("f32[32, 32]", "s[3, c]"), are(1, 1)); }

TEST(Banks, a_column_of_lines_of_32_words_lies_in_one) {
  EXPECT_EQ(passes("f32[32, 32]", "s[c, 3]"), are(32, 1));
}

TEST(Banks, a_column_of_padded_lines_lies_in_all_of_them) {
  EXPECT_EQ(passes("f32[32, 33]", "s[c, 3]"), are(1, 1));
}

TEST(Banks, words_of_every_second_bank_meet) {
  EXPECT_EQ(passes("f32[64]", "s[c * 2]"), are(2, 1));
}

TEST(Banks, one_word_is_given_to_all_lanes) {
  EXPECT_EQ(passes("f32[32, 32]", "s[5, 7]"), are(1, 1));
  // Four words, 32 apart, for eight lanes each: the same bank.
  EXPECT_EQ(passes("f32[32, 32]", "s[c / 8, 0]"), are(4, 1));
}

// Eight lines of 32 words, four columns. Without the swizzle the eight words of a column lie in one
// bank. With it, column k of line r lies in bank k ^ 4 · r: all 32 are different.
TEST(Banks, bits_of_the_line_in_those_of_the_column_spread_a_column) {
  EXPECT_EQ(passes("f32[32, 32]", "s[c % 8, c / 8]"), are(8, 1));
  EXPECT_EQ(passes("f32[32, 32]", "s[c % 8, (c / 8 ^ c % 8 * 4)]"), are(1, 1));
}

TEST(Banks, numbers_of_64_bits_are_served_for_16_lanes_at_a_time) {
  // 16 lanes have 32 words, a word in each bank.
  EXPECT_EQ(passes("f64[32]", "s[c]"), are(2, 2));
  // Lines of 32 numbers have 64 words: 16 lanes meet in bank 0, and in bank 1.
  EXPECT_EQ(passes("f64[32, 32]", "s[c, 0]"), are(32, 2));
}

TEST(Banks, small_numbers_share_words) {
  // 32 bytes are 8 words.
  EXPECT_EQ(passes("i8[32]", "s[c]"), are(1, 1));
  // Words 0, 32, 64 … for one lane each.
  EXPECT_EQ(passes("i8[32, 128]", "s[c, 5]"), are(32, 1));
  // Four neighbours are one word.
  EXPECT_EQ(passes("i8[8, 128]", "s[c / 4, c % 4]"), are(8, 1));
  EXPECT_EQ(passes("i16[32, 66]", "s[c, 0]"), are(1, 1));
}

// ---- several at once

TEST(Banks, four_words_are_served_for_8_lanes_at_a_time) {
  EXPECT_EQ(passes_of_four("f32[128]", "s[c * 4]"), are(4, 4));
  // All lanes of eight begin in bank 0, and have different words in four banks.
  EXPECT_EQ(passes_of_four("f32[32, 32]", "s[c, 0]"), are(32, 4));
  // With four words more in a line, eight lanes begin in banks 0, 4, 8 … 28.
  EXPECT_EQ(passes_of_four("f32[32, 36]", "s[c, 0]"), are(4, 4));
  // Eight lanes ask for the same four words.
  EXPECT_EQ(passes_of_four("f32[128]", "s[c / 8 * 4]"), are(4, 4));
}

TEST(Banks, more_than_16_bytes_are_split) {
  // Two pieces of 16 bytes. In each, eight lanes begin 8 words apart: lanes 0 and 4, 1 and 5 meet.
  // So there are two passes for each of four times eight lanes, and that for both pieces.
  EXPECT_EQ(passes_of_four("f64[128]", "s[c * 4]"), are(16, 8));
}

TEST(Banks, records_are_moved_number_by_number) {
  const std::string text = R"(mdh_loop 1
kernel moves
record pair { id: i64; weight: f32; }
dimension i < 32 kept
digit c: THR.i < 32 of i step 1 cores
buffer output y: pair[32]
buffer input x: pair[32]
buffer temporary s: pair[32] in SM of group per ()
function f(x: pair, i: i64) { y: pair = x; }
function combine() { }
body { deal grid () { alloc s; deal cores (c < 32) { load a = x[c]; store s[c] = a; } } })";
  // 16 bytes each. The ids of 16 lanes are 32 words in 16 banks: two passes, twice. The weights of
  // all lanes are 32 words in 8 banks: four passes.
  EXPECT_EQ(only_use(loop::parse(text)).passes, are(2 + 2 + 4, 2 + 1));
}

// ---- who takes part

TEST(Banks, lanes_that_a_guard_holds_back_do_not_count) {
  const auto guarded = [](const std::string& condition) {
    return only_use(program(32, "f32[32, 32]",
                            fmt::format("deal cores (c < 32) {{ if {} {{ load a = s[c, 3];"
                                        "store y[c] = a; }} }}",
                                        condition)))
        .passes;
  };
  EXPECT_EQ(guarded("c < 5"), are(5, 1));
  EXPECT_EQ(guarded("c == 7"), are(1, 1));
  EXPECT_EQ(guarded("c > 40"), std::nullopt) << "nobody ever does it";
}

TEST(Banks, halves_of_a_warp_that_do_nothing_need_no_pass) {
  const BankUse use = only_use(program(32, "f64[32]",
                                       "deal cores (c < 32) { if c < 16 { load a = s[c];"
                                       "store y[c] = a; } }"));
  EXPECT_EQ(use.passes, are(1, 1));
}

TEST(Banks, loops_are_in_their_first_round_or_in_the_last_one_if_nobody_does_it_there) {
  const auto in_loop = [](const std::string& body) {
    return bank_uses(
        program(32, "f32[32, 32]",
                "deal cores (c < 32) { for - k < 3 sequential { let m = c * k; " + body + " } }"));
  };
  // In the first round m is 0 for all, in the last one 2 · c.
  const std::vector<BankUse> choice = in_loop(
      "if k == 0 { load a = s[0, m]; store y[c] = a; } else { load b = s[m / 2, 0]; store y[c] = "
      "b; }");
  ASSERT_EQ(choice.size(), 2u);
  EXPECT_EQ(choice[0].passes, are(1, 1));
  EXPECT_EQ(choice[1].passes, are(32, 1));
}

TEST(Banks, what_the_first_group_does_not_do_is_counted_in_the_last_one) {
  // Group 3 is the last one. In its first round lane c reads word 32 · c, in the last one word c.
  const std::vector<BankUse> uses = bank_uses(program(
      32, "f32[32, 32]",
      "deal cores (c < 32) { for - k < 2 sequential { if g == 3 { if k == 0 { load a = s[c, 0];"
      "store y[c] = a; } else { load b = s[0, c]; store y[c] = b; } }"
      "if g == 2 { load d = s[0, c]; store y[c] = d; } } }"));
  ASSERT_EQ(uses.size(), 3u);
  EXPECT_EQ(uses[0].passes, are(32, 1));
  EXPECT_EQ(uses[1].passes, are(1, 1));
  EXPECT_EQ(uses[2].passes, std::nullopt) << "nobody looked at group 2";
}

TEST(Banks, the_worst_of_several_warps_counts) {
  // Lanes of warps 0 and 1 read one word, those of warp 2 read a column.
  const loop::Program p = program(
      96, "f32[33, 32]", "deal cores (c < 96) { load a = s[max(c - 63, 0), 0]; store y[c] = a; }");
  EXPECT_EQ(only_use(p).passes, are(32, 1));
}

TEST(Banks, the_last_whole_warp_counts_too) {
  // 330 shares on 32 cores: warps 0 to 9 are whole, and warp 10 has ten shares. Lanes read one word
  // where their share comes before `first`, and a column behind it.
  const auto from = [](int64_t first) {
    return only_use(program(32, "f32[330, 32]",
                            fmt::format("deal cores (c < 32) {{ load o = x[c]; store y[c] = o; }}"
                                        "deal cores (n < 330) collective {{"
                                        "load a = s[max(n - {}, 0), 0]; store y[n] = a; }}",
                                        first - 1)))
        .passes;
  };
  EXPECT_EQ(from(9 * 32), are(32, 1));
  EXPECT_EQ(from(10 * 32), are(1, 1));
}

/// A value that was loaded, n, in the place of every 3. Verified programs do not have that.
scalar::Expr with_data(const scalar::Expr& e) {
  if (constant(e) == 3) return loop::index_variable(loop::named("n"));
  return scalar::map_children(e, with_data);
}

loop::Block with_data_in(const loop::Block& block) {
  loop::Block result;
  for (const loop::Stmt& s : block) {
    result.push_back(loop::map_expressions(loop::map_children(s, with_data_in), with_data));
  }
  return result;
}

TEST(Banks, what_depends_on_data_is_unknown) {
  loop::Program p = program(32, "f32[32, 32]",
                            "deal cores (c < 32) { load n = x[c]; load a = s[c, 3];"
                            "if c < 3 { load b = s[c, 0]; store y[c] = b; } let m = c + 3;"
                            "load d = s[m, 0]; load e = s[0, c]; }");
  p.body = with_data_in(p.body);
  const std::vector<BankUse> uses = bank_uses(p);
  ASSERT_EQ(uses.size(), 4u);
  EXPECT_EQ(uses[0].passes, std::nullopt) << "the place";
  EXPECT_EQ(uses[1].passes, std::nullopt) << "who takes part";
  EXPECT_EQ(uses[2].passes, std::nullopt) << "the place, by a variable";
  EXPECT_EQ(uses[3].passes, are(1, 1));
}

TEST(Banks, cores_are_numbered_as_the_last_share_counts) {
  const auto of = [](const std::string& element) {
    return only_use(program(32, "f32[32, 32]",
                            "deal cores (c < 32) { load o = x[c]; store y[c] = o; }"
                            "deal cores (n < 2, m < 16) collective { load a = " +
                                element + "; store y[n * 16 + m] = a; }"))
        .passes;
  };
  EXPECT_EQ(of("s[n, m]"), are(2, 1)) << "banks 0 to 15, of two lines";
  EXPECT_EQ(of("s[m, n]"), are(16, 1)) << "banks 0 and 1, of 16 lines";
  EXPECT_EQ(of("s[0, n * 16 + m]"), are(1, 1));
}

TEST(Banks, cores_on_axes_are_numbered_as_launches_number_them) {
  const auto with_axes = [](const std::string& of_i, const std::string& of_j) {
    return only_use(loop::parse(fmt::format(R"(mdh_loop 1
kernel moves
dimension i < 8 kept
dimension j < 8 kept
digit a: THR.i < 8 of i step 1 cores axis {}
digit b: THR.j < 8 of j step 1 cores axis {}
buffer output y: f32[8, 8]
buffer input x: f32[8, 8]
buffer temporary s: f32[8, 32] in SM of group per ()
function f(x: f32, i: i64, j: i64) {{ y: f32 = x; }}
function combine() {{ }}
body {{ deal grid () {{ alloc s; deal cores (a < 8, b < 8) {{
  load v = s[a, b]; store y[a, b] = v; }} }} }})",
                                            of_i, of_j)))
        .passes;
  };
  // A warp has all eight values of the digit on x, and four of the other one.
  EXPECT_EQ(with_axes("x", "y"), are(8, 1)) << "eight lines";
  EXPECT_EQ(with_axes("y", "x"), are(4, 1)) << "four lines";
}

TEST(Banks, instances_of_cores_lie_one_behind_the_other) {
  const auto of = [](int64_t line) {
    return only_use(
               program(32, "f32[1]", "deal cores (c < 32) { load a = x[c]; store o[3] = a; }",
                       fmt::format("buffer temporary o: f32[{}] in SM of group per (c)\n", line)))
        .passes;
  };
  EXPECT_EQ(of(32), are(32, 1));
  EXPECT_EQ(of(33), are(1, 1));
}

// ---- which accesses

TEST(Banks, every_access_is_told_in_order) {
  const std::vector<BankUse> uses = bank_uses(
      program(32, "f32[32, 32]",
              "deal cores (c < 32) { load a = x[c]; store s[c, 0] = a; async s[1, c] = x[c];"
              "async wide 2 y[c * 2] = s[0, c % 16 * 2]; load (b, d) = s[2, c % 16 * 2];"
              "store s[3, c % 16 * 2] = (b, d); commit; wait 0; }"));
  const auto s = loop::named("s");
  EXPECT_EQ(uses, (std::vector<BankUse>{{s, Direction::written, 1, are(32, 1)},
                                        {s, Direction::written, 1, are(1, 1)},
                                        {s, Direction::read, 2, are(2, 2)},
                                        {s, Direction::read, 2, are(2, 2)},
                                        {s, Direction::written, 2, are(2, 2)}}));
}

TEST(Banks, kernels_transpose_element_by_element) {
  // Lines of 8 words: lane c begins at word 8 · c, so that eight lanes meet in each of four banks.
  const std::vector<BankUse> uses = bank_uses(program(
      32, "f32[32, 8]",
      "deal cores (c < 32) { transpose (m < 2, n < 2) s[c, n * 4 + m] = x[c * 4 + m * 2 + n];"
      "transpose (o < 2, p < 2) y[c * 4 + p * 2 + o] = s[c, o * 4 + p]; }"));
  EXPECT_EQ(uses, (std::vector<BankUse>{{loop::named("s"), Direction::written, 1, are(8, 1)},
                                        {loop::named("s"), Direction::read, 1, are(8, 1)}}));
}

TEST(Banks, what_cores_hold_themselves_lies_in_none) {
  const std::string body =
      "deal cores (n < 32) collective steady { load a = x[n]; store h[n] = a; }"
      "deal cores (m < 32) collective steady { load e = h[m]; store y[m] = e; }"
      "deal cores (c < 32) { alloc r; load a2 = s[c]; store r[0] = a2; load b2 = r[0];"
      "store y[c] = b2; }";
  EXPECT_EQ(only_use(program(32, "f32[32]", body,
                             "buffer temporary h: f32[32] in SM of group per () held\n"
                             "buffer temporary r: f32[1] in RM of core per (c)\n"))
                .buffer,
            loop::named("s"));
}

}  // namespace
}  // namespace mdh::backend::banks_test
