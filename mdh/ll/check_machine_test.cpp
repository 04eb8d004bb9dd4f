// The machines' rules as truth tables. What is expected is written down here, machine by machine,
// and not read from the machines.
#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::check_machine_test {
namespace {

using Names = std::vector<std::string>;

/// Regions in which a layer of cores may combine (pw, ps), and in which data that its cores share
/// may lie (cc, inputs).
struct Row {
  std::string machine, layer;
  Names combines, sees;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"artificial", "COR", {"HM"}, {"HM"}},
      {"openmp", "COR", {"MM"}, {"MM"}},
      {"openmp_l3", "COR", {"MM", "L3"}, {"MM", "L3"}},
      {"openmp_l3_simd", "COR", {"MM", "L3"}, {"MM", "L3"}},
      {"cpu", "COR", {"MM", "L3"}, {"MM", "L3"}},
      {"host", "COR", {"MM", "L3"}, {"MM", "L3"}},
      {"cuda", "SMX", {"DM"}, {"DM"}},
      {"cuda", "CC", {"DM", "SM"}, {"DM", "SM"}},
      {"cuda_wrp", "SMX", {"DM"}, {"DM"}},
      {"cuda_wrp", "WRP", {"DM", "SM"}, {"DM", "SM"}},
      {"cuda_wrp", "CC", {"DM", "SM", "RM"}, {"DM", "SM"}},  // lanes exchange registers
      {"opencl", "CU", {"GM"}, {"GM"}},
      {"opencl", "PE", {"GM", "LM"}, {"GM", "LM"}},
      {"multi_gpu", "GPU", {"HM"}, {"HM"}},
      {"multi_gpu", "SMX", {"DM"}, {"HM", "DM"}},
      {"multi_gpu", "CC", {"DM", "SM"}, {"HM", "DM", "SM"}},
      {"multi_node_multi_gpu", "NOD", {"NM"}, {"NM"}},
      {"multi_node_multi_gpu", "GPU", {"HM"}, {"NM", "HM"}},
      {"multi_node_multi_gpu", "SMX", {"DM"}, {"NM", "HM", "DM"}},
      {"multi_node_multi_gpu", "CC", {"DM", "SM"}, {"NM", "HM", "DM", "SM"}},
      {"gpu", "BLK", {"DM"}, {"DM"}},
      {"gpu", "WRP", {"DM", "SM"}, {"DM", "SM"}},
      {"gpu", "THR", {"DM", "SM", "RM"}, {"DM", "SM"}},
      {"gpu_nowarp", "BLK", {"DM"}, {"DM"}},
      {"gpu_nowarp", "THR", {"DM", "SM", "RM"}, {"DM", "SM"}}};
  return all;
}

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

hl::Program along_i(const std::string& combine) {
  const std::string index = combine.rfind("pw", 0) == 0 ? "" : "i";
  return hl::parse(
      fmt::format("mdh 1\nprogram p = out_view( y: i64 = [{}] ) * md_hom( i: 8 by {} ) {{ y = x; }}"
                  " * inp_view( x: i64 = [i] )",
                  index, combine));
}

/// i over four cores and, inside or outside of them, two parts of a loop.
Config over_cores(const machine::Machine& m, const std::string& cores, bool loop_outside) {
  const std::string loop = m.layers.front().name;
  Config c{.machine = m.name, .layers = {cores, loop}};
  c.split["i"] = {{cores, 4}, {loop, 2}};
  c.order = {{cores, "i"}, {loop, "i"}};
  if (loop_outside) std::swap(c.order[0], c.order[1]);
  return c;
}

std::string code_of(const Config& c, const hl::Program& p, const machine::Machine& m) {
  return verdict(c, p, m).substr(0, 4);
}

TEST(MachineRules, every_layer_of_cores_has_a_row) {
  size_t layers = 0;
  for (const machine::Machine& m : machine::machines()) {
    for (const machine::Layer& layer : m.layers) {
      layers += layer.kind == machine::LayerKind::cores ? 1 : 0;
    }
  }
  EXPECT_EQ(layers, rows().size());
}

/// "E347" where the machine says so in a rule of combination, "E346" where the cores do not see
/// each other's memory, which such a rule does not change.
std::string expected_for(const Row& row, const std::string& region, bool combines) {
  const Names& allowed = combines ? row.combines : row.sees;
  if (contains(allowed, region)) return "acce";
  const bool has_rule = row.layer != "COR";
  return combines && has_rule ? "E347" : "E346";
}

