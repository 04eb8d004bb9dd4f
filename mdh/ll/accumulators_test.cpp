// Where partial results live: counted by footprint().
#include <gtest/gtest.h>

#include "mdh/ll/config.h"
#include "mdh/ll/footprint.h"
#include "mdh/ll/parameters.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll::accumulators_test {
namespace {

/// "w L1 at L1.i: 3 x 2", one text per accumulator.
std::vector<std::string> accumulators(const std::string& text, const Sizes& sizes,
                                      const std::string& config) {
  const Config c = parse_config("{\"mdh_config\": 1, " + config + "}");
  const hl::Program p = computation(text, sizes);
  const machine::Machine& m = machine::find_machine(c.machine);
  validate(c, p, m);
  const Program low = program_of(parameters_of(c, p, m), p, m);
  std::vector<std::string> all;
  for (const AccumulatorCount& acc : footprint(low, m).accumulators) {
    all.push_back(fmt::format("{} {} at {}: {} x {}", acc.buffer, acc.place.region,
                              to_string(low, low.recompose[acc.position].level), acc.elements,
                              acc.slots));
  }
  return all;
}

using Texts = std::vector<std::string>;

const Sizes sizes = {{"I", 6}, {"K", 24}};

TEST(Accumulators, cores_that_are_reduced_have_one_slot_each) {
  const auto found = accumulators(matvec_text, sizes, R"("machine": "artificial",
      "layers": ["COR", "HM", "L1"], "split": {"i": ["L1 6"], "k": ["COR 4", "L1 6"]},
      "order": ["COR.k", "L1.i", "L1.k"])");
  EXPECT_EQ(found, Texts{"w HM at COR.k: 6 x 4"});
}

TEST(Accumulators, private_results_stay_private_beside_the_slots) {
  const auto found = accumulators(matvec_text, sizes, R"("machine": "artificial",
      "layers": ["COR", "HM", "L1"], "split": {"i": ["L1 6"], "k": ["COR 4", "L1 6"]},
      "order": ["COR.k", "L1.i", "L1.k"], "acc": {"w": [{"inside": "L1.i", "region": "L1"}]})");
  EXPECT_EQ(found, (Texts{"w HM at COR.k: 6 x 4", "w L1 at L1.i: 6 x 1"}));
}

TEST(Accumulators, teams_one_inside_the_other_have_slots_in_the_place_of_their_own_level) {
  const auto found = accumulators(dot_text, {{"K", 96}}, R"("machine": "gpu",
      "layers": ["BLK", "WRP", "THR", "DEV"],
      "split": {"k": ["BLK 3", "WRP 2", "THR 8", "DEV 2"]},
      "order": ["BLK.k", "WRP.k", "THR.k", "DEV.k"],
      "acc": {"s": [{"inside": "WRP.k", "region": "SM"}, {"inside": "DEV.k", "region": "RM"}]})");
  EXPECT_EQ(found, (Texts{"s DM at BLK.k: 1 x 3", "s SM at WRP.k: 1 x 1", "s SM at WRP.k: 1 x 2",
                          "s SM at THR.k: 1 x 8", "s RM at DEV.k: 1 x 1"}));
}

/// They may combine registers, but do not see each other's: slots lie in what all of them see.
TEST(Accumulators, members_that_combine_private_results_meet_where_all_of_them_can_read) {
  const auto found = accumulators(dot_text, {{"K", 16}}, R"("machine": "gpu",
      "layers": ["THR", "DEV"], "split": {"k": ["THR 8", "DEV 2"]}, "order": ["THR.k", "DEV.k"],
      "acc": {"s": [{"inside": "THR.k", "region": "RM"}]})");
  EXPECT_EQ(found, (Texts{"s RM at THR.k: 1 x 1", "s SM at THR.k: 1 x 8"}));
}

TEST(Accumulators, replicated_parts_outside_of_a_loop_keep_their_own_results) {
  const std::string rest = R"("machine": "cpu", "layers": ["L1", "REG", "SIMD"],
      "split": {"i": ["REG 6"], "k": ["L1 3", "REG 2", "SIMD 4"]},
      "acc": {"w": [{"inside": "REG.k", "region": "REG"}]}, "order": )";
  EXPECT_EQ(accumulators(matvec_text, sizes, rest + R"(["REG.k", "SIMD.k", "L1.k", "REG.i"])"),
            Texts{"w REG at REG.k: 6 x 8"});
  EXPECT_EQ(accumulators(matvec_text, sizes, rest + R"(["L1.k", "REG.k", "SIMD.k", "REG.i"])"),
            Texts{"w REG at REG.k: 6 x 1"})
      << "combined in every step: one accumulator";
}

}  // namespace
}  // namespace mdh::ll::accumulators_test
