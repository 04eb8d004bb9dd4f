#include "mdh/ll/code_json.h"

#include <gtest/gtest.h>

#include "mdh/ll/config.h"
#include "mdh/support/testing.h"

namespace mdh::ll::code_json_test {
namespace {

std::string with(const std::string& code) {
  return "{\"mdh_config\": 1,\n \"code\": {" + code + "}}";
}

Code read(const std::string& code) { return parse_config(with(code)).code; }

/// "line:column code message | hint" of an entry that must be refused.
std::string complaint(const std::string& code) {
  const Diagnostic d = diagnostic_of([&] { parse_config(with(code)); });
  return fmt::format("{}:{} {} {}{}", d.where.line, d.where.column, d.code, d.message,
                     d.hint.empty() ? "" : " | " + d.hint);
}

/// The text is what is printed for what it says.
void expect_kept(const std::string& text) {
  EXPECT_EQ(json_of(read(text)), JsonFields::json::parse("{" + text + "}")) << text;
}

TEST(CodeJson, defaults_are_not_written) {
  EXPECT_EQ(read(""), Code{});
  EXPECT_EQ(json_of(Code{}), JsonFields::json::object());
  EXPECT_EQ(read(R"("kernel": {}, "edge": {}, "combine": {}, "cores": {}, "stage": {})"), Code{});
  EXPECT_EQ(
      json_of(read(R"("kernel": {"emit": "program", "contract": "automatic", "store": "none"})")),
      JsonFields::json::object());
  EXPECT_EQ(json_of(read(R"("stage": {"A": [{"pad": 0, "depth": 1, "transport": "plain", "width": 0,
                                             "hint": "none", "opaque": false}]})")),
            JsonFields::json::parse(R"({"stage": {"A": [{}]}})"));
}

TEST(CodeJson, every_key_is_read_and_written) {
  for (const char* text :
       {R"("stage": {"A": [{"pad": 4}]})",
        R"("stage": {"A": [{"pad": 4, "line": 2}]})",
        R"("stage": {"A": [{"swizzle": 8}]})",
        R"("stage": {"A": [{"depth": 3}]})",
        R"("stage": {"A": [{"transport": "registers"}, {"transport": "async"}]})",
        R"("stage": {"A": [{"width": 16}]})",
        R"("stage": {"A": [{"copy_order": {"i": 2, "k": 8}}]})",
        R"("stage": {"A": [{"prefetch": {"distance": 16, "level": "L1.k"}}]})",
        R"("stage": {"A": [{"hint": "streaming"}, {"hint": "keep"}]})",
        R"("stage": {"A": [{"opaque": true}]})",
        R"("stage": {"A": [{}, {"roll": "L1.i"}]})",
        R"("stage": {"A": [{"depth": 2, "across": "L1.i"}]})",
        R"("edge": {"i": "clamp", "j": "pad", "k": "mask", "l": "overlap"})",
        R"("combine": {"COR.a": "shuffle", "COR.b": "team_tree", "COR.c": "partials_kernel",
                       "COR.d": "last_core", "COR.e": "cluster", "COR.f": "atomic"})",
        R"("cores": {"COR": {"count": 8}, "THR": {"deal": "cyclic"}, "WRP": {"deal": "dynamic"}})",
        R"("cores": {"BLK": {"swizzle": 8}})",
        R"("kernel": {"unroll": {"L1.i": 2, "L1.k": 4}})",
        R"("kernel": {"emit": "serpentine"})",
        R"("kernel": {"launch_bounds": [256, 2]})",
        R"("kernel": {"compiler": "clang"})",
        R"("kernel": {"flags": ["-O3", "-mavx2"]})",
        R"("kernel": {"store": "streaming"})",
        R"("kernel": {"start": "early"})",
        R"("kernel": {"contract": "off"})",
        R"("kernel": {"contract": "fast"})"}) {
    expect_kept(text);
  }
}

