#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::check_code_test {
namespace {

/// MatVec 8 x 8 on the gpu: a tile that threads fill together, and a reduction over lanes.
Config on_gpu() {
  return config(R"("layers": ["BLK", "WRP", "THR", "SHR", "REG"],
    "split": {"i": ["BLK 2", "WRP 2", "REG 2"], "k": ["THR 4", "SHR 2"]},
    "order": ["BLK.i", "WRP.i", "THR.k", "SHR.k", "REG.i"],
    "stage": {"M": [{"from": "SHR.k", "region": "SM"}, {"from": "REG.i", "region": "RM"}]},
    "acc": {"w": [{"inside": "SHR.k", "region": "RM"}]})");
}

hl::Program matvec() { return computation(matvec_text, {{"I", 8}, {"K", 8}}); }

std::string with(const std::string& code, const hl::Program& program = matvec()) {
  Config c = on_gpu();
  c.code = parse_config("{\"mdh_config\": 1, \"code\": {" + code + "}}").code;
  return verdict(c, program, machine::find_machine("gpu"));
}

TEST(Code, everything_at_once_is_accepted) {
  EXPECT_EQ(with(R"("stage": {"M": [{"pad": 1, "depth": 2, "transport": "async", "width": 16,
      "copy_order": {"k": 4}, "prefetch": {"distance": 4, "level": "SHR.k"}, "hint": "streaming",
      "opaque": true}]},
    "edge": {"i": "pad", "k": "mask"}, "combine": {"THR.k": "shuffle"},
    "cores": {"BLK": {"count": 4, "deal": "cyclic"}},
    "kernel": {"unroll": {"SHR.k": 2}, "emit": "by_operand M", "launch_bounds": [64, 2],
      "compiler": "nvcc", "flags": ["-O3"], "store": "keep", "contract": "fast"})"),
            "accepted");
}

TEST(Code, flags_are_those_that_are_known) {
  Config c = on_gpu();
  c.code.kernel.flags = {"-O3", "-ffast-math"};
  EXPECT_EQ(verdict(c, matvec(), machine::find_machine("gpu")).substr(0, 46),
            "E355 code.kernel.flags: '-ffast-math' is none ");
}

TEST(Code, tiles_are_described_in_their_order) {
  EXPECT_EQ(with(R"("stage": {"v": [{"pad": 1}]})"),
            "E353 code.stage.v: 1 tiles are described, but 'v' is staged 0 times | describe the "
            "tiles of \"stage\" in their order");
  EXPECT_EQ(with(R"("stage": {"M": [{}, {}, {}]})"),
            "E353 code.stage.M: 3 tiles are described, but 'M' is staged 2 times | describe the "
            "tiles of \"stage\" in their order");
  EXPECT_EQ(with(R"("stage": {"Q": [{}]})").substr(0, 19), "E353 code.stage.Q: ");
  EXPECT_EQ(with(R"("stage": {"M": []})"), "accepted");
}

TEST(Code, described_tiles_exist) {
  const std::string expected =
      "E353 code.stage.M: 'M' is staged 2 times, but 1 of the tiles exist | remove tiles that "
      "change nothing, or that have no loop before the next one";
  Config c = on_gpu();
  c.code.stage["M"] = {{.pad = 1}};
  c.stage["M"][0].region = "DM";  // where it is anyway
  EXPECT_EQ(verdict(c, matvec(), machine::find_machine("gpu")), expected);
  c.stage["M"][0].region = "SM";
  c.order = {{"BLK", "i"}, {"WRP", "i"}, {"THR", "k"}, {"SHR", "i"}, {"REG", "i"}, {"SHR", "k"}};
  c.stage["M"][0].from = {"SHR", "i"};  // of one part
  EXPECT_EQ(verdict(c, matvec(), machine::find_machine("gpu")), expected);
  c.code.stage.clear();
  EXPECT_EQ(verdict(c, matvec(), machine::find_machine("gpu")), "accepted");
}

