// The file form of configurations.
#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "mdh/ll/config.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

using nlohmann::json;

/// Line and column of a byte of the text.
Location place(std::string_view text, size_t byte, const std::string& file) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {std::make_shared<const std::string>(file),
          1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          1 + static_cast<int>(before.size() - line_start)};
}

/// Reads one file; every complaint names the key it is about.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Config run() {
    const json root = document();
    if (!root.is_object()) fail("E311", "", "a configuration is a JSON object");
    check_keys(root);
    const json version = root.value("mdh_config", json());
    if (version != 1) fail("E312", "mdh_config", "expected version 1");
    Config config;
    for (const auto& [key, value] : root.items()) read(config, key, value);
    return config;
  }

 private:
  json document() const {
    try {
      return json::parse(text_, [this](int depth, json::parse_event_t, json&) {
        if (depth > 8) fail("E311", "", "a configuration is not nested that deeply");
        return true;
      });
    } catch (const json::parse_error& e) {
      const std::string what = e.what();
      const size_t detail = what.find(": ");
      user_error(
          "E310", place(text_, e.byte == 0 ? 0 : e.byte - 1, file_),
          "this is not JSON: " + (detail == std::string::npos ? what : what.substr(detail + 2)));
    } catch (const json::out_of_range& e) {  // "[json.exception.out_of_range.406] number overflow"
      const std::string what = e.what();
      user_error("E310", place(text_, 0, file_),
                 "this is not JSON: " + what.substr(what.find(' ') + 1));
    }
  }

  [[noreturn]] void fail(const std::string& code, const std::string& key,
                         const std::string& message, const std::string& hint = {}) const {
    user_error(code, place_of(key), key.empty() ? message : fmt::format("\"{}\": {}", key, message),
               hint);
  }

  /// Where the key stands, and not a value that reads the same; the beginning if it is not found.
  Location place_of(const std::string& key) const {
    const std::string quoted = '"' + key + '"';
    for (size_t at = text_.find(quoted); at != std::string_view::npos;
         at = text_.find(quoted, at + 1)) {
      const size_t next = text_.find_first_not_of(" \t\r\n", at + quoted.size());
      if (next != std::string_view::npos && text_[next] == ':') return place(text_, at, file_);
    }
    return place(text_, 0, file_);
  }

  void check_keys(const json& root) const {
    static const std::vector<std::string> known = {"mdh_config", "program", "sizes", "types",
                                                   "machine",    "layers",  "split", "order"};
    static const std::vector<std::string> planned = {"stage",  "acc",  "code",
                                                     "phases", "tags", "fuse"};
    for (const auto& [key, value] : root.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const bool is_planned = std::find(planned.begin(), planned.end(), key) != planned.end();
      if (is_planned && value.empty()) continue;
      if (is_planned) {
        unsupported("E313", place_of(key), fmt::format("\"{}\" in configurations", key),
                    "this version reads split, order and layers");
      }
      fail("E314", key, "unknown key", suggestion(key, known));
    }
  }

  void read(Config& config, const std::string& key, const json& value) const {
    if (key == "program") config.program = text_of(key, value);
    if (key == "machine") config.machine = text_of(key, value);
    if (key == "layers") config.layers = texts_of(key, value);
    if (key == "sizes") config.sizes = sizes_of(key, value);
    if (key == "types") config.types = types_of(key, value);
    if (key == "split") config.split = split_of(key, value);
    if (key == "order") config.order = order_of(key, value);
  }

  std::string text_of(const std::string& key, const json& value) const {
    if (!value.is_string()) fail("E315", key, "expected a text, got " + value.dump());
    return value.get<std::string>();
  }

  std::vector<std::string> texts_of(const std::string& key, const json& value) const {
    if (!value.is_array()) fail("E315", key, "expected a list, got " + value.dump());
    std::vector<std::string> texts;
    for (const json& item : value) texts.push_back(text_of(key, item));
    return texts;
  }

  void expect_object(const std::string& key, const json& value) const {
    if (!value.is_object()) fail("E315", key, "expected an object, got " + value.dump());
  }

  std::map<std::string, int64_t> sizes_of(const std::string& key, const json& value) const {
    expect_object(key, value);
    std::map<std::string, int64_t> sizes;
    for (const auto& [name, size] : value.items()) {
      const bool too_large = size.is_number_unsigned() && size.get<uint64_t>() > INT64_MAX;
      if (!size.is_number_integer() || too_large) {
        fail("E315", name, "expected an integer, got " + size.dump());
      }
      sizes[name] = size.get<int64_t>();
    }
    return sizes;
  }

  std::map<std::string, std::string> types_of(const std::string& key, const json& value) const {
    expect_object(key, value);
    std::map<std::string, std::string> types;
    for (const auto& [name, type] : value.items()) types[name] = text_of(name, type);
    return types;
  }

  std::map<std::string, std::vector<Digit>> split_of(const std::string& key,
                                                     const json& value) const {
    expect_object(key, value);
    std::map<std::string, std::vector<Digit>> split;
    for (const auto& [dimension, digits] : value.items()) {
      std::vector<Digit>& mine = split[dimension];
      for (const std::string& text : texts_of(dimension, digits)) {
        mine.push_back(digit(dimension, text));
      }
    }
    return split;
  }

  Digit digit(const std::string& dimension, const std::string& text) const {
    const std::vector<std::string> words = mdh::split(text, ' ');
    long long parts = 0;
    if (words.size() != 2 || words[0].empty() || !to_integer(words[1], parts)) {
      fail("E316", dimension, fmt::format("cannot read the digit \"{}\"", text),
           "write a layer and a number of parts, such as \"L1 32\"");
    }
    return {words[0], parts};
  }

  std::vector<LevelName> order_of(const std::string& key, const json& value) const {
    std::vector<LevelName> order;
    for (const std::string& text : texts_of(key, value)) {
      const std::vector<std::string> words = mdh::split(text, '.');
      if (words.size() != 2 || words[0].empty() || words[1].empty()) {
        fail("E317", key, fmt::format("cannot read the level \"{}\"", text),
             "write LAYER.dimension, such as \"L1.k\"");
      }
      order.push_back({words[0], words[1]});
    }
    return order;
  }

  std::string_view text_;
  std::string file_;
};

