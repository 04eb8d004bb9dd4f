#include <gtest/gtest.h>

#include "mdh/ll/config.h"
#include "mdh/ll/test_programs.h"

namespace mdh::ll::config_json_test {
namespace {

/// The MatVec configuration of the paper's low-level figure.
const char* const paper_text =
    R"({"mdh_config": 1, "program": "matvec", "sizes": {"I": 512, "K": 4096}, "types": {"T": "f32"}, "machine": "artificial",
 "layers": ["HM", "COR", "L1"],
 "split": {"i": ["HM 2", "COR 8", "L1 32"], "k": ["HM 4", "COR 16", "L1 64"]},
 "order": ["HM.i", "HM.k", "COR.i", "COR.k", "L1.i", "L1.k"]}
)";

Config paper_config() {
  return {
      .program = "matvec",
      .sizes = {{"I", 512}, {"K", 4096}},
      .types = {{"T", "f32"}},
      .machine = "artificial",
      .layers = {"HM", "COR", "L1"},
      .split = {{"i", {{"HM", 2}, {"COR", 8}, {"L1", 32}}},
                {"k", {{"HM", 4}, {"COR", 16}, {"L1", 64}}}},
      .order = {{"HM", "i"}, {"HM", "k"}, {"COR", "i"}, {"COR", "k"}, {"L1", "i"}, {"L1", "k"}}};
}

/// "file:line:column code message | hint" of a text that must be refused.
std::string complaint(const std::string& text) {
  const Diagnostic d = diagnostic_of([&] { parse_config(text, "c.json"); });
  return fmt::format("{} {} {}{}", to_string(d.where), d.code, d.message,
                     d.hint.empty() ? "" : " | " + d.hint);
}

/// The same without its hint.
std::string refusal(const std::string& text) {
  const std::string whole = complaint(text);
  return whole.substr(0, whole.find(" | "));
}

/// Keys after the version, on a line of their own.
std::string with(const std::string& keys) { return "{\"mdh_config\": 1,\n " + keys + "}"; }

TEST(ConfigJson, the_matvec_configuration_of_the_paper_parses) {
  EXPECT_EQ(parse_config(paper_text), paper_config());
}

TEST(ConfigJson, is_printed_one_line_per_subject) { EXPECT_EQ(print(paper_config()), paper_text); }

TEST(ConfigJson, only_the_version_is_needed) {
  EXPECT_EQ(parse_config("{\"mdh_config\": 1}"), Config{});
  EXPECT_EQ(parse_config(print(Config{})), Config{});
}

TEST(ConfigJson, every_field_takes_part_in_comparison_and_printing) {
  std::vector<Config> changed(16, paper_config());
  changed[0].program = "matmul";
  changed[1].sizes["I"] = 511;
  changed[2].types["T"] = "f64";
  changed[3].machine = "cpu";
  std::swap(changed[4].layers[0], changed[4].layers[1]);
  changed[5].split["k"][2].parts = 65;
  changed[6].split["k"][2].layer = "HM";
  std::swap(changed[7].order[0], changed[7].order[1]);
  changed[8].fuse = {{"i", "k"}, {}};
  changed[9].stage["v"] = {{{"L1", "i"}, "L1", {}}, {{"f", ""}, "L1", {{"k", "L1"}, {"1", ""}}}};
  changed[10].acc["w"] = {{{"L1", "i"}, "L1", {}}};
  changed[11].phases["scalar"].order = {{"L1", "i"}};
  changed[12].phases["recomposition"].split["k"] = {{"HM", 2}};
  changed[13].phases["decomposition"].tags["L1.k"] = "z";
  changed[14].tags["COR.i"] = "y";
  changed[15].split["k"][2].parts = open_parts;
  for (const Config& c : changed) {
    EXPECT_FALSE(c == paper_config());
    EXPECT_NE(print(c), paper_text);
    EXPECT_TRUE(parse_config(print(c)) == c);
  }
}

TEST(ConfigJson, names_with_quotes_and_line_breaks_survive) {
  Config c = paper_config();
  c.program = "a \"quoted\"\nname\\";
  c.sizes = {{"\"", -1}, {"", INT64_MAX}, {"\t", INT64_MIN}};
  EXPECT_EQ(parse_config(print(c)), c);
}

std::string random_name(Random& random) {
  return random.pick(std::vector<std::string>{"L1", "HM", "COR", "i", "k", "REG", "SIMD", "x_1"});
}

Config random_config(Random& random) {
  Config c{.program = random_name(random), .machine = random_name(random)};
  for (int64_t n = random.between(0, 4); n > 0; --n) {
    c.sizes[random_name(random)] = random.between(-5, int64_t{1} << 40);
    c.types[random_name(random)] = random_name(random);
    c.layers.push_back(random_name(random));
    c.order.push_back({random_name(random), random_name(random)});
    // A dimension without digits is kept as such.
    std::vector<Digit>& digits = c.split[random_name(random)];
    for (int64_t m = random.between(0, 3); m > 0; --m) {
      digits.push_back({random_name(random), random.between(-2, int64_t{1} << 50)});
    }
  }
  return c;
}

