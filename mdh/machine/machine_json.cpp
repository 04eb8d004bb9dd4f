#include "mdh/machine/machine_json.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "mdh/support/files.h"
#include "mdh/support/json_text.h"
#include "mdh/support/text.h"

namespace mdh::machine {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

const std::vector<std::pair<LayerKind, std::string>>& kind_names() {
  static const std::vector<std::pair<LayerKind, std::string>> names = {
      {LayerKind::loop, "loop"},
      {LayerKind::cores, "cores"},
      {LayerKind::replicated, "replicated"}};
  return names;
}

// ---- reading

/// A value and the way that led to it.
struct Item {
  json value;
  Names path;
};

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text, file) {}

  Machine run() const {
    const Item root{text_.document("E307"), {}};
    if (!root.value.is_object()) fail(root, "E307", "a machine is a JSON object");
    check_keys(root, {"mdh_machine", "name", "summary", "layers", "regions", "constraints",
                      "vectors", "warp"});
    if (root.value.value("mdh_machine", json()) != 1) {
      fail({root.value, {"mdh_machine"}}, "E307", "expected version 1");
    }
    Machine m;
    m.name = name(member(root, "name"));
    if (has(root, "summary")) m.summary = name(member(root, "summary"));
    for (const Item& item : list(member(root, "layers"))) m.layers.push_back(layer(item));
    for (const Item& item : list(member(root, "regions"))) m.regions.push_back(region(item));
    if (has(root, "constraints")) {
      for (const Item& item : list(member(root, "constraints"))) {
        m.constraints.push_back(constraint(item));
      }
    }
    if (has(root, "vectors")) m.vectors = vectors(member(root, "vectors"));
    if (has(root, "warp")) m.warp = number(member(root, "warp"));
    return m;
  }

 private:
  /// The last key on the way begins the message.
  [[noreturn]] void fail(const Item& item, const std::string& code, const std::string& message,
                         const std::string& hint = {}) const {
    const auto is_key = [](const std::string& step) {
      return step.find_first_not_of("0123456789") != std::string::npos;
    };
    const auto key = std::find_if(item.path.rbegin(), item.path.rend(), is_key);
    user_error(code, text_.place_of(item.path),
               key == item.path.rend() ? message : fmt::format("\"{}\": {}", *key, message), hint);
  }

  // ---- values

  static bool has(const Item& item, const std::string& key) { return item.value.contains(key); }

  void check_keys(const Item& item, const Names& known) const {
    if (!item.value.is_object()) fail(item, "E309", "expected an object, got " + item.value.dump());
    for (const auto& [key, value] : item.value.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      fail(child(item, key, value), "E308", "unknown key", suggestion(key, known));
    }
  }

  static Item child(const Item& item, const std::string& step, const json& value) {
    Item below{value, item.path};
    below.path.push_back(step);
    return below;
  }

  Item member(const Item& item, const std::string& key) const {
    if (has(item, key)) return child(item, key, item.value.at(key));
    fail(item, "E309", fmt::format("the key \"{}\" is missing", key));
  }

  std::vector<Item> list(const Item& item) const {
    if (!item.value.is_array()) fail(item, "E309", "expected a list, got " + item.value.dump());
    std::vector<Item> items;
    for (size_t n = 0; n < item.value.size(); ++n) {
      items.push_back(child(item, std::to_string(n), item.value[n]));
    }
    return items;
  }

  std::string name(const Item& item) const {
    if (!item.value.is_string()) fail(item, "E309", "expected a text, got " + item.value.dump());
    return item.value.get<std::string>();
  }

  Names names(const Item& item) const {
    Names all;
    for (const Item& one : list(item)) all.push_back(name(one));
    return all;
  }

  int64_t number(const Item& item) const {
    const bool too_large =
        item.value.is_number_unsigned() && item.value.get<uint64_t>() > INT64_MAX;
    if (!item.value.is_number_integer() || too_large) {
      fail(item, "E309", "expected an integer, got " + item.value.dump());
    }
    return item.value.get<int64_t>();
  }

  bool flag(const Item& item, const std::string& key) const {
    if (!has(item, key)) return false;
    const Item found = member(item, key);
    if (!found.value.is_boolean()) {
      fail(found, "E309", "expected true or false, got " + found.value.dump());
    }
    return found.value.get<bool>();
  }

  std::optional<int64_t> known_number(const Item& item, const std::string& key) const {
    if (!has(item, key)) return std::nullopt;
    return number(member(item, key));
  }

  // ---- parts of machines

  LayerKind kind(const Item& item) const {
    Names known;
    for (const auto& [kind, text] : kind_names()) {
      if (text == name(item)) return kind;
      known.push_back(text);
    }
    fail(item, "E309", fmt::format("unknown kind '{}'", name(item)), suggestion(name(item), known));
  }

  Layer layer(const Item& item) const {
    check_keys(item, {"name", "kind", "region", "lanes", "barrier", "aliases", "count"});
    return {.name = name(member(item, "name")),
            .kind = kind(member(item, "kind")),
            .region = name(member(item, "region")),
            .lanes = flag(item, "lanes"),
            .barrier = flag(item, "barrier"),
            .aliases = has(item, "aliases") ? names(member(item, "aliases")) : Names{},
            .count = known_number(item, "count")};
  }

  Region region(const Item& item) const {
    check_keys(item, {"name", "explicit", "owner", "capacity", "soft", "aliases"});
    return {.name = name(member(item, "name")),
            .is_explicit = flag(item, "explicit"),
            .owner = has(item, "owner") ? name(member(item, "owner")) : "",
            .capacity = known_number(item, "capacity"),
            .soft = flag(item, "soft"),
            .aliases = has(item, "aliases") ? names(member(item, "aliases")) : Names{}};
  }

  Vectors vectors(const Item& item) const {
    check_keys(item, {"bytes", "registers"});
    return {number(member(item, "bytes")), number(member(item, "registers"))};
  }

  /// The first key of a rule that is known decides its kind.
  Constraint constraint(const Item& item) const {
    if (has(item, "parts_at_most")) {
      check_keys(item, {"parts_at_most", "layers", "axis"});
      return PartsAtMost{names(member(item, "layers")), number(member(item, "parts_at_most")),
                         has(item, "axis") ? name(member(item, "axis")) : ""};
    }
    if (has(item, "parts_equal")) {
      check_keys(item, {"parts_equal", "layers"});
      return PartsEqual{names(member(item, "layers")), number(member(item, "parts_equal"))};
    }
    if (has(item, "combines_in")) {
      check_keys(item, {"combines_in", "layer"});
      return CombinesIn{name(member(item, "layer")), names(member(item, "combines_in"))};
    }
    if (has(item, "bytes_at_most")) {
      check_keys(item, {"bytes_at_most", "region", "soft"});
      return BytesAtMost{name(member(item, "region")), number(member(item, "bytes_at_most")),
                         flag(item, "soft")};
    }
    const Names kinds = {"parts_at_most", "parts_equal", "combines_in", "bytes_at_most",
                         "not_shared_by"};
    if (!has(item, "not_shared_by")) {
      check_keys(item, kinds);
      fail(item, "E309", "expected a rule, got " + item.value.dump(),
           "rules: " + join(kinds, ", "));
    }
    check_keys(item, {"not_shared_by", "region"});
    return NotSharedBy{name(member(item, "region")), name(member(item, "not_shared_by"))};
  }

  JsonText text_;
};

