#include "mdh/ll/diff.h"

#include <gtest/gtest.h>

#include "mdh/ll/test_configs.h"

namespace mdh::ll::diff_test {
namespace {

using Differences = std::vector<Difference>;

Config base() {
  return config(R"("layers": ["COR", "L1"], "split": {"i": ["COR 2", "L1 3"]},
    "order": ["COR.i", "L1.i"],
    "stage": {"A": [{"from": "L1.i", "region": "L1", "layout": ["1", "2"]}]})");
}

TEST(Diff, of_equal_configurations_is_empty) { EXPECT_EQ(diff(base(), base()), Differences{}); }

TEST(Diff, names_every_parameter_that_differs) {
  Config other = base();
  other.split["i"][1].parts = 4;
  std::swap(other.order[0], other.order[1]);
  other.stage["A"][0].layout = {{"2", ""}, {"1", ""}};
  EXPECT_EQ(diff(base(), other), (Differences{{"split.i", "COR 2, L1 3", "COR 2, L1 4"},
                                              {"order", "COR.i, L1.i", "L1.i, COR.i"},
                                              {"stage.A[0].layout", "1, 2", "2, 1"}}));
}

TEST(Diff, what_one_side_does_not_say_is_a_dash) {
  Config other = base();
  other.stage["A"].push_back({{"f", ""}, "REG", {}});
  other.code.kernel.flags = {"-O3", "-g"};
  other.sizes["I"] = 6;
  const Differences differences = {{"sizes.I", "-", "6"},
                                   {"stage.A[1].from", "-", "f"},
                                   {"stage.A[1].region", "-", "REG"},
                                   {"code.kernel.flags", "-", "-O3, -g"}};
  Differences found = diff(base(), other);
  std::sort(found.begin(), found.end(),
            [](const Difference& a, const Difference& b) { return a.parameter < b.parameter; });
  Differences expected = differences;
  std::sort(expected.begin(), expected.end(),
            [](const Difference& a, const Difference& b) { return a.parameter < b.parameter; });
  EXPECT_EQ(found, expected);
}

TEST(Diff, is_printed_in_columns) {
  EXPECT_EQ(print(Differences{{"split.i", "COR 2", "COR 16"}, {"order", "-", "L1.i"}}, "a.json",
                  "b.json"),
            "parameter  a.json  b.json\n"
            "split.i    COR 2   COR 16\n"
            "order      -       L1.i\n");
}

}  // namespace
}  // namespace mdh::ll::diff_test
