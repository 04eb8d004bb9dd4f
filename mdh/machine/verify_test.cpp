#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "mdh/machine/machine.h"
#include "mdh/support/testing.h"

namespace mdh::machine::verify_test {
namespace {

/// "code message | hint" about a CUDA machine that was changed.
std::string complaint(const std::function<void(Machine&)>& change) {
  Machine m = find_machine("cuda");
  change(m);
  const Diagnostic d = diagnostic_of([&] { verify(m); });
  EXPECT_FALSE(d.where.known());
  return fmt::format("{} {} | {}", d.code, d.message, d.hint);
}

/// The same for a rule that is added.
std::string complaint_about(const Constraint& rule) {
  return complaint([&](Machine& m) { m.constraints.push_back(rule); });
}

TEST(VerifyMachine, accepts_what_is_whole) {
  EXPECT_NO_THROW(verify(Machine{.name = "least",
                                 .layers = {{.name = "M", .region = "M"},
                                            {.name = "C", .kind = LayerKind::cores, .region = "M"}},
                                 .regions = {{.name = "M"}}}));
}

TEST(VerifyMachine, names_are_used_once) {
  const std::string hint = " | names and aliases are used once";
  EXPECT_EQ(complaint([](Machine& m) { m.layers[1].name = "DM"; }),
            "E302 machine 'cuda': two layers are called 'DM'" + hint);
  EXPECT_EQ(complaint([](Machine& m) { m.layers[1].name = "DEV"; }),
            "E302 machine 'cuda': two layers are called 'DEV'" + hint);
  EXPECT_EQ(complaint([](Machine& m) { m.layers[3].aliases = {"CC"}; }),
            "E302 machine 'cuda': two layers are called 'CC'" + hint);
  EXPECT_EQ(complaint([](Machine& m) {
              m.layers[3].aliases = {"A", "A"};
            }),
            "E302 machine 'cuda': two layers are called 'A'" + hint);
  EXPECT_EQ(complaint([](Machine& m) { m.regions[1].aliases = {"RM"}; }),
            "E302 machine 'cuda': two regions are called 'RM'" + hint);
}

TEST(VerifyMachine, a_layer_names_a_region_that_exists) {
  EXPECT_EQ(complaint([](Machine& m) { m.layers[4].region = "SMM"; }),
            "E303 machine 'cuda': layer 'CC': there is no region 'SMM' | did you mean 'SM'?");
  EXPECT_EQ(complaint([](Machine& m) {
              m.regions[1].aliases = {"shared"};
              m.layers[4].region = "shared";
            }),
            "E303 machine 'cuda': layer 'CC': 'shared' is only an alias of region 'SM' | write "
            "'SM'");
}

TEST(VerifyMachine, an_owner_is_a_layer_of_cores) {
  EXPECT_EQ(
      complaint([](Machine& m) { m.regions[1].owner = "DM"; }),
      "E304 machine 'cuda': region 'SM': 'DM' is not a layer of cores | layers of cores: SMX, "
      "CC");
  EXPECT_EQ(complaint([](Machine& m) { m.regions[1].owner = "SNX"; }),
            "E303 machine 'cuda': region 'SM': there is no layer 'SNX' | did you mean 'SMX'?");
  EXPECT_EQ(complaint([](Machine& m) { m.regions[1].owner = "BLK"; }),
            "E303 machine 'cuda': region 'SM': 'BLK' is only an alias of layer 'SMX' | write "
            "'SMX'");
}

TEST(VerifyMachine, all_cores_see_the_first_region) {
  EXPECT_EQ(complaint([](Machine& m) { m.regions[0].owner = "SMX"; }),
            "E304 machine 'cuda': the first region, 'DM', has an owner | the first region holds "
            "the user's buffers, which all cores see");
}

TEST(VerifyMachine, facts_of_a_layer_fit_its_kind) {
  EXPECT_EQ(complaint([](Machine& m) { m.layers[1].lanes = true; }),
            "E304 machine 'cuda': layer 'SM' has lanes, but is not replicated | lanes are parts of "
            "one core");
  const std::string hint = " | only layers of kind cores wait for one another and are counted";
  EXPECT_EQ(complaint([](Machine& m) { m.layers[1].barrier = true; }),
            "E304 machine 'cuda': layer 'SM' has a barrier, but no cores" + hint);
  EXPECT_EQ(complaint([](Machine& m) { m.layers[1].count = 8; }),
            "E304 machine 'cuda': layer 'SM' has a count, but no cores" + hint);
}

TEST(VerifyMachine, memory_layers_stand_before_core_layers) {
  EXPECT_EQ(complaint([](Machine& m) { std::swap(m.layers[2], m.layers[3]); }),
            "E304 machine 'cuda': layer 'RM' is a loop, but stands behind the cores 'SMX' | list "
            "memory layers first, then layers of cores");
}

TEST(VerifyMachine, there_are_layers_of_both_sorts_and_regions) {
  EXPECT_EQ(complaint([](Machine& m) { m.layers.clear(); }),
            "E306 machine 'cuda': there is no layer | describe at least one");
  EXPECT_EQ(complaint([](Machine& m) { m.regions.clear(); }),
            "E306 machine 'cuda': there is no region | describe at least one");
  const std::string hint = " | a machine has at least one memory and one layer of cores";
  EXPECT_EQ(complaint([](Machine& m) { m.layers.resize(3); }),
            "E306 machine 'cuda': there is no layer of kind cores" + hint);
  EXPECT_EQ(complaint([](Machine& m) { m.layers.erase(m.layers.begin(), m.layers.begin() + 3); }),
            "E306 machine 'cuda': there is no layer of kind loop" + hint);
}

TEST(VerifyMachine, names_are_words) {
  const std::string hint =
      " | names are made of letters, digits and _, and do not begin with a digit";
  EXPECT_EQ(complaint([](Machine& m) { m.layers[0].name = ""; }),
            "E306 machine 'cuda': a layer has no name" + hint);
  EXPECT_EQ(complaint([](Machine& m) { m.layers[0].aliases = {"L.1"}; }),
            "E306 machine 'cuda': a layer has the name 'L.1', which is not a word" + hint);
  EXPECT_EQ(complaint([](Machine& m) { m.regions[0].name = "1st"; }),
            "E306 machine 'cuda': a region has the name '1st', which is not a word" + hint);
  EXPECT_EQ(complaint([](Machine& m) { m.name = "my machine"; }),
            "E306 machine 'my machine': the machine has the name 'my machine', which is not a "
            "word" +
                hint);
}

TEST(VerifyMachine, numbers_are_positive) {
  EXPECT_EQ(complaint([](Machine& m) { m.layers[3].count = 0; }),
            "E305 machine 'cuda': the cores of layer 'SMX' are 0 | write 1 or more, or leave it "
            "out");
  EXPECT_EQ(complaint([](Machine& m) { m.regions[1].capacity = -1; }),
            "E305 machine 'cuda': the bytes of region 'SM' are -1 | write 1 or more, or leave it "
            "out");
  EXPECT_EQ(complaint([](Machine& m) { m.vectors.bytes = -16; }),
            "E305 machine 'cuda': the bytes of a vector are -16 | write 0 or more, or leave it "
            "out");
  EXPECT_EQ(complaint([](Machine& m) { m.vectors.registers = -1; }),
            "E305 machine 'cuda': the vector registers are -1 | write 0 or more, or leave it out");
}

TEST(VerifyMachine, rules_name_what_exists) {
  EXPECT_EQ(complaint_about(PartsAtMost{{"CC", "THR"}, 8, ""}),
            "E303 machine 'cuda': the parts on CC times THR are at most 8: 'THR' is only an alias "
            "of layer 'CC' | write 'CC'");
  EXPECT_EQ(complaint_about(PartsEqual{{"WRP"}, 8}),
            "E303 machine 'cuda': the parts on WRP are 8 or 1: there is no layer 'WRP' | known: "
            "DM, SM, RM, SMX, CC");
  EXPECT_EQ(complaint_about(CombinesIn{"SMX", {"DM", "DEV"}}),
            "E303 machine 'cuda': SMX combines in DM or DEV: there is no region 'DEV' | known: "
            "DM, SM, RM");
  EXPECT_EQ(complaint_about(BytesAtMost{"L1", 8}),
            "E303 machine 'cuda': region L1 holds 8 bytes: there is no region 'L1' | known: DM, "
            "SM, RM");
  EXPECT_EQ(complaint_about(NotSharedBy{"DM", "SMXX"}),
            "E303 machine 'cuda': region DM is not shared by the cores of SMXX: there is no layer "
            "'SMXX' | did you mean 'SMX'?");
}

TEST(VerifyMachine, rules_about_cores_name_cores) {
  const std::string hint = " is not a layer of cores | layers of cores: SMX, CC";
  EXPECT_EQ(complaint_about(CombinesIn{"DM", {"DM"}}),
            "E304 machine 'cuda': DM combines in DM: 'DM'" + hint);
  EXPECT_EQ(complaint_about(NotSharedBy{"DM", "RM"}),
            "E304 machine 'cuda': region DM is not shared by the cores of RM: 'RM'" + hint);
}

TEST(VerifyMachine, rules_can_be_kept) {
  const std::string hint = " cannot be kept | limits are 1 or more";
  EXPECT_EQ(complaint_about(PartsAtMost{{"CC"}, 0, ""}),
            "E305 machine 'cuda': 'the parts on CC are at most 0'" + hint);
  EXPECT_EQ(complaint_about(PartsEqual{{"CC"}, -1}),
            "E305 machine 'cuda': 'the parts on CC are -1 or 1'" + hint);
  EXPECT_EQ(complaint_about(BytesAtMost{"SM", 0}),
            "E305 machine 'cuda': 'region SM holds 0 bytes'" + hint);
  EXPECT_EQ(complaint_about(PartsAtMost{{"CC"}, 1, "w"}),
            "E305 machine 'cuda': 'the parts on CC in w are at most 1': there is no axis 'w' | "
            "axes: x, y, z");
  EXPECT_EQ(complaint_about(PartsEqual{{}, 1}),
            "E306 machine 'cuda': a rule about parts names no layer | list at least one");
  EXPECT_EQ(complaint_about(CombinesIn{"SMX", {}}),
            "E306 machine 'cuda': 'SMX' combines nowhere | list at least one region");
}

}  // namespace
}  // namespace mdh::machine::verify_test