// ---- printing

std::string quoted(const std::string& text) { return json(text).dump(); }

std::string quoted(const Names& texts) {
  Names all;
  for (const std::string& text : texts) all.push_back(quoted(text));
  return "[" + join(all, ", ") + "]";
}

/// {"key": value, ...}; members without value are left out.
std::string object(const std::vector<std::pair<std::string, std::string>>& members) {
  Names texts;
  for (const auto& [key, value] : members) {
    if (!value.empty()) texts.push_back(fmt::format("\"{}\": {}", key, value));
  }
  return "{" + join(texts, ", ") + "}";
}

std::string unless_empty(const std::string& text) { return text.empty() ? "" : quoted(text); }
std::string unless_empty(const Names& texts) { return texts.empty() ? "" : quoted(texts); }
std::string if_true(bool flag) { return flag ? "true" : ""; }
std::string if_known(const std::optional<int64_t>& n) { return n ? std::to_string(*n) : ""; }

std::string text_of(LayerKind kind) {
  const auto found = std::find_if(kind_names().begin(), kind_names().end(),
                                  [&](const auto& entry) { return entry.first == kind; });
  return quoted(found->second);
}

std::string text_of(const Layer& layer) {
  return object({{"name", quoted(layer.name)},
                 {"kind", text_of(layer.kind)},
                 {"region", quoted(layer.region)},
                 {"lanes", if_true(layer.lanes)},
                 {"barrier", if_true(layer.barrier)},
                 {"aliases", unless_empty(layer.aliases)},
                 {"count", if_known(layer.count)}});
}

