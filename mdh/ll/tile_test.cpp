#include "mdh/ll/tile.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::tile_test {
namespace {

using Bands = std::vector<Band>;
using Element = std::vector<int64_t>;

// ---- bands

TEST(Bands, examples_of_the_rules) {
  EXPECT_EQ(bands({{2, 8}}), (Bands{{2, 8}}));                    // 2k needs K
  EXPECT_EQ(bands({{1, 4}, {1, 3}}), (Bands{{1, 6}}));            // p + r needs P + R - 1
  EXPECT_EQ(bands({{2, 4}, {1, 3}}), (Bands{{1, 9}}));            // 2p + r needs 2(P - 1) + R
  EXPECT_EQ(bands({{32, 4}, {1, 8}}), (Bands{{1, 8}, {32, 4}}));  // a strided part is dense
  EXPECT_EQ(bands({{-3, 4}}), (Bands{{3, 4}}));                   // backwards is forwards
  EXPECT_EQ(bands({{1, 1}, {0, 9}}), Bands{});                    // one element
  EXPECT_EQ(bands({{4, 2}, {12, 6}, {24, 2}}), (Bands{{4, 2}, {12, 8}}));
}

/// Term lists and the bands of an independent implementation.
TEST(Bands, of_random_terms_are_those_of_the_model) {
  const std::vector<std::pair<std::vector<Term>, Bands>> cases = {
      {{{-5, 3}, {30, 6}, {0, 6}}, {{5, 3}, {30, 6}}},
      {{{24, 1}, {1, 1}}, {}},
      {{{8, 2}, {6, 5}, {1, 5}}, {{1, 37}}},
      {{{-1, 6}, {2, 4}}, {{1, 12}}},
      {{{1, 2}, {-1, 1}, {2, 2}, {1, 2}}, {{1, 5}}},
      {{{-5, 2}, {6, 3}}, {{5, 2}, {6, 3}}},
      {{{0, 5}, {16, 1}, {16, 6}}, {{16, 6}}},
      {{{1, 3}, {4, 3}, {8, 6}}, {{1, 3}, {4, 13}}},
      {{{1, 4}, {8, 6}, {1, 1}}, {{1, 4}, {8, 6}}},
      {{{-1, 6}, {4, 4}, {-1, 5}}, {{1, 22}}},
      {{{4, 4}, {16, 1}, {8, 1}, {-5, 2}}, {{1, 18}}},
      {{{12, 3}, {12, 3}, {30, 4}}, {{6, 24}}},
      {{{12, 5}, {4, 2}, {4, 3}}, {{4, 16}}},
      {{{3, 2}, {30, 1}, {24, 2}}, {{3, 2}, {24, 2}}},
      {{{8, 2}, {-5, 1}, {1, 5}}, {{1, 5}, {8, 2}}}};
  for (const auto& [terms, expected] : cases) EXPECT_EQ(bands(terms), expected);
}

std::set<int64_t> sums(const std::vector<Term>& terms) {
  std::set<int64_t> all = {0};
  for (const Term& term : terms) {
    std::set<int64_t> next;
    for (const int64_t sum : all) {
      for (int64_t n = 0; n < term.count; ++n) next.insert(sum + n * std::abs(term.stride));
    }
    all = std::move(next);
  }
  return all;
}

/// Every offset has one place in the bands, and the bands end where the offsets end.
TEST(Bands, hold_every_offset_once) {
  Random random(21);
  for (int n = 0; n < 2000; ++n) {
    std::vector<Term> terms(static_cast<size_t>(random.between(1, 4)));
    for (Term& term : terms) term = {random.between(-12, 24), random.between(1, 5)};
    std::vector<Term> as_terms;
    size_t places = 1;
    for (const Band& band : bands(terms)) {
      as_terms.push_back({band.stride, band.extent});
      places *= static_cast<size_t>(band.extent);
    }
    const std::set<int64_t> touched = sums(terms), held = sums(as_terms);
    ASSERT_EQ(held.size(), places) << "two places for one offset";
    ASSERT_TRUE(std::includes(held.begin(), held.end(), touched.begin(), touched.end()));
    ASSERT_EQ(*held.rbegin(), *touched.rbegin());
  }
}

TEST(Bands, that_are_too_long_saturate) {
  const int64_t large = int64_t{1} << 40;
  const Bands all = bands({{1, large}, {3, large}, {5, INT64_MAX}, {7, INT64_MAX}});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].extent, INT64_MAX);
}

// ---- families

hl::Program with_inputs(const std::string& inputs) {
  return hl::parse(
      "mdh 1\nprogram p = out_view( y: i64 = [i, j] )"
      " * md_hom( i: 6 by cc, j: 8 by cc, k: 10 by pw(add) ) { y = 1; }"
      " * inp_view( " +
      inputs + " )");
}

