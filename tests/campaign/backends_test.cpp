// Every program of the catalogue with random configurations on both back ends: what a campaign
// does, cut to the length of a test.
#include "tests/campaign/backends.h"

#include <gtest/gtest.h>

#include "mdh/driver/memory.h"
#include "mdh/passes/plan/plan.h"
#include "mdh/runtime/opencl/device.h"
#include "tests/campaign/coverage.h"
#include "tests/campaign/shrink.h"

namespace mdh::test::backends_test {
namespace {

/// Round `round` of a test of all programs; every round has seeds of its own.
std::vector<Prepared> all_programs(uint64_t round, const std::string& target) {
  std::vector<Prepared> all;
  uint64_t seed = 1000 * round;
  for (const examples::Entry& entry : examples::catalogue()) {
    // Most machines and configurations are good for code; those that are not are drawn again.
    for (;;) {
      Random random(++seed);
      const hl::Program program = catalogue_instance(entry, random);
      const machine::Machine machine = any_machine(random);
      const Style style = round % 2 == 0 ? Style::arbitrary : Style::staged;
      const ll::Config config = any_config(program, machine, style, random);
      auto one = prepare({program, machine, config}, seed, target);
      if (!one) continue;
      all.push_back(std::move(*one));
      break;
    }
  }
  return all;
}

void expect_right(const std::vector<Prepared>& all, const std::vector<std::string>& complaints) {
  for (size_t n = 0; n < all.size(); ++n) {
    EXPECT_EQ(complaints[n], "") << describe(all[n]);
  }
  fmt::print("{} programs, seeds {} to {}\n", all.size(), all.front().seed, all.back().seed);
}

void expect_sanitized(uint64_t round, const Sanitizer& sanitizer) {
  if (sanitizer.compiler.empty()) {
    GTEST_SKIP() << "SKIP: no compiler with the sanitizer for " << sanitizer.name;
  }
  const std::vector<Prepared> all = all_programs(round, "openmp");
  expect_right(all, run_sanitized(all, sanitizer));
}

TEST(Backends, openmp_with_the_address_sanitizer_1) { expect_sanitized(1, address_sanitizer()); }
TEST(Backends, openmp_with_the_address_sanitizer_2) { expect_sanitized(2, address_sanitizer()); }
TEST(Backends, openmp_with_the_address_sanitizer_3) { expect_sanitized(3, address_sanitizer()); }
TEST(Backends, openmp_with_the_address_sanitizer_4) { expect_sanitized(4, address_sanitizer()); }
TEST(Backends, openmp_with_the_address_sanitizer_5) { expect_sanitized(5, address_sanitizer()); }
TEST(Backends, openmp_with_the_address_sanitizer_6) { expect_sanitized(6, address_sanitizer()); }
TEST(Backends, openmp_with_the_thread_sanitizer_1) { expect_sanitized(7, thread_sanitizer()); }
TEST(Backends, openmp_with_the_thread_sanitizer_2) { expect_sanitized(8, thread_sanitizer()); }

/// A reduction that rounds, on cores and in rounds, so that every order of combining would show.
Triple dealt_dot(const std::string& cores) {
  const hl::Program dot = examples::find_entry("dot")->build({scalar::Scalar::f32, {4096}});
  const std::string reduced = dot.dimensions.front().symbol.name;
  return {dot, machine::find_machine("cpu"),
          ll::parse_config(fmt::format(R"({{"mdh_config": 1, "machine": "cpu",
    "layers": ["MM", "COR", "L1"], "split": {{"{0}": ["MM 8", "COR 16", "L1 32"]}},
    "order": ["MM.{0}", "COR.{0}", "L1.{0}"], "code": {{"cores": {{"COR": {{{1}}}}}}}}})",
                                       reduced, cores))};
}

TEST(Backends, dealing_does_not_change_a_bit) {
  const runtime::host::Compiler compiler = runtime::host::find_compiler();
  std::optional<std::vector<scalar::Array>> first;
  for (const std::string deal : {"block", "cyclic", "dynamic"}) {
    const auto one = prepare(dealt_dot(R"("count": 4, "deal": ")" + deal + "\""), 1, "openmp");
    ASSERT_TRUE(one);
    EXPECT_EQ(one->module.parts_on_cores, 4) << deal;
    const auto kernels = runtime::host::load(std::vector{one->module}, compiler);
    for (int threads = 1; threads <= 5; ++threads) {
      driver::Memory memory(one->triple.program, one->inputs);
      const auto outputs =
          memory.run_poisoned([&](auto buffers) { kernels.front()(buffers, threads); });
      if (!first) first = outputs;
      EXPECT_EQ(outputs, *first) << deal << " on " << threads;
    }
  }
}

