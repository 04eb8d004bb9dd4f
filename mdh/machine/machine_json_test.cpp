#include "mdh/machine/machine_json.h"

#include <gtest/gtest.h>

#include "mdh/support/files.h"
#include "mdh/support/testing.h"

namespace mdh::machine::machine_json_test {
namespace {

const char* const toy_text = R"({"mdh_machine": 1, "name": "toy",
 "summary": "eight cores",
 "layers": [
  {"name": "MM", "kind": "loop", "region": "MM", "aliases": ["RAM"]},
  {"name": "COR", "kind": "cores", "region": "MM", "barrier": true, "count": 8},
  {"name": "SIMD", "kind": "replicated", "region": "L1", "lanes": true}],
 "regions": [
  {"name": "MM"},
  {"name": "L1", "explicit": true, "owner": "COR", "capacity": 32768, "soft": true, "aliases": ["C"]}],
 "constraints": [
  {"parts_at_most": 1024, "layers": ["COR"], "axis": "x"},
  {"parts_at_most": 64, "layers": ["COR", "SIMD"]},
  {"parts_equal": 32, "layers": ["SIMD"]},
  {"combines_in": ["MM", "L1"], "layer": "COR"},
  {"bytes_at_most": 49152, "region": "L1"},
  {"bytes_at_most": 4096, "region": "MM", "soft": true},
  {"not_shared_by": "COR", "region": "MM"}],
 "vectors": {"bytes": 16, "registers": 32},
 "warp": 32}
)";

Machine toy() {
  return {
      .name = "toy",
      .summary = "eight cores",
      .layers =
          {{.name = "MM", .region = "MM", .aliases = {"RAM"}},
           {.name = "COR", .kind = LayerKind::cores, .region = "MM", .barrier = true, .count = 8},
           {.name = "SIMD", .kind = LayerKind::replicated, .region = "L1", .lanes = true}},
      .regions = {{.name = "MM"},
                  {.name = "L1",
                   .is_explicit = true,
                   .owner = "COR",
                   .capacity = 32768,
                   .soft = true,
                   .aliases = {"C"}}},
      .constraints = {PartsAtMost{{"COR"}, 1024, "x"}, PartsAtMost{{"COR", "SIMD"}, 64, ""},
                      PartsEqual{{"SIMD"}, 32}, CombinesIn{"COR", {"MM", "L1"}},
                      BytesAtMost{"L1", 49152, false}, BytesAtMost{"MM", 4096, true},
                      NotSharedBy{"MM", "COR"}},
      .vectors = {16, 32},
      .warp = 32};
}

/// "file:line:column code message | hint" of a text that must be refused.
std::string complaint(const std::string& text) {
  const Diagnostic d = diagnostic_of([&] { parse_machine(text, "m.json"); });
  return fmt::format("{} {} {}{}", to_string(d.where), d.code, d.message,
                     d.hint.empty() ? "" : " | " + d.hint);
}

/// The toy with a change of its text.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = toy_text;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MachineJson, describes_every_fact_of_a_machine) { EXPECT_EQ(parse_machine(toy_text), toy()); }

TEST(MachineJson, is_printed_one_line_per_layer_region_and_rule) {
  EXPECT_EQ(print(toy()), toy_text);
}

TEST(MachineJson, machines_we_offer_are_printed_and_read_back) {
  for (const Machine& m : machines()) EXPECT_EQ(parse_machine(print(m)), m) << print(m);
}

/// Memory layers M1 ... and core layers C1 ...; the last memories belong to the cores.
std::string deep_machine(int memory, int cores) {
  Machine m{.name = "deep"};
  for (int l = 1; l <= memory; ++l) {
    m.layers.push_back({.name = fmt::format("M{}", l), .region = fmt::format("M{}", l)});
    const int owner = l - (memory - cores);
    m.regions.push_back({.name = fmt::format("M{}", l),
                         .is_explicit = true,
                         .owner = owner < 1 ? "" : fmt::format("C{}", owner)});
  }
  for (int l = 1; l <= cores; ++l) {
    m.layers.push_back(
        {.name = fmt::format("C{}", l), .kind = LayerKind::cores, .region = fmt::format("M{}", l)});
  }
  return print(m);
}

TEST(MachineJson, seven_memories_and_five_layers_of_cores_make_a_machine) {
  const Machine m = parse_machine(deep_machine(7, 5));
  EXPECT_EQ(m.layers.size(), 12u);
  EXPECT_EQ(m.regions.size(), 7u);
  std::vector<std::string> sharing;
  for (const Region& region : m.regions) {
    std::string row;
    for (const Layer& layer : m.layers) {
      if (layer.kind == LayerKind::cores) row += shares(m, layer, region) ? '+' : '-';
    }
    sharing.push_back(row);
  }
  EXPECT_EQ(sharing, (std::vector<std::string>{"+++++", "+++++", "-++++", "--+++", "---++", "----+",
                                               "-----"}));
}

TEST(MachineJson, a_name_is_looked_up_and_a_file_is_read) {
  EXPECT_EQ(load_machine("CUDA+WRP"), find_machine("cuda_wrp"));
  const TemporaryDirectory folder;
  for (const char* name : {"toy.json", "toy"}) {
    const std::string file = folder.path() / name;
    write_file(file, toy_text);
    EXPECT_EQ(load_machine(file), toy());
  }
  EXPECT_EQ(diagnostic_of([] { load_machine("toy"); }).code, "E301");
  EXPECT_EQ(diagnostic_of([] { load_machine("nowhere.json"); }).code, "E001");
}

// ---- refusals

TEST(MachineJson, what_is_not_json_is_refused_at_its_line_and_column) {
  const std::string text = complaint("{\"mdh_machine\": 1,\n \"name\" \"toy\"}");
  EXPECT_EQ(text.rfind("m.json:2:13 E307 this is not JSON: syntax error", 0), 0u) << text;
}

