// The emulation notices what it should: kernels of many kinds lose one barrier, one guard or one
// wait at a time. What it does not notice has a reason, which is written down here.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "examples/catalogue.h"
#include "mdh/driver/data.h"
#include "mdh/driver/memory.h"
#include "mdh/driver/stages.h"
#include "mdh/support/text.h"
#include "tests/campaign/backends.h"
#include "tests/emulation/device.h"
#include "tests/emulation/testing.h"

namespace mdh::emulation::mutants_test {
namespace {

using test::Prepared;

/// A program of the catalogue and a configuration for gpu_nowarp.
struct Subject {
  std::string name;
  std::string program;
  std::vector<int64_t> sizes;
  std::string config;
  scalar::Scalar type = scalar::Scalar::i32;  // whole numbers: every term counts
};

void PrintTo(const Subject& subject, std::ostream* to) { *to << subject.name; }

/// A product of matrices whose inputs are both copied, in rounds of four, and code.
std::string tiles_of_both(int rounds, const std::string& code) {
  return fmt::format(R"("layers": ["BLK", "DEV", "SHR", "THR"],
      "split": {{"i": ["BLK 2", "THR 4"], "j": ["BLK 2", "THR 3"], "k": ["DEV {}", "SHR 4"]}},
      "order": ["BLK.i", "BLK.j", "THR.i", "THR.j", "DEV.k", "SHR.k"],
      "stage": {{"A": [{{"from": "SHR.k", "region": "SM"}}], "B": [{{"from": "SHR.k", "region": "SM"}}]}},
      "acc": {{"C": [{{"inside": "DEV.k", "region": "RM"}}]}}, "code": {{{}}})",
                     rounds, code);
}

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"tiles",
       "matmul",
       {7, 6, 11},
       R"("layers": ["BLK", "DEV", "SHR", "THR"],
          "split": {"i": ["BLK 2", "THR 4"], "j": ["BLK 2", "THR 3"], "k": ["DEV 3", "SHR 4"]},
          "order": ["BLK.i", "BLK.j", "THR.i", "THR.j", "DEV.k", "SHR.k"],
          "stage": {"A": [{"from": "SHR.k", "region": "SM"}],
                    "B": [{"from": "SHR.k", "region": "SM", "layout": ["j", "k"]}]},
          "acc": {"C": [{"inside": "DEV.k", "region": "RM"}]},
          "code": {"edge": {"i": "mask", "k": "mask"}})"},
      {"two_buffers", "matmul", {7, 6, 11}, tiles_of_both(3, R"("edge": {"i": "mask", "k": "mask"},
                   "stage": {"A": [{"depth": 2, "transport": "async"}],
                             "B": [{"depth": 2, "transport": "async"}]})")},
      {"three_buffers",
       "matmul",
       {5, 6, 23},
       R"("layers": ["BLK", "DEV", "SHR", "THR"],
          "split": {"i": ["BLK 2", "THR 3"], "j": ["THR 6"], "k": ["DEV 6", "SHR 4"]},
          "order": ["BLK.i", "THR.i", "THR.j", "DEV.k", "SHR.k"],
          "stage": {"A": [{"from": "SHR.k", "region": "SM"}],
                    "B": [{"from": "SHR.k", "region": "SM"}]},
          "acc": {"C": [{"inside": "DEV.k", "region": "RM"}]},
          "code": {"edge": {"i": "mask", "k": "mask"},
                   "stage": {"A": [{"depth": 3, "transport": "async"}],
                             "B": [{"depth": 3, "transport": "async"}]}})"},
      {"through_registers",
       "matmul",
       {7, 6, 19},
       R"("layers": ["BLK", "DEV", "SHR", "THR"],
          "split": {"i": ["BLK 2", "THR 4"], "j": ["BLK 2", "THR 3"], "k": ["DEV 5", "SHR 4"]},
          "order": ["BLK.i", "BLK.j", "THR.i", "THR.j", "DEV.k", "SHR.k"],
          "stage": {"A": [{"from": "SHR.k", "region": "SM", "layout": ["k", "i"]}],
                    "B": [{"from": "SHR.k", "region": "SM"}]},
          "acc": {"C": [{"inside": "DEV.k", "region": "RM"}]},
          "code": {"edge": {"i": "mask", "k": "mask"},
                   "stage": {"A": [{"depth": 2, "transport": "registers"}],
                             "B": [{"depth": 3, "transport": "registers"}]}})"},
      {"half_through_registers",
       "matmul",
       {7, 6, 19},
       tiles_of_both(5, R"("edge": {"i": "mask", "k": "mask"},
                   "stage": {"B": [{"depth": 2, "transport": "registers"}]})")},
      // Without conditions: the last elements are read again.
      {"held_back",
       "matmul",
       {7, 6, 11},
       tiles_of_both(3, R"("stage": {"A": [{"depth": 2, "transport": "async"}],
                             "B": [{"depth": 2, "transport": "async"}]})")},
      {"held_back_in_registers",
       "matmul",
       {7, 6, 19},
       tiles_of_both(5, R"("stage": {"B": [{"depth": 2, "transport": "registers"}]})")},
      {"across_a_loop",
       "matmul",
       {7, 6, 19},
       R"("layers": ["BLK", "DEV", "SHR", "THR"],
          "split": {"i": ["DEV 2", "THR 4"], "j": ["BLK 2", "THR 3"], "k": ["DEV 5", "SHR 4"]},
          "order": ["BLK.j", "THR.i", "THR.j", "DEV.i", "DEV.k", "SHR.k"],
          "stage": {"A": [{"from": "SHR.k", "region": "SM"}],
                    "B": [{"from": "SHR.k", "region": "SM"}]},
          "acc": {"C": [{"inside": "DEV.k", "region": "RM"}]},
          "code": {"edge": {"i": "mask", "k": "mask"},
                   "stage": {"A": [{"depth": 2, "transport": "async", "across": "DEV.i"}],
                             "B": [{"depth": 2, "transport": "registers"}]}})"},
      {"sum_of_items",
       "matvec",
       {5, 13},
       R"("layers": ["BLK", "REG", "THR"],
          "split": {"i": ["BLK 5"], "k": ["REG 2", "THR 7"]}, "order": ["BLK.i", "THR.k", "REG.k"],
          "acc": {"w": [{"inside": "THR.k", "region": "SM"}, {"inside": "REG.k", "region": "RM"}]})"},
      {"sum_of_items_in_steps",
       "matvec",
       {3, 23},
       R"("layers": ["BLK", "REG", "THR"],
          "split": {"i": ["BLK 3"], "k": ["REG 2", "THR 12"]}, "order": ["BLK.i", "THR.k", "REG.k"],
          "acc": {"w": [{"inside": "THR.k", "region": "SM"}, {"inside": "REG.k", "region": "RM"}]},
          "code": {"combine": {"THR.k": "team_tree"}})"},
      // On CUDA the steps of each sum stay in a warp, and sums are in several warps.
      {"sums_of_neighbours_in_steps",
       "matvec",
       {5, 45},
       R"("layers": ["BLK", "REG", "THR"],
          "split": {"i": ["THR 5"], "k": ["REG 3", "THR 16"]}, "order": ["THR.i", "THR.k", "REG.k"],
          "acc": {"w": [{"inside": "THR.k", "region": "SM"}, {"inside": "REG.k", "region": "RM"}]},
          "code": {"combine": {"THR.k": "team_tree"}})"},
      // On CUDA: 8 parts in segments of warps, the second of which is not full.
      {"sums_by_exchange",
       "matvec",
       {5, 29},
       R"("layers": ["BLK", "REG", "THR"],
          "split": {"i": ["THR 5"], "k": ["REG 4", "THR 8"]}, "order": ["THR.i", "THR.k", "REG.k"],
          "acc": {"w": [{"inside": "REG.k", "region": "RM"}]},
          "code": {"combine": {"THR.k": "shuffle"}})"},
      {"sums_by_the_last_group",
       "matvec",
       {6, 29},
       R"("layers": ["BLK", "DEV", "THR"],
          "split": {"i": ["BLK 2", "THR 3"], "k": ["BLK 4", "DEV 8"]},
          "order": ["BLK.i", "BLK.k", "THR.i", "DEV.k"],
          "code": {"combine": {"BLK.k": "last_core"}})"},
      {"sum_by_the_last_group_in_steps",
       "dot",
       {70},
       R"("layers": ["BLK", "THR", "DEV"], "split": {"k": ["BLK 9", "THR 4", "DEV 2"]},
          "order": ["BLK.k", "THR.k", "DEV.k"], "code": {"combine": {"BLK.k": "last_core"}})"},
      {"sums_by_atomics",
       "matvec",
       {6, 29},
       R"("layers": ["BLK", "DEV", "THR"],
          "split": {"i": ["BLK 2", "THR 3"], "k": ["BLK 4", "DEV 8"]},
          "order": ["BLK.i", "BLK.k", "THR.i", "DEV.k"],
          "code": {"combine": {"BLK.k": "atomic"}})"},
      {"records_by_atomics",
       "prl",
       {5, 37},
       R"("layers": ["BLK", "SHR", "THR"],
          "split": {"i": ["BLK 5"], "j": ["BLK 4", "SHR 2", "THR 5"]},
          "order": ["BLK.i", "BLK.j", "THR.j", "SHR.j"],
          "code": {"combine": {"BLK.j": "atomic"}})",
       scalar::Scalar::f64},
      {"sums_in_clusters",
       "matvec",
       {6, 29},
       R"("layers": ["BLK", "DEV", "THR"],
          "split": {"i": ["BLK 2", "THR 3"], "k": ["BLK 4", "DEV 8"]},
          "order": ["BLK.i", "BLK.k", "THR.i", "DEV.k"],
          "code": {"combine": {"BLK.k": "cluster"}})"},
      {"tiles_in_clusters",
       "matmul",
       {7, 6, 11},
       R"("layers": ["BLK", "DEV", "SHR", "THR"],
          "split": {"i": ["BLK 2", "THR 4"], "j": ["BLK 2", "THR 3"], "k": ["BLK 2", "DEV 3", "SHR 2"]},
          "order": ["BLK.i", "BLK.k", "BLK.j", "THR.i", "THR.j", "DEV.k", "SHR.k"],
          "stage": {"A": [{"from": "SHR.k", "region": "SM"}]},
          "acc": {"C": [{"inside": "DEV.k", "region": "RM"}]},
          "code": {"combine": {"BLK.k": "cluster"}, "edge": {"i": "mask", "k": "mask"}})"},
      {"sum_in_a_cluster",
       "dot",
       {70},
       R"("layers": ["BLK", "THR", "DEV"], "split": {"k": ["BLK 8", "THR 4", "DEV 3"]},
          "order": ["BLK.k", "THR.k", "DEV.k"], "code": {"combine": {"BLK.k": "cluster"}})"},
      {"sum_of_groups",
       "dot",
       {45},
       R"("layers": ["BLK", "THR", "DEV"], "split": {"k": ["BLK 3", "THR 4", "DEV 4"]},
          "order": ["BLK.k", "THR.k", "DEV.k"])"},
      {"scan_of_items",
       "scan",
       {29},
       R"("layers": ["THR", "DEV"], "split": {"i": ["THR 6", "DEV 5"]},
          "order": ["THR.i", "DEV.i"])"},
      {"scan_of_groups",
       "scan",
       {29},
       R"("layers": ["BLK", "THR", "DEV"], "split": {"i": ["BLK 3", "THR 4", "DEV 3"]},
          "order": ["BLK.i", "THR.i", "DEV.i"])"},
      {"halo",
       "jacobi2d",
       {7, 9},
       R"("layers": ["BLK", "THR"],
          "split": {"i1": ["BLK 2", "THR 4"], "i2": ["BLK 3", "THR 3"]},
          "order": ["BLK.i1", "BLK.i2", "THR.i1", "THR.i2"],
          "stage": {"I": [{"from": "THR.i1", "region": "SM"}]})"},
      {"rolling_halo",
       "jacobi2d",
       {9, 7},
       R"("layers": ["BLK", "DEV", "THR"],
          "split": {"i1": ["BLK 2", "DEV 5"], "i2": ["BLK 2", "THR 4"]},
          "order": ["BLK.i1", "BLK.i2", "DEV.i1", "THR.i2"],
          "stage": {"I": [{"from": "THR.i2", "region": "SM"}]},
          "code": {"stage": {"I": [{"roll": "DEV.i1"}]}})"},
      {"staying_groups",
       "matmul",
       {7, 6, 5},
       R"("layers": ["BLK", "DEV", "THR"],
          "split": {"i": ["BLK 3", "THR 3"], "j": ["BLK 2", "THR 3"], "k": ["DEV 5"]},
          "order": ["BLK.i", "BLK.j", "THR.i", "THR.j", "DEV.k"],
          "stage": {"A": [{"from": "THR.i", "region": "SM"}], "B": [{"from": "THR.i", "region": "SM"}]},
          "code": {"cores": {"BLK": {"count": 2}}})"},
      {"shared_sums",
       "matmul",
       {6, 4, 7},
       R"("layers": ["BLK", "DEV", "THR"],
          "split": {"i": ["BLK 2", "THR 3"], "j": ["THR 4"], "k": ["DEV 7"]},
          "order": ["BLK.i", "DEV.k", "THR.i", "THR.j"],
          "stage": {"B": [{"from": "THR.i", "region": "SM"}]},
          "acc": {"C": [{"inside": "DEV.k", "region": "SM"}]})"},
      {"scan_of_sums",
       "mbbs",
       {7, 9},
       R"("layers": ["BLK", "THR", "DEV"], "split": {"i": ["BLK 2", "THR 4"], "j": ["THR 3", "DEV 3"]},
          "order": ["BLK.i", "THR.i", "THR.j", "DEV.j"])"},
      {"convolution",
       "conv2d",
       {6, 7, 3, 2},
       R"("layers": ["BLK", "SHR", "THR"],
          "split": {"p": ["BLK 2", "THR 3"], "q": ["BLK 2", "THR 4"], "r": ["SHR 3"], "s": ["SHR 2"]},
          "order": ["BLK.p", "BLK.q", "THR.p", "THR.q", "SHR.r", "SHR.s"],
          "stage": {"I": [{"from": "SHR.r", "region": "SM"}], "F": [{"from": "THR.p", "region": "SM"}]},
          "acc": {"O": [{"inside": "SHR.r", "region": "RM"}]})"},
  };
  return all;
}

