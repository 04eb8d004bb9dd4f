// What passes and printers make of small programs, compared with reviewed files.
//
// A case is <case>.mdh, whose first line says what to run ("// run: hoist"), and <case>.expected.
// MDH_UPDATE_GOLDEN=1 rewrites the expected files; look at the diff before you keep it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "mdh/backend/openmp/openmp.h"
#include "mdh/loop/evaluate.h"
#include "mdh/loop/parse.h"
#include "mdh/loop/print.h"
#include "mdh/loop/verify.h"
#include "mdh/passes/pipeline.h"
#include "mdh/runtime/process.h"
#include "mdh/support/files.h"

namespace mdh::test::golden_test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(MDH_SOURCE_DIR) / "tests/golden";
const std::string run_line = "// run: ";

/// Paths of all cases, relative to this folder.
std::vector<std::string> all_cases() {
  std::vector<std::string> cases;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".mdh") {
      cases.push_back(fs::relative(entry.path(), folder).string());
    }
  }
  std::sort(cases.begin(), cases.end());
  return cases;
}

std::vector<std::string> cases_of(const std::string& subfolder) {
  std::vector<std::string> cases = all_cases();
  const auto is_elsewhere = [&](const std::string& c) { return c.rfind(subfolder + "/", 0) != 0; };
  cases.erase(std::remove_if(cases.begin(), cases.end(), is_elsewhere), cases.end());
  return cases;
}

std::string text_of(const std::string& case_) { return read_file(folder / case_); }

loop::Program program_of(const std::string& case_) { return loop::parse(text_of(case_), case_); }

/// What the first line says.
std::string step_of(const std::string& case_) {
  const std::string line = text_of(case_).substr(0, text_of(case_).find('\n'));
  return line.rfind(run_line, 0) == 0 ? line.substr(run_line.size()) : "";
}

const std::vector<passes::Teams> both = {passes::Teams::one, passes::Teams::nested};

/// A pass and those that follow it in its pipeline; nothing if there is none of this name.
std::vector<passes::Pass> passes_from(const std::string& name) {
  for (const passes::Teams teams : both) {
    const std::vector<passes::Pass>& all = passes::pipeline(teams);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const passes::Pass& pass) { return pass.name == name; });
    if (found != all.end()) return {found, all.end()};
  }
  return {};
}

/// What the pass asks for: without wide accesses, or groups, there would be nothing to see.
passes::TargetFacts facts_of(const std::string& pass) {
  if (pass == "whole-rounds" || pass == "swizzle") return {.teams = passes::Teams::nested};
  return {.access_bytes = pass == "widen" || pass == "hold-back" || pass == "keep-values" ? 16 : 0};
}

std::string result_of(const std::string& case_) {
  const loop::Program p = program_of(case_);
  if (step_of(case_) == "openmp") return backend::print_openmp(p, "mdh_" + p.name).source;
  const std::vector<passes::Pass> passes = passes_from(step_of(case_));
  if (passes.empty()) return "first line: '// run: PASS' or '// run: openmp'\n";
  return loop::print(passes.front().run(p, facts_of(step_of(case_))));
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).replace_extension().string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

// ---- every case

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, result_is_the_expected_one) {
  const fs::path expected = (folder / GetParam()).replace_extension(".expected");
  const std::string result = result_of(GetParam());
  const char* update = std::getenv("MDH_UPDATE_GOLDEN");
  if (update != nullptr && std::string(update) == "1") write_file(expected, result);
  ASSERT_TRUE(fs::exists(expected)) << expected << " is missing; MDH_UPDATE_GOLDEN=1 writes it";
  EXPECT_EQ(read_file(expected), result)
      << "if the new text is right: MDH_UPDATE_GOLDEN=1 rewrites " << expected;
}

INSTANTIATE_TEST_SUITE_P(Case, Golden, testing::ValuesIn(all_cases()), test_name);

// ---- the meaning of passes

class GoldenPass : public testing::TestWithParam<std::string> {};

