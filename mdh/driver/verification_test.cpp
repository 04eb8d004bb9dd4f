#include "mdh/driver/verification.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mdh/driver/data.h"
#include "mdh/ll/shared_test_programs.h"
#include "mdh/support/random.h"

namespace mdh::driver::verification_test {
namespace {

constexpr int64_t I = 7, K = 13;
constexpr int64_t depth = 1 + (K - 1);  // one product, then sums one after the other
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// w = M v with a right result, computed by a plain loop from the last term to the first.
template <class T>
struct MatVec {
  explicit MatVec(Scalar type)
      : program(matvec(type, I, K)),
        inputs(random_inputs(program, 3)),
        exact(I),
        magnitude(I),
        terms(I) {
    const std::vector<T> M = numbers<T>(inputs[0]), v = numbers<T>(inputs[1]);
    std::vector<T> w(I, 0);
    for (int64_t i = 0; i < I; ++i) {
      for (int64_t k = K; k-- > 0;) {
        w[i] += M[i * K + k] * v[k];
        const double term = static_cast<double>(M[i * K + k]) * static_cast<double>(v[k]);
        exact[i] += term;
        magnitude[i] += std::abs(term);
        terms[i] += term == 0 ? 0 : 1;
      }
    }
    output = array_from(type, {I}, w);
  }

  /// The verdict on the right result with one element replaced.
  Verification with(int64_t at, Value wrong, int64_t limit) const {
    Array changed = output;
    changed.cells[at] = wrong;
    return verify_outputs(program, inputs, {changed}, {.depth = depth, .limit = limit});
  }