/// A region that is soft, such as registers, has no capacity that would stop them.
TEST(Code, tiles_in_flight_have_a_limit_in_every_region) {
  const auto of = [](const std::string& region, int64_t depth) {
    Config c = on_gpu();
    c.stage["M"] = {{{"SHR", "k"}, region, {}}};
    c.code.stage["M"] = {{.depth = depth}};
    return verdict(c, matvec(), machine::find_machine("gpu"));
  };
  for (const char* region : {"RM", "SM"}) {
    EXPECT_EQ(of(region, 64), "accepted") << region;
    EXPECT_EQ(of(region, 65), "E353 code.stage.M[0]: depth is 65 | 1 to 64 tiles in flight");
  }
  EXPECT_EQ(of("RM", int64_t{1} << 60).substr(0, 35), "E353 code.stage.M[0]: depth is 1152");
}

TEST(Code, numbers_of_a_tile_are_in_range) {
  EXPECT_EQ(with(R"("stage": {"M": [{}, {"pad": -1}]})"),
            "E353 code.stage.M[1]: pad is -1 | at least 0");
  EXPECT_EQ(with(R"("stage": {"M": [{"line": 0}]})"),
            "E353 code.stage.M[0]: line is 0 | at least 1");
  EXPECT_EQ(with(R"("stage": {"M": [{"depth": 0}]})"),
            "E353 code.stage.M[0]: depth is 0 | 1 to 64 tiles in flight");
  for (const int lines : {1, 2, 4, 8, 16, 32}) {
    EXPECT_EQ(with(fmt::format(R"("stage": {{"M": [{{"swizzle": {}}}]}})", lines)), "accepted");
  }
  for (const int lines : {-1, 0, 3, 64}) {
    EXPECT_EQ(with(fmt::format(R"("stage": {{"M": [{{"swizzle": {}}}]}})", lines)),
              fmt::format("E353 code.stage.M[0]: swizzle is {} | 1, 2, 4, ... 32 lines; 1 is none",
                          lines));
  }
  for (const int width : {0, 1, 2, 4, 8, 16, 32, 64}) {
    EXPECT_EQ(with(fmt::format(R"("stage": {{"M": [{{"width": {}}}]}})", width)), "accepted");
  }
  for (const int width : {-1, 3, 12, 65, 128}) {
    EXPECT_EQ(
        with(fmt::format(R"("stage": {{"M": [{{"width": {}}}]}})", width)),
        fmt::format("E353 code.stage.M[0]: width is {} | 1, 2, 4, ... 64 bytes, or 0", width));
  }
  EXPECT_EQ(with(R"("stage": {"M": [{"copy_order": {"k": 0}}]})"),
            "E353 code.stage.M[0]: copy_order is 0 | at least 1");
  EXPECT_EQ(with(R"("stage": {"M": [{"copy_order": {"j": 2}}]})"),
            "E353 code.stage.M[0]: copy_order: 'j' is no dimension of the buffer | name the only "
            "dimension that walks along it, or its position 1, 2, ...");
  EXPECT_EQ(with(R"("stage": {"M": [{"copy_order": {"2": 2}}]})"), "accepted");
}

TEST(Code, a_prefetch_looks_ahead_along_a_level) {
  EXPECT_EQ(with(R"("stage": {"M": [{"prefetch": {"distance": 0, "level": "SHR.k"}}]})"),
            "E353 code.stage.M[0]: prefetch distance is 0 | at least 1");
  EXPECT_EQ(with(R"("stage": {"M": [{"prefetch": {"level": "SHR.i"}}]})"),
            "E353 code.stage.M[0].prefetch: SHR.i is not in the order | did you mean 'SHR.k'?");
}

TEST(Code, tiles_roll_along_a_loop_around_them) {
  EXPECT_EQ(
      with(R"("stage": {"M": [{"roll": "SHR.k"}]})"),
      "E353 code.stage.M[0]: roll: SHR.k is inside of the tile | name a loop outside of SHR.k");
  EXPECT_EQ(with(R"("stage": {"M": [{"roll": "WRP.i"}]})"),
            "E353 code.stage.M[0]: roll: WRP.i is not a loop | tiles roll along a level on a loop "
            "layer");
  EXPECT_EQ(with(R"("stage": {"M": [{"roll": "L1.k"}]})").substr(0, 44),
            "E353 code.stage.M[0].roll: L1.k is not in th");
}