Prepared prepared(const Subject& subject, const std::string& target) {
  const hl::Program program =
      examples::find_entry(subject.program)->build({subject.type, subject.sizes});
  const machine::Machine& machine = machine::find_machine("gpu_nowarp");
  const ll::Config config =
      ll::parse_config(R"({"mdh_config": 1, "machine": "gpu_nowarp", )" + subject.config + "}");
  auto one = test::prepare({program, machine, config}, 1, target);
  EXPECT_TRUE(one) << subject.name;
  return std::move(*one);
}

// ---- mutants

/// A module that lacks a barrier, a wait, an exchange or the condition of a guard.
struct Mutant {
  std::string name;  // "tiles: barrier 2", counted from 1 on
  std::string line;  // where it was
  kernel::Module module;
};

/// Every function of a module under another name, so that many mutants are one unit.
kernel::Module renamed(const kernel::Module& module, const std::string& name) {
  kernel::Module other = module;
  other.name = name;
  const auto replace = [&](const std::string& old, const std::string& with) {
    std::string& text = other.source;
    for (size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += with.size()) {
      text.replace(at, old.size(), with);
    }
  };
  replace(module.name + "_", name + "_");
  replace("mdh_arrive_last", name + "_arrive_last");  // a helper that is changed, too
  const std::function<void(std::vector<kernel::Step>&)> rename = [&](auto& steps) {
    for (kernel::Step& step : steps) {
      if (auto* launch = std::get_if<kernel::Launch>(&step.is)) {
        launch->function.replace(0, module.name.size(), name);
      } else {
        rename(std::get<kernel::Repeat>(step.is).body);
      }
    }
  };
  rename(other.steps);
  return other;
}

