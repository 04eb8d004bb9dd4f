#include "mdh/search/space/context.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/model/shape.h"
#include "mdh/passes/lower/fuse.h"
#include "mdh/scalar/lanes.h"
#include "mdh/scalar/simplify.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::search::space {
namespace {

using machine::LayerKind;

void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (!name.empty() && std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
  }
}

/// Blocked and interleaved ways to deal the parts of a dimension to cores and registers.
std::vector<std::vector<std::string>> orders_of(const ll::Roles& l, bool outer_or_inner) {
  std::vector<std::string> first, others, second, inner_cores;
  if (!l.cores.empty()) first = {l.cores.front()};
  if (l.cores.size() > 1) {
    others.assign(l.cores.begin() + 1, l.cores.end());
    second = {others.front()};
    inner_cores.assign(others.begin() + 1, others.end());
  }
  const std::vector<std::string> memory = {l.outer, l.inner}, outer = {l.outer}, inner = {l.inner},
                                 registers = {l.registers}, lanes = {l.lanes};
  using Pieces = std::vector<std::vector<std::string>>;
  std::vector<Pieces> pieces = {
      {first, outer, second, inner, inner_cores, registers, lanes},
      {memory, registers, first, others, lanes},
  };
  if (!outer_or_inner) {
    pieces.push_back({first, second, memory, registers, inner_cores, lanes});
    pieces.push_back({first, memory, registers, others, lanes});
    pieces.push_back({first, others, memory, registers, lanes});
    pieces.push_back({first, others, outer, registers, inner, lanes});
  }
  std::vector<std::vector<std::string>> orders;
  for (const Pieces& parts : pieces) {
    std::vector<std::string> order;
    for (const auto& part : parts) add(order, part);
    if (std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
  }
  return orders;
}

bool is_scattered(const model::Shape& shape, size_t dimension) {
  const int d = static_cast<int>(dimension);
  return std::any_of(shape.buffers.begin(), shape.buffers.end(), [&](const auto& buffer) {
    return buffer.is_output && model::stride_along(buffer, d) > 1;
  });
}

SpaceVariant variant_of(const hl::Program& program, std::vector<std::vector<std::string>> fuse) {
  SpaceVariant variant{"none", std::move(fuse), program, {}, {}};
  if (!variant.fuse.empty()) {
    variant.label = join(variant.fuse.front(), ",");
    variant.program = passes::fuse(program, variant.fuse);
  }
  variant.inputs = inputs_of(variant.program);
  const std::vector<int64_t> sizes = hl::sizes(variant.program);
  const model::Shape shape = model::shape_of(variant.program);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const hl::Dimension& dimension = variant.program.dimensions[d];
    variant.dimensions.push_back({dimension.symbol.name, sizes[d],
                                  dimension.combine.shape == hl::Shape::concatenate,
                                  hl::is_reduced(dimension), is_scattered(shape, d),
                                  dimension.combine.shape == hl::Shape::scan});
  }
  return variant;
}

/// Reductions side by side of which one is short: together they fill vectors.
std::vector<SpaceVariant> variants_of(const hl::Program& program) {
  std::vector<SpaceVariant> variants = {variant_of(program, {})};
  const std::vector<SpaceDimension> dimensions = variants.front().dimensions;
  for (const SpaceDimension& a : dimensions) {
    for (const SpaceDimension& b : dimensions) {
      const bool useful = a.name != b.name && a.is_reduced && b.is_reduced && a.size > 1 &&
                          b.size > 1 && std::min(a.size, b.size) < 16;
      if (!useful) continue;
      try {
        variants.push_back(variant_of(program, {{a.name, b.name}}));
      } catch (const Error&) {
        // They do not lie side by side in some buffer.
      }
    }
  }
  return variants;
}

}  // namespace

const SpaceDimension* SpaceVariant::find(const std::string& dimension) const {
  for (const SpaceDimension& d : dimensions) {
    if (d.name == dimension) return &d;
  }
  return nullptr;
}

