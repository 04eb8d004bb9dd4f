#include "examples/catalogue.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "examples/texts.h"
#include "mdh/driver/data.h"
#include "mdh/driver/run.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/evaluate.h"
#include "mdh/hl/print.h"
#include "mdh/support/files.h"
#include "mdh/support/testing.h"

namespace mdh::examples::catalogue_test {
namespace {

using scalar::Array;
using scalar::Scalar;

/// The text form with the sizes and the type of an instance.
hl::Program from_text(const Entry& entry, const Instance& at) {
  const hl::Program generic = entry.generic();
  hl::Bindings bindings{.sizes = hl::sizes_by_dimension(generic, at.sizes),
                        .values = entry.constants(at.type)};
  for (const auto& [name, value] : at.settings) {
    bindings.values.insert_or_assign(name, scalar::integer(value));
  }
  for (const hl::Parameter& p : generic.parameters) {
    if (p.kind == hl::Parameter::Kind::type) bindings.types[p.symbol.name] = at.type;
  }
  return hl::instantiate(generic, bindings);
}

size_t rank_of(const Entry& entry) { return entry.generic().dimensions.size(); }

/// The values from the n-th on, one per dimension, and then the first again.
std::vector<int64_t> rotated(const std::vector<int64_t>& values, size_t rank, size_t n) {
  std::vector<int64_t> sizes;
  for (size_t d = 0; d < rank; ++d) sizes.push_back(values[(d + n) % values.size()]);
  return sizes;
}

/// One, two, and small primes that differ from dimension to dimension, rotated; where there are
/// many dimensions, very small ones.
std::vector<std::vector<int64_t>> small_sizes(const Entry& entry) {
  const size_t rank = rank_of(entry);
  std::vector<std::vector<int64_t>> all = {std::vector<int64_t>(rank, 1),
                                           std::vector<int64_t>(rank, 2)};
  if (rank > 4) {
    for (const size_t turn : {0, 2, 5}) all.push_back(rotated({2, 3, 1, 2, 1, 3, 1}, rank, turn));
    return all;
  }
  for (size_t turn = 0; turn < rank; ++turn) {
    all.push_back(rotated({7, 13, 5, 3, 11, 2}, rank, turn));
  }
  if (rank == 1) all.push_back({101});
  return all;
}

std::string name_of(const Entry& entry, const Instance& at) {
  return fmt::format("{} {} {}", entry.name, to_string(at.type), fmt::join(at.sizes, " x "));
}

/// Every instance of every entry that the tests below look at.
void for_each_instance(const std::function<void(const Entry&, const Instance&)>& look) {
  for (const Entry& entry : catalogue()) {
    for (const Scalar type : entry.types) {
      for (const auto& sizes : small_sizes(entry)) {
        const Instance at{type, sizes};
        SCOPED_TRACE(name_of(entry, at));
        look(entry, at);
      }
    }
  }
}

std::vector<Array> inputs_of(const Entry& entry, const Instance& at, const hl::Program& p,
                             uint64_t seed) {
  return entry.inputs ? entry.inputs(at, p, seed) : driver::random_inputs(p, seed);
}

/// What the plain loop makes of these inputs; outputs are poisoned before.
std::vector<Array> plain_outputs(const Entry& entry, const Instance& at, const hl::Program& p,
                                 const std::vector<Array>& inputs) {
  driver::Memory memory(p, inputs);
  return memory.run_poisoned([&](auto buffers) { entry.plain(at, buffers); });
}

// ---- the table

TEST(Catalogue, names_are_distinct_and_found) {
  std::set<std::string> names;
  for (const Entry& entry : catalogue()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " is there twice";
    EXPECT_EQ(find_entry(entry.name), &entry);
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_FALSE(entry.types.empty()) << entry.name;
  }
  EXPECT_EQ(find_entry("matvek"), nullptr);
  EXPECT_EQ(find_entry(""), nullptr);
}

TEST(Catalogue, has_the_computations_of_the_paper) {
  std::set<std::string> names;
  for (const Entry& entry : catalogue()) names.insert(entry.name);
  for (const char* name : {"dot",
                           "matvec",
                           "matmul",
                           "matmul_t",
                           "bmatmul",
                           "conv2d",
                           "mcc",
                           "mcc_strided",
                           "mcc_nchw",
                           "mcc_capsule",
                           "ccsdt_gdab_efgc",
                           "ccsdt_gdac_efgb",
                           "ccsdt_gdbc_efga",
                           "ccsdt_geab_dfgc",
                           "ccsdt_geac_dfgb",
                           "ccsdt_gebc_dfga",
                           "ccsdt_gfab_degc",
                           "ccsdt_gfac_degb",
                           "ccsdt_gfbc_dega",
                           "jacobi1d",
                           "jacobi2d",
                           "jacobi3d",
                           "histo",
                           "genhisto",
                           "map",
                           "reduce",
                           "reduce2",
                           "scan",
                           "mbbs",
                           "mandelbrot",
                           "prl",
                           "prl_multi"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Catalogue, every_text_belongs_to_an_entry_and_the_other_way_round) {
  std::set<std::string> names, files;
  for (const Entry& entry : catalogue()) names.insert(entry.name);
  for (const auto& [name, text] : texts()) files.insert(name);
  EXPECT_EQ(names, files);
}

TEST(Catalogue, text_is_the_file_in_the_folder) {
  for (const Entry& entry : catalogue()) {
    const std::filesystem::path file =
        std::filesystem::path(MDH_SOURCE_DIR) / "examples" / entry.name / (entry.name + ".mdh");
    EXPECT_EQ(texts().at(entry.name), read_file(file));
  }
}

/// People read these files: no formatter for another language has been at them.
TEST(Catalogue, texts_are_laid_out_by_people) {
  for (const auto& [name, text] : texts()) {
    EXPECT_EQ(text.find("mdh 1\n//"), 0u) << name << " begins with what it computes";
    for (const char* line : {"\nprogram ", "\n  out_view( ", "\n* md_hom( ", "\n* inp_view("}) {
      EXPECT_NE(text.find(line), std::string::npos) << name << ": no line begins '" << line + 1;
    }
  }
}

TEST(Catalogue, program_is_called_like_its_entry) {
  for (const Entry& entry : catalogue()) EXPECT_EQ(entry.generic().name, entry.name);
}

TEST(Catalogue, mistakes_are_located_in_a_file_of_that_name) {
  const Diagnostic d = diagnostic_of([] {
    hl::instantiate(find_entry("matvec")->generic(), {.sizes = {{"I", 0}}});
  });
  ASSERT_TRUE(d.where.known());
  EXPECT_EQ(*d.where.file, "matvec.mdh");
}

TEST(Catalogue, named_sizes_fit_the_dimensions) {
  for (const Entry& entry : catalogue()) {
    for (const auto& [name, sizes] : entry.sizes) {
      EXPECT_EQ(name.find("paper"), 0u) << "the command line knows names by this prefix";
      const Instance at{entry.types.front(), sizes, entry.settings_of(name)};
      EXPECT_EQ(hl::sizes(from_text(entry, at)), sizes) << entry.name;
      EXPECT_EQ(entry.build(at), from_text(entry, at)) << entry.name << " " << name;
    }
  }
}

TEST(Catalogue, default_sizes_are_small_enough_for_the_reference) {
  for (const Entry& entry : catalogue()) {
    EXPECT_LT(hl::points(hl::instantiate(entry.generic(), {})), 3000000) << entry.name;
  }
}

TEST(Catalogue, default_sizes_run_on_the_reference_and_agree_with_the_plain_loop) {
  for (const Entry& entry : catalogue()) {
    const hl::Program p = hl::instantiate(entry.generic(), {});
    const Instance at{entry.types.front(), hl::sizes(p)};
    const std::vector<Array> inputs = inputs_of(entry, at, p, 1);
    const auto v = driver::verify_outputs(p, inputs, plain_outputs(entry, at, p, inputs),
                                          {.depth = driver::sequential_depth(p)});
    EXPECT_TRUE(v.right) << entry.name << ": " << v.complaint;
  }
}

TEST(Catalogue, constants_of_integer_types_replace_those_that_have_a_fraction) {
  for (const char* name : {"jacobi1d", "jacobi2d", "jacobi3d"}) {
    const Entry& jacobi = *find_entry(name);
    EXPECT_TRUE(jacobi.constants(Scalar::f32).empty());
    EXPECT_EQ(jacobi.constants(Scalar::i32).size(), 1u);
    EXPECT_EQ(jacobi.constants(Scalar::i64).count("c"), 1u);
  }
}

TEST(Catalogue, strides_are_constants_and_images_as_large_as_the_filter_reaches) {
  const hl::Program generic = find_entry("mcc_strided")->generic();
  const auto image_with = [&](const std::map<std::string, scalar::Expr>& strides) {
    const hl::Program p = hl::instantiate(
        generic,
        {.sizes = hl::sizes_by_dimension(generic, {1, 112, 112, 64, 7, 7, 3}), .values = strides});
    return hl::extents(p, p.inputs[0]);
  };
  EXPECT_EQ(image_with({}), (scalar::Extents{1, 229, 229, 3}));
  EXPECT_EQ(image_with({{"SH", scalar::integer(1)}, {"SW", scalar::integer(3)}}),
            (scalar::Extents{1, 118, 340, 3}));
}

TEST(Catalogue, settings_belong_to_named_sizes_and_are_known_to_all_forms) {
  for (const Entry& entry : catalogue()) {
    for (const auto& [name, settings] : entry.settings) {
      EXPECT_TRUE(entry.sizes.contains(name)) << entry.name << " " << name;
      const Instance at{Scalar::i64, rotated({2, 3, 1, 2}, rank_of(entry), 0), settings};
      const hl::Program p = from_text(entry, at);
      EXPECT_EQ(entry.build(at), p);
      EXPECT_NE(p, from_text(entry, {at.type, at.sizes}));
      const std::vector<Array> inputs = inputs_of(entry, at, p, 1);
      EXPECT_EQ(plain_outputs(entry, at, p, inputs), hl::evaluate(p, inputs));
    }
  }
  EXPECT_EQ(find_entry("mcc_capsule")->settings_of("paper3").at("SH"), 2);
}

// ---- the three forms

TEST(Catalogue, cpp_form_is_the_text_form) {
  for_each_instance([](const Entry& entry, const Instance& at) {
    const hl::Program built = entry.build(at), read = from_text(entry, at);
    EXPECT_EQ(built, read) << hl::print(built) << hl::print(read);
  });
}

TEST(Catalogue, cpp_form_follows_the_sizes_and_the_type) {
  for (const Entry& entry : catalogue()) {
    const std::vector<int64_t> ones(rank_of(entry), 1), twos(rank_of(entry), 2);
    EXPECT_NE(entry.build({entry.types[0], ones}), entry.build({entry.types[0], twos}));
    if (entry.types.size() < 2) continue;
    EXPECT_NE(entry.build({entry.types[0], ones}), entry.build({entry.types[1], ones}));
  }
}

TEST(Catalogue, plain_loop_agrees_with_the_definition) {
  for_each_instance([](const Entry& entry, const Instance& at) {
    const hl::Program p = entry.build(at);
    for (const uint64_t seed : {1, 2}) {
      const std::vector<Array> inputs = inputs_of(entry, at, p, seed);
      const std::vector<Array> plain = plain_outputs(entry, at, p, inputs);
      const driver::Verification v =
          driver::verify_outputs(p, inputs, plain, {.depth = driver::sequential_depth(p)});
      EXPECT_TRUE(v.right) << v.complaint;
      if (!scalar::is_floating(at.type)) {
        EXPECT_EQ(plain, hl::evaluate(p, inputs));
      }
    }
  });
}

struct Worked {
  std::vector<int64_t> sizes, results;  // of all outputs, one after the other
};

/// Worked out by hand on inputs 1, 2, 3, ...
const std::map<std::string, Worked>& worked_examples() {
  static const std::map<std::string, Worked> all = {
      {"dot", {{3}, {14}}},                          // 1*1 + 2*2 + 3*3
      {"matvec", {{2, 3}, {14, 32}}},                // 1 2 3 / 4 5 6 times 1 2 3
      {"matmul", {{2, 2, 2}, {7, 10, 15, 22}}},      // (1 2 / 3 4) squared
      {"matmul_t", {{2, 1, 2}, {7, 10}}},            // 1 2 times (1 2 / 3 4)
      {"bmatmul", {{2, 1, 1, 2}, {5, 25}}},          // 1*1 + 2*2, 3*3 + 4*4
      {"conv2d", {{2, 2, 2, 2}, {37, 47, 67, 77}}},  // 1*1 + 2*2 + 4*3 + 5*4, ...
      {"mcc", {{1, 2, 2, 1, 2, 2, 1}, {37, 47, 67, 77}}},
      {"mcc_nchw", {{1, 1, 2, 2, 1, 2, 2}, {37, 47, 67, 77}}},
      {"mcc_strided", {{1, 2, 2, 1, 1, 1, 1}, {1, 3, 7, 9}}},              // the corners of 3 x 3
      {"mcc_capsule", {{1, 1, 1, 1, 1, 1, 1, 2, 2, 2}, {7, 10, 15, 22}}},  // as matmul
      {"jacobi1d", {{4}, {6, 9, 12, 15}}},                                 // 1+2+3, 2+3+4, ...
      {"jacobi2d", {{1, 2}, {30, 35}}},                                    // 2+5+6+7+10, ...
      {"jacobi3d", {{1, 1, 2}, {126, 133}}},          // 6+14+17+18+19+22+30, ...
      {"histo", {{3, 4}, {1, 1, 1, 0}}},              // of 1, 2, 3
      {"genhisto", {{8, 7}, {1, 1, 1, 1, 1, 1, 0}}},  // of 1, ..., 6, 0, 1
      {"map", {{3}, {3, 5, 7}}},
      {"reduce", {{4}, {10}}},
      {"reduce2", {{4}, {10, 24}}},
      {"scan", {{4}, {1, 3, 6, 10}}},
      {"mbbs", {{2, 3}, {6, 21}}},                // 1+2+3, and 4+5+6 more
      {"mandelbrot", {{2, 2}, {1, 3, 1, 1000}}},  // c = -2.5 - i, -0.75 - i, -2.5, -0.75
  };
  return all;
}

/// All contractions are alike if only two dimensions are more than 1.
Worked worked_example(const std::string& name) {
  if (name.find("ccsdt_") == 0) return {{2, 1, 1, 1, 1, 1, 2}, {7, 10}};  // as matmul_t
  const auto found = worked_examples().find(name);
  return found == worked_examples().end() ? Worked{} : found->second;
}

/// The definition is checked by something else than itself.
TEST(Catalogue, definitions_compute_what_their_names_say) {
  for (const Entry& entry : catalogue()) {
    if (entry.inputs) continue;  // has a test of its own
    const auto [sizes, results] = worked_example(entry.name);
    ASSERT_FALSE(sizes.empty()) << "work out an example of " << entry.name;
    const hl::Program p = entry.build({entry.types.size() > 1 ? Scalar::i64 : Scalar::i32, sizes});
    std::vector<Array> inputs = driver::random_inputs(p, 1);
    for (Array& input : inputs) {
      for (int64_t n = 0; n < input.size(); ++n) input.cells[n] = scalar::Value::integer(n + 1);
    }
    std::vector<int64_t> found;
    for (const Array& output : hl::evaluate(p, inputs)) {
      for (const scalar::Value v : output.cells) found.push_back(v.as_integer());
    }
    EXPECT_EQ(found, results) << entry.name;
  }
}

// ---- compiled

/// All dimensions 1, 2, 31 or a prime; small where there are many.
std::vector<std::vector<int64_t>> compiled_sizes(const Entry& entry) {
  const size_t rank = rank_of(entry);
  if (rank > 4) return {std::vector<int64_t>(rank, 1), rotated({2, 3, 1}, rank, 0)};
  std::vector<std::vector<int64_t>> all = {std::vector<int64_t>(rank, 1),
                                           std::vector<int64_t>(rank, 2)};
  if (rank == 4) {
    for (const size_t turn : {0, 1}) all.push_back(rotated({5, 17, 3, 11}, rank, turn));
  } else {
    for (const int64_t n : {31, 37}) all.emplace_back(rank, n);
  }
  return all;
}

/// The default configuration for 1 to 5 cores at every size, printed as one translation unit.
void expect_right_on_openmp(const Entry& entry, Scalar type) {
  const machine::Machine& cpu = machine::find_machine("cpu");
  std::vector<driver::Stages> stages;
  std::vector<kernel::Module> modules;
  std::vector<int> cores;
  for (const auto& sizes : compiled_sizes(entry)) {
    const hl::Program p = entry.build({type, sizes});
    for (int threads = 1; threads <= 5; threads += rank_of(entry) > 3 ? 2 : 1) {
      stages.push_back(driver::lower_all(p, cpu, ll::default_config(p, cpu, threads),
                                         driver::find_target("openmp"),
                                         fmt::format("kernel{}", stages.size())));
      modules.push_back(stages.back().module);
      cores.push_back(threads);
    }
  }
  const auto here = driver::usual_target().runtime->open("");
  const auto kernels = here->load(modules);
  for (size_t n = 0; n < stages.size(); ++n) {
    const hl::Program& p = stages[n].low.computation;
    const std::vector<Array> inputs = driver::random_inputs(p, n);
    const int64_t depth = driver::rounding_depth(stages[n].low, cpu);
    const auto outputs = driver::run_poisoned({stages[n], here, kernels[n]}, inputs, cores[n]);
    const auto v = driver::verify_outputs(p, inputs, outputs, {.depth = depth});
    EXPECT_TRUE(v.right) << entry.name << " " << to_string(type) << ", " << cores[n]
                         << " cores, sizes " << fmt::format("{}", fmt::join(hl::sizes(p), " x "))
                         << ": " << v.complaint;
  }
}

/// Contractions differ in their indices only, so two types are enough for most of them.
std::vector<Scalar> compiled_types(const Entry& entry) {
  if (rank_of(entry) <= 4) return entry.types;
  return {Scalar::f32, Scalar::i64};
}

class CompiledEntry : public ::testing::TestWithParam<std::string> {};

TEST_P(CompiledEntry, is_right_at_all_sizes_types_and_numbers_of_threads) {
  const Entry& entry = *find_entry(GetParam());
  for (const Scalar type : compiled_types(entry)) expect_right_on_openmp(entry, type);
}

TEST_P(CompiledEntry, runs_at_its_default_sizes) {
  const Entry& entry = *find_entry(GetParam());
  const hl::Program p = hl::instantiate(entry.generic(), {});
  driver::RunOptions options;
  options.target = &driver::find_target("openmp");
  options.machine = machine::find_machine("cpu");
  options.config = ll::default_config(p, options.machine, 2);
  options.threads = 2;
  const driver::RunReport report = driver::run(p, options);
  EXPECT_TRUE(report.verification.right) << report.verification.complaint;
  EXPECT_EQ(report.verification.coverage, driver::Coverage::full);
  EXPECT_GT(report.timing.count, 0);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Entry& entry : catalogue()) all.push_back(entry.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, CompiledEntry, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace mdh::examples::catalogue_test