  hl::Program program;
  std::vector<Array> inputs;
  std::vector<double> exact, magnitude;  // Σ and Σ|.| of the terms
  std::vector<double> terms;             // that are not 0
  Array output;
};

/// All points, and samples, which are all elements of a result as small as these.
constexpr int64_t modes[] = {full_limit, 0};

template <class T>
void expect_right(Scalar type) {
  const MatVec<T> c(type);
  for (const int64_t limit : modes) {
    const Verification v =
        verify_outputs(c.program, c.inputs, {c.output}, {.depth = depth, .limit = limit});
    EXPECT_TRUE(v.right) << to_string(type) << ": " << v.complaint;
    EXPECT_EQ(v.complaint, "");
    EXPECT_EQ(v.coverage, limit == 0 ? Coverage::sampled : Coverage::full);
    EXPECT_LE(v.max_error, v.bound);
  }
}

TEST(Verification, right_result_is_accepted) {
  expect_right<float>(Scalar::f32);
  expect_right<double>(Scalar::f64);
  expect_right<int32_t>(Scalar::i32);
  expect_right<int64_t>(Scalar::i64);
  expect_right<uint8_t>(Scalar::u8);
}

TEST(Verification, integer_that_is_off_by_one_is_rejected_wherever_it_is) {
  const MatVec<int32_t> c(Scalar::i32);
  for (int64_t at = 0; at < I; ++at) {
    const int64_t right = c.output.cells[at].as_integer();
    for (const int64_t limit : modes) {
      for (const int64_t wrong : {right - 1, right + 1}) {
        const Verification v = c.with(at, Value::integer(wrong), limit);
        EXPECT_FALSE(v.right);
        EXPECT_EQ(v.max_error, 1);
        EXPECT_EQ(v.complaint,
                  fmt::format("element {} of output 'w' is {}, expected {} (allowed error 0)", at,
                              wrong, right));
      }
    }
  }
}

/// Half of the allowed error is accepted and one and a half is not, at every element.
template <class T>
void expect_bound(Scalar type) {
  const MatVec<T> c(type);
  const double eps = scalar::epsilon_of(type), eps64 = std::ldexp(1, -52);
  for (int64_t at = 0; at < I; ++at) {
    // Half of epsilon for the product, for its cast and for each term; the yardstick rounds, too.
    const double share = 0.51 * (c.terms[at] + 2) * eps + (c.terms[at] + 3) * eps64;
    const double allowed = share * c.magnitude[at];
    for (const int64_t limit : modes) {
      for (const double sign : {-1.0, 1.0}) {
        const double near = c.exact[at] + sign * 0.5 * allowed;
        const double far = c.exact[at] + sign * 1.5 * allowed;
        const Verification accepted = c.with(at, scalar::from_floating(type, near), limit);
        EXPECT_TRUE(accepted.right) << accepted.complaint;
        const Verification rejected = c.with(at, scalar::from_floating(type, far), limit);
        EXPECT_FALSE(rejected.right) << to_string(type) << " element " << at;
        // Ends of intervals are doubles, too.
        EXPECT_NEAR(rejected.bound, allowed, (type == Scalar::f64 ? 0.1 : 1e-6) * allowed);
        EXPECT_NEAR(rejected.max_error, 1.5 * allowed, 0.2 * allowed);
        EXPECT_EQ(rejected.complaint.find(fmt::format("element {} of output 'w' is ", at)), 0u)
            << rejected.complaint;
      }
    }
  }
}

TEST(Verification, float_may_deviate_by_what_rounding_can_do_and_no_more) {
  expect_bound<float>(Scalar::f32);
  expect_bound<double>(Scalar::f64);
}

TEST(Verification, error_grows_with_the_depth_that_is_admitted) {
  const MatVec<float> c(Scalar::f32);
  Array output = c.output;
  output.cells[2] =
      scalar::from_floating(Scalar::f32, c.exact[2] + 4 * std::ldexp(1, -23) * c.magnitude[2]);
  EXPECT_FALSE(verify_outputs(c.program, c.inputs, {output}, {.depth = 2}).right);
  EXPECT_TRUE(verify_outputs(c.program, c.inputs, {output}, {.depth = 12}).right);
}

TEST(Verification, what_is_no_number_is_rejected) {
  const MatVec<float> c(Scalar::f32);
  for (const double wrong : {nan, infinity, -infinity}) {
    for (const int64_t limit : modes) {
      EXPECT_FALSE(c.with(4, Value::floating(wrong), limit).right) << wrong;
    }
  }
}

TEST(Verification, element_that_was_not_written_is_rejected_whatever_it_holds) {
  for (const int64_t limit : modes) {
    MatVec<float> c(Scalar::f32);
    c.output.defined[5] = 0;
    const Verification v =
        verify_outputs(c.program, c.inputs, {c.output}, {.depth = depth, .limit = limit});
    EXPECT_FALSE(v.right);
    EXPECT_EQ(v.complaint, "element 5 of output 'w' was not written");
  }
}

TEST(Verification, first_wrong_element_is_the_one_named) {
  MatVec<int32_t> c(Scalar::i32);
  c.output.cells[2] = c.output.cells[6] = Value::integer(12345);
  const Verification v = verify_outputs(c.program, c.inputs, {c.output}, {.depth = depth});
  EXPECT_EQ(v.complaint.find("element 2 of output 'w' is 12345"), 0u) << v.complaint;
}

TEST(Verification, second_output_is_checked_like_the_first) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram two = out_view( a: i32 = [i]; b: f32 = [i] )"
      " * md_hom( i: 3 by cc ) { a = x + 1; b = y; } * inp_view( x: i32 = [i]; y: f32 = [i] )");
  const std::vector<Array> inputs = {array_of(Scalar::i32, {3}, {1, 2, 3}),
                                     array_of(Scalar::f32, {3}, {4, 5, 6})};
  const Array a = array_of(Scalar::i32, {3}, {2, 3, 4});
  for (const int64_t limit : modes) {
    const VerifyOptions options{.limit = limit};
    EXPECT_TRUE(
        verify_outputs(p, inputs, {a, array_of(Scalar::f32, {3}, {4, 5, 6})}, options).right);
    const Verification v =
        verify_outputs(p, inputs, {a, array_of(Scalar::f32, {3}, {4, 5, 6.5})}, options);
    EXPECT_FALSE(v.right);
    EXPECT_EQ(v.complaint.find("element 2 of output 'b' is 6.5, expected 6 "), 0u) << v.complaint;
  }
}

// ---- exactness

TEST(Verification, large_integers_are_compared_in_all_their_bits) {
  const hl::Program p = map(Scalar::i64, 1, "x * x");
  const int64_t x = (int64_t{1} << 31) + 1;  // x * x needs 63 bits, ten more than a double has
  Array input = array_of(Scalar::i64, {1}, {0}), output = input;
  input.cells[0] = Value::integer(x);
  output.cells[0] = Value::integer(x * x);
  EXPECT_TRUE(verify_outputs(p, {input}, {output}, {}).right);
  output.cells[0] = Value::integer(x * x + 1);
  EXPECT_FALSE(verify_outputs(p, {input}, {output}, {}).right);
}

TEST(Verification, wrapped_integers_are_right) {
  const hl::Program p = map(Scalar::i32, 1, "x * x");
  const Array input = array_of(Scalar::i32, {1}, {65537});
  // 65537² = 2³² + 2¹⁷ + 1
  EXPECT_TRUE(verify_outputs(p, {input}, {array_of(Scalar::i32, {1}, {131073})}, {}).right);
  EXPECT_FALSE(verify_outputs(p, {input}, {array_of(Scalar::i32, {1}, {131074})}, {}).right);
}