/// Two loops right around the copy of M, the inner one over columns.
std::string crossing(const std::string& tile, const std::string& region = "SM") {
  return verdict(config(R"("layers": ["DEV", "SHR"],
    "split": {"i": ["DEV 2", "SHR 4"], "k": ["DEV 2", "SHR 4"]},
    "order": ["DEV.i", "DEV.k", "SHR.i", "SHR.k"],
    "stage": {"M": [{"from": "SHR.i", "region": ")" +
                        region + R"("}]}, "code": {"stage": {"M": [)" + tile + "]}}"),
                 matvec(), machine::find_machine("gpu"));
}

TEST(Code, copies_run_ahead_across_the_loop_around_theirs) {
  EXPECT_EQ(crossing(R"({"depth": 2, "across": "DEV.i"})"), "accepted");
  EXPECT_EQ(crossing(R"({"across": "DEV.i"})"),
            "E353 code.stage.M[0]: across DEV.i: one tile is never ahead | depth 2 or more");
  EXPECT_EQ(
      crossing(R"({"depth": 2, "across": "DEV.i"})", "RM"),
      "E353 code.stage.M[0]: across DEV.i: RM are registers | tiles in memory run ahead across "
      "loops");
  const std::string wrong =
      ": it is not the loop around the one that copies | name the level right outside of the loop "
      "in which the tile is copied; both are loops of more than one part";
  EXPECT_EQ(crossing(R"({"depth": 2, "across": "DEV.k"})"),
            "E353 code.stage.M[0]: across DEV.k" + wrong);
  EXPECT_EQ(crossing(R"({"depth": 2, "across": "SHR.k"})"),
            "E353 code.stage.M[0]: across SHR.k" + wrong);
  EXPECT_EQ(crossing(R"({"depth": 2, "across": "L1.k"})").substr(0, 44),
            "E353 code.stage.M[0].across: L1.k is not in ");
}

/// Sums of three neighbours, with an input that is read as given.
hl::Program windows(const std::string& index) {
  return hl::parse(
      "mdh 1\nprogram p = out_view( w: i64 = [i] )"
      " * md_hom( i: 8 by cc, k: 3 by pw(add) ) { w = x; }"
      " * inp_view( x: i64 = [" +
      index + "] )");
}

/// A window of four elements in registers, two further in every round.
Config rolling() {
  return config(R"("layers": ["DEV", "SHR", "REG"],
    "split": {"i": ["DEV 2", "SHR 2", "REG 2"], "k": ["REG 3"]},
    "order": ["DEV.k", "DEV.i", "SHR.i", "REG.i", "REG.k"],
    "stage": {"x": [{"from": "REG.i", "region": "RM"}]},
    "code": {"stage": {"x": [{"roll": "SHR.i"}]}})");
}

TEST(Code, a_tile_rolls_in_the_order_of_the_decomposition) {
  Config c = rolling();
  const machine::Machine& gpu = machine::find_machine("gpu");
  EXPECT_EQ(verdict(c, windows("i + k"), gpu), "accepted");
  c.phases["decomposition"].order = {{"DEV", "i"}, {"REG", "i"}, {"SHR", "i"}, {"REG", "k"}};
  EXPECT_EQ(verdict(c, windows("i + k"), gpu).substr(0, 46),
            "E353 code.stage.x[0]: roll: SHR.i is inside of");
}

TEST(Code, what_rolls_is_one_tile_of_a_loop_with_several_rounds) {
  const machine::Machine& gpu = machine::find_machine("gpu");
  Config c = rolling();
  c.code.stage["x"][0].depth = 2;
  EXPECT_EQ(
      verdict(c, windows("i + k"), gpu),
      "E353 code.stage.x[0]: roll: 2 tiles are in flight | a tile that rolls keeps its place: "
      "depth 1");
  c = rolling();
  c.code.stage["x"][0].roll = LevelName{"DEV", "k"};
  EXPECT_EQ(verdict(c, windows("i + k"), gpu),
            "E353 code.stage.x[0]: roll: DEV.k has one part | remove the entry");
}

