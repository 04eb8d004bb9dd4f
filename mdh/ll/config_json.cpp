// The file form of configurations.
#include <algorithm>

#include "mdh/ll/code_json.h"
#include "mdh/ll/config.h"
#include "mdh/ll/json_fields.h"

namespace mdh::ll {
namespace {

using json = JsonFields::json;

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys = {
      "mdh_config", "program", "sizes", "types", "machine", "fuse", "layers",
      "split",      "order",   "stage", "acc",   "phases",  "tags", "code"};
  return keys;
}

class ConfigReader {
 public:
  explicit ConfigReader(JsonFields fields) : fields_(std::move(fields)) {}

  Config run() {
    const json root = fields_.document();
    if (!root.is_object()) fields_.fail("E311", "", "a configuration is a JSON object");
    fields_.check_keys(root, known_keys());
    if (!root.contains("mdh_config") || root["mdh_config"] != 1) {
      fields_.fail("E312", "mdh_config", "expected version 1");
    }
    Config config;
    for (const auto& [key, value] : root.items()) {
      ConfigReader(fields_.inside(key)).read(config, key, value);
    }
    return config;
  }

 private:
  void read(Config& config, const std::string& key, const json& value) const {
    if (key == "program") config.program = fields_.text_of(key, value);
    if (key == "machine") config.machine = fields_.text_of(key, value);
    if (key == "layers") config.layers = fields_.texts_of(key, value);
    if (key == "sizes") config.sizes = sizes_of(key, value);
    if (key == "types") config.types = texts_by_name(key, value);
    if (key == "split") config.split = split_of(key, value);
    if (key == "order") config.order = order_of(key, value);
    if (key == "fuse") config.fuse = fuse_of(key, value);
    if (key == "stage") config.stage = relocations_of(key, value, "from");
    if (key == "acc") config.acc = relocations_of(key, value, "inside");
    if (key == "phases") config.phases = phases_of(key, value);
    if (key == "tags") config.tags = texts_by_name(key, value);
    if (key == "code") config.code = read_code(fields_, value);
  }

  std::map<std::string, int64_t> sizes_of(const std::string& key, const json& value) const {
    fields_.expect_object(key, value);
    std::map<std::string, int64_t> sizes;
    for (const auto& [name, size] : value.items()) sizes[name] = fields_.integer_of(name, size);
    return sizes;
  }

  std::map<std::string, std::string> texts_by_name(const std::string& key,
                                                   const json& value) const {
    fields_.expect_object(key, value);
    std::map<std::string, std::string> texts;
    for (const auto& [name, text] : value.items()) texts[name] = fields_.text_of(name, text);
    return texts;
  }

  Split split_of(const std::string& key, const json& value) const {
    fields_.expect_object(key, value);
    Split split;
    for (const auto& [dimension, digits] : value.items()) {
      std::vector<Digit>& mine = split[dimension];
      for (const std::string& text : fields_.texts_of(dimension, digits)) {
        mine.push_back(digit(dimension, text));
      }
    }
    return split;
  }

  Digit digit(const std::string& dimension, const std::string& text) const {
    const std::vector<std::string> words = mdh::split(text, ' ');
    long long parts = 0;
    const bool is_open = words.size() == 2 && words[1] == "*";
    if (words.size() != 2 || words[0].empty() || !(is_open || to_integer(words[1], parts))) {
      fields_.fail("E316", dimension, fmt::format("cannot read the digit \"{}\"", text),
                   "write a layer and a number of parts, such as \"L1 32\"");
    }
    return {words[0], is_open ? open_parts : parts};
  }

  std::vector<LevelName> order_of(const std::string& key, const json& value) const {
    std::vector<LevelName> order;
    for (const std::string& text : fields_.texts_of(key, value)) {
      order.push_back(level_of(fields_, key, text));
    }
    return order;
  }

  std::vector<std::vector<std::string>> fuse_of(const std::string& key, const json& value) const {
    fields_.expect_list(key, value);
    std::vector<std::vector<std::string>> groups;
    for (const json& group : value) groups.push_back(fields_.texts_of(key, group));
    return groups;
  }

  Relocations relocations_of(const std::string& key, const json& value,
                             const std::string& level_key) const {
    fields_.expect_object(key, value);
    Relocations all;
    for (const auto& [buffer, list] : value.items()) {
      fields_.expect_list(buffer, list);
      std::vector<Relocation>& mine = all[buffer];
      for (const json& item : list) mine.push_back(relocation(buffer, item, level_key));
    }
    return all;
  }

