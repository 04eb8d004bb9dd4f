#include "mdh/hl/analysis.h"

#include <gtest/gtest.h>

#include <set>

#include "mdh/hl/parse.h"
#include "mdh/hl/testing.h"
#include "mdh/scalar/print.h"
#include "mdh/support/testing.h"

namespace mdh::hl::analysis_test {
namespace {

using scalar::Scalar;
using Numbers = std::vector<int64_t>;

/// i: 4 by cc, j: 3 by cc, k: 5 by pw(add), with one output and one input.
Program with_views(const std::string& output, const std::string& input) {
  return parse("mdh 1 program p = out_view( y: f32 = " + output +
               " ) * md_hom( i: 4 by cc, j: 3 by cc, k: 5 by pw(add) ) { y = " +
               (input.find("], [") == std::string::npos ? "x" : "x.1 + x.2") +
               "; } * inp_view( x: f32" + input + " )");
}

Affine affine_of(const std::string& index) {
  const Program p = with_views("[i, j]", " = [" + index + "]");
  return find_affine(p, p.inputs[0].accesses[0].index[0]).value();
}

Extents input_extents(const std::string& input) {
  const Program p = with_views("[i, j]", input);
  return extents(p, p.inputs[0]);
}

TEST(Affine, coefficients_and_constant_are_read_off) {
  const Affine a = affine_of("2 * i + 7 + k * 3 - j + j - (i - 5)");
  EXPECT_EQ(a.coefficients, (Numbers{1, 0, 3}));
  EXPECT_EQ(a.constant, 12);
  const Affine reversed = affine_of("3 - i");
  EXPECT_EQ(reversed.coefficients, (Numbers{-1, 0, 0}));
  EXPECT_EQ(reversed.constant, 3);
  EXPECT_EQ(affine_of("-(2 * (1 - k))+ 2").coefficients, (Numbers{0, 0, 2}));
  EXPECT_EQ(affine_of("7").constant, 7);
}

TEST(Affine, evaluates_at_points) {
  const Numbers point = {3, 2, 1};
  EXPECT_EQ((Affine{{10, -4, 1}, 100}.at(point)), 100 + 30 - 8 + 1);
}

TEST(Affine, range_is_that_of_all_points) {
  Random random(31);
  for (int n = 0; n < 200; ++n) {
    Affine a{{}, random.between(-5, 5)};
    Numbers sizes;
    for (int d = 0; d < 3; ++d) {
      a.coefficients.push_back(random.between(-3, 3));
      sizes.push_back(random.between(1, 4));
    }
    std::set<int64_t> values;
    for (int64_t i = 0; i < sizes[0]; ++i) {
      for (int64_t j = 0; j < sizes[1]; ++j) {
        for (int64_t k = 0; k < sizes[2]; ++k) {
          values.insert(a.constant + a.coefficients[0] * i + a.coefficients[1] * j +
                        a.coefficients[2] * k);
        }
      }
    }
    EXPECT_EQ(a.least(sizes), *values.begin());
    EXPECT_EQ(a.greatest(sizes), *values.rbegin());
  }
}

TEST(Extents, reach_one_beyond_the_greatest_index) {
  EXPECT_EQ(input_extents(" = [i, k]"), (Extents{4, 5}));
  EXPECT_EQ(input_extents(" = [i + 2, 0]"), (Extents{6, 1}));
  EXPECT_EQ(input_extents(" = []"), (Extents{}));
}

TEST(Extents, reversed_access_reads_the_same_buffer) {
  EXPECT_EQ(input_extents(" = [3 - i, 5 - 1 - k]"), (Extents{4, 5}));
}

// 2p + r with p < 4 and r < 5 reaches 2 * 3 + 4 = 10.
TEST(Extents, strided_windows_overlap) {
  EXPECT_EQ(input_extents(" = [2 * i + k]"), (Extents{11}));
}

TEST(Extents, cover_all_accesses) {
  EXPECT_EQ(input_extents(" = [i, j + 7], [i + 1, j]"), (Extents{5, 10}));
}

TEST(Extents, declared_ones_win) { EXPECT_EQ(input_extents("[9, 5] = [i, k]"), (Extents{9, 5})); }

TEST(Extents, outputs_range_over_the_result) {
  const Program p = with_views("[j, 2 * i + k]", " = [k]");
  EXPECT_EQ(extents(p, p.outputs[0]), (Extents{3, 7}));
}

TEST(Sizes, reduced_dimensions_have_one_result) {
  const Program p = with_views("[i, j]", " = [k]");
  EXPECT_EQ(sizes(p), (Numbers{4, 3, 5}));
  EXPECT_EQ(result_sizes(p), (Numbers{4, 3, 1}));
  EXPECT_FALSE(is_reduced(p.dimensions[0]));
  EXPECT_TRUE(is_reduced(p.dimensions[2]));
  EXPECT_EQ(points(p), 60);
}

bool injective(const std::string& output) {
  const Program p = with_views(output, " = [k]");
  return is_injective(p, p.outputs[0]);
}

TEST(Injective, dimensions_in_any_order) {
  EXPECT_TRUE(injective("[i, j]"));
  EXPECT_TRUE(injective("[j, i]"));
  EXPECT_TRUE(injective("[0, j, i, 3]"));
  EXPECT_TRUE(injective("[3 - i, 2 - j]"));
}

TEST(Injective, missing_dimension_makes_points_meet) {
  EXPECT_FALSE(injective("[i]"));
  EXPECT_FALSE(injective("[i, i]"));
  EXPECT_FALSE(injective("[]"));
}

TEST(Injective, diagonals_make_points_meet) { EXPECT_FALSE(injective("[i + j]")); }

TEST(Injective, strides_keep_points_apart) {
  EXPECT_TRUE(injective("[2 * i, 3 * j + 1]"));
  EXPECT_TRUE(injective("[3 * i + j]")) << "j < 3 fits between two i";
  EXPECT_TRUE(injective("[i + 4 * j]"));
  EXPECT_TRUE(injective("[3 * i - j + 2]"));
  EXPECT_FALSE(injective("[2 * i + j]")) << "(0, 2) meets (1, 0)";
  EXPECT_FALSE(injective("[i + 3 * j]")) << "(3, 0) meets (0, 1)";
}

TEST(Injective, known_dimension_is_taken_out_of_other_indices) {
  EXPECT_TRUE(injective("[i + j, j]"));
  EXPECT_TRUE(injective("[i, i + j]"));
}

TEST(Injective, reduced_dimensions_do_not_matter) { EXPECT_TRUE(injective("[i + 7 * k, j]")); }

TEST(Injective, several_accesses_are_not_proved) {
  const Program p = parse(
      "mdh 1 program p = out_view( y: f32 = [i], [i + 4] ) * md_hom( i: 4 by cc ) "
      "{ y.1 = x; y.2 = x; } * inp_view( x: f32 = [i] )");
  EXPECT_FALSE(is_injective(p, p.outputs[0]));
}

/// All results go to elements of their own, found by trying.
bool meets_nowhere(const Program& p) {
  std::vector<Affine> index;
  for (const Expr& e : p.outputs[0].accesses[0].index) index.push_back(find_affine(p, e).value());
  std::set<Numbers> seen;
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 3; ++j) {
      Numbers element;
      for (const Affine& a : index) {
        element.push_back(a.constant + a.coefficients[0] * i + a.coefficients[1] * j);
      }
      if (!seen.insert(element).second) return false;
    }
  }
  return true;
}