TEST(Code, a_tile_rolls_forwards_along_one_axis_and_not_too_far) {
  const auto refused = [](const std::string& why) {
    return "E353 code.stage.x[0]: roll: " + why +
           " | tiles roll along the loop right around their copy, forwards along one axis, by less "
           "than its length";
  };
  const machine::Machine& gpu = machine::find_machine("gpu");
  EXPECT_EQ(verdict(rolling(), windows("7 - i + k"), gpu),
            refused("the tile moves backwards with SHR.i"));
  EXPECT_EQ(verdict(rolling(), windows("i + k, i"), gpu),
            refused("the tile moves along several dimensions with SHR.i"));
  EXPECT_EQ(verdict(rolling(), windows("3 * i + k"), gpu),
            refused("two iterations of SHR.i have nothing in common"));
  EXPECT_EQ(verdict(rolling(), windows("k"), gpu),
            refused("the tile is filled once, outside of all loops"));
  Config c = rolling();
  c.code.stage["x"][0].roll = LevelName{"DEV", "i"};
  EXPECT_EQ(verdict(c, windows("i + k"), gpu),
            refused("the tile is filled right inside of SHR.i, not of DEV.i"));
}

// ---- borders

TEST(Code, rows_that_begin_together_are_counted_from_1) {
  EXPECT_EQ(with(R"("cores": {"BLK": {"swizzle": 3}})"), "accepted");
  EXPECT_EQ(with(R"("cores": {"BLK": {"swizzle": 0}})"),
            "E353 code.cores.BLK: swizzle is 0 | at least 1");
}

TEST(Code, borders_are_those_of_dimensions) {
  EXPECT_EQ(with(R"("edge": {"q": "mask"})"),
            "E353 code.edge: program 'matvec' has no dimension 'q' | did you mean 'i'?");
  for (const char* edge : {"clamp", "mask"}) {
    EXPECT_EQ(with(fmt::format(R"("edge": {{"i": "{}", "k": "{}"}})", edge, edge)), "accepted");
  }
  for (const char* edge : {"pad", "overlap"}) {
    EXPECT_EQ(
        with(fmt::format(R"("edge": {{"k": "{}"}})", edge)),
        fmt::format("E353 code.edge.k: {} needs a concatenated dimension | clamp or mask", edge));
  }
}

/// The last register tile is shifted inwards: its points are computed twice.
TEST(Code, overlapping_tiles_overwrite_and_never_combine) {
  const machine::Machine& cpu = machine::find_machine("cpu");
  const auto overlap = [&](int64_t rows, const std::string& order, const std::string& acc) {
    const Config c = config(fmt::format(
        R"("layers": ["L1", "REG"], "split": {{"i": ["L1 4", "REG 4"], "k": ["L1 8"]}},
           "order": [{}], "code": {{"edge": {{"i": "overlap"}}}}, "acc": {{{}}})",
        order, acc));
    return verdict(c, computation(matvec_text, {{"I", rows}, {"K", 8}}), cpu);
  };
  const std::string inner = R"("L1.i", "L1.k", "REG.i")", outer = R"("L1.k", "L1.i", "REG.i")";
  const std::string once = R"("w": [{"inside": "L1.k", "region": "REG"}])";
  EXPECT_EQ(overlap(13, inner, once), "accepted");
  EXPECT_EQ(overlap(4, inner, once), "accepted");
  EXPECT_EQ(overlap(3, inner, once),
            "E353 code.edge.i: overlap needs a size of at least one tile, 4 | clamp or mask");
  EXPECT_EQ(overlap(13, inner, ""),
            "E353 code.edge.i: overlap would combine twice at level L1.k | accumulate inside of "
            "the reduction and write once, or clamp");
  EXPECT_EQ(overlap(13, outer, R"("w": [{"inside": "L1.i", "region": "REG"}])").substr(0, 47),
            "E353 code.edge.i: overlap would combine twice a");
}

// ---- cores