/// What one compiler takes, another one may refuse, or get wrong at other flags.
TEST(Backends, lanes_by_every_compiler) {
  std::vector<Prepared> all;
  for (uint64_t seed = 20004; seed < 20304; seed += 5) {
    if (auto one = prepare(make_triple(seed), seed, "openmp")) all.push_back(std::move(*one));
  }
  ASSERT_GT(all.size(), 50u);
  for (const runtime::host::Compiler& compiler : compilers_of_run()) {
    expect_right(all, run_on_openmp(all, compiler));
  }
}

bool has_opencl() {
  try {
    return !runtime::opencl::devices().empty();
  } catch (const Error&) {
    return false;
  }
}

TEST(Backends, opencl) {
  if (!has_opencl()) GTEST_SKIP() << "SKIP: no OpenCL device";
  const std::vector<Prepared> all = all_programs(9, "opencl");
  expect_right(all, run_on_opencl(all));
}

/// A kernel with a bug of our choice: sanitizers must say so.
kernel::Module broken(const std::string& statement) {
  kernel::Module m{.language = "c", .name = "broken"};
  m.source =
      "int omp_get_thread_num(void);\nvoid broken(void **buffers, char *workspace, long "
      "threads) {\n  int *x = buffers[0];\n" +
      statement + "\n}\n";
  m.steps = {{kernel::Launch{"broken"}}};
  m.arguments = {{"x", "i32", 4, {4}, true}};
  m.parts_on_cores = 4;
  return m;
}

std::string complaint_about(const std::string& statement, const Sanitizer& sanitizer) {
  const Standalone program({broken(statement)}, sanitizer);
  std::vector<int> x(4, 7);
  std::vector<void*> buffers = {x.data()};
  return program.run(0, buffers, 4);
}

TEST(Sanitizers, one_element_too_far) {
  const Sanitizer sanitizer = address_sanitizer();
  if (sanitizer.compiler.empty()) GTEST_SKIP() << "SKIP: no address sanitizer";
  EXPECT_EQ(complaint_about("x[3] = 1;", sanitizer), "");
  EXPECT_NE(complaint_about("x[4] = 1;", sanitizer).find("heap-buffer-overflow"),
            std::string::npos);
  EXPECT_NE(complaint_about("x[0] = x[1] << (x[2] * 7);", sanitizer).find("shift exponent"),
            std::string::npos);
}

TEST(Sanitizers, two_threads_and_one_element) {
  const Sanitizer sanitizer = thread_sanitizer();
  if (sanitizer.compiler.empty()) GTEST_SKIP() << "SKIP: no thread sanitizer";
  const std::string region =
      "#pragma omp parallel num_threads(4)\n{ int t = omp_get_thread_num();\n";
  EXPECT_EQ(
      complaint_about(region + "x[t] = t;\n#pragma omp barrier\nx[(t + 1) % 4] += 1; }", sanitizer),
      "");
  EXPECT_NE(
      complaint_about(region + "x[t] = t; x[(t + 1) % 4] += 1; }", sanitizer).find("data race"),
      std::string::npos);
}

TEST(Coverage, only_rules_that_have_a_name_are_found) {
  const std::vector<std::string>& names = rule_names();
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const auto one = prepare(make_triple(seed), seed, "openmp");
    if (!one) continue;
    const auto planned = passes::plan(one->low, one->triple.machine);
    for (const std::string& rule : rules_of(one->low, planned)) {
      EXPECT_NE(std::find(names.begin(), names.end(), rule), names.end()) << rule;
    }
  }
}

TEST(Shrinking, keeps_only_what_fails) {
  Random random(3);
  const hl::Program program = catalogue_instance(*examples::find_entry("matmul"), random);
  const machine::Machine& machine = machine::find_machine("gpu");
  for (uint64_t seed = 1;; ++seed) {
    Random another(seed);
    const Triple triple{program, machine, any_config(program, machine, Style::staged, another)};
    if (!triple.config.stage.contains("A") || triple.config.stage.size() < 2) continue;
    const Triple smallest =
        shrunk(triple, [](const Triple& t) { return t.config.stage.contains("A"); });
    EXPECT_EQ(smallest.config.stage.size(), 1u);
    EXPECT_EQ(smallest.config.stage.at("A").size(), 1u);
    EXPECT_TRUE(smallest.config.acc.empty());
    break;
  }
}

}  // namespace
}  // namespace mdh::test::backends_test