TEST(Families, accesses_that_differ_by_constants_share_tiles) {
  const hl::Program p = with_inputs("x: i64 = a: [i + 1, j], b: [i, j + 1], c: [i + 2, j]");
  EXPECT_EQ(families(p, p.inputs[0]), (std::vector<Family>{{0, 1, 2}}));
}

TEST(Families, other_accesses_have_tiles_of_their_own) {
  const hl::Program gram =
      with_inputs("x: i64 = a: [i, k], b: [j, k], c: [i + 1, k], d: [2 * i, k]");
  EXPECT_EQ(families(gram, gram.inputs[0]), (std::vector<Family>{{0, 2}, {1}, {3}}));
}

TEST(Families, use_the_dimensions_that_move_them) {
  const hl::Program p = with_inputs("x: i64 = a: [2 * i, 7 - j], b: [k, 3]");
  EXPECT_TRUE(uses(p, p.inputs[0], {0}, 0));
  EXPECT_TRUE(uses(p, p.inputs[0], {0}, 1));
  EXPECT_FALSE(uses(p, p.inputs[0], {0}, 2));
  EXPECT_TRUE(uses(p, p.inputs[0], {0, 1}, 2));
}

TEST(Families, an_access_that_is_not_affine_is_alone) {
  const hl::Program p = with_inputs("x: i64[40] = a: [i / 2], b: [i], c: [i / 2 + 1]");
  EXPECT_EQ(families(p, p.inputs[0]), (std::vector<Family>{{0}, {1}, {2}}));
  EXPECT_TRUE(uses(p, p.inputs[0], {0}, 2)) << "it may use any dimension";
  EXPECT_FALSE(uses(p, p.inputs[0], {1}, 2));
  EXPECT_TRUE(uses(p, p.inputs[0], {1}, 0));
  EXPECT_TRUE(uses(p, p.inputs[0], {1, 2}, 1));
}

// ---- tiles

/// The computation with every dimension cut into single points by one layer.
Nest nest_over(const hl::Program& p) {
  Config c{.layers = {"L1"}};
  for (const hl::Dimension& d : p.dimensions) {
    c.split[d.symbol.name] = {{"L1", *constant(d.size)}};
    c.order.push_back({"L1", d.symbol.name});
  }
  const machine::Machine& m = machine::find_machine("artificial");
  const Program low = lowered(c, p, m);
  return nest_of(low, low.decompose, m);
}

int64_t elements(const std::string& inputs, const std::set<int>& free) {
  const hl::Program p = with_inputs(inputs);
  const hl::BufferView& x = p.inputs[0];
  return tile_of(nest_over(p), p, x, families(p, x).front(), free).elements;
}

TEST(Tiles, of_the_usual_index_functions) {
  EXPECT_EQ(elements("x: i64 = [2 * k]", {2}), 10);
  EXPECT_EQ(elements("x: i64 = [i + k]", {0, 2}), 6 + 10 - 1);
  EXPECT_EQ(elements("x: i64 = [2 * i + k]", {0, 2}), 2 * 5 + 10);
  EXPECT_EQ(elements("x: i64 = [2 * i + k]", {0}), 6);
  EXPECT_EQ(elements("x: i64 = [2 * i + k, j]", {1, 2}), 10 * 8);
  EXPECT_EQ(elements("x: i64 = [5 - i]", {0}), 6);
  EXPECT_EQ(elements("x: i64 = [i, k]", {1}), 1);
  EXPECT_EQ(elements("x: i64 = []", {0, 1, 2}), 1);
  EXPECT_EQ(elements("x: i64 = [i], [i + 1], [i + 2]", {0}), 8);
  EXPECT_EQ(elements("x: i64 = [2 * i], [2 * i + 4]", {0}), 8);
  EXPECT_EQ(elements("x: i64 = [i], [i + 100]", {0}), 12);  // two bands, not 106
}

TEST(Tiles, an_index_that_is_not_affine_counts_whole) {
  EXPECT_EQ(elements("x: i64[40, 10] = [i / 2, k]", {2}), 40 * 10);
  EXPECT_EQ(elements("x: i64[40, 10] = [i / 2, k]", {}), 40);
}

TEST(Tiles, axes_are_bands_by_buffer_dimension) {
  const hl::Program p = with_inputs("x: i64 = [j, 2 * i + k]");
  const Tile tile = tile_of(nest_over(p), p, p.inputs[0], {0}, {0, 1, 2});
  ASSERT_EQ(tile.axes.size(), 2u);
  EXPECT_EQ(tile.axes[0], (Bands{{1, 8}}));
  EXPECT_EQ(tile.axes[1], (Bands{{1, 20}}));
}