TEST(Code, cores_combine_where_there_is_something_to_combine) {
  EXPECT_EQ(with(R"("combine": {"BLK.i": "team_tree"})"),
            "E353 code.combine.BLK.i: nothing is combined in a concatenated dimension | remove the "
            "entry");
  EXPECT_EQ(with(R"("combine": {"SHR.k": "team_tree"})"),
            "E353 code.combine.SHR.k: SHR is not a layer of cores | loops combine one after the "
            "other; remove the entry");
  EXPECT_EQ(with(R"("combine": {"BLK.k": "team_tree"})").substr(0, 49),
            "E353 code.combine: BLK.k is not in the order | di");
  for (const char* how : {"shuffle", "team_tree", "partials_kernel", "last_core", "cluster"}) {
    EXPECT_EQ(with(fmt::format(R"("combine": {{"THR.k": "{}"}})", how)), "accepted") << how;
  }
}

TEST(Code, parts_of_a_scan_are_joined_by_exchanges_or_by_looking_back) {
  const hl::Program scan = hl::parse(
      "mdh 1\nprogram sums = out_view( y: i64 = [i] ) * md_hom( i: 8 by ps(add) ) { y = x; }"
      " * inp_view( x: i64 = [i] )");
  const auto with = [&](const std::string& entries) {
    return verdict(config(R"("layers": ["BLK", "THR"], "split": {"i": ["BLK 2", "THR 4"]},
        "order": ["BLK.i", "THR.i"], "code": {"combine": {)" +
                          entries + "}}"),
                   scan, machine::find_machine("gpu"));
  };
  EXPECT_EQ(with(R"("BLK.i": "look_back", "THR.i": "shuffle")"), "accepted");
  EXPECT_EQ(with(R"("BLK.i": "team_tree")"),
            "E353 code.combine.BLK.i: parts of a scan are not joined by team_tree | shuffle, "
            "look_back, or remove the entry");
  EXPECT_EQ(with(R"("THR.i": "look_back")"),
            "E353 code.combine.THR.i: only work-groups look back, and only at the parts of a scan "
            "before theirs | shuffle, or remove the entry");
}

TEST(Code, nobody_looks_back_at_parts_of_a_reduction) {
  EXPECT_EQ(with(R"("combine": {"THR.k": "look_back"})"),
            "E353 code.combine.THR.k: only work-groups look back, and only at the parts of a scan "
            "before theirs | last_core");
}

TEST(Code, cores_shuffle_where_they_combine_privately) {
  Config c = config(R"("layers": ["SMX", "CC"], "split": {"i": ["SMX 8"], "k": ["CC 8"]},
    "order": ["SMX.i", "CC.k"], "code": {"combine": {"CC.k": "shuffle"}})");
  EXPECT_EQ(
      verdict(c, matvec(), machine::find_machine("cuda")),
      "E353 code.combine.CC.k: cores of CC do not exchange registers | shuffle only where the "
      "machine combines in a private region");
  EXPECT_EQ(verdict(c, matvec(), machine::find_machine("cuda_wrp")), "accepted");
}

TEST(Code, the_layer_of_a_combination_is_that_of_recomposition) {
  Config c = config(R"("layers": ["SMX", "DM"], "split": {"i": ["SMX 8"], "k": ["DM 8"]},
    "order": ["SMX.i", "DM.k"], "code": {"combine": {"DM.k": "team_tree"}},
    "phases": {"recomposition": {"split": {"k": ["CC 8"]}}})");
  EXPECT_EQ(verdict(c, matvec(), machine::find_machine("cuda")), "accepted");
}

TEST(Code, members_of_a_grid_combine_atomically_by_any_operator) {
  const hl::Program own = hl::parse(
      "mdh 1\nop larger(l, r) = if l > r then l else r;\n"
      "program p = out_view( y: i64 = [i] ) * md_hom( i: 8 by cc, k: 8 by pw(larger) ) { y = M * "
      "v; }"
      " * inp_view( M: i64 = [i, k]; v: i64 = [k] )");
  const auto with = [](const hl::Program& program, const std::string& layer) {
    return verdict(config(fmt::format(R"("layers": ["{0}", "SHR"], "split": {{"i": ["SHR 8"],
        "k": ["{0} 8"]}}, "order": ["{0}.k", "SHR.i"], "code": {{"combine": {{"{0}.k": "atomic"}}}})",
                                      layer)),
                   program, machine::find_machine("gpu"));
  };
  EXPECT_EQ(with(own, "BLK"), "accepted");
  EXPECT_EQ(with(matvec(), "BLK"), "accepted");
  EXPECT_EQ(with(own, "THR"),
            "E353 code.combine.THR.k: cores of THR wait for each other and need no atomics | "
            "shuffle or team_tree, or atomic at a level of work-groups");
}

