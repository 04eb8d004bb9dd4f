#include "mdh/search/sketches.h"

#include <algorithm>
#include <map>

#include "mdh/model/cost.h"
#include "mdh/search/grid_sketches.h"
#include "mdh/search/sketch_loops.h"
#include "mdh/search/sketch_tiles.h"

namespace mdh::search {
namespace {

struct Estimated {
  Sketch sketch;
  double cost = 0;
};

void sort(std::vector<Estimated>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Estimated& a, const Estimated& b) { return a.cost < b.cost; });
}

/// What two sketches have in common apart from the size of their tiles.
std::string kind_of(const Sketch& s) {
  std::string kind =
      s.base->variant.label + (s.late ? " late" : "") + (s.updates ? " updates" : "");
  for (size_t d = 0; d < s.base->dimensions(); ++d) {
    const int n = static_cast<int>(d);
    if (s.at(Role::lanes, n) > 1) kind += " lanes " + std::to_string(d);
    if (s.at(Role::registers, n) > 1) kind += " " + std::to_string(d);
    if (s.base->is_reduced(n)) kind += "x" + std::to_string(s.at(Role::registers, n));
  }
  for (size_t n = 0; n < s.copies.size(); ++n) {
    kind += s.copies[n] ? " copy" : " -";
    kind += s.in_registers[n] ? "+" : "";
  }
  return kind;
}

/// The best few of every kind; then others, if there are not many kinds.
std::vector<Estimated> best_of_kinds(std::vector<Estimated> all, int of_a_kind, size_t most) {
  sort(all);
  std::map<std::string, int> alike;
  std::vector<Estimated> chosen, others;
  for (Estimated& e : all) {
    const bool few = alike[kind_of(e.sketch)]++ < of_a_kind;
    (few ? chosen : others).push_back(std::move(e));
  }
  for (size_t n = 0; n < others.size() && chosen.size() < most; ++n) {
    chosen.push_back(std::move(others[n]));
  }
  if (chosen.size() > most) chosen.erase(chosen.begin() + static_cast<long>(most), chosen.end());
  return chosen;
}

}  // namespace

std::vector<EstimatedConfig> sketches(const hl::Program& program, const machine::Machine& machine,
                                      const model::Rates& rates, size_t count) {
  if (model::has_groups(machine)) return grid_sketches(program, machine, rates.grid, count);
  const space::SpaceContext context =
      space::space_context(program, machine, {.cores = rates.cores});
  const ll::Roles& layers = context.layers;
  if (layers.cores.size() != 1 || layers.registers.empty() || layers.inner.empty()) return {};
  if (program.dimensions.empty()) return {};  // one point: nothing to cut
  std::vector<SketchBase> bases;
  for (const space::SpaceVariant& variant : context.variants) {
    bases.push_back({context, variant, model::shape_of(variant.program)});
  }
  std::vector<Estimated> all, in_pieces;
  for (const SketchBase& base : bases) {
    for (Sketch& sketch : sketch_tiles(base, rates)) {
      begin_loops(sketch, rates);
      if (auto other = in_blocks(sketch, rates)) {
        const double cost = cost_of(*other, rates);
        in_pieces.push_back({std::move(*other), cost});
      }
      const double cost = cost_of(sketch, rates);
      all.push_back({std::move(sketch), cost});
    }
  }
  std::vector<Estimated> chosen = best_of_kinds(std::move(all), 2, std::max<size_t>(24, count));
  for (Estimated& e : best_of_kinds(std::move(in_pieces), 1, 8)) chosen.push_back(std::move(e));
  for (Estimated& e : chosen) {
    improve_loops(e.sketch, rates, 150);
    e.cost = cost_of(e.sketch, rates);
  }
  sort(chosen);
  for (size_t n = 0; n < chosen.size() && n < 6; ++n) {
    improve_loops(chosen[n].sketch, rates, 1000);
    chosen[n].cost = cost_of(chosen[n].sketch, rates);
  }
  sort(chosen);
  std::vector<EstimatedConfig> result;
  for (const Estimated& e : chosen) {
    ll::Config config = config_of(e.sketch);
    config.program = program.name;
    config.machine = machine.name;
    if (result.size() < count && is_valid(program, machine, config)) {
      result.push_back({std::move(config), e.cost});
    }
  }
  return result;
}

}  // namespace mdh::search
