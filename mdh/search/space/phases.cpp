// Phases with an order of their own.
//
// The three phases share their loops as far as their orders agree. So it is the innermost levels, those
// of a tile of registers, whose order may differ at little cost: a tile is copied, or its results
// are written, in another order than it is computed.
#include <algorithm>

#include "mdh/search/space/context.h"

namespace mdh::search::space {
namespace {

using tune::Parameter;
using tune::Point;
using tune::Value;

const std::string& same = phases.front();

/// The levels in registers from inside out, all others as they are.
std::vector<ll::LevelName> turned(const SpaceContext& c, std::vector<ll::LevelName> order) {
  std::vector<size_t> places;
  for (size_t n = 0; n < order.size(); ++n) {
    if (order[n].layer == c.layers.registers) places.push_back(n);
  }
  for (size_t n = 0; n < places.size() / 2; ++n) {
    std::swap(order[places[n]], order[places[places.size() - 1 - n]]);
  }
  return order;
}

}  // namespace

void add_phases(const SpaceContext& c, std::vector<Parameter>& parameters) {
  if (!c.is_gpu() || c.options.restricted.phases) return;
  const auto range = [&c](const Point& p) {
    const SpaceVariant& variant = c.variant(p.label("fuse"));
    const bool may_turn = dimensions_on(c, variant, parts_at(c, p), c.layers.registers).size() > 1;
    return std::vector<Value>(phases.begin(), may_turn ? phases.end() : phases.begin() + 1);
  };
  parameters.push_back({"phases", range, parts_and_fuse(c), tune::ParameterKind::categorical});
}

void decode_phases(const SpaceContext& c, const Point& point, ll::Config& config) {
  if (!c.is_gpu() || c.options.restricted.phases || point.label("phases") == same) return;
  config.phases[point.label("phases")].order = turned(c, config.order);
}

void encode_phases(const SpaceContext& c, const ll::Config& config, NamedValues& values) {
  values["phases"] = same;
  if (config.phases.empty()) return;
  const auto& [name, phase] = *config.phases.begin();
  const bool searched = config.phases.size() == 1 && phase.split.empty() && phase.tags.empty() &&
                        phase.order == turned(c, config.order);
  values["phases"] = searched ? name : "not searched";
}

}  // namespace mdh::search::space