TEST(MachineJson, another_document_or_version_is_refused) {
  EXPECT_EQ(complaint("[]"), "m.json:1:1 E307 a machine is a JSON object");
  EXPECT_EQ(complaint("{}"), "m.json:1:1 E307 \"mdh_machine\": expected version 1");
  EXPECT_EQ(complaint("{\n \"mdh_machine\": 2}"),
            "m.json:2:2 E307 \"mdh_machine\": expected version 1");
}

TEST(MachineJson, an_unknown_key_is_refused_where_it_stands_with_the_nearest_one) {
  EXPECT_EQ(complaint(changed("\"vectors\"", "\"vector\"")),
            "m.json:18:2 E308 \"vector\": unknown key | did you mean 'vectors'?");
  EXPECT_EQ(complaint(changed("\"region\": \"L1\", \"lanes\"", "\"region\": \"L1\", \"lane\"")),
            "m.json:6:58 E308 \"lane\": unknown key | did you mean 'lanes'?");
  EXPECT_EQ(complaint(changed("\"explicit\"", "\"explizit\"")),
            "m.json:9:18 E308 \"explizit\": unknown key | did you mean 'explicit'?");
  EXPECT_EQ(complaint(changed("\"bytes\"", "\"byte\"")),
            "m.json:18:14 E308 \"byte\": unknown key | did you mean 'bytes'?");
  EXPECT_EQ(
      complaint(changed("\"layers\": [\"SIMD\"]}", "\"layers\": [\"SIMD\"], \"axis\": \"x\"}")),
      "m.json:13:43 E308 \"axis\": unknown key | known: parts_equal, layers");
}

TEST(MachineJson, a_rule_of_no_known_kind_is_refused) {
  EXPECT_EQ(
      complaint(changed("\"parts_equal\": 32, \"layers\": [\"SIMD\"]", "\"parts_equals\": 32")),
      "m.json:13:4 E308 \"parts_equals\": unknown key | did you mean 'parts_equal'?");
  EXPECT_EQ(complaint(changed("{\"parts_equal\": 32, \"layers\": [\"SIMD\"]}", "{}")),
            "m.json:13:3 E309 \"constraints\": expected a rule, got {} | rules: parts_at_most, "
            "parts_equal, combines_in, bytes_at_most, not_shared_by");
  EXPECT_EQ(complaint(changed("{\"parts_equal\": 32, \"layers\": [\"SIMD\"]}", "\"parts_equal\"")),
            "m.json:13:3 E309 \"constraints\": expected an object, got \"parts_equal\"");
}

TEST(MachineJson, what_is_missing_is_named) {
  EXPECT_EQ(complaint("{\"mdh_machine\": 1}"), "m.json:1:1 E309 the key \"name\" is missing");
  EXPECT_EQ(complaint("{\"mdh_machine\": 1, \"name\": \"m\", \"layers\": []}"),
            "m.json:1:1 E309 the key \"regions\" is missing");
  EXPECT_EQ(complaint(changed("\"kind\": \"cores\", ", "")),
            "m.json:5:3 E309 \"layers\": the key \"kind\" is missing");
  EXPECT_EQ(complaint(changed("\"combines_in\": [\"MM\", \"L1\"], \"layer\": \"COR\"",
                              "\"combines_in\": [\"MM\", \"L1\"]")),
            "m.json:14:3 E309 \"constraints\": the key \"layer\" is missing");
}

TEST(MachineJson, an_unknown_kind_is_refused_with_the_nearest_one) {
  EXPECT_EQ(complaint(changed("\"cores\"", "\"core\"")),
            "m.json:5:19 E309 \"kind\": unknown kind 'core' | did you mean 'cores'?");
}

TEST(MachineJson, wrong_kinds_of_values_are_refused) {
  const auto expect = [](const std::string& from, const std::string& to,
                         const std::string& expected) {
    EXPECT_EQ(complaint(changed(from, to)), "m.json:" + expected);
  };
  expect("\"toy\"", "7", "1:20 E309 \"name\": expected a text, got 7");
  expect("\"eight cores\"", "null", "2:2 E309 \"summary\": expected a text, got null");
  expect("[\"RAM\"]", "\"RAM\"", "4:50 E309 \"aliases\": expected a list, got \"RAM\"");
  expect("[\"RAM\"]", "[1]", "4:62 E309 \"aliases\": expected a text, got 1");
  expect("\"barrier\": true", "\"barrier\": 1",
         "5:52 E309 \"barrier\": expected true or false, got 1");
  expect("8}", "8.5}", "5:69 E309 \"count\": expected an integer, got 8.5");
  expect("8}", "9223372036854775808}",
         "5:69 E309 \"count\": expected an integer, got 9223372036854775808");
  expect("{\"name\": \"MM\"}", "\"MM\"", "8:3 E309 \"regions\": expected an object, got \"MM\"");
  expect("{\"bytes\": 16, \"registers\": 32}", "16",
         "18:2 E309 \"vectors\": expected an object, got 16");
}

TEST(MachineJson, a_machine_that_breaks_a_rule_is_refused_with_its_file) {
  const Diagnostic d = diagnostic_of(
      [] { parse_machine(changed("\"owner\": \"COR\"", "\"owner\": \"CORE\""), "m.json"); });
  EXPECT_EQ(d.code, "E303");
  EXPECT_EQ(d.message, "machine 'toy': region 'L1': there is no layer 'CORE'");
  EXPECT_EQ(d.hint, "did you mean 'COR'?");
  EXPECT_EQ(d.notes, (std::vector<std::string>{"it is described in m.json"}));
}

}  // namespace
}  // namespace mdh::machine::machine_json_test
