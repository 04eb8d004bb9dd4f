#include "mdh/passes/lower.h"

#include <algorithm>
#include <numeric>

namespace mdh::passes {
namespace {

/// x, y, z, then w4, w5, ...: machine dimensions are numbered like the computation's.
std::string machine_dimension(int d) {
  constexpr const char* usual[] = {"x", "y", "z"};
  return d < 3 ? usual[d] : fmt::format("w{}", d + 1);
}

std::vector<ll::Place> places_of(const std::vector<hl::BufferView>& buffers,
                                 const machine::Machine& machine) {
  std::vector<ll::Place> places;
  for (const hl::BufferView& buffer : buffers) {
    std::vector<int> layout(buffer.accesses.front().index.size());
    std::iota(layout.begin(), layout.end(), 1);
    places.push_back({machine.regions.front().name, std::move(layout)});
  }
  return places;
}

ll::Level level_of(const ll::LevelName& name, const hl::Program& program,
                   const ll::Config& config) {
  const auto layer = std::find(config.layers.begin(), config.layers.end(), name.layer);
  const auto dimension =
      std::find_if(program.dimensions.begin(), program.dimensions.end(),
                   [&](const hl::Dimension& d) { return d.symbol.name == name.dimension; });
  return {static_cast<int>(layer - config.layers.begin()),
          static_cast<int>(dimension - program.dimensions.begin())};
}

int64_t parts_of(const ll::LevelName& name, const ll::Config& config) {
  const auto digits = config.split.find(name.dimension);
  if (digits == config.split.end()) return 1;
  for (const ll::Digit& digit : digits->second) {
    if (digit.layer == name.layer) return digit.parts;
  }
  return 1;
}

}  // namespace

ll::Program lower(const hl::Program& program, const machine::Machine& machine,
                  const ll::Config& config) {
  validate(config, program, machine);
  ll::Program result{.computation = program, .machine = machine.name, .layers = config.layers};
  result.scalar.reads = places_of(program.inputs, machine);
  result.scalar.writes = places_of(program.outputs, machine);
  for (const ll::LevelName& name : config.order) {
    const int64_t parts = parts_of(name, config);
    if (parts == 1) continue;
    const ll::Level level = level_of(name, program, config);
    ll::TaggedOperator op{level, parts, name.layer, machine_dimension(level.dimension),
                          result.scalar.reads};
    result.decompose.push_back(op);
    op.places = result.scalar.writes;
    result.recompose.push_back(op);
    result.scalar.order.push_back(level);
  }
  verify(result);
  return result;
}

}  // namespace mdh::passes
