#include "mdh/hl/address.h"

#include <gtest/gtest.h>

#include "mdh/hl/evaluate.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/testing.h"
#include "mdh/support/testing.h"

namespace mdh::hl::address_test {
namespace {

/// i: 7 by cc, j: 5 by cc, with one input.
Program reading(const std::string& input) {
  return parse(
      "mdh 1 program p = out_view( y: i64 = [i, j] ) * md_hom( i: 7 by cc, j: 5 by cc ) "
      "{ y = x; } * inp_view( x: i64" +
      input + " )");
}

struct Shown {
  const char* text;
  int64_t (*value)(int64_t, int64_t);
};

const Shown functions[] = {
    {"i / 2", [](int64_t i, int64_t) { return i / 2; }},
    {"i % 3", [](int64_t i, int64_t) { return i % 3; }},
    {"(i + 2 * j) / 3", [](int64_t i, int64_t j) { return (i + 2 * j) / 3; }},
    {"(i - 3) / 2 + 1", [](int64_t i, int64_t) { return (i - 3) / 2 + 1; }},
    {"(i - 3) % 2 + 1", [](int64_t i, int64_t) { return (i - 3) % 2 + 1; }},
    {"i * j", [](int64_t i, int64_t j) { return i * j; }},
    {"max(i, j)", [](int64_t i, int64_t j) { return std::max(i, j); }},
    {"min(i, 3)", [](int64_t i, int64_t) { return std::min<int64_t>(i, 3); }},
    {"(if i < j then i else j)", [](int64_t i, int64_t j) { return i < j ? i : j; }},
    {"i + 2 * j", [](int64_t i, int64_t j) { return i + 2 * j; }},
    {"6 - i", [](int64_t i, int64_t) { return 6 - i; }},
};

TEST(Address, coefficient_of_a_dimension_with_one_index_does_not_matter) {
  const Program p = parse(
      "mdh 1 program p = out_view( y: i64 = [i + 9223372036854775807 * k] )"
      " * md_hom( i: 3 by cc, j: 1 by cc, k: 2 by pw(add) ) { y = x; }"
      " * inp_view( x: i64 = [i, 9223372036854775807 * j, 4611686018427387904 * j] )");
  const Address read(p, p.inputs[0], p.inputs[0].accesses[0]);
  const Address written(p, p.outputs[0], p.outputs[0].accesses[0]);
  const std::vector<int64_t> point = {2, 0, 0};
  EXPECT_EQ(read(point), 2);
  EXPECT_EQ(written(point), 2);
}

TEST(IndexRange, holds_all_values_of_an_index_function) {
  for (const Shown& f : functions) {
    const Program p = reading(fmt::format("[99] = [{}]", f.text));
    const auto range = index_range(p, p.inputs[0].accesses[0].index[0], sizes(p));
    ASSERT_TRUE(range.has_value()) << f.text;
    int64_t least = 1000, greatest = -1000;
    for (int64_t i = 0; i < 7; ++i) {
      for (int64_t j = 0; j < 5; ++j) {
        least = std::min(least, f.value(i, j));
        greatest = std::max(greatest, f.value(i, j));
      }
    }
    EXPECT_LE(range->least, least) << f.text;
    EXPECT_GE(range->greatest, greatest) << f.text;
    EXPECT_GE(range->least, least - 3) << f.text << ": close to it";
    EXPECT_LE(range->greatest, greatest + 3) << f.text << ": close to it";
  }
}

TEST(IndexRange, is_exact_where_every_dimension_occurs_once) {
  const auto range_of = [](const std::string& index) {
    const Program p = reading("[99] = [" + index + "]");
    const auto range = index_range(p, p.inputs[0].accesses[0].index[0], sizes(p)).value();
    return std::pair(range.least, range.greatest);
  };
  EXPECT_EQ(range_of("i / 2"), (std::pair<int64_t, int64_t>(0, 3)));
  EXPECT_EQ(range_of("i % 3 + 4 * j"), (std::pair<int64_t, int64_t>(0, 2 + 16)));
  EXPECT_EQ(range_of("(i + 21) % 100"), (std::pair<int64_t, int64_t>(21, 27)));
  EXPECT_EQ(range_of("max(i, 2) * 10"), (std::pair<int64_t, int64_t>(20, 60)));
  // A remainder has the sign of the dividend, and this one is never positive.
  EXPECT_EQ(range_of("(i - 6) % 4 + 3"), (std::pair<int64_t, int64_t>(0, 3)));
}

// ~x is -x - 1.
TEST(FindAffine, complement_is_affine_and_a_negated_condition_is_not) {
  const Program p = reading("[99] = [~i + 7]");
  const auto form = find_affine(p, p.inputs[0].accesses[0].index[0]);
  ASSERT_TRUE(form.has_value());
  for (int64_t i = 0; i < 7; ++i) EXPECT_EQ(form->at(std::vector<int64_t>{i, 0}), ~i + 7);
  const Program choice = reading("[99] = [(if !(i < j) then i else j)]");
  EXPECT_FALSE(find_affine(choice, choice.inputs[0].accesses[0].index[0]).has_value());
}

TEST(IndexRange, of_a_quotient_by_an_index_is_unknown) {
  const Program p = reading("[99] = [8 / (j + 1)]");
  EXPECT_FALSE(index_range(p, p.inputs[0].accesses[0].index[0], sizes(p)).has_value());
}

TEST(Address, is_row_major_for_any_index_function) {
  for (const Shown& f : functions) {
    const Program p = reading(fmt::format("[8, 50] = [j, {}]", f.text));
    const Address address(p, p.inputs[0], p.inputs[0].accesses[0]);
    for (int64_t i = 0; i < 7; ++i) {
      for (int64_t j = 0; j < 5; ++j) {
        const std::vector<int64_t> point = {i, j};
        ASSERT_EQ(address(point), j * 50 + f.value(i, j)) << f.text;
      }
    }
  }
}

// verify() refuses such programs; those that are made by hand are noticed as well.
TEST(Address, outside_of_the_buffer_names_the_point) {
  Program p = reading("[25] = [i * j]");
  p.inputs[0].declared = {scalar::index_literal(20)};
  Random random(1);
  const std::vector<Array> inputs = random_inputs(p, random);
  const Diagnostic d = diagnostic_of([&] { evaluate(p, inputs); });
  EXPECT_EQ(d.code, "E235");
  EXPECT_EQ(d.message, "index 1 of buffer 'x' is 20 at i = 5, j = 4, outside of [0, 20)");
}

TEST(Evaluate, reads_through_quotients_and_remainders) {
  const Program p = reading(" = [i / 2, (i + j) % 4]");
  EXPECT_EQ(extents(p, p.inputs[0]), (Extents{4, 4}));
  Random random(2);
  const std::vector<Array> inputs = random_inputs(p, random);
  const Array y = evaluate(p, inputs)[0];
  for (int64_t i = 0; i < 7; ++i) {
    for (int64_t j = 0; j < 5; ++j) {
      EXPECT_EQ(y.cells[i * 5 + j], inputs[0].cells[i / 2 * 4 + (i + j) % 4]);
    }
  }
}

}  // namespace
}  // namespace mdh::hl::address_test