TEST(CodeJson, values_arrive_where_they_belong) {
  const Code code = read(
      R"("stage": {"A": [{"pad": 1, "depth": 2, "transport": "async", "width": 8,
          "copy_order": {"k": 4}, "prefetch": {"level": "L1.k"}, "hint": "keep", "opaque": true,
          "roll": "L1.i"}]}, "edge": {"i": "mask"}, "combine": {"COR.k": "atomic"},
         "cores": {"COR": {"count": 3, "deal": "dynamic"}},
         "kernel": {"unroll": {"L1.k": 5}, "emit": "serpentine", "launch_bounds": [6],
                    "compiler": "cc", "flags": ["-g"], "store": "keep", "contract": "fast"})");
  const StageCode& tile = code.stage.at("A")[0];
  EXPECT_EQ(tile.pad, 1);
  EXPECT_EQ(tile.depth, 2);
  EXPECT_EQ(tile.transport, Transport::async);
  EXPECT_EQ(tile.width, 8);
  EXPECT_EQ(tile.copy_order.at("k"), 4);
  EXPECT_EQ(tile.prefetch, (Prefetch{1, {"L1", "k"}}));
  EXPECT_EQ(tile.hint, Hint::keep);
  EXPECT_TRUE(tile.opaque);
  EXPECT_EQ(tile.roll, (LevelName{"L1", "i"}));
  EXPECT_EQ(code.edge.at("i"), Edge::mask);
  EXPECT_EQ(code.combine.at({"COR", "k"}), Combination::atomic);
  EXPECT_EQ(code.cores.at("COR"), (CoresCode{3, Deal::dynamic}));
  EXPECT_EQ(code.kernel.unroll.at({"L1", "k"}), 5);
  EXPECT_EQ(code.kernel.emit, "serpentine");
  EXPECT_EQ(code.kernel.launch_bounds, (std::vector<int64_t>{6}));
  EXPECT_EQ(code.kernel.compiler, "cc");
  EXPECT_EQ(code.kernel.flags, (std::vector<std::string>{"-g"}));
  EXPECT_EQ(code.kernel.store, Hint::keep);
  EXPECT_EQ(code.kernel.contract, Contract::fast);
}

TEST(CodeJson, code_survives_a_file) {
  Config c;
  c.code = read(R"("stage": {"A": [{}, {"prefetch": {"distance": 3, "level": "L1.k"}}]},
                   "combine": {"COR.k": "last_core"}, "kernel": {"unroll": {"L1.k": 5}})");
  EXPECT_EQ(parse_config(print(c)), c);
}

// ---- refusals

TEST(CodeJson, unknown_keys_are_refused_with_the_nearest_one) {
  EXPECT_EQ(complaint(R"("stages": {})"),
            "2:11 E314 \"stages\": unknown key | did you mean 'stage'?");
  EXPECT_EQ(complaint(R"("stage": {"A": [{"pads": 1}]})"),
            "2:28 E314 \"pads\": unknown key | did you mean 'pad'?");
  EXPECT_EQ(complaint(R"("kernel": {"flag": []})"),
            "2:22 E314 \"flag\": unknown key | did you mean 'flags'?");
  EXPECT_EQ(complaint(R"("cores": {"COR": {"counts": 1}})"),
            "2:29 E314 \"counts\": unknown key | did you mean 'count'?");
  EXPECT_EQ(complaint(R"("stage": {"A": [{"prefetch": {"level": "L1.k", "distances": 1}}]})"),
            "2:58 E314 \"distances\": unknown key | did you mean 'distance'?");
}

TEST(CodeJson, auto_is_what_is_not_written) {
  EXPECT_EQ(read(R"("edge": {"i": "auto"}, "combine": {"COR.k": "auto"})"), Code{});
  Code code;
  code.edge["i"] = Edge::automatic;
  code.combine[{"COR", "k"}] = Combination::automatic;
  EXPECT_EQ(print(code), print(Code{}));
}

TEST(CodeJson, choices_are_closed_lists) {
  EXPECT_EQ(complaint(R"("edge": {"i": "wrap"})"),
            "2:20 E318 \"i\": there is no choice 'wrap' | one of auto, clamp, pad, mask, "
            "overlap");
  EXPECT_EQ(complaint(R"("combine": {"COR.k": "tree"})"),
            "2:23 E318 \"COR.k\": there is no choice 'tree' | one of auto, shuffle, "
            "team_tree, partials_kernel, last_core, cluster, atomic, look_back");
  EXPECT_EQ(complaint(R"("stage": {"A": [{"transport": "dma"}]})"),
            "2:28 E318 \"transport\": there is no choice 'dma' | one of plain, registers, async");
  EXPECT_EQ(complaint(R"("stage": {"A": [{"hint": "often"}]})"),
            "2:28 E318 \"hint\": there is no choice 'often' | one of none, streaming, keep");
  EXPECT_EQ(complaint(R"("cores": {"COR": {"deal": "fair"}})"),
            "2:29 E318 \"deal\": there is no choice 'fair' | one of block, cyclic, dynamic");
  EXPECT_EQ(complaint(R"("kernel": {"contract": "on"})"),
            "2:22 E318 \"contract\": there is no choice 'on' | one of automatic, off, fast");
  EXPECT_EQ(complaint(R"("kernel": {"store": "fast"})").substr(0, 35),
            "2:22 E318 \"store\": there is no choi");
}

