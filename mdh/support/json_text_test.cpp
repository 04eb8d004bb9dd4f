#include "mdh/support/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "mdh/support/testing.h"

namespace mdh::json_text_test {
namespace {

using Path = std::vector<std::string>;

std::string place(const std::string& text, const Path& path) {
  return to_string(JsonText(text, "f.json").place_of(path));
}

TEST(JsonText, is_read_into_a_document) {
  EXPECT_EQ(JsonText("{\"a\": [1]}", "f.json").document("E310").at("a").at(0), 1);
}

TEST(JsonText, what_is_not_json_is_refused_where_reading_stopped) {
  const Diagnostic d = diagnostic_of([] { JsonText("{\n \"a\": b}", "f.json").document("E310"); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E310");
  EXPECT_EQ(to_string(d.where), "f.json:2:7");
  EXPECT_EQ(d.message.rfind("this is not JSON: ", 0), 0u) << d.message;
}

TEST(JsonText, places_are_lines_and_columns) {
  const JsonText text("a\nbc\n", "f.json");
  EXPECT_EQ(to_string(text.place(0)), "f.json:1:1");
  EXPECT_EQ(to_string(text.place(3)), "f.json:2:2");
  EXPECT_EQ(to_string(text.place(99)), "f.json:3:1") << "the end";
}

TEST(JsonText, a_key_is_not_a_value_that_reads_the_same) {
  const JsonText text("{\"a\": \"b\",\n \"b\" : 1}", "f.json");
  EXPECT_EQ(to_string(text.place_of_key("b")), "f.json:2:2");
  EXPECT_EQ(to_string(text.place_of_key("c")), "f.json:1:1");
}

TEST(JsonText, a_path_leads_to_a_key_or_an_element) {
  const std::string text = R"(
{"a": {"b": [1, "]},", {"c": null, "d\"": [[], {}]}]},
 "b": -1.5e3, "": true })";
  EXPECT_EQ(place(text, {}), "f.json:2:1");
  EXPECT_EQ(place(text, {"a"}), "f.json:2:2");
  EXPECT_EQ(place(text, {"a", "b"}), "f.json:2:8");
  EXPECT_EQ(place(text, {"a", "b", "0"}), "f.json:2:14");
  EXPECT_EQ(place(text, {"a", "b", "1"}), "f.json:2:17");
  EXPECT_EQ(place(text, {"a", "b", "2"}), "f.json:2:24");
  EXPECT_EQ(place(text, {"a", "b", "2", "d\""}), "f.json:2:36");
  EXPECT_EQ(place(text, {"a", "b", "2", "d\"", "1"}), "f.json:2:48");
  EXPECT_EQ(place(text, {"b"}), "f.json:3:2");
  EXPECT_EQ(place(text, {""}), "f.json:3:15");
}

TEST(JsonText, a_path_that_leads_nowhere_ends_at_the_last_value_on_the_way) {
  EXPECT_EQ(place("{\"a\":\n [1]}", {"b"}), "f.json:1:1");
  EXPECT_EQ(place("{\"a\":\n {\"b\": [1]}}", {"a", "b", "1"}), "f.json:2:3");
  EXPECT_EQ(place(" 7", {"a"}), "f.json:1:2");
  EXPECT_EQ(place("{}", {"a", "b"}), "f.json:1:1");
}

TEST(JsonText, a_key_is_found_behind_a_place) {
  const std::string text = R"({"a": {"b": 1}, "c": {"b": 2, "d": "b"}})";
  const JsonText json(text, "f.json");
  EXPECT_EQ(json.find_key("b"), 7u);
  EXPECT_EQ(json.find_key("b", 8), 22u);
  EXPECT_EQ(json.find_key("b", 23), std::nullopt) << "the value at the end is no key";
}

}  // namespace
}  // namespace mdh::json_text_test