/// All elements that the free loops touch while the others stand at 0, borders or not.
std::set<Element> touched(const Nest& nest, const hl::Program& p, const hl::BufferView& buffer,
                          const Family& family, const std::set<int>& free) {
  std::set<Element> seen;
  int64_t points = 1;
  for (const int q : free) points *= nest.loops[q].parts;
  for (int64_t n = 0; n < points; ++n) {
    int64_t rest = n;
    Element point(p.dimensions.size(), 0);
    for (const int q : free) {
      point[nest.loops[q].level.dimension] += rest % nest.loops[q].parts * nest.loops[q].chunk;
      rest /= nest.loops[q].parts;
    }
    for (const int a : family) {
      Element element;
      for (const scalar::Expr& index : buffer.accesses[a].index) {
        element.push_back(hl::find_affine(p, index)->at(point));
      }
      seen.insert(element);
    }
  }
  return seen;
}

/// Indices along an axis, counted from the least one, have a place in its bands.
void expect_held(const std::vector<Band>& axis, std::set<int64_t> indices) {
  const int64_t least = *indices.begin();
  std::vector<Term> terms;
  for (const Band& band : axis) terms.push_back({band.stride, band.extent});
  const std::set<int64_t> held = sums(terms);
  for (const int64_t index : indices) ASSERT_TRUE(held.contains(index - least)) << index;
  ASSERT_EQ(*held.rbegin(), *indices.rbegin() - least) << "the box ends where the elements end";
}

TEST(Tiles, hold_what_random_programs_touch) {
  Random random(22);
  int boxes = 0, checked = 0;
  for (int n = 0; n < 400; ++n) {
    const Program low = random_program(random, random_computation(random));
    const hl::Program& p = low.computation;
    const Nest nest = nest_of(low, low.decompose, machine::find_machine(low.machine));
    std::set<int> free;
    for (int q = 0; q < nest.depth(); ++q) {
      if (random.chance(50)) free.insert(q);
    }
    for (const hl::BufferView& buffer : p.inputs) {
      for (const Family& family : families(p, buffer)) {
        const std::set<Element> all = touched(nest, p, buffer, family, free);
        const Tile tile = tile_of(nest, p, buffer, family, free);
        int64_t box = 1;
        for (size_t e = 0; e < tile.axes.size(); ++e) {
          std::set<int64_t> indices;
          for (const Element& element : all) indices.insert(element[e]);
          expect_held(tile.axes[e], indices);
          for (const Band& band : tile.axes[e]) box *= band.extent;
        }
        ASSERT_EQ(tile.elements, box);
        ASSERT_EQ(exact_elements(nest, p, buffer, family, free), static_cast<int64_t>(all.size()));
        boxes += box > static_cast<int64_t>(all.size()) ? 1 : 0;
        ++checked;
      }
    }
  }
  EXPECT_GT(boxes, 10) << "some boxes hold more than is touched";
  EXPECT_GT(checked, 300);
}

/// The 5-point star: five elements are read for a point, nine are in their box.
TEST(Tiles, the_exact_elements_of_a_star_are_fewer_than_its_box) {
  const hl::Program p = with_inputs(
      "x: i64 = c: [i + 1, j + 1], n: [i, j + 1], s: [i + 2, j + 1], w: [i + 1, j],"
      " e: [i + 1, j + 2]");
  const Nest nest = nest_over(p);
  const Family all = families(p, p.inputs[0]).front();
  EXPECT_EQ(all.size(), 5u);
  EXPECT_EQ(tile_of(nest, p, p.inputs[0], all, {}).elements, 9);
  EXPECT_EQ(exact_elements(nest, p, p.inputs[0], all, {}), 5);
  EXPECT_EQ(tile_of(nest, p, p.inputs[0], all, {0, 1}).elements, 8 * 10);
  EXPECT_EQ(exact_elements(nest, p, p.inputs[0], all, {0, 1}), 8 * 10 - 4);
  EXPECT_EQ(exact_elements(nest, p, p.inputs[0], all, {0, 1}, 5 * 48), 76);
  EXPECT_EQ(exact_elements(nest, p, p.inputs[0], all, {0, 1}, 5 * 48 - 1), std::nullopt);
}

TEST(Tiles, elements_behind_an_index_that_is_not_affine_are_not_listed) {
  const hl::Program p = with_inputs("x: i64[40] = [i / 2]");
  EXPECT_EQ(exact_elements(nest_over(p), p, p.inputs[0], {0}, {0}), std::nullopt);
}

}  // namespace
}  // namespace mdh::ll::tile_test
