// How much of a region copies need, without lowering anything: what surely does not fit is not tried.
#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/count.h"
#include "mdh/search/space/context.h"

namespace mdh::search::space {
namespace {

using tune::Point;

/// Parts that a dimension has inside of a place, of threads from a layer inwards.
int64_t parts_inside(const SpaceContext& c, const Point& p, const LevelParts& parts,
                     const std::string& dimension, const std::string& place, size_t first_core) {
  int64_t inside = 1;
  const auto take = [&](const std::string& layer) {
    const auto on = parts.find(layer);
    if (on == parts.end()) return;
    const auto count = on->second.find(dimension);
    if (count != on->second.end()) inside *= count->second;
  };
  for (size_t n = first_core; n < c.layers.cores.size(); ++n) take(c.layers.cores[n]);
  take(c.layers.registers);
  take(c.layers.lanes);
  const std::vector<ll::LevelName> loops = loops_at(c, p);
  for (size_t n = loop_number(c, p, place).value_or(0); n < loops.size(); ++n) {
    if (loops[n].dimension == dimension) take(loops[n].layer);
  }
  return inside;
}

/// Parts of all kept dimensions on a layer.
int64_t kept_parts(const SpaceVariant& variant, const LevelParts& parts, const std::string& layer) {
  int64_t kept = 1;
  const auto on = parts.find(layer);
  if (on == parts.end()) return kept;
  for (const auto& [dimension, count] : on->second) {
    if (!variant.find(dimension)->is_reduced) kept *= count;
  }
  return kept;
}

/// Parts of the reduced level on a layer of cores whose parts wait to be combined: of several, the
/// fewest.
int64_t waiting_parts(const SpaceVariant& variant, const LevelParts& parts,
                      const std::string& layer) {
  int64_t waiting = INT64_MAX;
  const auto on = parts.find(layer);
  if (on == parts.end()) return 1;
  for (const auto& [dimension, count] : on->second) {
    if (variant.find(dimension)->is_reduced) waiting = std::min(waiting, count);
  }
  return waiting == INT64_MAX ? 1 : waiting;
}

/// Results that a group keeps from a layer inwards. Loops around the first reduction do not count.
int64_t results_inside(const SpaceContext& c, const Point& p, const std::string& layer) {
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  const LevelParts& parts = parts_at(c, p);
  int64_t results = kept_parts(variant, parts, c.layers.registers);
  results *= kept_parts(variant, parts, c.layers.lanes);
  for (size_t n = 1; n < c.layers.cores.size(); ++n) {
    results *= kept_parts(variant, parts, c.layers.cores[n]);
  }
  const bool is_core = layer != c.layers.outer && layer != c.layers.inner;
  bool counts = is_core;
  for (const ll::LevelName& loop : loops_at(c, p)) {
    const SpaceDimension& d = *variant.find(loop.dimension);
    counts = counts || (loop.layer == layer && d.is_reduced);
    if (counts && !d.is_reduced) results *= parts.at(loop.layer).at(loop.dimension);
  }
  return is_core ? results * waiting_parts(variant, parts, layer) : results;
}

/// Elements along an axis on which dimensions walk in steps, the finest first: what coarse steps
/// leave out is not there.
int64_t extent_of(std::vector<std::pair<int64_t, int64_t>> steps) {
  std::sort(steps.begin(), steps.end());
  int64_t extent = 1;
  for (const auto& [step, count] : steps) {
    const int64_t relative = step / steps.front().first;
    extent = relative <= extent ? extent + relative * (count - 1) : extent * count;
  }
  return extent;
}

}  // namespace

std::vector<SpaceInput> inputs_of(const hl::Program& program) {
  std::vector<SpaceInput> inputs;
  for (const hl::BufferView& view : program.inputs) {
    inputs.push_back({view.symbol.name, scalar::bytes_of(view.type), {}});
    for (const hl::Expr& index : view.accesses.front().index) {
      SpaceInput::Axis& axis = inputs.back().axes.emplace_back();
      const auto affine = hl::find_affine(program, index);
      for (size_t d = 0; affine && d < affine->coefficients.size(); ++d) {
        const int64_t step = std::abs(affine->coefficients[d]);
        if (step != 0) axis.emplace_back(program.dimensions[d].symbol.name, step);
      }
    }
  }
  return inputs;
}

namespace {

int64_t bytes_inside(const SpaceContext& c, const Point& p, const SpaceVariant& variant,
                     const SpaceInput& input, const std::string& place, size_t first_core) {
  const LevelParts& parts = parts_at(c, p);
  int64_t bytes = input.bytes;
  for (const SpaceInput::Axis& axis : input.axes) {
    std::vector<std::pair<int64_t, int64_t>> steps;
    for (const auto& [dimension, step] : axis) {
      const int64_t inside = parts_inside(c, p, parts, dimension, place, first_core);
      steps.emplace_back(step, std::min(inside, variant.find(dimension)->size));
    }
    bytes = ll::saturating_product(bytes, extent_of(std::move(steps)));
  }
  return bytes;
}

/// The first layer of cores inside of a place; behind the last one for places in loops.
size_t first_core_inside(const SpaceContext& c, const std::string& place) {
  const auto& cores = c.layers.cores;
  const auto at = std::find(cores.begin(), cores.end(), place_of(place).first);
  return static_cast<size_t>(at - cores.begin());
}

/// Threads that are around a place.
int64_t threads_outside(const SpaceContext& c, const Point& p, size_t first_core) {
  int64_t threads = 1;
  const LevelParts& parts = parts_at(c, p);
  for (size_t n = 1; n < first_core; ++n) {
    const auto on = parts.find(c.layers.cores[n]);
    if (on == parts.end()) continue;
    for (const auto& [dimension, count] : on->second) threads *= count;
  }
  return threads;
}

}  // namespace

int64_t tile_bytes(const SpaceContext& c, const Point& p, const std::string& buffer,
                   const std::string& place, Shared shared) {
  if (place == "none") return 0;
  const SpaceVariant& variant = c.variant(p.label("fuse"));
  for (const SpaceInput& input : variant.inputs) {
    if (input.name != buffer) continue;
    if (shared == Shared::by_group) return bytes_inside(c, p, variant, input, place, 1);
    const size_t first = first_core_inside(c, place);
    return ll::saturating_product(threads_outside(c, p, first),
                                  bytes_inside(c, p, variant, input, place, first));
  }
  return 0;
}

int64_t copy_bytes(const SpaceContext& c, const Point& p, const std::string& buffer) {
  const std::string& layout = p.label("pack." + buffer + ".layout");
  const bool digits = layout == "walk" || layout == "digits";
  return tile_bytes(c, p, buffer, p.label("pack." + buffer),
                    digits ? Shared::by_none : Shared::by_group);
}

int64_t bytes_of_results(const SpaceContext& c, const Point& p, const std::string& buffer,
                         const std::string& layer) {
  if (layer == "none") return 0;
  for (const hl::BufferView& view : c.variants.front().program.outputs) {
    if (view.symbol.name != buffer) continue;
    return ll::saturating_product(scalar::bytes_of(view.type), results_inside(c, p, layer));
  }
  return 0;
}

int64_t bytes_of_results(const SpaceContext& c, const Point& p) {
  int64_t bytes = 0;
  for (const std::string& output : c.outputs) {
    bytes += bytes_of_results(c, p, output, p.label("mid." + output));
  }
  return bytes;
}

int64_t capacity_of_groups(const SpaceContext& c) {
  const machine::Region* shared = c.machine.find_region(c.layers.shared);
  return shared != nullptr ? shared->capacity.value_or(INT64_MAX) : INT64_MAX;
}

}  // namespace mdh::search::space
