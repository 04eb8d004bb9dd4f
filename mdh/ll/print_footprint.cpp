#include <algorithm>

#include "mdh/ll/footprint.h"
#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

using Row = std::vector<std::string>;

/// A section: its name, then its table moved in.
std::string section(const std::string& name, const std::vector<Row>& rows) {
  return name + "\n" + indent(aligned(rows, Align::right), 2);
}

std::string position_of(const Program& p, const std::vector<TaggedOperator>& phase, int position) {
  return position < static_cast<int>(phase.size()) ? to_string(p, phase[position].level) : "f";
}

std::string print_levels(const Footprint& f, const Program& p) {
  std::vector<Row> rows = {{"level", "parts", "active", "iterations", "working set", "traffic"}};
  for (const LevelCount& level : f.levels) {
    const bool counted = level.working_set != Count(0);
    rows.push_back({to_string(p, level.level), level.parts.to_string(), level.active.to_string(),
                    level.iterations.to_string(), counted ? level.working_set.to_string() : "open",
                    counted ? level.traffic.to_string() : "open"});
  }
  return section("levels", rows);
}

std::string print_teams(const Footprint& f) {
  std::vector<Row> rows = {{"layer", "members", "active"}};
  for (const TeamCount& team : f.teams) {
    rows.push_back({team.layer, team.members.to_string(), team.active.to_string()});
  }
  return rows.size() == 1 ? "" : section("cores", rows);
}

std::string print_tiles(const Footprint& f, const Program& p) {
  std::vector<Row> rows = {
      {"tile", "region", "from", "extents", "elements", "bytes", "fills", "traffic", "shared by"}};
  for (const TileCount& tile : f.tiles) {
    std::vector<std::string> extents, team;
    for (const int64_t extent : tile.extents) extents.push_back(std::to_string(extent));
    for (const Level& level : tile.team) team.push_back(to_string(p, level));
    rows.push_back({tile.buffer, tile.place.region + (tile.is_hint ? " (hint)" : ""),
                    position_of(p, p.decompose, tile.position), join(extents, "x"),
                    std::to_string(tile.elements), std::to_string(tile.bytes),
                    tile.fills.to_string(), tile.traffic.to_string(),
                    team.empty() ? "-" : join(team, ",")});
  }
  return rows.size() == 1 ? "" : section("tiles", rows);
}

std::string print_accumulators(const Footprint& f, const Program& p) {
  std::vector<Row> rows = {
      {"accumulator", "region", "inside", "elements", "slots", "bytes", "flushes", "traffic"}};
  for (const AccumulatorCount& acc : f.accumulators) {
    rows.push_back({acc.buffer, acc.place.region, position_of(p, p.recompose, acc.position),
                    std::to_string(acc.elements), std::to_string(acc.slots),
                    std::to_string(acc.bytes), acc.flushes.to_string(), acc.traffic.to_string()});
  }
  return rows.size() == 1 ? "" : section("accumulators", rows);
}

std::string print_regions(const Footprint& f) {
  std::vector<Row> rows = {{"region", "bytes", "capacity"}};
  for (const RegionCount& region : f.regions) {
    rows.push_back({region.region, std::to_string(region.bytes),
                    region.capacity ? std::to_string(*region.capacity) : "-"});
  }
  return section("regions, per instance", rows);
}

}  // namespace

std::string print(const Footprint& f, const Program& p) {
  const int depth = static_cast<int>(p.decompose.size());
  std::string text = print_levels(f, p) + print_teams(f) + print_tiles(f, p) +
                     print_accumulators(f, p) + print_regions(f);
  if (f.fused_loops < depth) {
    text += fmt::format("phases\n  {} of {} loops are common, the others run phase by phase\n",
                        f.fused_loops, depth);
  }
  return text;
}

}  // namespace mdh::ll
