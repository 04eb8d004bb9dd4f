// Lowering is fast enough to be done for every candidate of a search.
#include <gtest/gtest.h>

#include <chrono>

#include "mdh/ll/footprint.h"
#include "mdh/passes/common/test_programs.h"
#include "mdh/passes/lower/lower.h"

namespace mdh::passes::lower_speed_test {
namespace {

/// The ten dimensions of the catalogue's mcc_capsule.
const std::string capsule =
    "mcc_capsule = out_view( O: f32 = [n, p, q, k, mi, mj] )"
    " * md_hom( n: 5 by cc, p: 5 by cc, q: 5 by cc, k: 5 by cc, r: 5 by pw(add),"
    " s: 5 by pw(add), c: 5 by pw(add), mi: 5 by cc, mj: 5 by cc, mk: 5 by pw(add) )"
    " { O = I * F; }"
    " * inp_view( I: f32[5, 9, 9, 5, 5, 5] = [n, p + r, q + s, c, mi, mk];"
    " F: f32 = [k, r, s, c, mk, mj] )";

/// Two parts on every one of the 90 levels; data descends from the network into registers.
ll::Config on_all_layers(const hl::Program& program) {
  ll::Config c{.machine = "multi_node_multi_gpu",
               .layers = {"NOD", "GPU", "SMX", "CC", "NM", "HM", "DM", "SM", "RM"}};
  for (const std::string& layer : c.layers) {
    for (const hl::Dimension& d : program.dimensions) {
      c.split[d.symbol.name].push_back({layer, 2});
      c.order.push_back({layer, d.symbol.name});
    }
  }
  for (const char* input : {"I", "F"}) {
    c.stage[input] = {
        {{"GPU", "n"}, "HM", {}},
        {{"SMX", "n"}, "DM", {{"6", ""}, {"5", ""}, {"4", ""}, {"3", ""}, {"2", ""}, {"1", ""}}},
        {{"CC", "n"}, "SM", {}},
        {{"NM", "n"}, "RM", {}}};
  }
  c.acc["O"] = {{{"GPU", "n"}, "HM", {}}, {{"SMX", "n"}, "DM", {}}, {{"NM", "n"}, "RM", {}}};
  return c;
}

TEST(LowerSpeed, ninety_levels_are_lowered_validated_and_counted_in_50_milliseconds) {
  const hl::Program program = computation(capsule);
  const machine::Machine& m = machine::find_machine("multi_node_multi_gpu");
  const ll::Config c = on_all_layers(program);
  const auto best = [&] {
    double least = 1e9;
    for (int n = 0; n < 5; ++n) {
      const auto begin = std::chrono::steady_clock::now();
      const ll::Program low = lower(program, m, c);
      const ll::Footprint counts = footprint(low, m);
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - begin;
      EXPECT_EQ(counts.levels.size(), 90u);
      EXPECT_EQ(counts.tiles.size(), 8u);
      least = std::min(least, took.count());
    }
    return least;
  }();
  fmt::print("lower + validate + footprint: {:.1f} ms\n", best);
  EXPECT_LT(best, 5 * 50.0) << "five times as long, for slow machines";
}

}  // namespace
}  // namespace mdh::passes::lower_speed_test
