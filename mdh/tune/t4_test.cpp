#include "mdh/tune/t4.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "mdh/support/files.h"
#include "mdh/support/testing.h"
#include "mdh/tune/testing.h"

namespace mdh::tune::t4_test {
namespace {

using nlohmann::json;

/// What tests/data/t4_schema.json asks of a value; complaints with the way to them. It knows the words
/// of JSON Schema that stand there: type, properties, required, items, enum and pattern.
std::vector<std::string> complaints(const json& value, const json& schema,
                                    const std::string& at = "root") {
  std::vector<std::string> all;
  const std::string type = schema.value("type", "");
  const bool fits = type.empty() || (type == "object" && value.is_object()) ||
                    (type == "array" && value.is_array()) ||
                    (type == "string" && value.is_string()) ||
                    (type == "number" && value.is_number());
  if (!fits) return {at + " is no " + type};
  if (schema.contains("enum")) {
    const json& words = schema["enum"];
    if (std::find(words.begin(), words.end(), value) == words.end())
      all.push_back(at + ": no such word");
  }
  if (schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(),
                         std::regex(schema["pattern"].get<std::string>()))) {
    all.push_back(at + " has another form");
  }
  const auto add = [&](const json& part, const json& rules, const std::string& name) {
    for (std::string& one : complaints(part, rules, at + "." + name)) all.push_back(std::move(one));
  };
  for (const json& name : schema.value("required", json::array())) {
    if (!value.contains(name)) all.push_back(at + " lacks " + name.get<std::string>());
  }
  const json properties = schema.value("properties", json::object());
  for (const auto& [name, rules] : properties.items()) {
    if (value.contains(name)) add(value[name], rules, name);
  }
  if (schema.contains("items")) {
    for (size_t n = 0; n < value.size(); ++n) add(value[n], schema["items"], std::to_string(n));
  }
  return all;
}

json schema() { return json::parse(read_file(MDH_SOURCE_DIR "/tests/data/t4_schema.json")); }

/// One record of every outcome.
std::vector<Record> all_kinds() {
  std::vector<Record> records;
  using enum RecordOutcome;
  for (const RecordOutcome outcome : {ok, compile_error, crash, timeout, wrong, out_of_memory}) {
    Record record = some_record(static_cast<int>(outcome), 171.5, "2026-11-15T17:20:25Z");
    record.outcome = outcome;
    if (outcome != ok) {
      record.reason = "because of \"" + to_string(outcome) + "\"\n";
      record.time_us = {};
      record.verified = "none";
    }
    records.push_back(std::move(record));
  }
  records[0].load = 0.125;
  records[0].final_result = FinalResult::won;
  records[0].decides = true;
  return records;
}

TEST(T4, has_what_its_schema_asks_for) {
  const json root = json::parse(to_t4(all_kinds()));
  EXPECT_EQ(complaints(root, schema()), std::vector<std::string>());
  EXPECT_EQ(root["results"].size(), 6u);
  EXPECT_EQ(complaints(json::parse(to_t4({})), schema()), std::vector<std::string>());
}

TEST(T4Schema, is_a_check_that_can_fail) {
  const json good = json::parse(to_t4(all_kinds()));
  const auto first_complaint = [&](const std::function<void(json&)>& change) {
    json bad = good;
    change(bad);
    const std::vector<std::string> all = complaints(bad, schema());
    return all.empty() ? "" : all.front();
  };
  for (const char* name : {"configuration", "times", "invalidity", "correctness"}) {
    EXPECT_EQ(first_complaint([&](json& root) { root["results"][1].erase(name); }),
              std::string("root.results.1 lacks ") + name);
  }
  EXPECT_EQ(first_complaint([](json& root) { root["results"][0]["invalidity"] = "crash"; }),
            "root.results.0.invalidity: no such word");
  EXPECT_EQ(first_complaint([](json& root) { root["schema_version"] = "one"; }),
            "root.schema_version has another form");
  EXPECT_EQ(first_complaint([](json& root) { root["results"][0]["times"]["runtimes"] = 1; }),
            "root.results.0.times.runtimes is no array");
}

TEST(T4, says_in_its_words_what_came_of_a_configuration) {
  const json results = json::parse(to_t4(all_kinds()))["results"];
  std::vector<std::string> words;
  for (const json& result : results) words.push_back(result["invalidity"]);
  EXPECT_EQ(words, (std::vector<std::string>{"correct", "compile", "runtime", "timeout",
                                             "correctness", "runtime"}));
  EXPECT_EQ(results[0]["correctness"], 1);
  EXPECT_EQ(results[4]["correctness"], 0);
  EXPECT_DOUBLE_EQ(results[0]["times"]["runtimes"][0].get<double>(), 0.1715);
  EXPECT_EQ(results[0]["measurements"][0]["unit"], "ms");
  EXPECT_TRUE(results[1]["times"]["runtimes"].empty()) << "what did not run has no time";
}

TEST(T4, has_parameters_that_other_tools_understand) {
  Record record = some_record(1, 1);
  record.config = R"({"mdh_config":1,"layers":["COR","L1"],"split":{"d1":["COR 2","L1 256"]},)"
                  R"("order":["COR.d1","L1.d1"],"sizes":{},)"
                  R"("stage":{"in1":[{"from":"L1.d1","region":"L1"}]},)"
                  R"("code":{"kernel":{"flags":["-O2"],"compiler":"gcc"}}})";
  const json parameters = json::parse(to_t4({record}))["results"][0]["configuration"];
  EXPECT_EQ(parameters,
            json::parse(R"({"mdh_config": 1, "layers": "COR, L1", "split.d1.COR": 2,)"
                        R"( "split.d1.L1": 256, "order": "COR.d1, L1.d1",)"
                        R"( "stage.in1": "{\"from\":\"L1.d1\",\"region\":\"L1\"}",)"
                        R"( "code.kernel.flags": "-O2", "code.kernel.compiler": "gcc"})"));
}

TEST(T4, names_every_machine_once) {
  std::vector<Record> records = {some_record(1, 1), some_record(2, 1), some_record(3, 1)};
  records[1].machine.model = "another";
  const json machines = json::parse(to_t4(records))["metadata"]["hardware"]["hardware_description"];
  ASSERT_EQ(machines.size(), 2u);
  EXPECT_EQ(machines[1]["model"], "another");
}

TEST(T4, loses_nothing_on_the_way_there_and_back) {
  const std::vector<Record> records = all_kinds();
  const std::string text = to_t4(records);
  EXPECT_TRUE(is_t4(text));
  const Contents back = from_t4(text, "f");
  EXPECT_EQ(back.unreadable, 0);
  ASSERT_EQ(back.records.size(), records.size());
  for (size_t n = 0; n < records.size(); ++n) EXPECT_EQ(print(back.records[n]), print(records[n]));
}

TEST(T4, keeps_fields_and_records_of_later_versions) {
  std::string line = print(some_record(1, 1));
  line.insert(1, "\"future\":[1,2],");
  const std::string text = to_t4({*parse_record(line)});
  EXPECT_EQ(print(from_t4(text, "f").records.at(0)), line);
  std::string newer = text;
  newer.replace(newer.find("\"mdh_record\": 1"), 15, "\"mdh_record\": 2");
  EXPECT_EQ(from_t4(newer, "f").newer.size(), 1u);
}

TEST(T4, of_other_tuners_has_no_records) {
  const std::string text = R"({"schema_version": "1.0.0", "results": [{"configuration": {"x": 1},)"
                           R"( "times": {}, "invalidity": "correct", "correctness": 1}, 7]})";
  EXPECT_TRUE(is_t4(text));
  const Contents contents = from_t4(text, "f");
  EXPECT_TRUE(contents.records.empty());
  EXPECT_EQ(contents.unreadable, 2);
}

TEST(T4, that_is_none_is_refused) {
  const auto message = [](const std::string& text) {
    const Diagnostic d = diagnostic_of([&] { from_t4(text, "f.json"); });
    EXPECT_EQ(d.code, "E874");
    return d.message;
  };
  EXPECT_EQ(message("{"), "'f.json' is not read: it is no JSON object with a list of \"results\"");
  EXPECT_EQ(message(R"({"results": {}})"),
            "'f.json' is not read: it is no JSON object with a list of \"results\"");
  EXPECT_EQ(message(R"({"results": []})"),
            "'f.json' is not read: it has no \"schema_version\" such as \"1.0.0\"");
  EXPECT_EQ(message(R"({"results": [], "schema_version": "2.1.0"})"),
            "'f.json' is not read: its schema is of version 2.1.0, and this mdh knows version 1");
  EXPECT_FALSE(is_t4(print(some_record(1, 1))));
  EXPECT_FALSE(is_t4(print(some_record(1, 1)) + "\n" + print(some_record(2, 1))));
}

}  // namespace
}  // namespace mdh::tune::t4_test