TEST(ConfigJson, random_configurations_are_printed_and_parsed_back) {
  Random random(71);
  for (int n = 0; n < 300; ++n) {
    const Config c = random_config(random);
    ASSERT_TRUE(parse_config(print(c)) == c) << print(c);
  }
}

TEST(ConfigJson, every_entry_is_printed_on_its_line) {
  const char* const text =
      R"({"mdh_config": 1, "program": "p", "sizes": {}, "types": {}, "machine": "cpu",
 "fuse": [["s", "c"]],
 "layers": ["COR", "L1"],
 "split": {"i": ["COR *", "L1 8"]},
 "order": ["COR.i", "L1.i"],
 "stage": {"A": [{"from": "L1.i", "region": "L1", "layout": ["i@L1", "2"]}, {"from": "f", "region": "REG"}]},
 "acc": {"C": [{"inside": "L1.i", "region": "REG"}]},
 "phases": {"recomposition": {"order": ["L1.i", "COR.i"], "split": {"i": ["L1 *", "COR 8"]}, "tags": {"L1.i": "y"}}},
 "tags": {"COR.i": "x"},
 "code": {"kernel": {"flags": ["-O3"]}}}
)";
  const Config c = parse_config(text);
  EXPECT_EQ(print(c), text);
  EXPECT_EQ(c.fuse, (std::vector<std::vector<std::string>>{{"s", "c"}}));
  EXPECT_EQ(c.split.at("i")[0].parts, open_parts);
  EXPECT_EQ(c.stage.at("A")[0].layout, (std::vector<LayoutAxis>{{"i", "L1"}, {"2", ""}}));
  EXPECT_EQ(c.stage.at("A")[1].from, (LevelName{"f", ""}));
  EXPECT_EQ(c.acc.at("C")[0].from, (LevelName{"L1", "i"}));
  EXPECT_EQ(c.phases.at("recomposition").tags.at("L1.i"), "y");
  EXPECT_EQ(c.tags.at("COR.i"), "x");
}

// ---- refusals

TEST(ConfigJson, a_key_that_occurs_twice_is_refused) {
  EXPECT_EQ(complaint("{\"mdh_config\": 1, \"order\": [],\n \"tags\": {}, \"order\": []}"),
            "c.json:1:19 E310 \"order\": the key occurs twice in one object");
  EXPECT_EQ(complaint(with("\"split\": {\"i\": [], \"i\": []}")).substr(0, 22),
            "c.json:2:12 E310 \"i\": ");
  EXPECT_NO_THROW(parse_config(with("\"split\": {\"i\": []}, \"stage\": {\"i\": []}")));
}

TEST(ConfigJson, tiles_say_where_they_begin_and_where_they_lie) {
  EXPECT_EQ(complaint(with("\"stage\": {\"A\": [{\"region\": \"L1\"}]}")),
            "c.json:2:12 E315 \"A\": \"from\" is missing | write {\"from\": \"L1.k\", \"region\": "
            "\"L1\"}");
  EXPECT_EQ(
      complaint(with("\"acc\": {\"C\": [{\"inside\": \"L1.k\"}]}")),
      "c.json:2:10 E315 \"C\": \"region\" is missing | write {\"inside\": \"L1.k\", \"region\": "
      "\"L1\"}");
  EXPECT_EQ(
      complaint(with("\"acc\": {\"C\": [{\"from\": \"L1.k\", \"region\": \"L1\"}]}")).substr(0, 46),
      "c.json:2:17 E314 \"from\": unknown key | known: ");
  EXPECT_EQ(
      complaint(with("\"stage\": {\"A\": [{\"from\": \"g\", \"region\": \"L1\"}]}")),
      "c.json:2:19 E317 \"from\": cannot read the level \"g\" | write LAYER.dimension, such as "
      "\"L1.k\"");
}

