// Tuning records fit all forms of a program: the catalogue, files, other names, sizes as numbers.
// Configurations go to positional names and back without loss.
#include <gtest/gtest.h>

#include <algorithm>

#include "examples/catalogue.h"
#include "mdh/hl/parse.h"
#include "mdh/hl/print.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/support/text.h"
#include "mdh/tuning/program_key.h"
#include "tests/golden/configured.h"

namespace mdh::test::records_test {
namespace {

namespace fs = std::filesystem;

using tuning::canonical_program;
using tuning::CanonicalProgram;

void expect_same(const CanonicalProgram& a, const CanonicalProgram& b) {
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.key(), b.key());
  EXPECT_EQ(a.sizes, b.sizes);
  EXPECT_EQ(a.types, b.types);
}

/// The canonical text as a program of its own.
hl::Program positional(const CanonicalProgram& canonical) {
  return hl::instantiate(hl::parse(canonical.text, "canonical"), {.sizes = canonical.sizes});
}

// ---- programs

class Catalogue : public ::testing::TestWithParam<std::string> {
 protected:
  const examples::Entry& entry() const { return *examples::find_entry(GetParam()); }

  /// At its default sizes, or at others.
  hl::Program concrete(const std::vector<int64_t>& sizes = {}) const {
    const hl::Program generic = entry().generic();
    hl::Bindings bindings{.values = entry().constants(entry().types.front())};
    if (!sizes.empty()) bindings.sizes = hl::sizes_by_dimension(generic, sizes);
    return hl::instantiate(generic, bindings);
  }

  std::vector<int64_t> sizes_of(const hl::Program& p) const {
    std::vector<int64_t> sizes;
    for (const hl::Dimension& d : p.dimensions) sizes.push_back(constant(d.size).value());
    return sizes;
  }
};

TEST_P(Catalogue, has_one_key_in_every_form) {
  const hl::Program p = concrete();
  const CanonicalProgram expected = canonical_program(p);
  // A file with sizes as numbers, and one with positional names.
  expect_same(canonical_program(hl::instantiate(hl::parse(hl::print(p)), {})), expected);
  expect_same(canonical_program(positional(expected)), expected);
  // The C++ form.
  const examples::Instance instance{entry().types.front(), sizes_of(p)};
  expect_same(canonical_program(hl::instantiate(entry().build(instance), {})), expected);
}

TEST_P(Catalogue, has_one_key_for_all_sizes) {
  std::vector<int64_t> sizes = sizes_of(concrete());
  for (int64_t& size : sizes) size += 1;
  const CanonicalProgram one = canonical_program(concrete()),
                         other = canonical_program(concrete(sizes));
  EXPECT_NE(one.sizes, other.sizes);
  if (GetParam() == "mandelbrot") {
    EXPECT_NE(one.text, other.text) << "its scalar function computes with the sizes";
  } else {
    EXPECT_EQ(one.text, other.text);
  }
}

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const examples::Entry& entry : examples::catalogue()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Records, Catalogue, ::testing::ValuesIn(catalogue_names()),
                         [](const auto& info) { return info.param; });

TEST(CatalogueKeys, programs_that_differ_have_different_ones) {
  std::map<std::string, std::string> names;
  for (const examples::Entry& entry : examples::catalogue()) {
    const auto constants = entry.constants(entry.types.front());
    const CanonicalProgram p =
        canonical_program(hl::instantiate(entry.generic(), {.values = constants}));
    const auto [known, is_new] = names.emplace(p.key(), entry.name);
    EXPECT_TRUE(is_new) << entry.name << " and " << known->second << "\n" << p.text;
  }
}

// ---- configurations

std::vector<std::string> config_files() {
  std::vector<std::string> files;
  for (const char* folder : {"tests/golden/configs", "bench/configs"}) {
    for (const auto& file : fs::recursive_directory_iterator(fs::path(MDH_SOURCE_DIR) / folder)) {
      if (file.path().extension() != ".json") continue;
      files.push_back(fs::relative(file.path(), golden_folder()).string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

class StoredConfig : public ::testing::TestWithParam<std::string> {};

TEST_P(StoredConfig, comes_back_and_means_the_same_in_positional_names) {
  const Configured c = configured(GetParam());
  const CanonicalProgram canonical = canonical_program(c.program);
  const ll::Config stored = renamed(c.config, canonical.names);
  EXPECT_EQ(renamed(stored, reversed(canonical.names)), c.config);
  EXPECT_EQ(ll::parse_config(print(stored)), stored);
  ASSERT_NO_THROW(passes::lower(c.program, c.machine, c.config));
  ASSERT_NO_THROW(passes::lower(positional(canonical), c.machine, stored)) << print(stored);
  const ll::Program low = passes::lower(c.program, c.machine, c.config);
  const ll::Program other = passes::lower(positional(canonical), c.machine, stored);
  EXPECT_EQ(low.decompose, other.decompose);
  EXPECT_EQ(low.recompose, other.recompose);
}

std::string name_of_case(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Records, StoredConfig, ::testing::ValuesIn(config_files()), name_of_case);

}  // namespace
}  // namespace mdh::test::records_test