std::string text_of(const Region& region) {
  return object({{"name", quoted(region.name)},
                 {"explicit", if_true(region.is_explicit)},
                 {"owner", unless_empty(region.owner)},
                 {"capacity", if_known(region.capacity)},
                 {"soft", if_true(region.soft)},
                 {"aliases", unless_empty(region.aliases)}});
}

std::string text_of(const PartsAtMost& rule) {
  return object({{"parts_at_most", std::to_string(rule.limit)},
                 {"layers", quoted(rule.layers)},
                 {"axis", unless_empty(rule.axis)}});
}

std::string text_of(const PartsEqual& rule) {
  return object({{"parts_equal", std::to_string(rule.count)}, {"layers", quoted(rule.layers)}});
}

std::string text_of(const CombinesIn& rule) {
  return object({{"combines_in", quoted(rule.regions)}, {"layer", quoted(rule.layer)}});
}

std::string text_of(const BytesAtMost& rule) {
  return object({{"bytes_at_most", std::to_string(rule.limit)},
                 {"region", quoted(rule.region)},
                 {"soft", if_true(rule.soft)}});
}

std::string text_of(const NotSharedBy& rule) {
  return object({{"not_shared_by", quoted(rule.layer)}, {"region", quoted(rule.region)}});
}

std::string text_of(const Constraint& constraint) {
  return std::visit([](const auto& rule) { return text_of(rule); }, constraint);
}

/// ,\n "key": [\n  one,\n  another]
template <class T>
std::string section(const char* key, const std::vector<T>& all) {
  if (all.empty()) return "";
  Names lines;
  for (const T& one : all) lines.push_back("\n  " + text_of(one));
  return fmt::format(",\n \"{}\": [{}]", key, join(lines, ","));
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& file) {
  Machine m = Reader(text, file).run();
  try {
    verify(m);
  } catch (const Error& e) {
    Diagnostic d = e.diagnostic();
    d.notes.push_back("it is described in " + file);
    throw Error(d);
  }
  return m;
}

std::string print(const Machine& m) {
  std::string text = "{\"mdh_machine\": 1, \"name\": " + quoted(m.name);
  if (!m.summary.empty()) text += ",\n \"summary\": " + quoted(m.summary);
  text += section("layers", m.layers) + section("regions", m.regions) +
          section("constraints", m.constraints);
  if (m.vectors != Vectors{}) {
    text += fmt::format(",\n \"vectors\": {{\"bytes\": {}, \"registers\": {}}}", m.vectors.bytes,
                        m.vectors.registers);
  }
  if (m.warp > 0) text += fmt::format(",\n \"warp\": {}", m.warp);
  return text + "}\n";
}

Machine load_machine(const std::string& name_or_file) {
  const bool is_file =
      name_or_file.ends_with(".json") || name_or_file.find('/') != std::string::npos;
  return is_file ? parse_machine(read_file(name_or_file), name_or_file)
                 : find_machine(name_or_file);
}

}  // namespace mdh::machine