std::vector<std::string> pass_cases() {
  std::vector<std::string> cases;
  for (const std::string& c : all_cases()) {
    if (!passes_from(step_of(c)).empty()) cases.push_back(c);
  }
  return cases;
}

/// 1, -2, 3, ... in every input.
std::vector<scalar::Array> inputs_of(const loop::Program& p) {
  std::vector<scalar::Array> inputs;
  for (const loop::Buffer& b : p.buffers) {
    if (b.role != loop::Role::input) continue;
    scalar::Array a = scalar::Array::undefined(b.type, b.extents);
    for (int64_t n = 0; n < a.size(); ++n) {
      a.cells[n] = scalar::from_integer(scalar_of(b.type), n % 2 == 0 ? n + 1 : -n - 1);
      a.defined[n] = 1;
    }
    inputs.push_back(std::move(a));
  }
  return inputs;
}

/// Where the case waits for barriers that are put later, there is no meaning yet.
std::optional<std::vector<scalar::Array>> meaning(const loop::Program& p) {
  try {
    return loop::evaluate(p, inputs_of(p));
  } catch (const Error& e) {
    EXPECT_EQ(e.diagnostic().message.rfind("race: ", 0), 0u) << e.diagnostic().message;
    return std::nullopt;
  }
}

TEST_P(GoldenPass, keeps_the_meaning_of_the_case) {
  const loop::Program before = program_of(GetParam());
  loop::Program after = before;
  for (const passes::Pass& pass : passes_from(step_of(GetParam()))) {
    after = pass.run(after);
    loop::verify(after);
  }
  const std::vector<scalar::Array> expected = loop::evaluate(after, inputs_of(before));
  EXPECT_EQ(meaning(before).value_or(expected), expected);
  EXPECT_EQ(meaning(before).has_value(), GetParam().rfind("barriers/", 0) != 0);
  for (uint64_t seed = 2; seed <= 5; ++seed) {
    EXPECT_EQ(loop::evaluate(after, inputs_of(before), seed), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Case, GoldenPass, testing::ValuesIn(pass_cases()), test_name);

// ---- the C compiler

class GoldenSource : public testing::TestWithParam<std::string> {};

TEST_P(GoldenSource, compiles_without_a_warning) {
  const std::string compiler = runtime::find_program("cc");
  if (compiler.empty()) GTEST_SKIP() << "there is no C compiler 'cc'";
  const TemporaryDirectory scratch;
  const fs::path source = scratch.path() / "kernel.c";
  write_file(source, result_of(GetParam()));
  const runtime::Exit exit =
      runtime::run_program({compiler, "-std=gnu11", "-fopenmp", "-Wall", "-Wextra", "-Werror",
                            "-Wno-unused-variable", "-fsyntax-only", source.string()},
                           scratch.path());
  EXPECT_EQ(exit.status, 0) << exit.output;
}

INSTANTIATE_TEST_SUITE_P(Case, GoldenSource, testing::ValuesIn(cases_of("codegen")), test_name);

// ---- the folder

TEST(GoldenFolder, every_pass_has_two_cases_in_a_folder_of_its_name) {
  for (const passes::Teams teams : both) {
    for (const passes::Pass& pass : passes::pipeline(teams)) {
      EXPECT_GE(cases_of(pass.name).size(), 2u) << pass.name;
      for (const std::string& c : cases_of(pass.name)) EXPECT_EQ(step_of(c), pass.name) << c;
    }
  }
  for (const std::string& c : cases_of("codegen/openmp")) EXPECT_EQ(step_of(c), "openmp") << c;
}

TEST(GoldenFolder, cases_are_short) {
  for (const std::string& c : all_cases()) {
    const std::string text = text_of(c);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 30) << c;
  }
  EXPECT_LE(cases_of("codegen/openmp").size(), 10u);
}

TEST(GoldenFolder, every_expected_file_belongs_to_a_case) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".expected") continue;
    EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".mdh"))) << entry.path();
  }
}

}  // namespace
}  // namespace mdh::test::golden_test