TEST(Code, parts_are_dealt_to_cores_that_do_not_wait_inside) {
  EXPECT_EQ(
      with(R"("cores": {"SHR": {"count": 2}})"),
      "E353 code.cores: 'SHR' is not a layer of cores | one of the machine's layers of cores");
  EXPECT_EQ(with(R"("cores": {"QQQ": {"count": 2}})").substr(0, 32),
            "E353 code.cores: 'QQQ' is not a ");
  EXPECT_EQ(with(R"("cores": {"BLK": {"count": -1}})"),
            "E353 code.cores.BLK: count is -1 | at least 0");
  EXPECT_EQ(
      with(R"("cores": {"WRP": {"count": 1}})"),
      "E353 code.cores.WRP: the cores fill the tile of 'M' together and wait inside of a part "
      "| deal parts only where no barrier of the same cores stands inside");
  EXPECT_EQ(with(R"("cores": {"THR": {"deal": "dynamic"}})").substr(0, 30),
            "E353 code.cores.THR: the cores");
  EXPECT_EQ(with(R"("cores": {"WRP": {"count": 0}})"), "accepted");
  EXPECT_EQ(with(R"("cores": {"SMX": {"count": 2}})"), "accepted") << "another name of BLK";
}

TEST(Code, cores_that_combine_wait_outside_of_all_parts) {
  Config c = config(R"("layers": ["BLK", "THR", "SHR"],
    "split": {"i": ["THR 2", "SHR 4"], "k": ["THR 2", "SHR 4"]},
    "order": ["THR.i", "THR.k", "SHR.i", "SHR.k"],
    "code": {"cores": {"THR": {"deal": "cyclic"}}})");
  EXPECT_EQ(verdict(c, matvec(), machine::find_machine("cuda")),
            "E353 code.cores.CC: the cores combine level CC.k together and wait inside of a part "
            "of CC.i | move CC.k outside of CC.i");
  std::swap(c.order[0], c.order[1]);
  EXPECT_EQ(verdict(c, matvec(), machine::find_machine("cuda")), "accepted");
}

// ---- the kernel

TEST(Code, loops_are_unrolled_at_least_once) {
  EXPECT_EQ(with(R"("kernel": {"unroll": {"SHR.k": 0}})"),
            "E353 code.kernel.unroll: times is 0 | at least 1");
  EXPECT_EQ(with(R"("kernel": {"unroll": {"SHR.j": 2}})").substr(0, 35),
            "E353 code.kernel.unroll: SHR.j is n");
}

TEST(Code, launch_bounds_are_one_or_two_numbers) {
  EXPECT_EQ(with(R"("kernel": {"launch_bounds": [64, 2, 1]})"),
            "E353 code.kernel: launch_bounds has more than two numbers | threads, or threads and "
            "blocks");
  EXPECT_EQ(with(R"("kernel": {"launch_bounds": [64, 0]})"),
            "E353 code.kernel: launch_bounds is 0 | at least 1");
  EXPECT_EQ(
      with(R"("kernel": {"launch_bounds": [2048]})"),
      "E353 code.kernel: launch_bounds: 2048 | at most 1024 threads of a block, and 32 blocks "
      "of a multiprocessor");
  EXPECT_EQ(with(R"("kernel": {"launch_bounds": [64, 33]})"),
            "E353 code.kernel: launch_bounds: 33 | at most 1024 threads of a block, and 32 blocks "
            "of a multiprocessor");
  EXPECT_EQ(with(R"("kernel": {"launch_bounds": [64]})"), "accepted");
}

