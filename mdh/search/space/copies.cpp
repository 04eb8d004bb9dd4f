// Decisions about copies of inputs: how they are filled, and how they lie in memory.
#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/search/space/context.h"

namespace mdh::search::space {
namespace {

using tune::Parameter;
using tune::Point;
using tune::Value;

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

const hl::BufferView& input_of(const hl::Program& program, const std::string& buffer) {
  const auto found =
      std::find_if(program.inputs.begin(), program.inputs.end(),
                   [&](const hl::BufferView& view) { return view.symbol.name == buffer; });
  return *found;
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
  const hl::BufferView& view = input_of(program, buffer);
  if (view.accesses.size() > 1) return true;
  for (const hl::Expr& index : view.accesses.front().index) {
    const auto affine = hl::find_affine(program, index);
    if (!affine) return false;
    const auto moves = [](int64_t step) { return step != 0; };
    if (std::count_if(affine->coefficients.begin(), affine->coefficients.end(), moves) > 1) {
      return true;
    }
  }
  return false;
}

/// A tile of registers may keep what the next round of the innermost loop needs again.
Parameter roll_parameter(const SpaceContext& c, const std::string& buffer) {
  const auto range = [&c, buffer](const Point& p) {
    std::vector<Value> values = {std::string("no")};
    const std::vector<ll::LevelName> loops = loops_at(c, p);
    const bool inside = p.label("registers." + buffer) == c.layers.registers + "+0";
    const std::string last = loops.empty() ? "" : loops.back().dimension;
    if (inside && shares_along(c, p, buffer, last)) values.emplace_back("yes");
    return values;
  };
  return {"roll." + buffer,
          range,
          {"fuse", "registers." + buffer, "order." + c.layers.inner, "order." + c.layers.outer},
          tune::ParameterKind::categorical};
}

// ---- how tiles of groups lie in banks

/// Elements between lines; where there are none, the pieces of so many lines change places.
constexpr const char* most_lines = "8";

Parameter banks_parameter(const SpaceContext& c, const std::string& buffer) {
  Parameter p = staged_parameter("banks", buffer, {"1", most_lines}, &Stagings::copy);
  if (!c.options.obeys.tile_swizzle) return tune::labels(p.name, {"1"});
  return tune::constrained(p, {"pad." + buffer}, [buffer](const Point& at, const Value& value) {
    return value == Value(std::string("1")) || at.label("pad." + buffer) == "0";
  });
}

/// The innermost axes that are one line: all lines of a tile have something between them, or change
/// their pieces.
Parameter line_parameter(const SpaceContext& c, const std::string& buffer) {
  const hl::BufferView& view = input_of(c.variants.front().program, buffer);
  const size_t axes = view.accesses.front().index.size();
  const auto range = [buffer, axes](const Point& p) {
    std::vector<Value> values = {std::string("1")};
    const bool has_lines = p.label("pad." + buffer) != "0" || p.label("banks." + buffer) != "1";
    for (size_t n = 2; has_lines && n <= axes; ++n) values.emplace_back(std::to_string(n));
    return values;
  };
  return {"line." + buffer,
          range,
          {"pad." + buffer, "banks." + buffer},
          tune::ParameterKind::categorical};
}

// ---- copies that run ahead

/// The loop around the one that copies, if the copies may run ahead into its next round.
std::optional<ll::LevelName> level_across(const SpaceContext& c, const Point& p,
                                          const std::string& buffer) {
  const std::vector<ll::LevelName> loops = loops_at(c, p);
  const auto at = loop_number(c, p, p.label("pack." + buffer));
  if (!at || *at < 2) return std::nullopt;
  // A copy that does not change from round to round is made outside of the loop.
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  if (!moves_along(variant, buffer, loops[*at - 1].dimension)) return std::nullopt;
  return loops[*at - 2];
}

Parameter across_parameter(const SpaceContext& c, const std::string& buffer) {
  const auto range = [&c, buffer](const Point& p) {
    std::vector<Value> values = {std::string("no")};
    const bool ahead = p.label("depth." + buffer) != "1";
    if (ahead && level_across(c, p, buffer)) values.emplace_back("yes");
    return values;
  };
  return {"across." + buffer,
          range,
          {"fuse", "pack." + buffer, "depth." + buffer, "order." + c.layers.inner,
           "order." + c.layers.outer},
          tune::ParameterKind::categorical};
}

/// Only a copy in a loop that changes what is copied has a next one.
bool has_next(const SpaceContext& c, const Point& p, const std::string& buffer) {
  const std::vector<ll::LevelName> loops = loops_at(c, p);
  const size_t inside = loop_number(c, p, p.label("pack." + buffer)).value_or(0);
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  return std::any_of(
      loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(inside),
      [&](const ll::LevelName& level) { return moves_along(variant, buffer, level.dimension); });
}

/// Bytes of the copies of all other buffers, as many of each as are in flight where that is known.
int64_t bytes_of_others(const SpaceContext& c, const Point& p, const std::string& buffer) {
  int64_t bytes = 0;
  bool is_known = true;
  for (const std::string& other : c.inputs) {
    is_known = is_known && other != buffer;
    if (other == buffer) continue;
    const int64_t flying = is_known ? std::stol(p.label("depth." + other)) : 1;
    bytes += flying * copy_bytes(c, p, other);
  }
  return bytes;
}

/// So many copies in flight as there is room for. Where nothing changes what is copied, a second one is
/// of use for groups that take several parts in turn.
Parameter depth_parameter(const SpaceContext& c, const std::string& buffer) {
  const auto range = [&c, buffer](const Point& p) {
    std::vector<Value> values = {std::string("1")};
    if (p.label("pack." + buffer) == "none") return values;
    const int64_t bytes = copy_bytes(c, p, buffer);
    const int64_t room =
        capacity_of_groups(c) - bytes_of_others(c, p, buffer) - bytes_of_results(c, p);
    const int64_t most = has_next(c, p, buffer) ? 4 : 2;
    for (int64_t depth = 2; depth <= most && depth * bytes <= room; ++depth) {
      values.emplace_back(std::to_string(depth));
    }
    return values;
  };
  std::vector<std::string> reads = parts_and_loops(c);
  for (const std::string& other : c.inputs) {
    reads.insert(reads.end(), {"pack." + other, "pack." + other + ".layout"});
  }
  for (const std::string& other : c.inputs) {
    if (other == buffer) break;
    reads.push_back("depth." + other);
  }
  for (const std::string& output : c.outputs) reads.push_back("mid." + output);
  return {"depth." + buffer, range, reads, tune::ParameterKind::categorical};
}

/// A tile that rolls keeps its place: the next one is not fetched ahead.
Parameter ready_parameter(const SpaceContext& c, const std::string& buffer) {
  const Parameter p = staged_parameter("ready", buffer, {"1", "2"}, &Stagings::registers);
  if (!has_halo(c, buffer)) return p;
  return tune::constrained(p, {"roll." + buffer}, [buffer](const Point& at, const Value& value) {
    return value == Value(std::string("1")) || at.label("roll." + buffer) == "no";
  });
}

void add_grid_copies(const SpaceContext& c, const std::string& b,
                     std::vector<Parameter>& parameters) {
  const auto add = [&](const char* name, std::vector<std::string> values, bool Stagings::*needs) {
    parameters.push_back(staged_parameter(name, b, std::move(values), needs));
  };
  add("pad", {"0", "1", "2", "4", "8"}, &Stagings::copy);
  parameters.push_back(banks_parameter(c, b));
  parameters.push_back(line_parameter(c, b));
  parameters.push_back(depth_parameter(c, b));
  parameters.push_back(across_parameter(c, b));
  std::vector<std::string> transports = {name_of(ll::Transport::plain)};
  if (c.options.obeys.transport) transports.emplace_back(name_of(ll::Transport::registers));
  transports.emplace_back(name_of(ll::Transport::async));
  add("transport", transports, &Stagings::copy);
  std::vector<std::string> widths = {"0"};
  if (c.options.obeys.width) widths.emplace_back("4");
  add("width", widths, &Stagings::copy);
  parameters.push_back(ready_parameter(c, b));  // depth in registers
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
  if (c.is_gpu()) add_grid_copies(c, b, parameters);
}

}  // namespace

void add_copies(const SpaceContext& c, std::vector<Parameter>& parameters) {
  for (const std::string& buffer : c.inputs) add_buffer(c, buffer, parameters);
}

// ---- configurations

namespace {

/// The dimensions that walk along the first and the last axis of a buffer.
std::vector<std::string> outer_axes(const SpaceVariant& variant, const std::string& buffer) {
  std::vector<std::string> names;
  for (const hl::Expr& index : input_of(variant.program, buffer).accesses.front().index) {
    const auto* v = index.as<scalar::Variable>();
    if (v && variant.find(v->symbol.name)) names.push_back(v->symbol.name);
  }
  if (names.size() < 2) return {};
  return {names.front(), names.back()};
}

void decode_grid_copy(const SpaceContext& c, const Point& p, const std::string& b,
                      ll::StageCode& code) {
  code.pad = std::stol(p.label("pad." + b));
  code.swizzle = std::stol(p.label("banks." + b));
  code.line = std::stol(p.label("line." + b));
  code.depth = std::stol(p.label("depth." + b));
  code.width = std::stol(p.label("width." + b));
  code.transport = *choice_of<ll::Transport>(p.label("transport." + b));
  if (p.label("across." + b) == "yes") code.across = level_across(c, p, b);
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
    if (has.copy) decode_grid_copy(c, p, b, codes.front());
    if (has.registers) codes.back().depth = std::stol(p.label("ready." + b));
  }
  while (!codes.empty() && codes.back() == ll::StageCode{}) codes.pop_back();
  if (!codes.empty()) config.code.stage[b] = codes;
}

void encode_grid_copy(const ll::StageCode& code, const std::string& b, NamedValues& values) {
  values["depth." + b] = std::to_string(code.depth);
  values["pad." + b] = std::to_string(code.pad);
  values["banks." + b] = std::to_string(code.swizzle);
  const bool has_lines = code.pad != 0 || code.swizzle != 1;
  values["line." + b] = std::to_string(has_lines ? code.line : 1);
  // No access is wider than 16 bytes: asking for no more is asking for nothing.
  values["width." + b] = std::to_string(code.width < 16 ? code.width : 0);
  values["transport." + b] = name_of(code.transport);
  if (code.across) values["across." + b] = "yes";
}

void encode_buffer(const SpaceContext& c, const ll::Config& config, const std::string& b,
                   NamedValues& values) {
  const auto staged = config.stage.find(b);
  const auto codes = config.code.stage.find(b);
  values["ahead." + b] = "0";
  values["roll." + b] = values["opaque." + b] = values["blocks." + b] = "no";
  if (c.is_gpu()) {
    encode_grid_copy({}, b, values);
    values["across." + b] = "no";
    values["ready." + b] = "1";
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
    if (registers) values["ready." + b] = std::to_string(code.depth);
    if (!registers) encode_grid_copy(code, b, values);
  }
}

}  // namespace

void decode_copies(const SpaceContext& c, const Point& p, ll::Config& config) {
  for (const std::string& buffer : c.inputs) decode_buffer(c, p, buffer, config);
}

void encode_copies(const SpaceContext& c, const ll::Config& config, NamedValues& values) {
  for (const std::string& buffer : c.inputs) encode_buffer(c, config, buffer, values);
}

}  // namespace mdh::search::space
