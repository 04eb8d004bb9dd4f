// What a machine must be for the rest of mdh to believe it.
#include <algorithm>
#include <cctype>
#include <set>

#include "mdh/machine/machine.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::machine {
namespace {

using Names = std::vector<std::string>;

template <class Named>
Names names_of(const std::vector<Named>& all) {
  Names names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

/// Names are words in configurations ("L1 32", "L1.k") and in the text of low-level programs.
bool is_word(const std::string& name) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_part);
}

class Verifier {
 public:
  explicit Verifier(const Machine& m) : m_(m) {}

  void run() const {
    check_word(m_.name, "the machine");
    check_names(m_.layers, "layer");
    check_names(m_.regions, "region");
    for (const Layer& layer : m_.layers) check(layer);
    check_parts();
    for (const Region& region : m_.regions) check(region);
    if (!m_.regions.front().owner.empty()) {
      fail("E304", fmt::format("the first region, '{}', has an owner", m_.regions.front().name),
           "the first region holds the user's buffers, which all cores see");
    }
    for (const Constraint& rule : m_.constraints) {
      std::visit([&](const auto& r) { check_rule(r, to_string(rule)); }, rule);
    }
    check_number(m_.vectors.bytes, 0, "the bytes of a vector");
    check_number(m_.vectors.registers, 0, "the vector registers");
  }

 private:
  [[noreturn]] void fail(const std::string& code, const std::string& message,
                         const std::string& hint) const {
    user_error(code, {}, fmt::format("machine '{}': {}", m_.name, message), hint);
  }

  // ---- names

  void check_word(const std::string& name, const std::string& what) const {
    if (is_word(name)) return;
    fail("E306",
         name.empty() ? what + " has no name"
                      : fmt::format("{} has the name '{}', which is not a word", what, name),
         "names are made of letters, digits and _, and do not begin with a digit");
  }

  template <class Named>
  void check_names(const std::vector<Named>& all, const std::string& what) const {
    if (all.empty()) fail("E306", fmt::format("there is no {}", what), "describe at least one");
    std::set<std::string> seen;
    for (const Named& one : all) {
      Names names = one.aliases;
      names.insert(names.begin(), one.name);
      for (const std::string& name : names) {
        check_word(name, "a " + what);
        if (seen.insert(name).second) continue;
        fail("E302", fmt::format("two {}s are called '{}'", what, name),
             "names and aliases are used once");
      }
    }
  }

  /// Inside a machine its own names are used, not the aliases that it offers to others.
  template <class Named>
  const Named& find(const std::vector<Named>& all, const std::string& name, const std::string& what,
                    const std::string& where) const {
    for (const Named& one : all) {
      if (one.name == name) return one;
    }
    for (const Named& one : all) {
      if (std::find(one.aliases.begin(), one.aliases.end(), name) == one.aliases.end()) continue;
      fail("E303", fmt::format("{}: '{}' is only an alias of {} '{}'", where, name, what, one.name),
           fmt::format("write '{}'", one.name));
    }
    fail("E303", fmt::format("{}: there is no {} '{}'", where, what, name),
         suggestion(name, names_of(all)));
  }

  const Layer& layer(const std::string& name, const std::string& where) const {
    return find(m_.layers, name, "layer", where);
  }

  const Region& region(const std::string& name, const std::string& where) const {
    return find(m_.regions, name, "region", where);
  }

  void check_cores(const std::string& name, const std::string& where) const {
    if (layer(name, where).kind == LayerKind::cores) return;
    Names known;
    for (const Layer& one : m_.layers) {
      if (one.kind == LayerKind::cores) known.push_back(one.name);
    }
    fail("E304", fmt::format("{}: '{}' is not a layer of cores", where, name),
         "layers of cores: " + join(known, ", "));
  }

  void check_number(int64_t number, int64_t least, const std::string& what) const {
    if (number >= least) return;
    fail("E305", fmt::format("{} are {}", what, number),
         fmt::format("write {} or more, or leave it out", least));
  }

  // ---- layers and regions

  void check(const Layer& layer) const {
    const std::string where = fmt::format("layer '{}'", layer.name);
    region(layer.region, where);
    if (layer.lanes && layer.kind != LayerKind::replicated) {
      fail("E304", where + " has lanes, but is not replicated", "lanes are parts of one core");
    }
    if ((layer.barrier || layer.count) && layer.kind != LayerKind::cores) {
      fail("E304",
           fmt::format("{} has a {}, but no cores", where, layer.barrier ? "barrier" : "count"),
           "only layers of kind cores wait for one another and are counted");
    }
    if (layer.count) check_number(*layer.count, 1, "the cores of " + where);
  }

  /// Memory layers, then core layers; lanes may stand with either.
  void check_parts() const {
    std::string cores, memory;
    for (const Layer& layer : m_.layers) {
      if (layer.kind == LayerKind::cores) cores = layer.name;
      if (layer.kind != LayerKind::loop) continue;
      memory = layer.name;
      if (cores.empty()) continue;
      fail("E304",
           fmt::format("layer '{}' is a loop, but stands behind the cores '{}'", memory, cores),
           "list memory layers first, then layers of cores");
    }
    if (!cores.empty() && !memory.empty()) return;
    fail("E306",
         memory.empty() ? "there is no layer of kind loop" : "there is no layer of kind cores",
         "a machine has at least one memory and one layer of cores");
  }

  void check(const Region& region) const {
    const std::string where = fmt::format("region '{}'", region.name);
    if (!region.owner.empty()) check_cores(region.owner, where);
    if (region.capacity) check_number(*region.capacity, 1, "the bytes of " + where);
  }

  // ---- rules

  void check_layers(const Names& layers, const std::string& where) const {
    if (layers.empty()) fail("E306", "a rule about parts names no layer", "list at least one");
    for (const std::string& name : layers) layer(name, where);
  }

  void check_limit(int64_t limit, const std::string& where) const {
    if (limit >= 1) return;
    fail("E305", fmt::format("'{}' cannot be kept", where), "limits are 1 or more");
  }

  void check_rule(const PartsAtMost& rule, const std::string& where) const {
    check_layers(rule.layers, where);
    check_limit(rule.limit, where);
    const Names axes = {"", "x", "y", "z"};
    if (std::find(axes.begin(), axes.end(), rule.axis) != axes.end()) return;
    fail("E305", fmt::format("'{}': there is no axis '{}'", where, rule.axis), "axes: x, y, z");
  }

  void check_rule(const PartsEqual& rule, const std::string& where) const {
    check_layers(rule.layers, where);
    check_limit(rule.count, where);
  }

  void check_rule(const CombinesIn& rule, const std::string& where) const {
    check_cores(rule.layer, where);
    if (rule.regions.empty()) {
      fail("E306", fmt::format("'{}' combines nowhere", rule.layer), "list at least one region");
    }
    for (const std::string& name : rule.regions) region(name, where);
  }

  void check_rule(const BytesAtMost& rule, const std::string& where) const {
    region(rule.region, where);
    check_limit(rule.limit, where);
  }

  void check_rule(const NotSharedBy& rule, const std::string& where) const {
    region(rule.region, where);
    check_cores(rule.layer, where);
  }

  const Machine& m_;
};

}  // namespace

void verify(const Machine& m) { Verifier(m).run(); }

}  // namespace mdh::machine
