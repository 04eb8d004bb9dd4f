#include "mdh/ll/code_json.h"

#include "mdh/ll/compiler_flags.h"

namespace mdh::ll {
namespace {

using json = JsonFields::json;

class CodeReader {
 public:
  explicit CodeReader(JsonFields fields) : fields_(std::move(fields)) {}

  Code run(const json& value) const {
    fields_.expect_object("code", value);
    fields_.check_keys(value, {"stage", "edge", "combine", "cores", "kernel"});
    Code code;
    each(value, "stage", [&](const CodeReader& at, const std::string& buffer, const json& tiles) {
      for (const StageCode& tile : at.tiles(buffer, tiles)) code.stage[buffer].push_back(tile);
    });
    each(value, "edge", [&](const CodeReader& at, const std::string& dimension, const json& edge) {
      const auto chosen = at.choice<Edge>(dimension, edge);
      if (chosen != Edge::automatic) code.edge[dimension] = chosen;
    });
    each(value, "combine", [&](const CodeReader& at, const std::string& level, const json& how) {
      const LevelName name = at.level("combine", level);
      const auto chosen = at.choice<Combination>(level, how);
      if (chosen != Combination::automatic) code.combine[name] = chosen;
    });
    each(value, "cores", [&](const CodeReader& at, const std::string& layer, const json& how) {
      code.cores[layer] = at.cores(layer, how);
    });
    if (value.contains("kernel")) code.kernel = kernel(value["kernel"]);
    return code;
  }

 private:
  template <class Action>
  void each(const json& parent, const char* key, Action action) const {
    if (!parent.contains(key)) return;
    fields_.expect_object(key, parent[key]);
    for (const auto& [name, value] : parent[key].items()) {
      action(CodeReader(fields_.inside(key)), name, value);
    }
  }

  template <class Choice>
  Choice choice(const std::string& key, const json& value) const {
    return static_cast<Choice>(fields_.choice_of(key, value, names_of(Choice{})));
  }

  LevelName level(const std::string& key, const std::string& text) const {
    return level_of(fields_, key, text);
  }

  std::vector<StageCode> tiles(const std::string& buffer, const json& value) const {
    fields_.expect_list(buffer, value);
    std::vector<StageCode> tiles;
    for (const json& tile : value) tiles.push_back(stage(buffer, tile));
    return tiles;
  }

  StageCode stage(const std::string& buffer, const json& value) const {
    fields_.expect_object(buffer, value);
    fields_.check_keys(value, {"pad", "line", "swizzle", "depth", "transport", "width",
                               "copy_order", "prefetch", "hint", "opaque", "roll", "across"});
    StageCode code;
    for (const auto& [key, item] : value.items()) {
      if (key == "pad") code.pad = fields_.integer_of(key, item);
      if (key == "line") code.line = fields_.integer_of(key, item);
      if (key == "swizzle") code.swizzle = fields_.integer_of(key, item);
      if (key == "depth") code.depth = fields_.integer_of(key, item);
      if (key == "transport") code.transport = choice<Transport>(key, item);
      if (key == "width") code.width = fields_.integer_of(key, item);
      if (key == "prefetch") code.prefetch = prefetch(item);
      if (key == "hint") code.hint = choice<Hint>(key, item);
      if (key == "opaque") code.opaque = fields_.truth_of(key, item);
      if (key == "roll") code.roll = level(key, fields_.text_of(key, item));
      if (key == "across") code.across = level(key, fields_.text_of(key, item));
    }
    each(value, "copy_order", [&](const CodeReader& at, const std::string& axis, const json& tile) {
      code.copy_order[axis] = at.fields_.integer_of(axis, tile);
    });
    return code;
  }

  Prefetch prefetch(const json& value) const {
    fields_.expect_object("prefetch", value);
    fields_.check_keys(value, {"distance", "level"});
    if (!value.contains("level")) {
      fields_.fail("E315", "prefetch", "the level is missing",
                   "write {\"distance\": 16, \"level\": \"L1.k\"}");
    }
    const std::string level = fields_.text_of("level", value["level"]);
    return {value.contains("distance") ? fields_.integer_of("distance", value["distance"]) : 1,
            level_of(fields_, "level", level)};
  }

  CoresCode cores(const std::string& layer, const json& value) const {
    fields_.expect_object(layer, value);
    fields_.check_keys(value, {"count", "deal", "swizzle"});
    CoresCode code;
    if (value.contains("count")) code.count = fields_.integer_of("count", value["count"]);
    if (value.contains("deal")) code.deal = choice<Deal>("deal", value["deal"]);
    if (value.contains("swizzle")) code.swizzle = fields_.integer_of("swizzle", value["swizzle"]);
    return code;
  }

