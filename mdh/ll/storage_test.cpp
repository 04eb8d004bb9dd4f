#include "mdh/ll/storage.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::storage_test {
namespace {

using Element = std::vector<int64_t>;

const machine::Machine& artificial() { return machine::find_machine("artificial"); }

std::vector<Element> elements(const scalar::Extents& extents) {
  std::vector<Element> all = {{}};
  for (const int64_t extent : extents) {
    std::vector<Element> next;
    for (const Element& element : all) {
      for (int64_t i = 0; i < extent; ++i) {
        next.push_back(element);
        next.back().push_back(i);
      }
    }
    all = std::move(next);
  }
  return all;
}

/// Every element has a cell of its own.
void expect_bijection(const Program& p, const hl::BufferView& buffer, const Layout& layout) {
  const Storage storage(p, buffer, layout);
  std::set<int64_t> seen;
  for (const Element& element : elements(hl::extents(p.computation, buffer))) {
    const int64_t address = storage.address(element);
    ASSERT_GE(address, 0);
    ASSERT_LT(address, storage.size());
    ASSERT_TRUE(seen.insert(address).second) << "two elements at " << address;
  }
}

/// i: 2 · 3 parts for 5 indices, j: 4, k: 2 · 2 parts for 4.
Program box(const std::string& index) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram box = out_view( y: i64 = [i, j, k] )"
      " * md_hom( i: 5 by cc, j: 4 by cc, k: 4 by cc ) { y = 1; } * inp_view( x: i64 = " +
      index + " )");
  return lowered(config(R"("layers": ["HM", "COR", "L1"],
      "split": {"i": ["HM 2", "L1 3"], "j": ["COR 4"], "k": ["COR 2", "L1 2"]},
      "order": ["L1.k", "HM.i", "COR.j", "COR.k", "L1.i"])"),
                 p, artificial());
}

TEST(Storage, a_permutation_that_is_not_its_own_inverse) {
  const Program p = box("[i, j, k]");
  const Storage storage(p, p.computation.inputs[0], {3, 1, 2});
  EXPECT_EQ(storage.size(), 80);
  for (const Element& e : elements({5, 4, 4})) {
    EXPECT_EQ(storage.address(e), (e[2] * 5 + e[0]) * 4 + e[1]);
  }
}

TEST(Storage, a_transposed_matrix_and_the_users_order) {
  const Program p = box("[j, i]");
  const hl::BufferView& x = p.computation.inputs[0];
  for (const Element& e : elements({4, 5})) {
    EXPECT_EQ(Storage(p, x, {1, 2}).address(e), e[0] * 5 + e[1]);
    EXPECT_EQ(Storage(p, x, {2, 1}).address(e), e[1] * 4 + e[0]);
  }
}

TEST(Storage, a_scalar_has_one_cell) {
  const Program p = box("[]");
  const Storage storage(p, p.computation.inputs[0], {});
  EXPECT_EQ(storage.size(), 1);
  EXPECT_EQ(storage.address({}), 0);
}

TEST(Storage, digits_are_those_of_the_dimension_and_padding_leaves_gaps) {
  const Program p = box("[i, j]");
  const Storage storage(p, p.computation.inputs[0], {{1, "HM"}, 2, {1, "L1"}});
  EXPECT_EQ(storage.size(), 2 * 4 * 3);
  for (const Element& e : elements({5, 4})) {
    EXPECT_EQ(storage.address(e), ((e[0] / 3) * 4 + e[1]) * 3 + e[0] % 3);
  }
}

TEST(Storage, digits_that_are_not_listed_come_first) {
  const Program p = box("[i, j]");
  const Storage storage(p, p.computation.inputs[0], {2, {1, "L1"}});
  for (const Element& e : elements({5, 4})) {
    EXPECT_EQ(storage.address(e), (e[1] * 2 + e[0] / 3) * 3 + e[0] % 3);
  }
}

TEST(Storage, digits_may_stand_in_any_order) {
  const Program p = box("[k]");
  const Storage storage(p, p.computation.inputs[0], {{1, "L1"}, {1, "COR"}});
  const std::vector<int64_t> expected = {0, 2, 1, 3};
  for (int64_t k = 0; k < 4; ++k) EXPECT_EQ(storage.address(Element{k}), expected[k]);
}