TEST(ConfigJson, wrong_kinds_in_places_and_phases_are_refused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\"fuse\": \"i\"", "2:2 E315 \"fuse\": expected a list, got \"i\""},
      {"\"fuse\": [\"i\"]", "2:2 E315 \"fuse\": expected a list, got \"i\""},
      {"\"stage\": []", "2:2 E315 \"stage\": expected an object, got []"},
      {"\"stage\": {\"A\": {}}", "2:12 E315 \"A\": expected a list, got {}"},
      {"\"stage\": {\"A\": [1]}", "2:12 E315 \"A\": expected an object, got 1"},
      {"\"stage\": {\"A\": [{\"from\": 1, \"region\": \"L1\"}]}",
       "2:19 E315 \"from\": expected a text, got 1"},
      {"\"stage\": {\"A\": [{\"from\": \"f\", \"region\": 1}]}",
       "2:32 E315 \"region\": expected a text, got 1"},
      {"\"stage\": {\"A\": [{\"from\": \"f\", \"region\": \"L1\", \"layout\": \"i\"}]}",
       "2:48 E315 \"layout\": expected a list, got \"i\""},
      {"\"phases\": {\"scalars\": {}}", "2:13 E314 \"scalars\": unknown key"},
      {"\"phases\": {\"scalar\": []}", "2:13 E315 \"scalar\": expected an object, got []"},
      {"\"phases\": {\"scalar\": {\"orders\": []}}", "2:24 E314 \"orders\": unknown key"},
      {"\"tags\": {\"L1.k\": 1}", "2:11 E315 \"L1.k\": expected a text, got 1"},
      {"\"code\": []", "2:2 E315 \"code\": expected an object, got []"}};
  for (const auto& [keys, expected] : cases) {
    EXPECT_EQ(refusal(with(keys)), "c.json:" + expected);
  }
}

TEST(ConfigJson, keys_in_phases_have_their_nearest_names) {
  EXPECT_EQ(complaint(with("\"phases\": {\"scalars\": {}}")),
            "c.json:2:13 E314 \"scalars\": unknown key | did you mean 'scalar'?");
  EXPECT_EQ(complaint(with("\"phases\": {\"scalar\": {\"orders\": []}}")),
            "c.json:2:24 E314 \"orders\": unknown key | did you mean 'order'?");
}

/// All of them say what to write instead.
TEST(ConfigJson, wrong_kinds_come_with_hints) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\"program\": 1", "texts are in quotes"},
      {"\"layers\": \"L1\"", "lists are in brackets: [ ]"},
      {"\"fuse\": \"i\"", "lists are in brackets: [ ]"},
      {"\"sizes\": []", "such as {\"I\": 512}"},
      {"\"sizes\": {\"I\": \"5\"}", "integers have up to 64 bits and no quotes"},
      {"\"stage\": []", "such as {\"name\": value}"},
      {"\"code\": {\"combine\": \"last_core\"}", "such as {\"COR.k\": \"team_tree\"}"},
      {"\"code\": {\"stage\": {\"A\": [{\"opaque\": 1}]}}", "without quotes"}};
  for (const auto& [keys, hint] : cases) {
    const std::string whole = complaint(with(keys));
    EXPECT_EQ(whole.substr(whole.find(" | ") + 3), hint) << whole;
  }
}

TEST(ConfigJson, what_is_not_json_is_refused_at_its_line_and_column) {
  const std::string missing_comma = complaint("{\"mdh_config\": 1\n \"program\": \"p\"}");
  EXPECT_EQ(missing_comma.rfind("c.json:2:10 E310 this is not JSON: syntax error", 0), 0u)
      << missing_comma;
  const std::string bare = complaint("{\n  \"machine\": cpu}");
  EXPECT_EQ(bare.rfind("c.json:2:14 E310 this is not JSON: syntax error", 0), 0u) << bare;
}

TEST(ConfigJson, a_text_that_ends_too_early_is_refused_at_its_end) {
  const std::string open = complaint("{\"mdh_config\": 1,\n \"layers\": [\"L1\"");
  EXPECT_EQ(open.rfind("c.json:2:17 E310 this is not JSON: syntax error", 0), 0u) << open;
  EXPECT_EQ(complaint("").rfind("c.json:1:1 E310 this is not JSON: ", 0), 0u) << complaint("");
}

TEST(ConfigJson, a_number_that_fits_no_type_is_refused) {
  EXPECT_EQ(complaint(with("\"sizes\": {\"I\": 1e999}")),
            "c.json:1:1 E310 this is not JSON: number overflow parsing '1e999'");
}

TEST(ConfigJson, another_document_than_an_object_is_refused) {
  for (const char* text : {"[]", "1", "\"mdh_config\"", "null"}) {
    EXPECT_EQ(complaint(text), "c.json:1:1 E311 a configuration is a JSON object") << text;
  }
}

TEST(ConfigJson, deeply_nested_document_is_refused) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_EQ(complaint("{\"mdh_config\": 1, \"layers\": " + deep + "}"),
            "c.json:1:1 E311 a configuration is not nested that deeply");
}

TEST(ConfigJson, another_version_is_refused) {
  EXPECT_EQ(complaint("{}"), "c.json:1:1 E312 \"mdh_config\": expected version 1");
  EXPECT_EQ(complaint("{\n \"mdh_config\": 2}"),
            "c.json:2:2 E312 \"mdh_config\": expected version 1");
  EXPECT_EQ(complaint("{\"mdh_config\": \"1\"}"),
            "c.json:1:2 E312 \"mdh_config\": expected version 1");
}

