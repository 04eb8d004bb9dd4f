// mdh on configuration files: tables, derivations, counts, differences, schedules.
#include <gtest/gtest.h>

#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tests/cli/tool.h"

namespace mdh::test::configurations_test {
namespace {

std::string golden(const std::string& file) {
  return std::string(MDH_SOURCE_DIR) + "/tests/golden/" + file;
}

/// What mdh prints when it succeeds.
std::string output_of(const std::string& line) {
  const Outcome o = mdh(line);
  EXPECT_EQ(o.exit, 0) << line << "\n" << describe(o);
  return o.out;
}

TEST(Show, prints_the_table_of_a_configuration) {
  const std::string config = golden("configs/tvm_matmul.json");
  EXPECT_EQ(output_of("show matmul --table --config " + config),
            read_file(golden("configs/tvm_matmul.table")));
}

TEST(Show, prints_the_low_level_program_and_then_the_table) {
  EXPECT_EQ(output_of("show matvec --ll --table --config " + golden("fig15.json")),
            read_file(golden("fig15.ll")) + "\n" + read_file(golden("fig15.table")));
}

TEST(Show, derivation_names_the_property_behind_every_step) {
  const std::string fig15 = output_of("show matvec --derivation --config " + golden("fig15.json"));
  EXPECT_TRUE(contains(fig15,
                       "#PRT: k = HM 4 · COR 16 · L1 64\n"
                       "    because h(a ++k b) = h(a) pw(add) h(b), 3 times\n"))
      << fig15;
  EXPECT_TRUE(contains(fig15, "D3, D4, S3, S4: v: user HM -> L1.i L1\n")) << fig15;
  EXPECT_TRUE(contains(fig15, "R3, R4, S5, S6: w: user HM -> L1.i L1\n")) << fig15;
  EXPECT_FALSE(contains(fig15, "S4: M:")) << "M stays where it is\n" << fig15;
  const std::string pluto =
      output_of("show matmul --derivation --config " + golden("configs/pluto_matmul.json"));
  EXPECT_TRUE(contains(pluto, "#PRT: j: 1924 parts for 1000 indices\n")) << pluto;
}

TEST(Show, footprint_counts_blocks_threads_and_bytes) {
  const std::string text =
      output_of("show matmul --footprint --config " + golden("configs/tvm_matmul.json"));
  for (const std::string line : {"  SMX        100     100\n", "  CC          80      80\n",
                                 "  SM      28672         -\n", "  RM          8         -\n"}) {
    EXPECT_TRUE(contains(text, line)) << line << text;
  }
}

/// Microseconds, of the last line of an estimate.
double total_of(const std::string& estimate) {
  const size_t at = estimate.rfind("total");
  EXPECT_NE(at, std::string::npos) << estimate;
  return at == std::string::npos ? 0 : std::stod(estimate.substr(at + 5));
}

TEST(Show, the_choice_of_the_estimates_costs_no_more_than_the_default) {
  for (const char* where : {"--target cuda --machine gpu", "--target openmp --machine cpu"}) {
    const std::string line = std::string("show matmul --size 300,200,100 --cost ") + where;
    const std::string model = output_of(line + " --config model");
    const std::string usual = output_of(line + " --config default");
    EXPECT_LT(total_of(model), total_of(usual)) << where;
  }
  EXPECT_NE(output_of("show matmul --size 300,200,100 --target cuda --machine gpu --cost")
                .find("at a time on a multiprocessor\n"),
            std::string::npos);
}

TEST(Run, the_default_is_taken_when_it_is_asked_for) {
  const Outcome o = mdh("run matvec --size 64,128 --config default");
  EXPECT_NE((o.out + o.err).find("default"), std::string::npos) << describe(o);
}

TEST(Check, counts_the_exact_partitions_of_the_paper) {
  EXPECT_TRUE(contains(output_of("check matvec --config " + golden("fig15.json")),
                       "partitions that are exact: 5005\n"));
  EXPECT_TRUE(contains(output_of("check matmul --config " + golden("configs/tvm_matmul.json")),
                       "partitions that are exact: 117048750\n"));
}

TEST(Check, a_schedule_is_a_configuration) {
  const std::string size = "check matmul --size 16,1000,2048 --machine cuda --config ";
  const std::string imported = output_of(size + golden("configs/tvm_matmul.schedule"));
  EXPECT_TRUE(contains(imported, "\"i\": [\"SMX 2\", \"DM 2\", \"CC 4\"]")) << imported;
  const Outcome o =
      mdh("check matmul --machine cpu --config " + golden("configs/tvm_matmul.schedule"));
  EXPECT_EQ(o.exit, 2) << describe(o);
  EXPECT_TRUE(contains(o.err, "E366")) << describe(o);
}

TEST(Diff, shows_two_decompositions_side_by_side) {
  const std::string tvm = golden("configs/tvm_matmul.json");
  const std::string pluto = golden("configs/pluto_matmul.json");
  const std::vector<std::string> lines = split(output_of("diff " + tvm + " " + pluto), '\n');
  const auto line_of = [&](const std::string& parameter) -> std::string {
    for (const std::string& line : lines) {
      if (line.rfind(parameter + " ", 0) == 0) return line;
    }
    return "";
  };
  EXPECT_TRUE(contains(lines[0], tvm) && contains(lines[0], pluto)) << lines[0];
  EXPECT_TRUE(contains(line_of("split.k"), "DEV 8, SHR 128, REG 2  ")) << line_of("split.k");
  EXPECT_TRUE(line_of("split.k").ends_with("  MM 10, L2 218")) << line_of("split.k");
  EXPECT_TRUE(contains(line_of("machine"), "cuda")) << line_of("machine");
  EXPECT_TRUE(line_of("stage.A[0].region").ends_with("  -")) << line_of("stage.A[0].region");
  EXPECT_EQ(line_of("program"), "") << "both are about the same program";
}

TEST(Diff, finds_nothing_between_a_file_and_itself) {
  const std::string file = golden("configs/cpu/matmul_1024.json");
  EXPECT_EQ(output_of("diff " + file + " " + file), "no difference\n");
}

TEST(Run, padded_tiles_of_pluto_compute_the_same_function) {
  const std::string config = golden("configs/pluto_matmul.json");
  const Outcome o = mdh("run matmul --size 13,99,70 --type i32 -q --json --config " + config);
  EXPECT_EQ(o.exit, 0) << describe(o);
  EXPECT_TRUE(contains(o.out, "\"verified\":\"full\"")) << o.out;
}

}  // namespace
}  // namespace mdh::test::configurations_test