TEST(Injective, what_is_proved_is_true) {
  Random random(32);
  int proved = 0, refuted = 0;
  for (int n = 0; n < 500; ++n) {
    const auto index = [&] {
      const int64_t k = random.between(0, 1), j = random.between(0, 4), i = random.between(0, 4);
      return fmt::format("{} * i + {} * (2 - j) + {} * k", i, j, k);
    };
    const std::string second = random.chance(60) ? ", " + index() : "";
    const std::string output = "[" + index() + second + "]";
    const Program p = with_views(output, " = [k]");
    const bool is_true = meets_nowhere(p), is_proved = is_injective(p, p.outputs[0]);
    EXPECT_TRUE(is_true || !is_proved) << output;
    proved += is_proved ? 1 : 0;
    refuted += is_true ? 0 : 1;
  }
  EXPECT_GT(proved, 50);
  EXPECT_GT(refuted, 50);
}

const char* const two_outputs = R"(mdh 1
program p = out_view( s: i32 = [i]; q: f64 = [i], [i + 4] )
* md_hom( i: 4 by cc, k: 5 by pw(add, max, mul) ) { q.2 = b; s = a.2; q.1 = b * 2.0; }
* inp_view( a: i32 = [i], [k]; b: f64 = [i, k] ))";

TEST(ScalarFunction, takes_accesses_and_point_and_gives_results_in_declaration_order) {
  const scalar::Function f = scalar_function(parse(two_outputs));
  std::vector<std::string> parameters, results;
  for (const auto& p : f.parameters) parameters.push_back(p.symbol.name + ":" + to_string(p.type));
  for (const auto& r : f.results) {
    results.push_back(r.target.name + "=" + scalar::print(r.value));
  }
  EXPECT_EQ(join(parameters, " "), "a.1:i32 a.2:i32 b:f64 i:i64 k:i64");
  EXPECT_EQ(join(results, " "), "s=a.2 q.1=b * 2.0 q.2=b");
}