TEST(Verification, infinite_and_undefined_quotients_must_be_just_that) {
  const hl::Program p = map(Scalar::f32, 3, "1.0 / x - 1.0 / x");
  const Array input = array_of(Scalar::f32, {3}, {0, 2, 4});
  EXPECT_TRUE(verify_outputs(p, {input}, {array_of(Scalar::f32, {3}, {nan, 0, 0})}, {}).right);
  EXPECT_FALSE(verify_outputs(p, {input}, {array_of(Scalar::f32, {3}, {7, 0, 0})}, {}).right);
  const hl::Program q = map(Scalar::f32, 1, "1.0 / x");
  const Array zero = array_of(Scalar::f32, {1}, {0});
  EXPECT_TRUE(verify_outputs(q, {zero}, {array_of(Scalar::f32, {1}, {infinity})}, {}).right);
  EXPECT_FALSE(verify_outputs(q, {zero}, {array_of(Scalar::f32, {1}, {-infinity})}, {}).right);
  EXPECT_FALSE(verify_outputs(q, {zero}, {array_of(Scalar::f32, {1}, {1e30})}, {}).right);
}

TEST(Verification, result_too_large_for_its_type_is_infinite) {
  const hl::Program p = map(Scalar::f32, 1, "x * x");
  const Array input = array_of(Scalar::f32, {1}, {-1e30});
  const Verification v =
      verify_outputs(p, {input}, {array_of(Scalar::f32, {1}, {infinity})}, {.depth = 1});
  EXPECT_TRUE(v.right) << v.complaint;
  EXPECT_TRUE(std::isfinite(v.max_error));
  for (const double wrong : {-infinity, nan, 3e38}) {
    EXPECT_FALSE(
        verify_outputs(p, {input}, {array_of(Scalar::f32, {1}, {wrong})}, {.depth = 1}).right);
  }
}

TEST(Verification, zero_of_either_sign_is_zero) {
  const hl::Program p = map(Scalar::f32, 1, "x");
  const Array zero = array_of(Scalar::f32, {1}, {0}), other = array_of(Scalar::f32, {1}, {-0.0});
  EXPECT_TRUE(verify_outputs(p, {zero}, {other}, {}).right);
  EXPECT_FALSE(verify_outputs(p, {zero}, {array_of(Scalar::f32, {1}, {1e-40})}, {}).right);
}

TEST(Verification, elements_between_those_of_a_strided_output_are_not_looked_at) {
  const hl::Program p = map(Scalar::i32, 3, "x", 2);
  const Array input = array_of(Scalar::i32, {3}, {1, 2, 3});
  Array output = array_of(Scalar::i32, {5}, {1, 77, 2, 77, 3});
  output.defined[1] = 0;
  for (const int64_t limit : modes) {
    EXPECT_TRUE(verify_outputs(p, {input}, {output}, {.limit = limit}).right);
    Array wrong = output;
    wrong.cells[2] = Value::integer(3);
    EXPECT_FALSE(verify_outputs(p, {input}, {wrong}, {.limit = limit}).right);
  }
}

// ---- bounds of reductions

constexpr int64_t many = 100000;

/// Terms of both signs that nearly cancel.
struct LongSum {
  hl::Program program = sum(Scalar::f32, many);
  std::vector<Array> inputs = random_inputs(program, 7);
  std::vector<float> x = numbers<float>(inputs[0]);

  Verification of(float s, int64_t admitted) const {
    return verify_outputs(program, inputs, {array_from<float>(Scalar::f32, {}, {s})},
                          {.depth = admitted});
  }
};

/// A tree of 17 levels.
float pairwise(const float* x, int64_t count) {
  if (count == 1) return *x;
  return pairwise(x, count / 2) + pairwise(x + count / 2, count - count / 2);
}

TEST(Verification, order_of_summation_does_not_matter) {
  const LongSum c;
  float forwards = 0, backwards = 0, strided = 0;
  for (int64_t k = 0; k < many; ++k) forwards += c.x[k];
  for (int64_t k = many; k-- > 0;) backwards += c.x[k];
  for (int64_t k = 0; k < many; ++k) strided += c.x[k * 7919 % many];  // a prime: all terms once
  for (const float s : {forwards, backwards, strided}) {
    EXPECT_TRUE(c.of(s, many - 1).right);
    const Verification v = c.of(s, 17);
    EXPECT_TRUE(v.right) << "the usual error is far below the greatest: " << v.complaint;
  }
  const Verification v = c.of(pairwise(c.x.data(), many), 17);
  EXPECT_TRUE(v.right) << v.complaint;
}

TEST(Verification, term_lost_in_a_tree_is_found) {
  const LongSum c;
  const int64_t lost = std::max_element(c.x.begin(), c.x.end()) - c.x.begin();
  std::vector<float> x = c.x;
  x[lost] = 0;
  EXPECT_FALSE(c.of(pairwise(x.data(), many), 17).right);
}