  KernelCode kernel(const json& value) const {
    fields_.expect_object("kernel", value);
    fields_.check_keys(value, {"unroll", "emit", "launch_bounds", "compiler", "flags", "store",
                               "contract", "start"});
    KernelCode code;
    for (const auto& [key, item] : value.items()) {
      if (key == "emit") code.emit = fields_.text_of(key, item);
      if (key == "compiler") code.compiler = fields_.text_of(key, item);
      if (key == "flags") code.flags = flags(item);
      if (key == "store") code.store = choice<Hint>(key, item);
      if (key == "contract") code.contract = choice<Contract>(key, item);
      if (key == "start") code.start = choice<Start>(key, item);
      if (key != "launch_bounds") continue;
      fields_.expect_list(key, item);
      for (const json& bound : item) code.launch_bounds.push_back(fields_.integer_of(key, bound));
    }
    each(value, "unroll", [&](const CodeReader& at, const std::string& level, const json& times) {
      code.unroll[at.level("unroll", level)] = at.fields_.integer_of(level, times);
    });
    return code;
  }

  std::vector<std::string> flags(const json& value) const {
    std::vector<std::string> all = fields_.texts_of("flags", value);
    for (const std::string& flag : all) {
      if (is_known_flag(flag)) continue;
      fields_.fail("E355", "flags", unknown_flag(flag), hint_for_flag(flag));
    }
    return all;
  }

  JsonFields fields_;
};

json json_of(const StageCode& code) {
  json value = json::object();
  if (code.pad != 0) value["pad"] = code.pad;
  if (code.line != 1) value["line"] = code.line;
  if (code.swizzle != 1) value["swizzle"] = code.swizzle;
  if (code.depth != 1) value["depth"] = code.depth;
  if (code.transport != Transport::plain) value["transport"] = name_of(code.transport);
  if (code.width != 0) value["width"] = code.width;
  if (!code.copy_order.empty()) value["copy_order"] = code.copy_order;
  if (code.prefetch) {
    value["prefetch"] =
        json{{"distance", code.prefetch->distance}, {"level", to_string(code.prefetch->level)}};
  }
  if (code.hint != Hint::none) value["hint"] = name_of(code.hint);
  if (code.opaque) value["opaque"] = true;
  if (code.roll) value["roll"] = to_string(*code.roll);
  if (code.across) value["across"] = to_string(*code.across);
  return value;
}

json json_of(const KernelCode& code) {
  json value = json::object();
  for (const auto& [level, times] : code.unroll) value["unroll"][to_string(level)] = times;
  if (code.emit != KernelCode{}.emit) value["emit"] = code.emit;
  if (!code.launch_bounds.empty()) value["launch_bounds"] = code.launch_bounds;
  if (!code.compiler.empty()) value["compiler"] = code.compiler;
  if (!code.flags.empty()) value["flags"] = code.flags;
  if (code.store != Hint::none) value["store"] = name_of(code.store);
  if (code.contract != Contract::automatic) value["contract"] = name_of(code.contract);
  if (code.start != Start::automatic) value["start"] = name_of(code.start);
  return value;
}

json json_of(const CoresCode& code) {
  json value = json::object();
  if (code.count != 0) value["count"] = code.count;
  if (code.deal != Deal::block) value["deal"] = name_of(code.deal);
  if (code.swizzle != 1) value["swizzle"] = code.swizzle;
  return value;
}

}  // namespace

LevelName level_of(const JsonFields& fields, const std::string& key, const std::string& text) {
  const std::vector<std::string> words = split(text, '.');
  if (words.size() != 2 || words[0].empty() || words[1].empty()) {
    fields.fail("E317", key, fmt::format("cannot read the level \"{}\"", text),
                "write LAYER.dimension, such as \"L1.k\"");
  }
  return {words[0], words[1]};
}

Code read_code(const JsonFields& fields, const json& value) {
  return CodeReader(fields).run(value);
}

Code parse_code(std::string_view text, const std::string& file) {
  const JsonFields fields(text, file);
  return read_code(fields, fields.document());
}

std::string print(const Code& code) { return spaced(json_of(code)); }

json json_of(const Code& code) {
  json value = json::object();
  for (const auto& [buffer, tiles] : code.stage) {
    json list = json::array();
    for (const StageCode& tile : tiles) list.push_back(json_of(tile));
    value["stage"][buffer] = std::move(list);
  }
  for (const auto& [dimension, edge] : code.edge) {
    if (edge != Edge::automatic) value["edge"][dimension] = name_of(edge);
  }
  for (const auto& [level, how] : code.combine) {
    if (how != Combination::automatic) value["combine"][to_string(level)] = name_of(how);
  }
  for (const auto& [layer, how] : code.cores) value["cores"][layer] = json_of(how);
  if (code.kernel != KernelCode{}) value["kernel"] = json_of(code.kernel);
  return value;
}

}  // namespace mdh::ll
