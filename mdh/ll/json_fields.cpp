#include "mdh/ll/json_fields.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace mdh::ll {
namespace {

using json = JsonFields::json;

/// Keys of the objects that are open while the text is read.
class KeyGuard {
 public:
  bool operator()(json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key &&
        !open_.back().insert(parsed.get<std::string>()).second) {
      twice = parsed.get<std::string>();
    }
    return true;
  }

  std::string twice;  // a key that occurs twice in one object

 private:
  std::vector<std::set<std::string>> open_;
};

/// What one writes at a key whose value is an object.
std::string example_of(const std::string& key) {
  static const std::map<std::string, std::string> examples = {
      {"sizes", R"({"I": 512})"},
      {"types", R"({"T": "f32"})"},
      {"split", R"({"k": ["HM 4", "L1 64"]})"},
      {"acc", R"({"w": [{"inside": "L1.i", "region": "L1"}]})"},
      {"phases", R"({"scalar": {"order": ["L1.i", "L1.k"]}})"},
      {"tags", R"({"BLK.i": "x"})"},
      {"code", R"({"combine": {"COR.k": "team_tree"}})"},
      {"edge", R"({"i": "overlap"})"},
      {"combine", R"({"COR.k": "team_tree"})"},
      {"cores", R"({"COR": {"count": 8}})"},
      {"kernel", R"({"emit": "serpentine"})"},
      {"unroll", R"({"L1.k": 4})"},
      {"copy_order", R"({"k": 8})"},
      {"prefetch", R"({"distance": 16, "level": "L1.k"})"}};
  const auto found = examples.find(key);
  return found == examples.end() ? R"({"name": value})" : found->second;
}

}  // namespace

json JsonFields::document() const {
  KeyGuard guard;
  try {
    json root = json::parse(text_, [&](int depth, json::parse_event_t event, const json& parsed) {
      if (depth > 8) fail("E311", "", "a configuration is not nested that deeply");
      return guard(event, parsed);
    });
    if (!guard.twice.empty()) fail("E310", guard.twice, "the key occurs twice in one object");
    return root;
  } catch (const json::exception&) {
    // The common reader says it in words, with the place.
    source_.document("E310");
    throw;
  }
}

void JsonFields::fail(const std::string& code, const std::string& key, const std::string& message,
                      const std::string& hint) const {
  user_error(code, place_of(key), key.empty() ? message : fmt::format("\"{}\": {}", key, message),
             hint);
}

Location JsonFields::place_of(const std::string& key) const {
  return source_.place(source_.find_key(key, from_).value_or(0));
}

JsonFields JsonFields::inside(const std::string& key) const {
  JsonFields fields = *this;
  fields.from_ = source_.find_key(key, from_).value_or(from_);
  return fields;
}

void JsonFields::expect_object(const std::string& key, const json& value) const {
  if (!value.is_object()) wrong_kind(key, "an object", value, "such as " + example_of(key));
}

void JsonFields::expect_list(const std::string& key, const json& value) const {
  if (!value.is_array()) wrong_kind(key, "a list", value, "lists are in brackets: [ ]");
}

void JsonFields::wrong_kind(const std::string& key, const char* expected, const json& value,
                            const std::string& hint) const {
  fail("E315", key, fmt::format("expected {}, got {}", expected, value.dump()), hint);
}

void JsonFields::check_keys(const json& object, const std::vector<std::string>& known) const {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      fail("E314", key, "unknown key", suggestion(key, known));
    }
  }
}

std::string JsonFields::text_of(const std::string& key, const json& value) const {
  if (!value.is_string()) wrong_kind(key, "a text", value, "texts are in quotes");
  return value.get<std::string>();
}

std::vector<std::string> JsonFields::texts_of(const std::string& key, const json& value) const {
  expect_list(key, value);
  std::vector<std::string> texts;
  for (const json& item : value) texts.push_back(text_of(key, item));
  return texts;
}

int64_t JsonFields::integer_of(const std::string& key, const json& value) const {
  const bool too_large = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
  if (!value.is_number_integer() || too_large) {
    wrong_kind(key, "an integer", value, "integers have up to 64 bits and no quotes");
  }
  return value.get<int64_t>();
}

bool JsonFields::truth_of(const std::string& key, const json& value) const {
  if (!value.is_boolean()) wrong_kind(key, "true or false", value, "without quotes");
  return value.get<bool>();
}

size_t JsonFields::choice_of(const std::string& key, const json& value,
                             const std::vector<std::string>& names) const {
  const std::string chosen = text_of(key, value);
  const auto found = std::find(names.begin(), names.end(), chosen);
  if (found == names.end()) {
    fail("E318", key, fmt::format("there is no choice '{}'", chosen),
         "one of " + join(names, ", "));
  }
  return static_cast<size_t>(found - names.begin());
}

std::string spaced(const JsonFields::json& value) {
  std::vector<std::string> items;
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) {
      items.push_back(JsonFields::json(key).dump() + ": " + spaced(item));
    }
    return "{" + join(items, ", ") + "}";
  }
  if (value.is_array()) {
    for (const JsonFields::json& item : value) items.push_back(spaced(item));
    return "[" + join(items, ", ") + "]";
  }
  return value.dump();
}

}  // namespace mdh::ll