TEST(CodeJson, the_place_of_a_complaint_is_inside_of_its_entry) {
  const Diagnostic d = diagnostic_of([&] {
    parse_config(
        "{\"mdh_config\": 1, \"split\": {\"i\": [\"L1 2\"]},\n"
        " \"code\": {\"stage\": {\"A\": [{\"copy_order\": {\"i\": 2}}]},\n"
        "          \"edge\": {\"i\": \"wrap\"}}}");
  });
  EXPECT_EQ(d.where.line, 3);
  EXPECT_EQ(d.where.column, 20);
}

TEST(CodeJson, levels_are_layer_dot_dimension) {
  const std::string rest = " | write LAYER.dimension, such as \"L1.k\"";
  EXPECT_EQ(complaint(R"("combine": {"COR": "atomic"})"),
            "2:11 E317 \"combine\": cannot read the level \"COR\"" + rest);
  EXPECT_EQ(complaint(R"("kernel": {"unroll": {"L1.": 2}})"),
            "2:22 E317 \"unroll\": cannot read the level \"L1.\"" + rest);
  EXPECT_EQ(complaint(R"("stage": {"A": [{"roll": "f"}]})"),
            "2:28 E317 \"roll\": cannot read the level \"f\"" + rest);
  EXPECT_EQ(complaint(R"("stage": {"A": [{"prefetch": {"level": "k"}}]})"),
            "2:41 E317 \"level\": cannot read the level \"k\"" + rest);
}

TEST(CodeJson, wrong_kinds_are_refused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("stage": [])", "\"stage\": expected an object, got []"},
      {R"("stage": {"A": {}})", "\"A\": expected a list, got {}"},
      {R"("stage": {"A": [1]})", "\"A\": expected an object, got 1"},
      {R"("stage": {"A": [{"pad": "1"}]})", "\"pad\": expected an integer, got \"1\""},
      {R"("stage": {"A": [{"depth": 1.5}]})", "\"depth\": expected an integer, got 1.5"},
      {R"("stage": {"A": [{"width": null}]})", "\"width\": expected an integer, got null"},
      {R"("stage": {"A": [{"opaque": 1}]})", "\"opaque\": expected true or false, got 1"},
      {R"("stage": {"A": [{"transport": 1}]})", "\"transport\": expected a text, got 1"},
      {R"("stage": {"A": [{"roll": 1}]})", "\"roll\": expected a text, got 1"},
      {R"("stage": {"A": [{"copy_order": []}]})", "\"copy_order\": expected an object, got []"},
      {R"("stage": {"A": [{"copy_order": {"k": []}}]})", "\"k\": expected an integer, got []"},
      {R"("stage": {"A": [{"prefetch": 1}]})", "\"prefetch\": expected an object, got 1"},
      {R"("stage": {"A": [{"prefetch": {"distance": 2}}]})", "\"prefetch\": the level is missing"},
      {R"("edge": {"i": 1})", "\"i\": expected a text, got 1"},
      {R"("cores": {"COR": 8})", "\"COR\": expected an object, got 8"},
      {R"("cores": {"COR": {"count": "8"}})", "\"count\": expected an integer, got \"8\""},
      {R"("kernel": 1)", "\"kernel\": expected an object, got 1"},
      {R"("kernel": {"unroll": [1]})", "\"unroll\": expected an object, got [1]"},
      {R"("kernel": {"emit": 1})", "\"emit\": expected a text, got 1"},
      {R"("kernel": {"compiler": []})", "\"compiler\": expected a text, got []"},
      {R"("kernel": {"flags": "-O3"})", "\"flags\": expected a list, got \"-O3\""},
      {R"("kernel": {"launch_bounds": 64})", "\"launch_bounds\": expected a list, got 64"},
      {R"("kernel": {"launch_bounds": ["64"]})",
       "\"launch_bounds\": expected an integer, got \"64\""}};
  for (const auto& [text, expected] : cases) {
    const std::string found = complaint(text);
    const size_t begin = found.find(' ') + 1, end = found.find(" | ");
    EXPECT_EQ(found.substr(begin, end - begin), "E315 " + expected) << text;
    EXPECT_NE(end, std::string::npos) << "no hint: " << found;
  }
}

}  // namespace
}  // namespace mdh::ll::code_json_test