int64_t SpaceContext::cores() const {
  const int64_t threads = std::max(1, options.cores);
  return is_gpu() ? machine.find_layer(layers.cores.front())->count.value_or(threads) : threads;
}

const SpaceVariant& SpaceContext::variant(const std::string& label) const {
  for (const SpaceVariant& variant : variants) {
    if (variant.label == label) return variant;
  }
  return variants.front();
}

SpaceContext space_context(const hl::Program& program, const machine::Machine& machine,
                           SpaceOptions options) {
  SpaceContext c{
      .machine = machine, .layers = ll::roles_of(machine), .options = std::move(options)};
  c.significance = orders_of(c.layers, c.options.restricted.parallelism);
  c.variants = variants_of(program);
  for (const SpaceVariant& variant : c.variants) {
    for (const SpaceDimension& d : variant.dimensions) add(c.dimensions, {d.name});
  }
  for (const hl::BufferView& view : program.inputs) c.inputs.push_back(view.symbol.name);
  for (const hl::BufferView& view : program.outputs) c.outputs.push_back(view.symbol.name);
  const bool combines =
      std::any_of(program.dimensions.begin(), program.dimensions.end(),
                  [](const hl::Dimension& d) { return d.combine.shape != hl::Shape::concatenate; });
  c.has_lanes = scalar::lanes_ok(hl::scalar_function(program)) &&
                (!combines || scalar::lanes_ok(hl::combine_function(program)));
  c.parts_names = parts_names(c);
  return c;
}

std::vector<ll::LevelName> loops_at(const SpaceContext& c, const tune::Point& p) {
  std::vector<ll::LevelName> loops;
  for (const std::string& d : words_of(p.label("order." + c.layers.outer))) {
    loops.push_back({c.layers.outer, d});
  }
  if (c.layers.inner == c.layers.outer) return loops;
  for (const std::string& d : words_of(p.label("order." + c.layers.inner))) {
    loops.push_back({c.layers.inner, d});
  }
  return loops;
}

std::pair<std::string, size_t> place_of(const std::string& label) {
  const size_t plus = label.rfind('+');
  return {label.substr(0, plus), std::stoul(label.substr(plus + 1))};
}

std::optional<size_t> loop_number(const SpaceContext& c, const tune::Point& p,
                                  const std::string& place) {
  if (place == "none") return std::nullopt;
  const auto [layer, number] = place_of(place);
  size_t before = 0;
  for (const ll::LevelName& level : loops_at(c, p)) {
    if (level.layer == layer) return before + number;
    ++before;
  }
  return std::nullopt;
}

bool moves_along(const SpaceVariant& variant, const std::string& buffer,
                 const std::string& dimension) {
  for (const hl::BufferView& view : variant.program.inputs) {
    if (view.symbol.name != buffer) continue;
    for (const hl::Access& access : view.accesses) {
      for (const hl::Expr& index : access.index) {
        for (const hl::Dimension& d : variant.program.dimensions) {
          if (d.symbol.name == dimension && scalar::mentions(index, d.symbol)) return true;
        }
      }
    }
  }
  return false;
}

std::optional<ll::LevelName> last_loop(const SpaceContext& c, const ll::Config& config) {
  std::optional<ll::LevelName> last;
  for (const ll::LevelName& level : config.order) {
    if (level.layer == c.layers.inner || level.layer == c.layers.outer) last = level;
  }
  return last;
}

std::vector<std::string> parts_and_loops(const SpaceContext& c) {
  std::vector<std::string> names = parts_and_fuse(c);
  names.push_back("order." + c.layers.outer);
  if (c.layers.inner != c.layers.outer) names.push_back("order." + c.layers.inner);
  return names;
}

std::vector<std::string> parts_and_fuse(const SpaceContext& c) {
  std::vector<std::string> names = parts_names(c);
  names.insert(names.begin(), "fuse");
  return names;
}

}  // namespace mdh::search::space