/// 2k + 1 begins at element 1; elements between and before the ones that are read have cells, too.
TEST(Storage, strided_and_shifted_indices_are_bijections) {
  for (const char* index : {"[2 * k + 1]", "[3 * i + 2]", "[k + 5]", "[4 - i]", "[7 - 2 * k]",
                            "a: [2 * k], b: [2 * k + 3]", "a: [k], b: [k + 1], c: [k + 7]"}) {
    const Program p = box(index);
    const hl::BufferView& x = p.computation.inputs[0];
    expect_bijection(p, x, {1});
    expect_bijection(p, x, {{1, "L1"}});
    expect_bijection(p, x, {{1, "L1"}, {1, "COR"}});
    expect_bijection(p, x, {{1, "COR"}, {1, "HM"}, {1, "L1"}});
  }
}

TEST(Storage, the_elements_of_a_strided_tile_are_read_digit_by_digit) {
  const Program p = box("[2 * k + 1]");
  const Storage storage(p, p.computation.inputs[0], {{1, "COR"}, {1, "L1"}});
  // k = 2 · COR + L1, element 2k + 1. Elements between the ones that are read lie elsewhere.
  const auto at = [&](int64_t k) { return storage.address(Element{2 * k + 1}); };
  EXPECT_EQ(at(1) - at(0), 1);
  EXPECT_EQ(at(2) - at(0), 4);
  EXPECT_EQ(at(3) - at(2), 1);
  EXPECT_EQ(storage.size(), 3 * 2 * 2) << "COR begins one part earlier, for element 0";
}

TEST(Storage, a_declared_extent_beyond_the_accesses_has_cells) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram part = out_view( y: i64 = [i] ) * md_hom( i: 6 by cc ) { y = x; }"
      " * inp_view( x: i64[23] = [2 * i + 3] )");
  const Program low = lowered(
      config(
          R"("layers": ["HM", "L1"], "split": {"i": ["HM 2", "L1 3"]}, "order": ["HM.i", "L1.i"])"),
      p, artificial());
  expect_bijection(low, low.computation.inputs[0], {{1, "L1"}, {1, "HM"}});
}

TEST(Storage, random_layouts_are_bijections) {
  Random random(51);
  int digits = 0;
  for (int n = 0; n < 400; ++n) {
    const hl::Program program = random_computation(random);
    const machine::Machine& m = random.pick(machine::machines());
    const Config c = random_split(random, program, m);
    const Program p = program_of(parameters_of(c, program, m), program, m);
    for (const auto* views : {&program.inputs, &program.outputs}) {
      for (const hl::BufferView& view : *views) {
        Layout layout;
        for (const LayoutAxis& axis : random_layout(random, c, program, view, c.order)) {
          layout.emplace_back(std::stoi(axis.dimension), axis.layer);
          digits += axis.layer.empty() ? 0 : 1;
        }
        expect_bijection(p, view, layout);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(digits, 100);
}

// ---- paths

TEST(MovedAlong, contents_survive_any_path) {
  const Program p = box("[2 * i + 1, k]");
  const hl::BufferView& x = p.computation.inputs[0];
  Random random(52);
  const scalar::Array contents = random_inputs(random, p.computation)[0];
  EXPECT_EQ(moved_along(p, x, {}, contents), contents);
  EXPECT_EQ(moved_along(p, x, {{"L1", {2, 1}}}, contents), contents);
  EXPECT_EQ(
      moved_along(
          p, x,
          {{"HM", {{1, "L1"}, 2, {1, "HM"}}}, {"L1", {2, 1}}, {"L1", {{2, "L1"}, {2, "COR"}, 1}}},
          contents),
      contents);
}

TEST(MovedAlong, a_layout_that_loses_elements_is_an_internal_error) {
  const Program p = box("[i, k]");
  Random random(53);
  const scalar::Array contents = random_inputs(random, p.computation)[0];
  const Diagnostic d = diagnostic_of([&] {
    moved_along(p, p.computation.inputs[0], {{"L1", {1}}}, contents);
  });
  EXPECT_EQ(d.kind, DiagnosticKind::internal);
  EXPECT_NE(d.message.find("two elements of 'x' share a cell"), std::string::npos) << d.message;
}

}  // namespace
}  // namespace mdh::ll::storage_test
