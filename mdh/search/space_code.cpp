// Decisions about code.
#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/search/space_context.h"
#include "mdh/support/text.h"

namespace mdh::search::space {
namespace {

using tune::Parameter;
using tune::Point;
using tune::Value;

struct Compiler {
  const char* label;
  const char* compiler;
  std::vector<std::string> flags;
};

/// The first one is what a machine has anyway.
const std::vector<Compiler>& compilers() {
  static const std::vector<Compiler> all = {
      {"default", "", {}},
      {"gcc", "gcc", {"-O3", "-fno-schedule-insns"}},
      {"gcc, default level", "gcc", {"-fno-schedule-insns"}},
      {"gcc, scheduled", "gcc", {"-O3"}},
      {"clang", "clang", {}},
  };
  return all;
}

/// Which stagings of a buffer there are: the copy, then the registers.
struct Stagings {
  bool copy = false, registers = false;
};

Stagings stagings_of(const Point& p, const std::string& buffer) {
  return {p.label("pack." + buffer) != "none" && p.label("pack." + buffer + ".region") != "-",
          p.label("registers." + buffer) != "none"};
}

/// Values that make sense only where a buffer is staged.
Parameter staged_parameter(const std::string& name, const std::string& buffer,
                           std::vector<std::string> more, bool Stagings::*needs) {
  const auto range = [buffer, more, needs](const Point& p) {
    std::vector<Value> values = {more.front()};
    const Stagings has = stagings_of(p, buffer);
    const bool wanted = needs ? has.*needs : has.copy || has.registers;
    for (size_t n = 1; wanted && n < more.size(); ++n) values.emplace_back(more[n]);
    return values;
  };
  return {name + "." + buffer,
          range,
          {"pack." + buffer, "pack." + buffer + ".region", "registers." + buffer},
          tune::ParameterKind::categorical};
}

/// Tiles of neighbouring rounds of a loop share elements of a buffer.
bool shares_along(const SpaceContext& c, const Point& p, const std::string& buffer,
                  const std::string& dimension) {
  const hl::Program& program = c.variant(p.label("fuse")).program;
  for (const hl::BufferView& view : program.inputs) {
    if (view.symbol.name != buffer) continue;
    for (size_t e = 0; e < view.accesses.front().index.size(); ++e) {
      const auto affine = hl::find_affine(program, view.accesses.front().index[e]);
      if (!affine) return false;
      int moving = 0;
      bool mine = false;
      for (size_t d = 0; d < affine->coefficients.size(); ++d) {
        if (affine->coefficients[d] == 0) continue;
        ++moving;
        mine = mine || program.dimensions[d].symbol.name == dimension;
      }
      if (mine && (moving > 1 || view.accesses.size() > 1)) return true;
    }
  }
  return false;
}

/// Neighbouring tiles share elements.
bool has_halo(const SpaceContext& c, const std::string& buffer) {
  const hl::Program& program = c.variants.front().program;
  for (const hl::BufferView& view : program.inputs) {
    if (view.symbol.name != buffer) continue;
    if (view.accesses.size() > 1) return true;
    for (const hl::Expr& index : view.accesses.front().index) {
      const auto affine = hl::find_affine(program, index);
      if (!affine) return false;
      const auto moves = [](int64_t step) { return step != 0; };
      if (std::count_if(affine->coefficients.begin(), affine->coefficients.end(), moves) > 1) {
        return true;
      }
    }
  }
  return false;
}

/// The innermost loop, by what the order of the layers says.
std::string last_dimension(const SpaceContext& c, const Point& p) {
  for (const std::string& layer : {c.layers.inner, c.layers.outer}) {
    const std::string& order = p.label("order." + layer);
    if (!order.empty()) return order.substr(order.rfind(',') + 1);
  }
  return {};
}

/// A tile of registers may keep what the next round of the innermost loop needs again.
Parameter roll_parameter(const SpaceContext& c, const std::string& buffer) {
  const auto range = [&c, buffer](const Point& p) {
    std::vector<Value> values = {std::string("no")};
    const bool inside = p.label("registers." + buffer) == c.layers.registers + "+0";
    if (inside && shares_along(c, p, buffer, last_dimension(c, p))) values.emplace_back("yes");
    return values;
  };
  return {"roll." + buffer,
          range,
          {"fuse", "registers." + buffer, "order." + c.layers.inner, "order." + c.layers.outer},
          tune::ParameterKind::categorical};
}

/// How lines of a tile lie in banks: "4 behind 2", elements, and dimensions of the line that they
/// come behind; "0 swizzle 8", lines whose pieces change places.
std::string padding_of(const ll::StageCode& code) {
  const bool plain = code.line == 1 || (code.pad == 0 && code.swizzle == 1);
  const std::string behind = plain ? "" : fmt::format(" behind {}", code.line);
  const std::string turns = code.swizzle == 1 ? "" : fmt::format(" swizzle {}", code.swizzle);
  return std::to_string(code.pad) + behind + turns;
}

void read_padding(const std::string& label, ll::StageCode& code) {
  const auto number_behind = [&](const std::string& word, int64_t otherwise) {
    const size_t at = label.find(word);
    return at == std::string::npos ? otherwise : std::stol(label.substr(at + word.size()));
  };
  code.pad = std::stol(label);
  code.line = number_behind(" behind ", 1);
  code.swizzle = number_behind(" swizzle ", 1);
}

std::vector<std::string> paddings(const SpaceContext& c, const std::string& buffer) {
  std::vector<std::string> all = {"0", "4"};
  if (c.options.obeys.tile_swizzle) all.emplace_back("0 swizzle 8");
  for (const hl::BufferView& view : c.variants.front().program.inputs) {
    const bool has_lines = view.accesses.front().index.size() > 1;
    if (view.symbol.name == buffer && has_lines) all.emplace_back("4 behind 2");
  }
  return all;
}

void add_buffer(const SpaceContext& c, const std::string& b, std::vector<Parameter>& parameters) {
  const auto add = [&](const char* name, std::vector<std::string> values, bool Stagings::*needs) {
    parameters.push_back(staged_parameter(name, b, std::move(values), needs));
  };
  const auto allowed = [](bool obeyed, std::vector<std::string> values) {
    if (!obeyed) values.resize(1);
    return values;
  };
  const ll::Obeys& obeys = c.options.obeys;
  add("ahead", allowed(obeys.prefetch, {"0", "8", "16", "32"}), nullptr);
  if (has_halo(c, b)) parameters.push_back(roll_parameter(c, b));
  add("opaque", allowed(obeys.opaque, {"no", "yes"}), nullptr);
  add("blocks", {"no", "rows", "squares"}, &Stagings::copy);
  if (!c.is_gpu()) return;
  add("pad", paddings(c, b), &Stagings::copy);
  add("depth", {"1", "2"}, &Stagings::copy);
  std::vector<std::string> transports = {name_of(ll::Transport::plain)};
  if (obeys.transport) transports.emplace_back(name_of(ll::Transport::registers));
  transports.emplace_back(name_of(ll::Transport::async));
  add("transport", transports, &Stagings::copy);
  add("width", allowed(obeys.width, {"0", "4"}), &Stagings::copy);
  add("ready", {"1", "2"}, &Stagings::registers);  // depth in registers
}

std::vector<std::string> emissions(const SpaceContext& c) {
  if (!c.options.obeys.emit) return {"program"};
  std::vector<std::string> all = {"program", "serpentine"};
  for (const std::string& buffer : c.inputs) all.push_back("by_operand " + buffer);
  return all;
}

/// On grids, tiles of registers often have no lanes, without which there is no order.
Parameter emit_parameter(const SpaceContext& c) {
  if (!c.is_gpu()) return tune::labels("emit", emissions(c));
  const auto range = [&c](const Point& p) {
    const SpaceVariant& variant = c.variant(p.label("fuse"));
    const bool lanes = !dimensions_on(c, variant, parts_at(c, p), c.layers.lanes).empty();
    const std::vector<std::string> all = emissions(c);
    return std::vector<Value>(all.begin(), lanes ? all.end() : all.begin() + 1);
  };
  return {"emit", range, parts_and_fuse(c), tune::ParameterKind::categorical};
}

/// A result is finished only behind loops or cores.
bool is_combined_outside(const SpaceContext& c, const Point& p) {
  const LevelParts& parts = parts_at(c, p);
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  std::vector<std::string> layers = c.layers.cores;
  layers.push_back(c.layers.outer);
  return std::any_of(layers.begin(), layers.end(), [&](const std::string& layer) {
    const std::vector<std::string> there = dimensions_on(c, variant, parts, layer);
    return std::any_of(there.begin(), there.end(),
                       [&](const std::string& d) { return !variant.find(d)->is_kept; });
  });
}

/// Finished results that lie along lanes may be stored past the caches.
Parameter store_parameter(const SpaceContext& c) {
  const auto range = [&c](const Point& p) {
    std::vector<Value> values = {name_of(ll::Hint::none)};
    const LevelParts& parts = parts_at(c, p);
    const SpaceVariant& variant = c.variant(p.label("fuse"));
    const std::vector<std::string> lanes = dimensions_on(c, variant, parts, c.layers.lanes);
    const bool along = std::any_of(lanes.begin(), lanes.end(),
                                   [&](const std::string& d) { return variant.find(d)->is_kept; });
    if (c.options.obeys.store && along && !is_combined_outside(c, p))
      values.emplace_back(name_of(ll::Hint::streaming));
    return values;
  };
  const std::vector<std::string> reads = parts_and_fuse(c);
  return {"store", range, reads, tune::ParameterKind::categorical};
}

/// What happens where the last tile of registers is not whole. Where tiles can be shifted back or
/// computed whole, they are if nothing is said; asking for it changes no code.
Parameter edge_parameter(const SpaceContext& c, const std::string& dimension) {
  const std::vector<std::string> reads = parts_and_fuse(c);
  std::vector<std::string> tiles;
  for (const std::string& layer : {c.layers.registers, c.layers.lanes}) {
    if (!layer.empty()) tiles.push_back(layer + "." + dimension);
  }
  const auto range = [&c, dimension, tiles](const Point& p) {
    std::vector<Value> values = {name_of(ll::Edge::automatic)};
    const SpaceDimension* d = c.variant(p.label("fuse")).find(dimension);
    int64_t tile = 1;
    for (const std::string& name : tiles) tile *= p.integer(name);
    if (d && d->size % tile != 0) {
      for (const ll::Edge edge : {ll::Edge::clamp, ll::Edge::mask}) {
        values.emplace_back(name_of(edge));
      }
    }
    return values;
  };
  return {"edge." + dimension, range, reads, tune::ParameterKind::categorical};
}

}  // namespace

void add_code(const SpaceContext& c, std::vector<Parameter>& parameters) {
  for (const std::string& buffer : c.inputs) add_buffer(c, buffer, parameters);
  for (const std::string& dimension : c.dimensions) {
    parameters.push_back(edge_parameter(c, dimension));
  }
  parameters.push_back(emit_parameter(c));
  parameters.push_back(store_parameter(c));
  add_core_code(c, parameters);
  std::vector<std::string> labels;
  for (const Compiler& compiler : compilers()) labels.emplace_back(compiler.label);
  if (c.is_gpu() || !c.options.obeys.compiler) labels.resize(1);
  parameters.push_back(tune::labels("compiler", labels));
}

namespace {

/// The dimensions that walk along the first and the last axis of a buffer.
std::vector<std::string> outer_axes(const SpaceVariant& variant, const std::string& buffer) {
  for (const hl::BufferView& view : variant.program.inputs) {
    if (view.symbol.name != buffer) continue;
    std::vector<std::string> names;
    for (const hl::Expr& index : view.accesses.front().index) {
      const auto* v = index.as<scalar::Variable>();
      if (v && variant.find(v->symbol.name)) names.push_back(v->symbol.name);
    }
    if (names.size() < 2) return {};
    return {names.front(), names.back()};
  }
  return {};
}

/// The innermost loop.
std::optional<ll::LevelName> last_loop(const SpaceContext& c, const ll::Config& config) {
  std::optional<ll::LevelName> last;
  for (const ll::LevelName& level : config.order) {
    if (level.layer == c.layers.inner || level.layer == c.layers.outer) last = level;
  }
  return last;
}

void decode_buffer(const SpaceContext& c, const Point& p, const std::string& b,
                   ll::Config& config) {
  const Stagings has = stagings_of(p, b);
  std::vector<ll::StageCode> codes(static_cast<size_t>(has.copy) + (has.registers ? 1 : 0));
  if (codes.empty()) return;
  const std::optional<ll::LevelName> last = last_loop(c, config);
  if (p.label("ahead." + b) != "0" && last) {
    codes.front().prefetch = ll::Prefetch{std::stol(p.label("ahead." + b)), *last};
  }
  codes.front().opaque = p.label("opaque." + b) == "yes";
  if (p.has("roll." + b) && p.label("roll." + b) == "yes" && last) codes.back().roll = *last;
  const std::vector<std::string> axes = outer_axes(c.variant(p.label("fuse")), b);
  if (!axes.empty() && p.label("blocks." + b) == "rows") codes.front().copy_order = {{axes[0], 8}};
  if (!axes.empty() && p.label("blocks." + b) == "squares") {
    codes.front().copy_order = {{axes[0], 4}, {axes[1], 4}};
  }
  if (c.is_gpu()) {
    if (has.copy) {
      read_padding(p.label("pad." + b), codes.front());
      codes.front().depth = std::stol(p.label("depth." + b));
      codes.front().width = std::stol(p.label("width." + b));
      const auto& names = names_of(ll::Transport{});
      const auto found = std::find(names.begin(), names.end(), p.label("transport." + b));
      codes.front().transport = static_cast<ll::Transport>(found - names.begin());
    }
    if (has.registers) codes.back().depth = std::stol(p.label("ready." + b));
  }
  while (!codes.empty() && codes.back() == ll::StageCode{}) codes.pop_back();
  if (!codes.empty()) config.code.stage[b] = codes;
}

}  // namespace

void decode_code(const SpaceContext& c, const Point& p, ll::Config& config) {
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  for (const std::string& buffer : c.inputs) decode_buffer(c, p, buffer, config);
  for (const SpaceDimension& d : variant.dimensions) {
    const std::string& edge = p.label("edge." + d.name);
    const ll::Edge chosen = *choice_of<ll::Edge>(edge);
    if (chosen != ll::Edge::automatic) config.code.edge[d.name] = chosen;
  }
  config.code.kernel.emit = p.label("emit");
  config.code.kernel.store = *choice_of<ll::Hint>(p.label("store"));
  decode_core_code(c, p, config);
  for (const Compiler& compiler : compilers()) {
    if (compiler.label != p.label("compiler")) continue;
    config.code.kernel.compiler = compiler.compiler;
    config.code.kernel.flags = compiler.flags;
  }
}

namespace {

void encode_buffer(const SpaceContext& c, const ll::Config& config, const std::string& b,
                   NamedValues& values) {
  const auto staged = config.stage.find(b);
  const auto codes = config.code.stage.find(b);
  values["ahead." + b] = "0";
  values["roll." + b] = values["opaque." + b] = values["blocks." + b] = "no";
  if (c.is_gpu()) {
    values["pad." + b] = values["width." + b] = "0";
    values["depth." + b] = values["ready." + b] = "1";
    values["transport." + b] = "plain";
  }
  if (staged == config.stage.end() || codes == config.code.stage.end()) return;
  for (size_t n = 0; n < codes->second.size() && n < staged->second.size(); ++n) {
    const ll::StageCode& code = codes->second[n];
    const bool registers = staged->second[n].region == c.layers.register_region;
    if (code.prefetch) values["ahead." + b] = std::to_string(code.prefetch->distance);
    if (code.roll) values["roll." + b] = "yes";
    if (code.opaque) values["opaque." + b] = "yes";
    if (code.copy_order.size() == 1) values["blocks." + b] = "rows";
    if (code.copy_order.size() == 2) values["blocks." + b] = "squares";
    if (!c.is_gpu()) continue;
    values[(registers ? "ready." : "depth.") + b] = std::to_string(code.depth);
    if (registers) continue;
    values["pad." + b] = padding_of(code);
    // No access is wider than 16 bytes: asking for no more is asking for nothing.
    values["width." + b] = std::to_string(code.width < 16 ? code.width : 0);
    values["transport." + b] = name_of(code.transport);
    if (code.across) values["depth." + b] = "across a loop";  // is not searched
  }
}

}  // namespace

void encode_code(const SpaceContext& c, const ll::Config& config, NamedValues& values) {
  for (const std::string& buffer : c.inputs) encode_buffer(c, config, buffer, values);
  for (const std::string& dimension : c.dimensions) {
    const auto edge = config.code.edge.find(dimension);
    // Asking for what happens anyway is the same point.
    const bool says = edge != config.code.edge.end() &&
                      (edge->second == ll::Edge::clamp || edge->second == ll::Edge::mask);
    values["edge." + dimension] = name_of(says ? edge->second : ll::Edge::automatic);
  }
  values["emit"] = config.code.kernel.emit;
  values["store"] = name_of(config.code.kernel.store);
  encode_core_code(c, config, values);
  values["compiler"] = "default";
  for (const Compiler& compiler : compilers()) {
    const bool same = compiler.compiler == config.code.kernel.compiler &&
                      compiler.flags == config.code.kernel.flags;
    if (same) values["compiler"] = compiler.label;
  }
}

}  // namespace mdh::search::space