/// What the line would be without what keeps items apart; nothing if there is no such thing.
std::optional<std::pair<std::string, std::string>> weakened(const std::string& line) {
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::string text = line.substr(begin), indent = line.substr(0, begin);
  const auto is_call = [&](const char* word) { return text.starts_with(word); };
  if (is_call("barrier(") || is_call("__syncthreads(") || is_call("__syncwarp("))
    return std::pair("barrier", indent + ";");
  if (is_call("mdh_meet_members(")) return std::pair("meeting", indent + ";");
  if (is_call("mdh_copy_wait(")) return std::pair("wait", indent + ";");
  if (is_call("atomicAdd(") && text.find('&') != std::string::npos) {
    const size_t first = text.find('&') + 1, comma = text.rfind(", ");
    return std::pair("atomic", fmt::format("{}{} += {};", indent, text.substr(first, comma - first),
                                           text.substr(comma + 2, text.size() - comma - 4)));
  }
  if (is_call("const unsigned mdh_was = mdh_begin_alone(&")) {
    const size_t first = text.find('&') + 1;
    return std::pair("alone", fmt::format("{}const unsigned mdh_was = {};", indent,
                                          text.substr(first, text.size() - first - 2)));
  }
  if (is_call("mdh_end_alone(&")) {
    const size_t first = text.find('&') + 1;
    return std::pair("end",
                     fmt::format("{}{} = 2;", indent, text.substr(first, text.size() - first - 2)));
  }
  if (text.find("_all[") != std::string::npos && text.ends_with("] = 0;")) {
    return std::pair("reset", indent + ";");
  }
  if (is_call("if (mdh_arrive_last(")) return std::pair("last", indent + "if (1) {");
  if (text.find(" = __shfl_sync(") != std::string::npos) return std::pair("exchange", indent + ";");
  const bool compares = text.find(" < ") != std::string::npos;
  if (is_call("if (") && compares && text.ends_with(") {")) {
    return std::pair(is_call("if (mdh_turn < ") ? "turns" : "guard", indent + "if (1) {");
  }
  return std::nullopt;
}

