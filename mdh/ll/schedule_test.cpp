#include "mdh/ll/schedule.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_programs.h"

namespace mdh::ll::schedule_test {
namespace {

Config scheduled(const std::string& calls, const char* machine = "cuda") {
  return parse_schedule("mdh_schedule 1\n" + calls,
                        computation(matmul_text, {{"I", 8}, {"J", 12}, {"K", 10}}),
                        machine::find_machine(machine), "s");
}

/// "s:3 E362 message | hint"
std::string complaint(const std::string& calls, const char* machine = "cuda") {
  const Diagnostic d = diagnostic_of([&] { scheduled(calls, machine); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  return fmt::format("s:{} {} {}{}", d.where.line, d.code, d.message,
                     d.hint.empty() ? "" : " | " + d.hint);
}

std::string decomposition(const Config& config) {
  const std::string text = print(config);
  return text.substr(text.find("\n \"layers\"") + 1);
}

TEST(Schedule, without_calls_every_dimension_is_one_loop_on_the_first_memory_layer) {
  EXPECT_EQ(decomposition(scheduled("# nothing\n\n")),
            R"( "layers": ["DM"],
 "split": {"i": ["DM 8"], "j": ["DM 12"], "k": ["DM 10"]},
 "order": ["DM.i", "DM.j", "DM.k"]}
)");
}

TEST(Schedule, what_splitting_leaves_are_digits_and_factors_that_do_not_divide_pad) {
  const Config c = scheduled("o, i2 = split(C, k, 4)\nm, n = split(C, i2, 2)\nreorder(C, o, i)\n");
  EXPECT_EQ(c.split.at("k"), (std::vector<Digit>{{"DM", 3}, {"SM", 2}, {"RM", 2}}));
  EXPECT_EQ(c.order, (std::vector<LevelName>{
                         {"DM", "k"}, {"DM", "j"}, {"DM", "i"}, {"SM", "k"}, {"RM", "k"}}))
      << "the axes that reorder names change places among themselves";
  EXPECT_EQ(c.layers, (std::vector<std::string>{"DM", "SM", "RM"}));
}

TEST(Schedule, bound_axes_lie_on_cores_in_all_dimensions) {
  const Config c = scheduled(
      "b, t = split(C, i, 4)\nb2, t2 = split(C, j, 3)\nreorder(C, b, b2, t, t2, k)\n"
      "bind(C, b, blockIdx.y)\nbind(C, b2, blockIdx.x)\nts = fuse(C, t, t2)\n"
      "bind(C, ts, threadIdx.x)\n");
  EXPECT_EQ(decomposition(c),
            R"( "layers": ["SMX", "CC", "DM"],
 "split": {"i": ["SMX 2", "CC 4"], "j": ["SMX 4", "CC 3"], "k": ["DM 10"]},
 "order": ["SMX.i", "SMX.j", "SMX.k", "CC.i", "CC.j", "CC.k", "DM.k"],
 "tags": {"CC.i": "y", "CC.j": "x", "SMX.i": "y", "SMX.j": "x"}}
)");
}

TEST(Schedule, copies_are_staged_and_virtual_threads_stand_inside_of_them) {
  const Config c = scheduled(
      "v, t = split(C, i, 4)\nko, ki = split(C, k, 5)\nreorder(C, v, t, ko, j, ki)\n"
      "bind(C, v, vthread)\nbind(C, t, threadIdx.x)\n"
      "cache_read(A, shared)\ncompute_at(A.shared, C, ko)\n"
      "cache_read(A, local)\nx, y = split(A.local, ax1, 2)\nvectorize(A.local, y)\n"
      "compute_at(A.local, C, j)\n");
  EXPECT_EQ(decomposition(c),
            R"( "layers": ["DM", "CC", "SM"],
 "split": {"i": ["DM 2", "CC 4"], "j": ["DM 12"], "k": ["DM 2", "SM 5"]},
 "order": ["CC.i", "CC.j", "CC.k", "DM.k", "DM.j", "DM.i", "SM.k"],
 "stage": {"A": [{"from": "DM.j", "region": "SM"}, {"from": "DM.i", "region": "RM"}]},
 "tags": {"CC.i": "x"},
 "code": {"stage": {"A": [{}, {"width": 16}]}}}
)");
}

TEST(Schedule, vectorized_axes_are_lanes_where_the_machine_has_them) {
  const Config c = scheduled("o, l = split(C, j, 4)\nvectorize(C, l)\n", "cpu");
  EXPECT_EQ(c.split.at("j"), (std::vector<Digit>{{"MM", 3}, {"SIMD", 4}}));
  EXPECT_EQ(complaint("o, l = split(C, j, 4)\nvectorize(C, l)\n"),
            "s:0 E366 machine 'cuda' has no lanes | choose another machine, or leave the call out");
}

TEST(Schedule, loops_are_unrolled_from_inside_up_to_the_step_of_the_pragma) {
  const Config c = scheduled(
      "o, u = split(C, k, 5)\npragma(C, i, auto_unroll_max_step, 11)\n"
      "pragma(C, i, unroll_explicit, 1)\n");
  EXPECT_EQ(c.code.kernel.unroll,
            (std::map<LevelName, int64_t>{{{"DM", "k"}, 2}, {{"SM", "k"}, 5}}));
}

TEST(Schedule, lines_that_are_no_calls_are_refused) {
  const Diagnostic d = diagnostic_of([] {
    parse_schedule("mdh_config 1\n", computation(dot_text, {{"K", 4}}),
                   machine::find_machine("cuda"));
  });
  EXPECT_EQ(d.code, "E360");
  EXPECT_EQ(
      complaint("split C by 4\n"),
      "s:2 E361 cannot read 'split C by 4' | one call in a line, such as \"o, i = split(C, k, "
      "8)\"");
  EXPECT_EQ(complaint("\na, b = splt(C, k, 4)\n"),
            "s:3 E362 there is no call 'splt' | did you mean 'split'?");
}

TEST(Schedule, unknown_stages_and_axes_are_named) {
  EXPECT_EQ(complaint("reorder(D, i)\n"), "s:2 E363 there is no stage 'D' | did you mean 'C'?");
  EXPECT_EQ(complaint("cache_read(C, shared)\n"),
            "s:2 E363 there is no input 'C' | did you mean 'A'?");
  EXPECT_EQ(complaint("a, b = split(C, l, 2)\n"),
            "s:2 E364 stage 'C' has no axis 'l' | did you mean 'i'?");
  EXPECT_EQ(complaint("a, b = split(C, i, 2)\nbind(C, i, blockIdx.x)\n"),
            "s:3 E364 stage 'C' has no axis 'i' | did you mean 'a'?");
}

TEST(Schedule, wrong_arguments_are_refused) {
  EXPECT_EQ(complaint("a = split(C, i, 2)\n"),
            "s:2 E365 split has 1 results and 3 arguments here | write o, i = split(C, k, 8)");
  EXPECT_EQ(complaint("a, b = split(C, i, 0)\n"), "s:2 E365 '0' is not a number from 1 upwards");
  EXPECT_EQ(complaint("j, b = split(C, i, 2)\n"),
            "s:2 E365 stage 'C' already has an axis 'j' | every axis of a stage has a name of its "
            "own");
  EXPECT_EQ(complaint("bind(C, i, blockIdx.q)\n"),
            "s:2 E365 an axis cannot be bound to 'blockIdx.q' | blockIdx.x, threadIdx.x (or y, z), "
            "or vthread");
  EXPECT_EQ(complaint("cache_read(A, texture)\n"),
            "s:2 E365 there is no memory 'texture' | shared or local");
  EXPECT_EQ(complaint("pragma(C, i, prefetch, 1)\n"),
            "s:2 E365 there is no pragma 'prefetch' | auto_unroll_max_step or unroll_explicit");
  EXPECT_EQ(complaint("reorder(C, i, i)\n"), "s:2 E365 'i' occurs twice");
}

TEST(Schedule, calls_that_cannot_be_applied_are_refused) {
  EXPECT_EQ(complaint("f = fuse(C, i, k)\n"),
            "s:2 E366 'k' does not stand directly inside of the axis before it | reorder first");
  EXPECT_EQ(complaint("f = fuse(C, i, j)\na, b = split(C, f, 2)\n"),
            "s:3 E366 'f' is fused from several axes | split before fusing: digits belong to one "
            "dimension");
  EXPECT_EQ(complaint("bind(C, i, blockIdx.x)\na, b = split(C, i, 2)\n"),
            "s:3 E366 'i' is bound | split before binding");
  EXPECT_EQ(
      complaint("a, b = split(C, i, 2)\ncache_write(C, local)\n"),
      "s:3 E366 'C' is split, bound or used already | write cache_write before all calls that "
      "name the stage");
  EXPECT_EQ(complaint("cache_read(A, shared)\n"),
            "s:2 E366 'A.shared' is computed nowhere | compute_at(A.shared, C, axis)");
  EXPECT_EQ(complaint("cache_read(A, shared)\ncompute_at(A.shared, C, k)\n", "openmp"),
            "s:2 E366 machine 'openmp' has no shared memory | choose a machine with groups of "
            "threads, or leave the call out");
}

TEST(Schedule, what_no_configuration_says_is_refused) {
  EXPECT_EQ(complaint("a, b = split(C, k, 5)\nc, d = split(C, b, 4)\ne, f = split(C, d, 2)\n"),
            "s:0 E366 k has more than 3 axes that are not bound, one for each memory layer of "
            "machine 'cuda' | bind one, or split less often");
  EXPECT_EQ(complaint("a, b = split(C, i, 2)\nbind(C, a, blockIdx.x)\nbind(C, b, blockIdx.y)\n"),
            "s:0 E366 two axes of i are bound to SMX | bind one axis of a dimension to blocks, and "
            "one to threads");
  EXPECT_EQ(
      complaint("a, b = split(C, i, 2)\nbind(C, a, threadIdx.x)\nc, d = split(C, j, 2)\n"
                "bind(C, d, threadIdx.y)\n"),
      "s:0 E366 dimensions disagree about which layer is more significant | split all of them "
      "alike: blocks outside of threads, or threads of blocks");
}

TEST(Schedule, both_stages_of_a_cached_result_are_split_alike) {
  const std::string begin = "cache_write(C, local)\na, b = split(C.local, i, 2)\n";
  EXPECT_EQ(complaint(begin),
            "s:2 E366 'C.local' is computed nowhere | compute_at(C.local, C, axis)");
  EXPECT_EQ(complaint(begin + "a, b = split(C, i, 4)\ncompute_at(C.local, C, a)\n"),
            "s:2 E366 'C' and 'C.local' are split differently along i | loops that both share have "
            "the same factors in both");
  EXPECT_EQ(complaint(begin + "compute_at(C.local, C, i)\na, b = split(C, i, 2)\n"),
            "s:2 E366 the axis of 'C' that 'C.local' is computed at was split afterwards | write "
            "compute_at after all splits");
  EXPECT_EQ(complaint(begin + "a, b = split(C, i, 2)\ncompute_at(C.local, C, a)\n"
                              "bind(C, b, threadIdx.x)\n"),
            "s:2 E366 an axis of 'C' inside of 'C.local' is bound | compute_at the innermost axis "
            "that is bound");
}

TEST(Schedule, configuration_breaks_no_rule_of_the_machine) {
  EXPECT_EQ(complaint("reorder(C, k, i, j)\nbind(C, k, threadIdx.x)\ncache_write(C, local)\n")
                .substr(0, 9),
            "s:4 E366 ");
  const Config c = scheduled("reorder(C, k, i, j)\nbind(C, k, threadIdx.x)\n");
  EXPECT_EQ(c.split.at("k"), (std::vector<Digit>{{"CC", 10}}));
}

}  // namespace
}  // namespace mdh::ll::schedule_test