TEST(CombineFunction, has_one_operator_per_result) {
  const scalar::Function f = combine_function(parse(two_outputs));
  ASSERT_EQ(f.results.size(), 3u);
  EXPECT_EQ(scalar::print(f.results[0].value), "l.s + r.s");
  EXPECT_EQ(scalar::print(f.results[1].value), "max(l.q.1, r.q.1)");
  EXPECT_EQ(scalar::print(f.results[2].value), "l.q.2 * r.q.2");
}

TEST(CombineFunction, single_operator_is_used_for_all_results) {
  const scalar::Function f = combine_function(parse(R"(mdh 1
program p = out_view( s: i32 = []; q: i32 = [] ) * md_hom( k: 5 by pw(mul) ) { s = a; q = a; }
* inp_view( a: i32 = [k] ))"));
  ASSERT_EQ(f.results.size(), 2u);
  EXPECT_EQ(scalar::print(f.results[1].value), "l.q * r.q");
}

// Matvec 2 x 3: 6 products and 2 * (3 - 1) sums; 2 + 6 + 3 elements of 4 bytes.
TEST(Cost, operations_and_bytes_of_matvec) {
  const Program p = parse(R"(mdh 1
program matvec = out_view( w: f32 = [i] ) * md_hom( i: 2 by cc, k: 3 by pw(add) ) { w = M * v; }
* inp_view( M: f32 = [i, k]; v: f32 = [k] ))");
  EXPECT_EQ(operations(p), 6 + 4);
  EXPECT_EQ(bytes(p), 44);
}

// Four sums of rows of three, then three combinations of what they are.
TEST(Cost, prefix_sums_combine) {
  EXPECT_EQ(operations(parse(R"(mdh 1
program boxes = out_view( s: f32 = [i] ) * md_hom( i: 4 by ps(add), j: 3 by pw(add) ) { s = A; }
* inp_view( A: f32 = [i, j] ))")),
            4 * 2 + 3);
}

// 20 points with one product, 16 combinations of three values.
TEST(Cost, every_component_is_combined) {
  EXPECT_EQ(operations(parse(two_outputs)), 20 * 1 + 16 * 3);
  EXPECT_EQ(bytes(parse(two_outputs)), 4 * 4 + 8 * 8 + 4 * 5 + 8 * 20);
}

}  // namespace
}  // namespace mdh::hl::analysis_test