/// Equal terms whose rounding errors all point the same way.
TEST(Verification, biased_rounding_of_a_long_sum_stays_within_its_depth) {
  const hl::Program p = sum(Scalar::f32, 1000000);
  const std::vector<float> x(1000000, 0.1F);
  float s = 0;
  for (const float term : x) s += term;
  const Array input = array_from(Scalar::f32, {1000000}, x);
  const Array output = array_from<float>(Scalar::f32, {}, {s});
  EXPECT_GT(std::abs(s - 1e5), 500) << "the example is a bad one";
  EXPECT_TRUE(verify_outputs(p, {input}, {output}, {.depth = 999999}).right);
  EXPECT_FALSE(verify_outputs(p, {input}, {output}, {.depth = 2000}).right);
}

/// The least product is the greatest in magnitude: its rounding counts, not that of the smallest.
TEST(Verification, minimum_and_maximum_of_rounded_terms_are_exact) {
  for (const char* op : {"min", "max"}) {
    const hl::Program p =
        hl::parse(fmt::format("mdh 1\nprogram extreme = out_view( y: f32 = [] )"
                              " * md_hom( k: 3 by pw({}) ) {{ y = a * b; }}"
                              " * inp_view( a: f32 = [k]; b: f32 = [k] )",
                              op));
    const float sign = op == std::string("min") ? -1 : 1;
    const std::vector<Array> inputs = {array_of(Scalar::f32, {3}, {4.9 * sign, 0, -0.1 * sign}),
                                       array_of(Scalar::f32, {3}, {4.9, 1, 0.1})};
    const float product = 4.9F * 4.9F;
    const double ulp = std::nextafterf(product, 100) - product;
    const auto verdict = [&](double y) {
      return verify_outputs(p, inputs, {array_of(Scalar::f32, {}, {y})}, {.depth = 1}).right;
    };
    EXPECT_TRUE(verdict(sign * product)) << op;
    EXPECT_FALSE(verdict(sign * (product + ulp))) << op;
    EXPECT_FALSE(verdict(0)) << op;
  }
}

TEST(Verification, depth_of_a_sequential_sum_counts_f_and_every_combination) {
  EXPECT_EQ(sequential_depth(matvec(Scalar::f32, 7, 13)), 1 + 12);
  EXPECT_EQ(sequential_depth(sum(Scalar::f32, 100)), 99);
  EXPECT_EQ(sequential_depth(map(Scalar::f32, 5, "(x + x) * (x + x) - 1.0")), 3);
}

// ---- samples

/// A result too large for all of its elements to be sampled.
struct LargeMap {
  hl::Program program = map(Scalar::i32, 100000, "x + 1");
  std::vector<Array> inputs = random_inputs(program, 1);
  Array output = inputs[0];

  LargeMap() {
    for (Value& v : output.cells) v = Value::integer(v.as_integer() + 1);
  }
  Verification with_wrong(int64_t at) const {
    Array changed = output;
    if (at >= 0) changed.cells[at] = Value::integer(-1000);
    return verify_outputs(program, inputs, {changed}, {.border_steps = {500}, .limit = 0});
  }
};

TEST(Verification, samples_contain_the_corners_and_both_sides_of_tile_borders) {
  const LargeMap c;
  EXPECT_TRUE(c.with_wrong(-1).right);
  EXPECT_EQ(c.with_wrong(-1).coverage, Coverage::sampled);
  for (const int64_t at : {0, 99999, 500, 499, 50000, 49999}) {
    EXPECT_FALSE(c.with_wrong(at).right) << at;
  }
}

TEST(Verification, samples_contain_points_inside_of_tiles) {
  LargeMap c;
  for (int64_t at = 10000; at < 10499; ++at) c.output.cells[at] = Value::integer(-1000);
  for (const int64_t border : {10000, 10499}) {
    c.output.cells[border] = Value::integer(c.inputs[0].cells[border].as_integer() + 1);
  }
  EXPECT_FALSE(c.with_wrong(-1).right);
}

TEST(Verification, more_points_than_the_limit_are_sampled) {
  const MatVec<int32_t> c(Scalar::i32);
  const auto coverage = [&](int64_t limit) {
    return verify_outputs(c.program, c.inputs, {c.output}, {.limit = limit}).coverage;
  };
  EXPECT_EQ(coverage(I * K), Coverage::full);
  EXPECT_EQ(coverage(I * K - 1), Coverage::sampled);
}

TEST(Verification, coverage_has_a_word) {
  EXPECT_EQ(to_string(Coverage::none), "none");
  EXPECT_EQ(to_string(Coverage::sampled), "sampled");
  EXPECT_EQ(to_string(Coverage::full), "full");
}

}  // namespace
}  // namespace mdh::driver::verification_test
