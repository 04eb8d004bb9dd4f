#include "mdh/passes/lower/fuse.h"

#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/print.h"
#include "mdh/passes/common/test_programs.h"
#include "mdh/passes/lower/lower.h"

namespace mdh::passes::fuse_test {
namespace {

using Groups = std::vector<std::vector<std::string>>;

/// The same elements in the same order; in memory nothing changes.
std::vector<scalar::Array> reshaped(const hl::Program& fused, std::vector<scalar::Array> arrays) {
  for (size_t b = 0; b < arrays.size(); ++b) {
    arrays[b].extents = hl::extents(fused, fused.inputs[b]);
    EXPECT_EQ(scalar::volume(arrays[b].extents), arrays[b].size());
  }
  return arrays;
}

/// Both programs compute the same.
void expect_same(const hl::Program& program, const Groups& groups) {
  Random random(61);
  const hl::Program fused = fuse(program, groups);
  for (int n = 0; n < 3; ++n) {
    const std::vector<scalar::Array> inputs = random_inputs(random, program);
    const auto before = hl::evaluate(program, inputs);
    const auto after = hl::evaluate(fused, reshaped(fused, inputs));
    ASSERT_EQ(before.size(), after.size());
    for (size_t b = 0; b < before.size(); ++b) EXPECT_EQ(before[b].cells, after[b].cells);
  }
}

std::string body_of(const hl::Program& p) {
  const std::string text = hl::print(p);
  return text.substr(text.find('\n') + 1);
}

void expect_rewrite(const std::string& before, const Groups& groups, const std::string& after) {
  EXPECT_EQ(body_of(fuse(computation(before), groups)), body_of(computation(after)));
  expect_same(computation(before), groups);
}

TEST(Fuse, nothing_is_changed_by_no_groups) {
  const hl::Program p = computation(
      "p = out_view( y: i64 = [i] ) * md_hom( i: 3 by cc ) { y = x; } * inp_view( x: i64 = [i] )");
  EXPECT_EQ(fuse(p, {}), p);
}

TEST(Fuse, two_concatenated_dimensions) {
  expect_rewrite(
      "p = out_view( y: i64 = [i, j] ) * md_hom( i: 3 by cc, j: 4 by cc ) { y = 2 * x; }"
      " * inp_view( x: i64 = [i, j] )",
      {{"i", "j"}},
      "p = out_view( y: i64[12] = [i_j] ) * md_hom( i_j: 12 by cc ) { y = 2 * x; }"
      " * inp_view( x: i64[12] = [i_j] )");
}

TEST(Fuse, two_reduced_dimensions_between_others) {
  expect_rewrite(
      "p = out_view( y: i64 = [i, j] )"
      " * md_hom( i: 2 by cc, k: 3 by pw(add), l: 4 by pw(add), j: 5 by cc ) { y = x * w; }"
      " * inp_view( x: i64 = [i, k, l]; w: i64 = [k, l, j] )",
      {{"k", "l"}},
      "p = out_view( y: i64 = [i, j] )"
      " * md_hom( i: 2 by cc, k_l: 12 by pw(add), j: 5 by cc ) { y = x * w; }"
      " * inp_view( x: i64[2, 12] = [i, k_l]; w: i64[12, 5] = [k_l, j] )");
}

TEST(Fuse, three_dimensions_at_once) {
  expect_rewrite(
      "p = out_view( y: i64 = [] ) * md_hom( r: 2 by pw(max), s: 3 by pw(max), c: 4 by pw(max) )"
      " { y = x; } * inp_view( x: i64 = [r, s, c] )",
      {{"r", "s", "c"}},
      "p = out_view( y: i64 = [] ) * md_hom( r_s_c: 24 by pw(max) ) { y = x; }"
      " * inp_view( x: i64[24] = [r_s_c] )");
}

TEST(Fuse, two_groups) {
  expect_rewrite(
      "p = out_view( y: i64 = [i, j] )"
      " * md_hom( i: 2 by cc, j: 3 by cc, k: 2 by pw(add), l: 5 by pw(add) ) { y = x; }"
      " * inp_view( x: i64 = [i, j, k, l] )",
      {{"i", "j"}, {"k", "l"}},
      "p = out_view( y: i64[6] = [i_j] ) * md_hom( i_j: 6 by cc, k_l: 10 by pw(add) ) { y = x; }"
      " * inp_view( x: i64[6, 10] = [i_j, k_l] )");
}

TEST(Fuse, the_inner_dimension_may_be_declared_first) {
  expect_same(computation("p = out_view( y: i64 = [i, j] ) * md_hom( j: 4 by cc, i: 3 by cc )"
                          " { y = x; } * inp_view( x: i64 = [i, j] )"),
              {{"i", "j"}});
}

/// A strided window with channels: 2q + s, then c. The other dimensions stay.
TEST(Fuse, a_halo_and_the_dimension_inside_of_it) {
  expect_rewrite(
      "conv = out_view( O: i64 = [q, k] )"
      " * md_hom( q: 4 by cc, k: 2 by cc, s: 3 by pw(add), c: 5 by pw(add) ) { O = I * F; }"
      " * inp_view( I: i64 = [2 * q + s, c]; F: i64 = [k, s, c] )",
      {{"s", "c"}},
      "conv = out_view( O: i64 = [q, k] )"
      " * md_hom( q: 4 by cc, k: 2 by cc, s_c: 15 by pw(add) ) { O = I * F; }"
      " * inp_view( I: i64[45] = [10 * q + s_c]; F: i64[2, 15] = [k, s_c] )");
}

TEST(Fuse, a_buffer_that_is_flat_already) {
  expect_rewrite(
      "p = out_view( y: i64 = [4 * i + j + 1] ) * md_hom( i: 3 by cc, j: 4 by cc ) { y = x; }"
      " * inp_view( x: i64 = [8 * i + 2 * j] )",
      {{"i", "j"}},
      "p = out_view( y: i64[13] = [i_j + 1] ) * md_hom( i_j: 12 by cc ) { y = x; }"
      " * inp_view( x: i64[23] = [2 * i_j] )");
}

TEST(Fuse, the_scalar_function_still_knows_the_point) {
  expect_same(computation("p = out_view( y: i64 = [i, j] ) * md_hom( i: 3 by cc, j: 4 by cc )"
                          " { t = 100 * i; y = t + 10 * j + x; } * inp_view( x: i64 = [i, j] )"),
              {{"i", "j"}});
  expect_same(computation("p = out_view( y: i64 = [k] )"
                          " * md_hom( i: 2 by pw(add), j: 3 by pw(add), k: 2 by cc )"
                          " { y = (if i == 1 then j else 10 * i + k); } * inp_view( )"),
              {{"i", "j"}});
}

TEST(Fuse, several_outputs_and_accesses) {
  expect_same(
      computation(
          "p = out_view( y: i64 = [i, j]; z: i64 = [i, j] )"
          " * md_hom( i: 3 by cc, j: 4 by cc, k: 2 by pw(add, max) )"
          " { y = a + b; z = a - b; } * inp_view( x: i64 = a: [k, i, j], b: [1 - k, i, j] )"),
      {{"i", "j"}});
}

TEST(Fuse, a_lowered_program_has_the_fused_dimension) {
  const hl::Program p = computation(
      "p = out_view( y: i64 = [i] ) * md_hom( i: 2 by cc, k: 3 by pw(add), l: 4 by pw(add) )"
      " { y = x; } * inp_view( x: i64 = [i, k, l] )");
  const ll::Config c = config(R"("fuse": [["k", "l"]], "layers": ["L1"],
      "split": {"i": ["L1 2"], "k_l": ["L1 12"]}, "order": ["L1.i", "L1.k_l"])");
  const ll::Program low = lower(p, machine::find_machine("artificial"), c);
  EXPECT_EQ(low.computation.dimensions.size(), 2u);
  EXPECT_EQ(low.decompose[1].parts, 12);
}

// ---- refusals

std::string refusal(const std::string& text, const Groups& groups) {
  const Diagnostic d = diagnostic_of([&] { fuse(computation(text), groups); });
  EXPECT_EQ(d.kind, DiagnosticKind::user) << d.message;
  return fmt::format("{} {} | {}", d.code, d.message, d.hint);
}

const std::string matmul =
    "p = out_view( C: i64 = [i, j] ) * md_hom( i: 3 by cc, j: 4 by cc, k: 5 by pw(add) )"
    " { C = A * B; } * inp_view( A: i64 = [i, k]; B: i64 = [k, j] )";

TEST(Fuse, refuses_dimensions_that_do_not_exist_or_are_alone) {
  EXPECT_EQ(refusal(matmul, {{"i", "l"}}),
            "E321 fuse: program 'p' has no dimension 'l' | did you mean 'i'?");
  EXPECT_EQ(refusal(matmul, {{"i"}}),
            "E352 fuse [i]: one dimension alone | name the dimensions to be joined, the outer one "
            "first");
  EXPECT_EQ(refusal(matmul, {{}}).substr(0, 38), "E352 fuse []: one dimension alone | na");
  EXPECT_EQ(refusal(matmul, {{"i", "i"}}).substr(0, 59),
            "E352 fuse [i, i]: a dimension cannot be fused with itself |");
}

TEST(Fuse, refuses_different_operators) {
  EXPECT_EQ(refusal(matmul, {{"i", "k"}}),
            "E352 fuse [i, k]: they are combined by cc and pw(add) | both must be concatenated, or "
            "reduced by one operator");
}

TEST(Fuse, refuses_scans) {
  EXPECT_EQ(refusal("p = out_view( y: i64 = [i, j] ) * md_hom( i: 3 by ps(add), j: 4 by ps(add) )"
                    " { y = x; } * inp_view( x: i64 = [i, j] )",
                    {{"i", "j"}}),
            "E352 fuse [i, j]: ps(add) depends on the order of the indices | only cc and pw "
            "dimensions can be fused");
}

TEST(Fuse, refuses_buffers_in_which_the_dimensions_are_not_neighbours) {
  const std::string hint =
      " | the inner one has to be contiguous and the outer one to step over it";
  EXPECT_EQ(refusal(matmul, {{"i", "j"}}),
            "E352 fuse [i, j]: in 'A' they do not walk along neighbouring dimensions" + hint);
  const auto refused = [&](const std::string& index) {
    return refusal(
        "p = out_view( y: i64 = [i, j, k] )"
        " * md_hom( i: 3 by cc, j: 4 by cc, k: 2 by cc ) { y = 1; }"
        " * inp_view( x: i64" +
            index + " )",
        {{"i", "j"}});
  };
  const std::string expected =
      "E352 fuse [i, j]: in 'x' they do not walk along neighbouring dimensions" + hint;
  EXPECT_EQ(refused(" = [j, i]"), expected) << "the wrong order";
  EXPECT_EQ(refused(" = [i, k, j]"), expected) << "one between them";
  EXPECT_EQ(refused(" = [i, j + 1]"), expected) << "a border at the end of a line";
  EXPECT_EQ(refused("[3, 9] = [i, j]"), expected) << "a larger line";
  EXPECT_EQ(refused(" = [i, j], [i, j + 1]"), expected);
  EXPECT_EQ(refused(" = [i, 2 * j]"), expected);
  EXPECT_EQ(refused(" = [i + j]"), expected);
  EXPECT_EQ(refused(" = [i]"), expected);
  EXPECT_EQ(refused(" = [i, j, i]"), expected);
  EXPECT_EQ(refused(" = [4 * i + j, k, i]"), expected) << "flat, and again";
}

TEST(Fuse, refuses_indices_that_are_not_affine) {
  EXPECT_EQ(refusal("p = out_view( y: i64 = [i, j] ) * md_hom( i: 3 by cc, j: 4 by cc ) { y = x; }"
                    " * inp_view( x: i64[2] = [i / 2] )",
                    {{"i", "j"}}),
            "E352 fuse [i, j]: an index function of 'x' is not affine | fuse only where all "
            "accesses are affine");
}

TEST(Fuse, refuses_sizes_that_are_known_at_run_time_only) {
  const hl::Program p =
      hl::bind(hl::parse("mdh 1\nprogram p<N: size = *> = out_view( y: i64 = [i, j] )"
                         " * md_hom( i: N by cc, j: 4 by cc ) { y = 1; } * inp_view( )"),
               {});
  EXPECT_EQ(fuse(p, {}), p);
  const Diagnostic d = diagnostic_of([&] { fuse(p, {{"i", "j"}}); });
  EXPECT_EQ(d.code + " " + d.message, "E352 fuse [i, j]: a size is known at run time only");
}

TEST(Fuse, a_name_that_is_taken_is_refused) {
  const Diagnostic d = diagnostic_of([&] {
    fuse(computation("p = out_view( i_j: i64 = [i, j] ) * md_hom( i: 3 by cc, j: 4 by cc )"
                     " { i_j = 1; } * inp_view( )"),
         {{"i", "j"}});
  });
  EXPECT_EQ(d.code + " " + d.message, "E352 fuse [i, j]: the name 'i_j' is taken");
}

/// What f reads of a buffer with these accesses.
std::string sum_of(const std::string& buffer, const std::string& accesses) {
  const bool two = accesses.find("], [") != std::string::npos;
  return two ? fmt::format("{0}.1 - 2 * {0}.2", buffer) : buffer;
}

/// Inputs in which i and j can be one dimension, and some in which they cannot.
std::string random_input(Random& random, int64_t columns) {
  const std::vector<std::string> indices = {"[i, j]",
                                            "[m, i, j]",
                                            "[i, j, m]",
                                            "[2 * m + i, j]",
                                            "[m + i, j], [m + i + 1, j]",
                                            "[m]",
                                            "[]",
                                            fmt::format("[{} * i + j + m]", columns),
                                            "[i + 1, j]",
                                            "[j, i]",
                                            "[i, m, j]"};
  return random.pick(indices);
}

TEST(Fuse, random_programs_compute_the_same_or_are_refused) {
  Random random(62);
  int fused = 0, refused = 0;
  for (int n = 0; n < 300; ++n) {
    const int64_t rows = random.between(1, 4), columns = random.between(1, 5);
    const bool reduces = random.chance(50);
    const std::string x = random_input(random, columns), z = random_input(random, columns);
    const hl::Program p = computation(fmt::format(
        "p = out_view( y: i64 = [{}] ) * md_hom( i: {} by {}, m: {} by cc, j: {} by {} )"
        " {{ y = 3 * i + 5 * j - m + {} + 7 * ({}); }} * inp_view( x: i64 = {}; z: i64 = {} )",
        reduces ? "m" : "m, i, j", rows, reduces ? "pw(add)" : "cc", random.between(1, 3), columns,
        reduces ? "pw(add)" : "cc", sum_of("x", x), sum_of("z", z), x, z));
    if (diagnostic_of([&] { fuse(p, {{"i", "j"}}); }).code == "E352") {
      ++refused;
      continue;
    }
    expect_same(p, {{"i", "j"}});
    ++fused;
  }
  EXPECT_GT(fused, 80);
  EXPECT_GT(refused, 30);
}

}  // namespace
}  // namespace mdh::passes::fuse_test
