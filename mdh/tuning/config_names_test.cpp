#include "mdh/tuning/config_names.h"

#include <gtest/gtest.h>

namespace mdh::tuning::config_names_test {
namespace {

const ConfigNames& to_positions() {
  static const ConfigNames names = {{{"i", "d1"}, {"j", "d2"}, {"k", "d3"}},
                                    {{"C", "out1"}, {"A", "in1"}, {"B", "in2"}}};
  return names;
}

/// Everything in a configuration that has a name in it.
const char* const given = R"({"mdh_config": 1, "program": "q", "sizes": {"I": 4}, "machine": "gpu",
 "layers": ["BLK", "SHR"], "split": {"i": ["BLK 2", "SHR 2"], "k": ["SHR 3"]},
 "order": ["BLK.i", "SHR.k", "SHR.i"],
 "stage": {"A": [{"from": "SHR.k", "region": "SM", "layout": ["k@SHR", "1", "i"]}],
           "B": [{"from": "f", "region": "RM"}]},
 "acc": {"C": [{"inside": "SHR.i", "region": "RM"}]},
 "phases": {"scalar": {"order": ["SHR.i"], "split": {"k": ["BLK 3"]}, "tags": {"SHR.j": "y"}}},
 "tags": {"BLK.i": "x"},
 "code": {"stage": {"A": [{"copy_order": {"k": 8, "2": 4}, "roll": "BLK.i",
                           "prefetch": {"distance": 2, "level": "SHR.k"}}]},
          "edge": {"i": "overlap"}, "combine": {"BLK.k": "team_tree"}, "cores": {"BLK": {"count": 4}},
          "kernel": {"unroll": {"SHR.k": 2}, "emit": "serpentine B"}}})";

const char* const expected =
    R"({"mdh_config": 1, "program": "q", "sizes": {"I": 4}, "machine": "gpu",
 "layers": ["BLK", "SHR"], "split": {"d1": ["BLK 2", "SHR 2"], "d3": ["SHR 3"]},
 "order": ["BLK.d1", "SHR.d3", "SHR.d1"],
 "stage": {"in1": [{"from": "SHR.d3", "region": "SM", "layout": ["d3@SHR", "1", "d1"]}],
           "in2": [{"from": "f", "region": "RM"}]},
 "acc": {"out1": [{"inside": "SHR.d1", "region": "RM"}]},
 "phases": {"scalar": {"order": ["SHR.d1"], "split": {"d3": ["BLK 3"]}, "tags": {"SHR.d2": "y"}}},
 "tags": {"BLK.d1": "x"},
 "code": {"stage": {"in1": [{"copy_order": {"d3": 8, "2": 4}, "roll": "BLK.d1",
                           "prefetch": {"distance": 2, "level": "SHR.d3"}}]},
          "edge": {"d1": "overlap"}, "combine": {"BLK.d3": "team_tree"}, "cores": {"BLK": {"count": 4}},
          "kernel": {"unroll": {"SHR.d3": 2}, "emit": "serpentine in2"}}})";

TEST(RenamedConfig, has_new_names_everywhere) {
  const ll::Config config = renamed(ll::parse_config(given), to_positions());
  EXPECT_EQ(config, ll::parse_config(expected)) << print(config);
  EXPECT_EQ(renamed(config, reversed(to_positions())), ll::parse_config(given));
}

TEST(RenamedConfig, fused_dimensions_are_called_after_their_parts) {
  const ll::Config config = ll::parse_config(
      R"({"mdh_config": 1, "fuse": [["i", "j"], ["i_j", "k"]], "split": {"i_j_k": ["L1 2"]},)"
      R"( "order": ["L1.i_j_k"]})");
  const ll::Config there = renamed(config, to_positions());
  EXPECT_EQ(there,
            ll::parse_config(R"({"mdh_config": 1, "fuse": [["d1", "d2"], ["d1_d2", "d3"]],)"
                             R"( "split": {"d1_d2_d3": ["L1 2"]}, "order": ["L1.d1_d2_d3"]})"));
  EXPECT_EQ(renamed(there, reversed(to_positions())), config);
}

TEST(RenamedConfig, names_may_be_exchanged) {
  const ConfigNames exchange = {{{"i", "j"}, {"j", "i"}}, {{"A", "B"}, {"B", "A"}}};
  const ll::Config config = ll::parse_config(
      R"({"mdh_config": 1, "split": {"i": ["L1 2"], "j": ["L1 3"]}, "order": ["L1.i", "L1.j"],)"
      R"( "stage": {"A": [{"from": "L1.j", "region": "L1"}]}})");
  const ll::Config other = ll::parse_config(
      R"({"mdh_config": 1, "split": {"j": ["L1 2"], "i": ["L1 3"]}, "order": ["L1.j", "L1.i"],)"
      R"( "stage": {"B": [{"from": "L1.i", "region": "L1"}]}})");
  EXPECT_EQ(renamed(config, exchange), other);
}

}  // namespace
}  // namespace mdh::tuning::config_names_test