std::vector<Mutant> mutants_of(const std::string& subject, const kernel::Module& module) {
  std::vector<Mutant> mutants;
  std::map<std::string, int> count;
  std::vector<std::string> lines = split(module.source, '\n');
  for (std::string& line : lines) {
    const auto weaker = weakened(line);
    if (!weaker) continue;
    const std::string before = line;
    line = weaker->second;
    kernel::Module changed = module;
    changed.source = join(lines, "\n");
    const std::string name =
        fmt::format("{}: {} {}", subject, weaker->first, ++count[weaker->first]);
    mutants.push_back(
        {name, before, renamed(changed, fmt::format("{}_m{}", subject, mutants.size()))});
    line = before;
  }
  return mutants;
}

/// Mutants that are as right as what they were made of, on every target or on one, and why. What is no longer true here fails
/// the test, too.
const std::map<std::string, std::string>& equivalent() {
  static const std::map<std::string, std::string> all = {
      {"three_buffers: guard 4 on opencl",
       "the items too many write the third buffer before it is filled; in flight, they may not"},
      {"three_buffers: guard 6 on opencl",
       "the items too many write the third buffer before it is filled; in flight, they may not"},
      {"two_buffers: turns 1 on opencl",
       "the items too many write the second buffer before it is filled"},
      {"through_registers: turns 1", "what is loaded too much is there, and nobody stores it"},
      {"through_registers: guard 2",
       "what is stored beyond the edge has room, and nobody reads it"},
      {"through_registers: guard 3",
       "what is stored beyond the edge has room, and nobody reads it"},
      {"through_registers: turns 3", "what is loaded too much is there, and nobody stores it"},
      {"half_through_registers: guard 2",
       "what is stored beyond the edge has room, and nobody reads it"},
      {"held_back: turns 1 on opencl",
       "the items too many write the second buffer before it is filled"},
      {"held_back: guard 1", "what is copied too much is there, and nobody reads it"},
      {"held_back: guard 2", "what is copied too much is there, and nobody reads it"},
      {"held_back: guard 3", "rows too many are computed, and never written up"},
      {"held_back_in_registers: guard 1", "what is loaded too much is there, and nobody reads it"},
      {"held_back_in_registers: guard 2", "rows too many are computed, and never written up"},
      {"across_a_loop: turns 1 on opencl",
       "the items too many write the second buffer before it is filled"},
      {"across_a_loop: guard 2", "what is stored beyond the edge has room, and nobody reads it"},
      {"across_a_loop: guard 4", "rows too many are computed, and never written up"},
      {"across_a_loop: wait 2 on cuda", "nothing is copied in the last round: none is in flight"},
      {"sum_of_items: barrier 2", "item 0 alone works before and behind it"},
      {"sum_of_items_in_steps: barrier 4", "item 0 alone works before and behind it"},
      {"sum_of_items_in_steps: barrier 5", "item 0 alone works before and behind it"},
      {"sums_of_neighbours_in_steps: barrier 5 on opencl",
       "every item goes on with the sum that it has made itself"},
      {"sum_by_the_last_group_in_steps: barrier 1 on cuda",
       "item 0 alone has the part of its group, and counts it"},
      {"sums_by_atomics: barrier 1 on cuda",
       "not as right, but groups run one after the other here, and are ordered by what they "
       "combine into"},
      {"tiles_in_clusters: guard 4",
       "what is stored beyond the edge has room, and nobody reads it"},
      {"records_by_atomics: barrier 1 on cuda",
       "item 0 alone has the part of its group, and counts it"},
      {"records_by_atomics: barrier 4 on cuda", "item 0 alone works before and behind it"},
      {"scan_of_groups: guard 2", "the guard inside of it asks for more"},
      {"rolling_halo: turns 1 on cuda",
       "the elements too many lie behind the only array, where its size is rounded up"},
      {"rolling_halo: turns 2 on cuda",
       "the elements too many lie behind the only array, where its size is rounded up"},
      {"rolling_halo: barrier 1", "barrier 2 keeps apart the same: nothing is copied between them"},
      {"rolling_halo: barrier 2", "barrier 1 keeps apart the same: nothing is copied between them"},
      {"rolling_halo: barrier 3", "every item goes on with the columns that it has moved itself"},
      {"scan_of_sums: barrier 2", "every item goes on with the sum that it has made itself"},
  };
  return all;
}