  Relocation relocation(const std::string& buffer, const json& value,
                        const std::string& level_key) const {
    fields_.expect_object(buffer, value);
    fields_.check_keys(value, {level_key, "region", "layout"});
    for (const std::string& needed : {level_key, std::string("region")}) {
      if (!value.contains(needed)) {
        fields_.fail("E315", buffer, fmt::format("\"{}\" is missing", needed),
                     fmt::format("write {{\"{}\": \"L1.k\", \"region\": \"L1\"}}", level_key));
      }
    }
    const std::string level = fields_.text_of(level_key, value[level_key]);
    Relocation result;
    result.from = level == "f" ? LevelName{"f", ""} : level_of(fields_, level_key, level);
    result.region = fields_.text_of("region", value["region"]);
    if (!value.contains("layout")) return result;
    for (const std::string& axis : fields_.texts_of("layout", value["layout"])) {
      const size_t at = axis.find('@');
      result.layout.push_back(at == std::string::npos
                                  ? LayoutAxis{axis, ""}
                                  : LayoutAxis{axis.substr(0, at), axis.substr(at + 1)});
    }
    return result;
  }

  std::map<std::string, PhaseOverride> phases_of(const std::string& key, const json& value) const {
    fields_.expect_object(key, value);
    fields_.check_keys(value, phase_names());
    std::map<std::string, PhaseOverride> phases;
    for (const auto& [name, phase] : value.items()) {
      fields_.expect_object(name, phase);
      fields_.check_keys(phase, {"order", "split", "tags"});
      PhaseOverride& mine = phases[name];
      if (phase.contains("order")) mine.order = order_of("order", phase["order"]);
      if (phase.contains("split")) mine.split = split_of("split", phase["split"]);
      if (phase.contains("tags")) mine.tags = texts_by_name("tags", phase["tags"]);
    }
    return phases;
  }

  JsonFields fields_;
};

// ---- printing

std::string quoted(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(json(text).dump());
  return "[" + join(all, ", ") + "]";
}

json json_of(const std::vector<LevelName>& order) {
  json texts = json::array();
  for (const LevelName& level : order) texts.push_back(to_string(level));
  return texts;
}

json json_of(const Split& split) {
  json value = json::object();
  for (const auto& [dimension, digits] : split) {
    json texts = json::array();
    for (const Digit& d : digits) {
      texts.push_back(d.layer + " " + print_parts(d.parts));
    }
    value[dimension] = std::move(texts);
  }
  return value;
}

json json_of(const Relocations& relocations, const char* level_key) {
  json value = json::object();
  for (const auto& [buffer, list] : relocations) {
    value[buffer] = json::array();
    for (const Relocation& one : list) {
      json item = {{level_key, to_string(one.from)}, {"region", one.region}};
      for (const LayoutAxis& axis : one.layout) item["layout"].push_back(to_string(axis));
      value[buffer].push_back(std::move(item));
    }
  }
  return value;
}

json json_of(const std::map<std::string, PhaseOverride>& phases) {
  json value = json::object();
  for (const auto& [name, phase] : phases) {
    json item = json::object();
    if (!phase.order.empty()) item["order"] = json_of(phase.order);
    if (!phase.split.empty()) item["split"] = json_of(phase.split);
    if (!phase.tags.empty()) item["tags"] = phase.tags;
    value[name] = std::move(item);
  }
  return value;
}

}  // namespace

const std::vector<std::string>& phase_names() {
  static const std::vector<std::string> names = {"decomposition", "scalar", "recomposition"};
  return names;
}

std::string to_string(const LayoutAxis& axis) {
  return axis.layer.empty() ? axis.dimension : axis.dimension + "@" + axis.layer;
}

Config parse_config(std::string_view text, const std::string& file) {
  return ConfigReader(JsonFields(text, file)).run();
}

/// One line per subject, so that two configurations can be compared line by line.
std::string print(const Config& config) {
  std::string text = fmt::format(
      "{{\"mdh_config\": 1, \"program\": {}, \"sizes\": {}, \"types\": {}, \"machine\": {}",
      json(config.program).dump(), spaced(config.sizes), spaced(config.types),
      json(config.machine).dump());
  const auto line = [&](const char* key, const std::string& value) {
    text += fmt::format(",\n \"{}\": {}", key, value);
  };
  if (!config.fuse.empty()) line("fuse", spaced(config.fuse));
  line("layers", quoted(config.layers));
  line("split", spaced(json_of(config.split)));
  line("order", spaced(json_of(config.order)));
  if (!config.stage.empty()) line("stage", spaced(json_of(config.stage, "from")));
  if (!config.acc.empty()) line("acc", spaced(json_of(config.acc, "inside")));
  if (!config.phases.empty()) line("phases", spaced(json_of(config.phases)));
  if (!config.tags.empty()) line("tags", spaced(config.tags));
  if (config.code != Code{}) line("code", print(config.code));
  return text + "}\n";
}

Error about(const Config& config, const Error& error) {
  Diagnostic d = error.diagnostic();
  d.notes.push_back("with the configuration\n" + print(config));
  return Error(d);
}

}  // namespace mdh::ll
