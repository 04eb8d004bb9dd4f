#include "mdh/ll/roll.h"

#include "mdh/ll/tile_axes.h"

namespace mdh::ll {

std::variant<Roll, std::string> roll_of(const Program& p, const Nest& inputs,
                                        const Staging& staging, const Level& level) {
  if (staging.is_hint) return "nothing is copied: a cache keeps what it likes";
  const std::string name = to_string(p, level);
  if (staging.filled == 0) return "the tile is filled once, outside of all loops";
  const NestLoop& loop = inputs.loops[staging.filled - 1];
  if (loop.level != level) {
    return fmt::format("the tile is filled right inside of {}, not of {}", to_string(p, loop.level),
                       name);
  }
  if (loop.layer->kind != machine::LayerKind::loop) return name + " is not a loop";
  const hl::BufferView& buffer = p.computation.inputs[staging.buffer];
  std::optional<size_t> moves;
  for (size_t e = 0; e < buffer.accesses.front().index.size(); ++e) {
    if (index_step(p, buffer, staging.accesses, e, loop) == 0) continue;
    if (moves) return fmt::format("the tile moves along several dimensions with {}", name);
    moves = e;
  }
  if (!moves) return fmt::format("the tile does not move by a constant with {}", name);
  const int64_t step = index_step(p, buffer, staging.accesses, *moves, loop);
  if (step < 0) return fmt::format("the tile moves backwards with {}", name);
  const std::vector<TileAxis> axes =
      tile_axes(p, inputs, buffer, staging.accesses, staging.free, staging.place.layout);
  for (size_t n = 0; n < axes.size(); ++n) {
    if (axes[n].dimension != *moves || step % axes[n].stride != 0) continue;
    if (step / axes[n].stride < axes[n].extent) return Roll{n, step / axes[n].stride};
  }
  return fmt::format("two iterations of {} have nothing in common", name);
}

}  // namespace mdh::ll