class Mutants : public OnEmulation<testing::TestWithParam<Subject>> {};

TEST_P(Mutants, are_noticed) {
  for (const std::string& target : test::emulated_targets()) {
    const Prepared right = prepared(GetParam(), target);
    ASSERT_EQ(test::run_on(*device(), {right}).front(), "") << describe(right);
    std::vector<Prepared> all;
    const std::vector<Mutant> mutants = mutants_of(GetParam().name, right.module);
    for (const Mutant& mutant : mutants) {
      all.push_back(right);
      all.back().module = mutant.module;
    }
    const std::vector<std::string> complaints = test::run_on(*device(), all);
    int noticed = 0;
    for (size_t n = 0; n < mutants.size(); ++n) {
      const bool is_equivalent = equivalent().contains(mutants[n].name) ||
                                 equivalent().contains(mutants[n].name + " on " + target);
      EXPECT_EQ(complaints[n].empty(), is_equivalent)
          << mutants[n].name << " on " << target << ": " << mutants[n].line << "\n"
          << complaints[n] << "\n"
          << right.module.source;
      noticed += complaints[n].empty() ? 0 : 1;
    }
    fmt::print("{} on {}: {} of {} mutants noticed\n", GetParam().name, target, noticed,
               mutants.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Mutants, testing::ValuesIn(subjects()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mdh::emulation::mutants_test
