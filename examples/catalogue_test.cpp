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

namespace mdh::examples {
namespace {

using scalar::Array;
using scalar::Scalar;

/// The text form with the sizes and the type of an instance.
hl::Program from_text(const Entry& entry, const Instance& at) {
  const hl::Program generic = entry.generic();
  hl::Bindings bindings{.sizes = hl::sizes_by_dimension(generic, at.sizes),
                        .values = entry.constants(at.type)};
  for (const hl::Parameter& p : generic.parameters) {
    if (p.kind == hl::Parameter::Kind::type) bindings.types[p.symbol.name] = at.type;
  }
  return hl::instantiate(generic, bindings);
}

size_t rank_of(const Entry& entry) { return entry.generic().dimensions.size(); }

/// One, two, and small primes that differ from dimension to dimension, rotated.
std::vector<std::vector<int64_t>> small_sizes(const Entry& entry) {
  const size_t rank = rank_of(entry);
  std::vector<std::vector<int64_t>> all = {std::vector<int64_t>(rank, 1),
                                           std::vector<int64_t>(rank, 2)};
  const std::vector<int64_t> primes = {7, 13, 5, 3, 11, 2};
  for (size_t turn = 0; turn < rank; ++turn) {
    all.emplace_back();
    for (size_t d = 0; d < rank; ++d) all.back().push_back(primes[(d + turn) % primes.size()]);
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

/// What the plain loop makes of these inputs; outputs are poisoned before.
std::vector<Array> plain_outputs(const Entry& entry, const Instance& at, const hl::Program& p,
                                 const std::vector<Array>& inputs) {
  std::vector<std::vector<char>> memory;
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const hl::BufferView& view : *views) {
      const int64_t count = scalar::volume(hl::extents(p, view));
      memory.emplace_back(static_cast<size_t>(count) * scalar::bytes_of(scalar_of(view.type)),
                          '\xdb');
    }
  }
  std::vector<void*> pointers;
  for (auto& block : memory) pointers.push_back(block.data());
  for (size_t n = 0; n < inputs.size(); ++n) {
    copy_to_memory(inputs[n], pointers[p.outputs.size() + n]);
  }
  entry.plain(at, pointers);
  std::vector<Array> outputs;
  for (size_t n = 0; n < p.outputs.size(); ++n) {
    outputs.push_back(scalar::copy_from_memory(scalar_of(p.outputs[n].type),
                                               hl::extents(p, p.outputs[n]), pointers[n]));
  }
  return outputs;
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
      EXPECT_EQ(hl::sizes(from_text(entry, {entry.types.front(), sizes})), sizes) << entry.name;
    }
  }
}

TEST(Catalogue, default_sizes_are_small_enough_for_the_reference) {
  for (const Entry& entry : catalogue()) {
    EXPECT_LT(hl::points(hl::instantiate(entry.generic(), {})), 3000000) << entry.name;
  }
}

TEST(Catalogue, constants_of_integer_types_replace_those_that_have_a_fraction) {
  const Entry& jacobi = *find_entry("jacobi1d");
  EXPECT_TRUE(jacobi.constants(Scalar::f32).empty());
  EXPECT_EQ(jacobi.constants(Scalar::i32).size(), 1u);
  EXPECT_EQ(jacobi.constants(Scalar::i64).count("c"), 1u);
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
    EXPECT_NE(entry.build({entry.types[0], ones}), entry.build({entry.types[1], ones}));
  }
}

TEST(Catalogue, plain_loop_agrees_with_the_definition) {
  for_each_instance([](const Entry& entry, const Instance& at) {
    const hl::Program p = entry.build(at);
    for (const uint64_t seed : {1, 2}) {
      const std::vector<Array> inputs = driver::random_inputs(p, seed);
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

/// Worked out by hand on inputs 1, 2, 3, ...: the definition is checked by something else than
/// itself.
TEST(Catalogue, definitions_compute_what_their_names_say) {
  const std::map<std::string, std::pair<std::vector<int64_t>, std::vector<int64_t>>> expected = {
      {"dot", {{3}, {14}}},                      // 1*1 + 2*2 + 3*3
      {"matvec", {{2, 3}, {14, 32}}},            // 1 2 3 / 4 5 6 times 1 2 3
      {"matmul", {{2, 2, 2}, {7, 10, 15, 22}}},  // (1 2 / 3 4) squared
      {"jacobi1d", {{4}, {6, 9, 12, 15}}},       // 1+2+3, 2+3+4, ...
  };
  for (const Entry& entry : catalogue()) {
    ASSERT_TRUE(expected.contains(entry.name)) << "work out an example of " << entry.name;
    const auto& [sizes, results] = expected.at(entry.name);
    const hl::Program p = entry.build({Scalar::i64, sizes});
    std::vector<Array> inputs = driver::random_inputs(p, 1);
    for (Array& input : inputs) {
      for (int64_t n = 0; n < input.size(); ++n) input.cells[n] = scalar::Value::integer(n + 1);
    }
    const Array output = hl::evaluate(p, inputs).at(0);
    std::vector<int64_t> found;
    for (const scalar::Value v : output.cells) found.push_back(v.as_integer());
    EXPECT_EQ(found, results) << entry.name;
  }
}

// ---- compiled

/// All dimensions 1, 2, 31 or a prime.
std::vector<std::vector<int64_t>> compiled_sizes(const Entry& entry) {
  std::vector<std::vector<int64_t>> all;
  for (const int64_t n : {1, 2, 31, 37}) all.emplace_back(rank_of(entry), n);
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
    for (int threads = 1; threads <= 5; ++threads) {
      stages.push_back(driver::lower_all(p, cpu, ll::default_config(p, cpu, threads),
                                         driver::find_target("openmp"),
                                         fmt::format("kernel{}", stages.size())));
      modules.push_back(stages.back().module);
      cores.push_back(threads);
    }
  }
  const auto kernels = runtime::host::load(modules, runtime::host::find_compiler());
  for (size_t n = 0; n < stages.size(); ++n) {
    const hl::Program& p = stages[n].low.computation;
    const std::vector<Array> inputs = driver::random_inputs(p, n);
    const int64_t depth = driver::rounding_depth(stages[n].low);
    const auto outputs = driver::run_poisoned({stages[n], kernels[n]}, inputs, cores[n]);
    const auto v = driver::verify_outputs(p, inputs, outputs, {.depth = depth});
    EXPECT_TRUE(v.right) << entry.name << " " << to_string(type) << ", " << cores[n]
                         << " cores, sizes " << fmt::format("{}", fmt::join(hl::sizes(p), " x "))
                         << ": " << v.complaint;
  }
}

class CompiledEntry : public ::testing::TestWithParam<std::string> {};

TEST_P(CompiledEntry, is_right_at_all_sizes_types_and_numbers_of_threads) {
  const Entry& entry = *find_entry(GetParam());
  for (const Scalar type : entry.types) expect_right_on_openmp(entry, type);
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
}  // namespace mdh::examples