TEST(Code, emit_orders_are_known) {
  for (const char* emit : {"program", "serpentine", "by_operand v", "serpentine v"}) {
    EXPECT_EQ(with(fmt::format(R"("kernel": {{"emit": "{}"}})", emit)), "accepted") << emit;
  }
  for (const char* emit :
       {"by_operand w", "by_operand", "serpentine w", "serpentine ", "zigzag", ""}) {
    EXPECT_EQ(with(fmt::format(R"("kernel": {{"emit": "{}"}})", emit)),
              fmt::format("E353 code.kernel: there is no emit order '{}' | program, serpentine, or "
                          "\"by_operand A\" or \"serpentine A\" with an input",
                          emit));
  }
}

/// MatMul on the cpu: C in registers while k is summed up, or not.
std::string streaming(const std::string& split, const std::string& order, const std::string& acc) {
  const Config c =
      config(R"("layers": ["COR", "L1", "REG", "SIMD"], "split": {)" + split + R"(}, "order": [)" +
             order + "]" + acc + R"(, "code": {"kernel": {"store": "streaming"}})");
  return verdict(c,
                 computation(R"(matmul<I: size, J: size, K: size> =
    out_view( C: f32 = [i, j] ) * md_hom( i: I by cc, j: J by cc, k: K by pw(add) ) { C = A * B; }
    * inp_view( A: f32 = [i, k]; B: f32 = [k, j] ))",
                             {{"I", 8}, {"J", 8}, {"K", 8}}),
                 machine::find_machine("cpu"));
}

TEST(Code, only_results_that_are_complete_are_stored_past_the_caches) {
  const std::string ij = R"("i": ["COR 2", "L1 4"], "j": ["L1 2", "SIMD 4"], )";
  const std::string acc = R"(, "acc": {"C": [{"inside": "L1.k", "region": "REG"}]})";
  EXPECT_EQ(streaming(ij + R"("k": ["L1 8"])", R"("COR.i", "L1.i", "L1.j", "L1.k", "SIMD.j")", acc),
            "accepted");
  const std::string refused =
      "E353 code.kernel: store streaming, but level {} combines results in "
      "the user's buffers, where they are read again | accumulate in "
      "another region (\"acc\") outside of all reductions, or remove the "
      "entry";
  EXPECT_EQ(streaming(ij + R"("k": ["L1 8"])", R"("COR.i", "L1.i", "L1.j", "L1.k", "SIMD.j")", ""),
            fmt::format(fmt::runtime(refused), "L1.k"));
  EXPECT_EQ(streaming(ij + R"("k": ["COR 2", "L1 4"])",
                      R"("COR.i", "COR.k", "L1.i", "L1.j", "L1.k", "SIMD.j")", acc),
            fmt::format(fmt::runtime(refused), "COR.k"));
}

TEST(Code, only_vectors_are_stored_past_the_caches) {
  EXPECT_EQ(streaming(R"("i": ["COR 2", "L1 4"], "j": ["L1 8"], "k": ["L1 8"])",
                      R"("COR.i", "L1.i", "L1.j", "L1.k")",
                      R"(, "acc": {"C": [{"inside": "L1.k", "region": "REG"}]})"),
            "E353 code.kernel: store streaming, but no concatenated dimension has parts on lanes | "
            "whole vectors are stored so, never single elements");
}

/// Where rounding decides, multiplication and addition stay two operations.
TEST(Code, contraction_needs_pure_arithmetic) {
  const auto of = [&](const std::string& body) {
    return with(R"("kernel": {"contract": "fast"})",
                hl::parse("mdh 1\nprogram p = out_view( w: i64 = [i] )"
                          " * md_hom( i: 8 by cc, k: 8 by pw(add) ) { w = " +
                          body +
                          "; }"
                          " * inp_view( M: i64 = [i, k]; v: i64 = [k] )"));
  };
  EXPECT_EQ(of("M * v + 1"), "accepted");
  const std::string refused =
      "E353 code.kernel: contract fast, but f or an operator compares, chooses, loops or cuts off "
      "| "
      "off: rounding must not decide";
  EXPECT_EQ(of("if M > v then M else v"), refused);
  EXPECT_EQ(of("max(M, v) * 2"), refused);
}

}  // namespace
}  // namespace mdh::ll::check_code_test