std::string quoted(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(json(text).dump());
  return "[" + join(all, ", ") + "]";
}

}  // namespace

Config parse_config(std::string_view text, const std::string& file) {
  return Reader(text, file).run();
}

/// One line per subject, so that two configurations can be compared line by line.
std::string print(const Config& config) {
  std::vector<std::string> splits, order, sizes, types;
  for (const auto& [dimension, digits] : config.split) {
    std::vector<std::string> texts;
    for (const Digit& d : digits) texts.push_back(fmt::format("{} {}", d.layer, d.parts));
    splits.push_back(fmt::format("{}: {}", json(dimension).dump(), quoted(texts)));
  }
  for (const LevelName& level : config.order) order.push_back(to_string(level));
  for (const auto& [name, size] : config.sizes) {
    sizes.push_back(fmt::format("{}: {}", json(name).dump(), size));
  }
  for (const auto& [name, type] : config.types) {
    types.push_back(fmt::format("{}: {}", json(name).dump(), json(type).dump()));
  }
  return fmt::format(
      "{{\"mdh_config\": 1, \"program\": {}, \"sizes\": {{{}}}, \"types\": {{{}}}, \"machine\": "
      "{},\n"
      " \"layers\": {},\n \"split\": {{{}}},\n \"order\": {}}}\n",
      json(config.program).dump(), join(sizes, ", "), join(types, ", "),
      json(config.machine).dump(), quoted(config.layers), join(splits, ", "), quoted(order));
}

}  // namespace mdh::ll
