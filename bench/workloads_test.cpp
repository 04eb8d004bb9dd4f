#include "bench/workloads.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "bench/peers.h"
#include "bench/texts.h"
#include "mdh/hl/analysis.h"
#include "mdh/support/diagnostic.h"

namespace mdh::bench::workloads_test {
namespace {

/// Suite gpu has workloads of the others, under their names.
TEST(Workloads, all_can_be_instantiated_and_those_called_alike_are_the_same) {
  std::map<std::string, Workload> names;
  for (const Suite& suite : suites()) {
    std::set<std::string> here;
    for (const Workload& workload : suite.workloads) {
      EXPECT_TRUE(here.insert(workload.name).second) << workload.name;
      const Workload& known = names.emplace(workload.name, workload).first->second;
      EXPECT_EQ(known.title, workload.title);
      EXPECT_EQ(known.sizes, workload.sizes) << workload.name;
      EXPECT_EQ(known.settings, workload.settings) << workload.name;
      EXPECT_GT(hl::bytes(instantiate(workload).program), 0) << workload.name;
    }
  }
  EXPECT_EQ(find_suite("cpu").workloads.size(), 17u);
  EXPECT_EQ(find_suite("gpu").workloads.size(), 54u);
}

TEST(Workloads, have_the_same_numbers_in_another_type) {
  const auto wide = instantiate_with(find_workload("tiny_mcc"), scalar::Scalar::f64);
  ASSERT_TRUE(wide.has_value());
  EXPECT_EQ(to_string(wide->program.outputs[0].type), "f64");
  EXPECT_EQ(hl::bytes(wide->program),
            2 * hl::bytes(instantiate(find_workload("tiny_mcc")).program));
  EXPECT_FALSE(instantiate_with(find_workload("tiny_histo"), scalar::Scalar::f64).has_value());
}

TEST(Workloads, may_have_a_program_that_is_not_in_the_catalogue) {
  const Instantiated largest = instantiate(find_workload("tiny_reduce_max"));
  EXPECT_EQ(examples::find_entry(largest.entry->name), nullptr);
  EXPECT_EQ(largest.program.dimensions[0].combine.operators, std::vector<std::string>{"max"});
  EXPECT_EQ(largest.sizes, (std::vector<std::pair<std::string, int64_t>>{{"N", 1000}}));
}

TEST(Workloads, operations_are_those_of_the_literature) {
  const auto operations = [](const std::string& name) {
    const Workload workload = select(find_suite("cpu"), {name}).front();
    return static_cast<double>(hl::operations(instantiate(workload).program));
  };
  EXPECT_NEAR(operations("matmul_1024"), 2.0 * 1024 * 1024 * 1024, 2e6);
  EXPECT_NEAR(operations("ccsdt_gdab_efgc") / 1811939328.0, 1, 0.03);
}

TEST(Workloads, unknown_names_have_a_suggestion) {
  EXPECT_THROW(find_suite("gpus"), Error);
  try {
    select(find_suite("cpu"), {"matmul_1025"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.diagnostic().code, "E841");
    EXPECT_NE(e.diagnostic().hint.find("matmul_1024"), std::string::npos) << e.diagnostic().hint;
  }
}

TEST(Peers, every_workload_of_suite_cpu_has_plain_loops_and_a_prototype) {
  for (const Workload& workload : find_suite("cpu").workloads) {
    const Instantiated at = instantiate(workload);
    for (const Peer& peer : select_peers({"gcc", "clang", "prototype"})) {
      const auto code = peer.code(workload, at);
      ASSERT_TRUE(code.has_value()) << workload.name << " " << peer.name;
      EXPECT_EQ(code->source.find("#include \""), std::string::npos) << workload.name;
    }
  }
}

TEST(Peers, sizes_become_constants_of_the_source) {
  const Workload workload = select(find_suite("cpu"), {"mcc_512"}).front();
  const std::string text =
      with_sizes("a\n#include \"sizes.h\"\nb", workload, instantiate(workload), {{"X", "7"}});
  EXPECT_EQ(text,
            "a\n#define PROGRAM_MCC\n#define C 512\n#define K 512\n#define N 1\n#define P 7\n"
            "#define Q 7\n#define R 3\n#define S 3\n#define SH 1\n#define SW 1\n#define X 7\n\nb");
}

TEST(Peers, contractions_know_their_offsets) {
  const Workload workload = select(find_suite("tiny"), {"tiny_contraction"}).front();
  const auto code = select_peers({"gcc"}).front().code(workload, instantiate(workload));
  EXPECT_NE(code->source.find("#define LEFT_AT ((((g) * NF + f) * NB + b) * NC + c)"),
            std::string::npos)
      << code->source.substr(0, 600);
}

TEST(Peers, unknown_name_has_a_suggestion) {
  try {
    select_peers({"openblass"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.diagnostic().code, "E842");
    EXPECT_EQ(e.diagnostic().hint, "did you mean 'openblas'?");
  }
}

TEST(Configs, belong_to_a_workload) {
  std::set<std::string> names;
  for (const Suite& suite : suites()) {
    for (const Workload& workload : suite.workloads) names.insert(workload.name);
  }
  for (const auto& [path, text] : texts()) {
    if (path.find("/configs/") == std::string::npos) continue;
    const size_t slash = path.rfind('/');
    EXPECT_EQ(names.count(path.substr(slash + 1, path.size() - slash - 6)), 1u) << path;
  }
}

}  // namespace
}  // namespace mdh::bench::workloads_test