TEST(ConfigJson, an_unknown_key_is_refused_with_the_nearest_one) {
  EXPECT_EQ(complaint(with("\"splits\": {}")),
            "c.json:2:2 E314 \"splits\": unknown key | did you mean 'split'?");
  EXPECT_EQ(complaint(with("\"machine\": \"cpu\", \"oder\": []")),
            "c.json:2:20 E314 \"oder\": unknown key | did you mean 'order'?");
  EXPECT_EQ(complaint(with("\"zzzzz\": {}")),
            "c.json:2:2 E314 \"zzzzz\": unknown key | known: mdh_config, program, sizes, types, "
            "machine, fuse, layers, split, order, stage, acc, phases, tags, code");
}

TEST(ConfigJson, an_unknown_key_is_refused_even_if_empty) {
  EXPECT_EQ(complaint(with("\"stages\": {}")).rfind("c.json:2:2 E314 \"stages\": unknown key", 0),
            0u);
}

TEST(ConfigJson, the_place_of_a_complaint_is_the_key_and_not_an_equal_text) {
  EXPECT_EQ(refusal("{\"mdh_config\": 1, \"program\": \"order\",\n \"order\" : 1}"),
            "c.json:2:2 E315 \"order\": expected a list, got 1");
}

TEST(ConfigJson, the_place_of_a_complaint_is_inside_of_its_entry) {
  EXPECT_EQ(refusal("{\"mdh_config\": 1, \"sizes\": {\"I\": 5},\n \"types\": {\"I\": 5}}"),
            "c.json:2:12 E315 \"I\": expected a text, got 5");
}

TEST(ConfigJson, wrong_kinds_are_refused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\"program\": 1", "2:2 E315 \"program\": expected a text, got 1"},
      {"\"machine\": [\"cpu\"]", "2:2 E315 \"machine\": expected a text, got [\"cpu\"]"},
      {"\"layers\": \"L1\"", "2:2 E315 \"layers\": expected a list, got \"L1\""},
      {"\"layers\": [1]", "2:2 E315 \"layers\": expected a text, got 1"},
      {"\"sizes\": []", "2:2 E315 \"sizes\": expected an object, got []"},
      {"\"sizes\": {\"I\": \"5\"}", "2:12 E315 \"I\": expected an integer, got \"5\""},
      {"\"sizes\": {\"I\": 5.5}", "2:12 E315 \"I\": expected an integer, got 5.5"},
      {"\"sizes\": {\"I\": 9223372036854775808}",
       "2:12 E315 \"I\": expected an integer, got 9223372036854775808"},
      {"\"types\": null", "2:2 E315 \"types\": expected an object, got null"},
      {"\"types\": {\"T\": 32}", "2:12 E315 \"T\": expected a text, got 32"},
      {"\"split\": [\"L1 2\"]", "2:2 E315 \"split\": expected an object, got [\"L1 2\"]"},
      {"\"split\": {\"i\": \"L1 2\"}", "2:12 E315 \"i\": expected a list, got \"L1 2\""},
      {"\"split\": {\"i\": [2]}", "2:12 E315 \"i\": expected a text, got 2"},
      {"\"order\": {\"L1\": \"i\"}", "2:2 E315 \"order\": expected a list, got {\"L1\":\"i\"}"},
      {"\"order\": [[]]", "2:2 E315 \"order\": expected a text, got []"}};
  for (const auto& [keys, expected] : cases) {
    EXPECT_EQ(refusal(with(keys)), "c.json:" + expected);
  }
}

TEST(ConfigJson, a_malformed_digit_is_refused_with_an_example) {
  for (const char* digit : {"", "L1", "L1 ", "L1 x", "L1 2.5", "L1 2 3", "L1  2", " 2", "2",
                            "L1 9223372036854775808", "L1:2"}) {
    EXPECT_EQ(complaint(with(fmt::format("\"split\": {{\"k\": [\"HM 2\", \"{}\"]}}", digit))),
              fmt::format("c.json:2:12 E316 \"k\": cannot read the digit \"{}\" | write a layer "
                          "and a number of parts, such as \"L1 32\"",
                          digit));
  }
}

TEST(ConfigJson, a_malformed_level_is_refused_with_an_example) {
  for (const char* level : {"", "L1", "L1.", ".k", ".", "L1.k.j", "L1 k"}) {
    EXPECT_EQ(complaint(with(fmt::format("\"order\": [\"HM.i\", \"{}\"]", level))),
              fmt::format("c.json:2:2 E317 \"order\": cannot read the level \"{}\" | write "
                          "LAYER.dimension, such as \"L1.k\"",
                          level));
  }
}

}  // namespace
}  // namespace mdh::ll::config_json_test