TEST(MachineRules, results_of_cores_are_combined_in_these_regions) {
  int checked = 0;
  for (const Row& row : rows()) {
    const machine::Machine& m = machine::find_machine(row.machine);
    for (const machine::Region& region : m.regions) {
      for (const char* combine : {"cc", "pw(add)", "ps(add)"}) {
        Config c = over_cores(m, row.layer, false);
        c.acc["y"] = {{c.order[0], region.name, {}}};
        const std::string expected = expected_for(row, region.name, combine != std::string("cc"));
        EXPECT_EQ(code_of(c, along_i(combine), m), expected)
            << row.machine << " " << row.layer << " " << region.name << " " << combine;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 200);
}

TEST(MachineRules, without_a_place_results_are_combined_where_the_user_finds_them) {
  for (const Row& row : rows()) {
    const machine::Machine& m = machine::find_machine(row.machine);
    const Config c = over_cores(m, row.layer, false);
    const std::string user = m.regions.front().name;
    EXPECT_EQ(code_of(c, along_i("cc"), m), "acce") << row.machine << " " << row.layer;
    EXPECT_EQ(code_of(c, along_i("pw(max)"), m), expected_for(row, user, true))
        << row.machine << " " << row.layer;
  }
}

/// Inside of its cores a buffer may be in any region: what is private by construction goes deeper.
TEST(MachineRules, results_inside_of_the_cores_lie_anywhere) {
  for (const Row& row : rows()) {
    const machine::Machine& m = machine::find_machine(row.machine);
    for (const machine::Region& region : m.regions) {
      Config c = over_cores(m, row.layer, false);
      c.acc["y"] = c.stage["x"] = {{c.order[1], region.name, {}}};
      EXPECT_EQ(code_of(c, along_i("cc"), m), "acce")
          << row.machine << " " << row.layer << " " << region.name;
    }
  }
}

TEST(MachineRules, what_lies_outside_of_cores_is_seen_by_them) {
  for (const Row& row : rows()) {
    const machine::Machine& m = machine::find_machine(row.machine);
    for (const machine::Region& region : m.regions) {
      const std::string expected = expected_for(row, region.name, false);
      for (const bool loop_outside : {false, true}) {
        Config staged = over_cores(m, row.layer, loop_outside);
        staged.stage["x"] = {{staged.order[0], region.name, {}}};
        EXPECT_EQ(code_of(staged, along_i("cc"), m), expected)
            << row.machine << " " << row.layer << " " << region.name << " " << loop_outside;
        Config accumulated = over_cores(m, row.layer, loop_outside);
        accumulated.acc["y"] = {{accumulated.order[0], region.name, {}}};
        EXPECT_EQ(code_of(accumulated, along_i("cc"), m), expected)
            << row.machine << " " << row.layer << " " << region.name << " " << loop_outside;
      }
    }
  }
}

/// An exchange between lanes does not let other loops of cores look into registers.
TEST(MachineRules, lanes_exchange_only_what_they_combine_themselves) {
  const machine::Machine& m = machine::find_machine("cuda_wrp");
  const hl::Program p = computation(matvec_text, {{"I", 4}, {"K", 8}});
  Config c = config(R"("layers": ["SMX", "CC", "DM"], "split": {"i": ["CC 4"], "k": ["CC 8"]},
      "order": ["CC.i", "CC.k"], "acc": {"w": [{"inside": "CC.k", "region": "RM"}]})");
  EXPECT_EQ(verdict(c, p, m), "accepted");
  std::swap(c.order[0], c.order[1]);
  EXPECT_EQ(
      verdict(c, p, m),
      "E346 'w' lies in RM at level CC.k, but region RM is not shared by the cores of CC, and "
      "level CC.i is not outside of it (visibility) | move CC.i further out in the order, or "
      "the tile further in");
}

TEST(MachineRules, layers_without_cores_combine_anywhere) {
  for (const machine::Machine& m : machine::machines()) {
    for (const machine::Layer& layer : m.layers) {
      if (layer.kind == machine::LayerKind::cores) continue;
      for (const machine::Region& region : m.regions) {
        for (const char* combine : {"cc", "pw(add)", "ps(add)"}) {
          Config c{.layers = {layer.name}, .order = {{layer.name, "i"}}};
          c.split["i"] = {{layer.name, 8}};
          c.acc["y"] = c.stage["x"] = {{c.order[0], region.name, {}}};
          EXPECT_EQ(code_of(c, along_i(combine), m), "acce")
              << m.name << " " << layer.name << " " << region.name;
        }
      }
    }
  }
}

// ---- numbers of parts

/// MatMul with these parts on layers of a machine, everything else on its first loop.
std::string with_parts(const std::string& machine, const Split& split, const Tags& tags = {}) {
  const machine::Machine& m = machine::find_machine(machine);
  Config c{.split = split, .tags = tags};
  for (const machine::Layer& layer : m.layers) c.layers.push_back(layer.name);
  hl::Program p = computation(matmul_text, {{"I", 1}, {"J", 1}, {"K", 1}});
  for (auto& [dimension, digits] : c.split) {
    for (const Digit& digit : digits) c.order.push_back({digit.layer, dimension});
  }
  return verdict(c, p, m);
}

TEST(MachineRules, threads_of_a_block_are_at_most_1024) {
  for (const auto& [machine, layer] :
       {std::pair("cuda", "CC"), std::pair("opencl", "PE"), std::pair("multi_gpu", "CC"),
        std::pair("multi_node_multi_gpu", "CC")}) {
    EXPECT_EQ(with_parts(machine, {{"i", {{layer, 1024}}}}), "accepted");
    EXPECT_EQ(with_parts(machine, {{"i", {{layer, 32}}}, {"j", {{layer, 32}}}}), "accepted");
    EXPECT_EQ(with_parts(machine, {{"i", {{layer, 1025}}}}),
              fmt::format("E348 machine '{}': the parts on {} are at most 1024; this configuration "
                          "has 1025 | move parts from {} to another layer",
                          machine, layer, layer));
    EXPECT_EQ(with_parts(machine, {{"i", {{layer, 32}}}, {"j", {{layer, 33}}}}).substr(0, 4),
              "E348");
  }
}

TEST(MachineRules, a_warp_has_32_lanes_and_a_block_1024_threads) {
  for (const auto& [machine, lane] : {std::pair("cuda_wrp", "CC"), std::pair("gpu", "THR")}) {
    EXPECT_EQ(with_parts(machine, {{"i", {{lane, 32}}}}), "accepted");
    EXPECT_EQ(with_parts(machine, {{"i", {{lane, 33}}}}).substr(0, 4), "E348");
    EXPECT_EQ(with_parts(machine, {{"i", {{"WRP", 32}, {lane, 32}}}}), "accepted");
    EXPECT_EQ(with_parts(machine, {{"i", {{"WRP", 64}, {lane, 32}}}}),
              fmt::format("E348 machine '{}': the parts on WRP times {} are at most 1024; this "
                          "configuration has 2048 | move parts from WRP, {} to another layer",
                          machine, lane, lane));
    EXPECT_EQ(with_parts(machine, {{"i", {{"WRP", 64}}}, {"j", {{lane, 16}}}}), "accepted");
    EXPECT_EQ(with_parts(machine, {{"i", {{"WRP", 65}}}, {"j", {{lane, 16}}}}).substr(0, 4),
              "E348");
    EXPECT_EQ(with_parts(machine, {{"i", {{"WRP", 1025}}}}).substr(0, 4), "E348");
  }
}

TEST(MachineRules, blocks_and_cores_have_no_common_limit) {
  EXPECT_EQ(with_parts("cuda", {{"i", {{"SMX", 1000000}}}}), "accepted");
  EXPECT_EQ(with_parts("cpu", {{"i", {{"COR", 1000000}}}}), "accepted");
}

TEST(MachineRules, a_grid_has_a_limit_per_dimension) {
  for (const auto& [machine, layer] :
       {std::pair<std::string, std::string>("gpu", "BLK"), {"cuda", "SMX"}, {"cuda_wrp", "SMX"}}) {
    const Split blocks = {{"i", {{layer, 65536}}}};
    const std::string level = layer + ".i";
    EXPECT_EQ(with_parts(machine, blocks, {{level, "x"}}), "accepted");
    for (const char* axis : {"y", "z"}) {
      EXPECT_EQ(with_parts(machine, blocks, {{level, axis}}),
                fmt::format("E348 machine '{}': the parts on {} in {} are at most 65535; this "
                            "configuration has 65536 | move parts from {} to another layer",
                            machine, layer, axis, layer));
      EXPECT_EQ(with_parts(machine, {{"i", {{layer, 65535}}}}, {{level, axis}}), "accepted");
    }
    EXPECT_EQ(with_parts(machine, {{"i", {{layer, 2147483647}}}}), "accepted");
    EXPECT_EQ(with_parts(machine, {{"i", {{layer, 2147483648}}}}).substr(0, 4), "E348");
  }
}

/// Tags of another layer say nothing about the grid.
TEST(MachineRules, without_tags_all_parts_of_a_grid_are_on_one_axis) {
  const Split wide = {{"i", {{"BLK", 3}}}, {"j", {{"BLK", 70000}}}};
  EXPECT_EQ(with_parts("gpu", wide), "accepted");
  EXPECT_EQ(with_parts("gpu", wide, {{"SHR.j", "y"}}), "accepted");
  EXPECT_EQ(with_parts("gpu", wide, {{"BLK.i", "x"}}).substr(0, 4), "E348") << "j is on y then";
  const Split many = {{"i", {{"BLK", 70000}}}, {"j", {{"BLK", 60000}}}};
  EXPECT_EQ(with_parts("gpu", many, {{"BLK.i", "x"}}), "accepted");
  EXPECT_EQ(with_parts("gpu", many),
            "E348 machine 'gpu': the parts on BLK in x are at most 2147483647; this configuration "
            "has 4200000000 | move parts from BLK to another layer");
}

/// They run one part after the other, and their launch has one axis.
TEST(MachineRules, groups_that_stay_are_as_many_as_there_are) {
  const machine::Machine& m = machine::find_machine("gpu");
  const hl::Program p = computation(matmul_text, {{"I", 1}, {"J", 1}, {"K", 1}});
  Config c{.layers = {"BLK"}, .order = {{"BLK", "i"}, {"BLK", "j"}}};
  c.split = {{"i", {{"BLK", 70000}}}, {"j", {{"BLK", 70000}}}};
  c.tags = {{"BLK.i", "x"}, {"BLK.j", "y"}};
  EXPECT_EQ(code_of(c, p, m), "E348");
  c.code.cores["BLK"].count = 132;
  EXPECT_EQ(verdict(c, p, m), "accepted");
  c.code.cores["BLK"].count = 2147483648;
  EXPECT_EQ(code_of(c, p, m), "E348");
}

TEST(MachineRules, dimensions_beyond_the_third_are_folded_into_z) {
  const hl::Program p = hl::parse(
      "mdh 1\nprogram p = out_view( y: i64 = [a, b, c, d] ) * md_hom( a: 1 by cc, b: 1 by cc,"
      " c: 1 by cc, d: 1 by cc ) { y = 1; } * inp_view( )");
  const machine::Machine& m = machine::find_machine("gpu");
  Config c{.layers = {"BLK"}, .order = {{"BLK", "a"}, {"BLK", "b"}, {"BLK", "c"}, {"BLK", "d"}}};
  c.split = {
      {"a", {{"BLK", 2}}}, {"b", {{"BLK", 2}}}, {"c", {{"BLK", 255}}}, {"d", {{"BLK", 257}}}};
  c.tags = {{"BLK.a", "x"}};  // the others are numbered along the order
  EXPECT_EQ(verdict(c, p, m), "accepted");
  c.split["c"][0].parts = 256;
  EXPECT_EQ(code_of(c, p, m), "E348") << "256 · 257 in z";
  c.tags.clear();
  EXPECT_EQ(verdict(c, p, m), "accepted");
}

TEST(MachineRules, parts_that_must_be_a_number_are_that_or_one) {
  machine::Machine m = machine::find_machine("cuda");
  m.constraints = {machine::PartsEqual{{"CC"}, 32}};
  const hl::Program p = along_i("cc");
  for (const int64_t parts : {1, 8, 31, 32, 33, 64}) {
    Config c{.layers = {"CC", "DM"}, .order = {{"CC", "i"}, {"DM", "i"}}};
    c.split["i"] = {{"CC", parts}, {"DM", 8}};
    EXPECT_EQ(verdict(c, p, m),
              parts == 1 || parts == 32
                  ? "accepted"
                  : fmt::format("E348 machine 'cuda': the parts on CC are 32 or 1; this "
                                "configuration has {} | use 32 parts there, or leave the layer out",
                                parts));
  }
}

// ---- capacities

/// 8 bytes per element; the limit of shared memory is 232448 bytes.
TEST(MachineRules, tiles_fit_into_their_region) {
  const machine::Machine& m = machine::find_machine("gpu");
  for (const int64_t k : {29056, 29057}) {
    const hl::Program p = computation(dot_text, {{"K", k}});
    Config c{.layers = {"BLK", "SHR"}, .order = {{"SHR", "k"}}};
    c.split["k"] = {{"SHR", k}};
    c.stage["x"] = {{{"SHR", "k"}, "SM", {}}};
    EXPECT_EQ(verdict(c, p, m),
              k == 29056 ? "accepted"
                         : "E349 machine 'gpu': region SM holds 232448 bytes; this configuration "
                           "needs 232456 | make the tiles there smaller, or fewer");
    c.code.stage["x"] = {{.depth = 2}};
    EXPECT_EQ(code_of(c, p, m), "E349");
  }
}

TEST(MachineRules, a_soft_capacity_refuses_nothing) {
  const machine::Machine& m = machine::find_machine("gpu");
  Config c{.layers = {"REG"}, .order = {{"REG", "k"}}};
  c.split["k"] = {{"REG", 1000}};
  c.stage["x"] = {{{"REG", "k"}, "RM", {}}};
  EXPECT_EQ(verdict(c, computation(dot_text, {{"K", 1000}}), m), "accepted");
}

// ---- the assignment of the phase decides

TEST(MachineRules, a_permuted_recomposition_moves_the_rule_to_its_level) {
  const machine::Machine& m = machine::find_machine("cuda");
  const hl::Program p = computation(matvec_text, {{"I", 4}, {"K", 8}});
  Config c = config(R"("layers": ["DM", "SM"], "split": {"i": ["SM 4"], "k": ["DM 4", "SM 2"]},
      "order": ["SM.i", "DM.k", "SM.k"], "acc": {"w": [{"inside": "DM.k", "region": "SM"}]})");
  EXPECT_EQ(verdict(c, p, m), "accepted") << "a loop combines anywhere";
  c.phases["recomposition"].split["k"] = {{"SMX", 4}, {"SM", 2}};
  EXPECT_EQ(verdict(c, p, m),
            "E347 level DM.k combines 'w' in SM, but on machine 'cuda' SMX combines in DM | "
            "accumulate in DM at this level");
  c.phases["recomposition"].split["k"] = {{"DM", 4}, {"SMX", 2}};
  EXPECT_EQ(verdict(c, p, m).substr(0, 15), "E347 level SM.k") << "it moves with the assignment";
  c.phases["recomposition"].split["k"] = {{"CC", 4}, {"SM", 2}};
  EXPECT_EQ(verdict(c, p, m), "accepted") << "threads combine in SM, too";
  c.acc["w"][0].region = "RM";
  EXPECT_EQ(verdict(c, p, m).substr(0, 15), "E347 level DM.k");
  c.phases.clear();
  c.phases["decomposition"].split["k"] = {{"CC", 4}, {"SM", 2}};
  EXPECT_EQ(verdict(c, p, m), "accepted") << "results are combined in re-composition only";
}

TEST(MachineRules, limits_hold_in_every_phase) {
  const machine::Machine& m = machine::find_machine("cuda");
  const hl::Program p = computation(matvec_text, {{"I", 2048}, {"K", 1}});
  for (const std::string& phase : phase_names()) {
    Config c = config(R"("layers": ["DM", "SMX"], "split": {"i": ["DM 2048"]}, "order": ["DM.i"])");
    EXPECT_EQ(verdict(c, p, m), "accepted");
    c.phases[phase].split["i"] = {{"SMX", 2048}};
    EXPECT_EQ(verdict(c, p, m), "accepted");
    c.phases[phase].split["i"] = {{"CC", 2048}};
    EXPECT_EQ(code_of(c, p, m), "E348") << phase;
  }
}

TEST(MachineRules, a_decomposition_on_cores_needs_inputs_that_they_see) {
  const machine::Machine& m = machine::find_machine("cuda");
  const hl::Program p = computation(matvec_text, {{"I", 8}, {"K", 1}});
  Config c = config(R"("layers": ["DM"], "split": {"i": ["DM 8"]}, "order": ["DM.i"],
      "stage": {"M": [{"from": "DM.i", "region": "RM"}]})");
  EXPECT_EQ(verdict(c, p, m), "accepted");
  c.phases["decomposition"].split["i"] = {{"CC", 8}};
  EXPECT_EQ(code_of(c, p, m), "E346");
}

// ---- between the phases

/// Below the common loops results of f wait for another nest: threads of both see them.
TEST(MachineRules, results_between_phases_are_seen_by_the_cores_of_both) {
  const machine::Machine& m = machine::find_machine("cuda");
  const hl::Program p = computation(matvec_text, {{"I", 4}, {"K", 8}});
  Config c =
      config(R"("layers": ["SMX", "CC", "RM"], "split": {"i": ["SMX 2", "CC 2"], "k": ["RM 8"]},
      "order": ["SMX.i", "CC.i", "RM.k"], "acc": {"w": [{"inside": "f", "region": "RM"}]},
      "stage": {"v": [{"from": "f", "region": "RM"}]})");
  EXPECT_EQ(verdict(c, p, m), "accepted");
  c.phases["recomposition"].order = {{"SMX", "i"}, {"RM", "k"}, {"CC", "i"}};
  EXPECT_EQ(verdict(c, p, m),
            "E346 'v' lies in RM between the phases, but region RM is not shared by the cores of "
            "CC, and level CC.i is not common to all of them (visibility) | begin the order of "
            "every phase with the same loops, down to CC.i");
  c.stage.clear();
  EXPECT_EQ(verdict(c, p, m).substr(0, 35), "E346 'w' lies in RM between the pha");
  c.acc["w"][0].region = "SM";
  EXPECT_EQ(verdict(c, p, m), "accepted") << "blocks are common, and threads share SM";
  c.phases["recomposition"].order = {{"RM", "k"}, {"SMX", "i"}, {"CC", "i"}};
  EXPECT_EQ(code_of(c, p, m), "E346") << "blocks are not common any more";
  c.acc.clear();
  EXPECT_EQ(verdict(c, p, m), "accepted");
}

/// A phase at a time is on threads, the others are loops.
TEST(MachineRules, what_waits_between_phases_is_seen_by_the_threads_of_each) {
  const machine::Machine& m = machine::find_machine("cuda");
  const hl::Program p = computation(matvec_text, {{"I", 4}, {"K", 8}});
  const Config base = config(R"("layers": ["DM", "RM"], "split": {"i": ["DM 4"], "k": ["RM 8"]},
      "order": ["DM.i", "RM.k"])");
  const auto refused = [&](const std::string& phase, const std::string& from,
                           const std::string& inside) {
    Config c = base;
    if (!phase.empty()) c.phases[phase].split["i"] = {{"CC", 4}};
    if (from == "f") c.stage["v"] = {{{"f", ""}, "RM", {}}};
    if (from == "DM.i") c.stage["v"] = {{{"DM", "i"}, "RM", {}}};
    if (!inside.empty()) c.acc["w"] = {{{"f", ""}, "RM", {}}};
    const std::string text = verdict(c, p, m);
    return text.substr(0, text.find(" lies"));
  };
  EXPECT_EQ(refused("", "DM.i", "f"), "accepted");
  EXPECT_EQ(refused("scalar", "DM.i", ""), "E346 'v'") << "f reads what all threads share";
  EXPECT_EQ(refused("decomposition", "f", ""), "E346 'v'") << "every thread fills it";
  EXPECT_EQ(refused("recomposition", "f", ""), "accepted");
  EXPECT_EQ(refused("scalar", "", "f"), "E346 'w'");
  EXPECT_EQ(refused("recomposition", "", "f"), "E346 'w'");
  EXPECT_EQ(refused("decomposition", "", "f"), "accepted");
}

TEST(MachineRules, a_tile_that_f_reads_from_another_nest_is_seen_by_its_cores) {
  const machine::Machine& m = machine::find_machine("cuda");
  const hl::Program p = computation(matvec_text, {{"I", 4}, {"K", 8}});
  Config c = config(R"("layers": ["CC", "RM"], "split": {"i": ["CC 4"], "k": ["RM 8"]},
      "order": ["CC.i", "RM.k"], "stage": {"v": [{"from": "RM.k", "region": "RM"}]})");
  EXPECT_EQ(verdict(c, p, m), "accepted");
  c.phases["scalar"].order = {{"RM", "k"}, {"CC", "i"}};
  EXPECT_EQ(verdict(c, p, m).substr(0, 35), "E346 'v' lies in RM between the pha");
  c.phases = {{"recomposition", {.order = {{"CC", "i"}, {"RM", "k"}}}}};
  EXPECT_EQ(verdict(c, p, m), "accepted") << "the orders are the same";
}

}  // namespace
}  // namespace mdh::ll::check_machine_test
