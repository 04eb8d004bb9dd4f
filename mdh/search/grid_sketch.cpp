#include "mdh/search/grid_sketch.h"

#include <algorithm>
#include <cstdlib>

#include "mdh/search/space/layouts.h"

namespace mdh::search {
namespace {

constexpr GridRole all_grid_roles[] = {GridRole::groups, GridRole::warps, GridRole::threads,
                                       GridRole::outer,  GridRole::inner, GridRole::registers,
                                       GridRole::lanes};
constexpr int64_t most_written_out = 32;  // rounds
constexpr double most_straight = 4096;    // operations

class GridOutline {
 public:
  explicit GridOutline(const GridSketch& sketch) : s_(sketch), c_(*sketch.context) {}

  ll::Config run() {
    config_.fuse = s_.variant->fuse;
    config_.layers = c_.significance[s_.significance];
    add_split();
    for (const GridRole role : all_grid_roles) add_levels(role);
    add_results();
    for (size_t n = 0; n < s_.copies.size(); ++n) add_copy(n);
    add_code();
    return std::move(config_);
  }

 private:
  const model::BufferShape& input(size_t n) const { return s_.shape->buffers[n]; }
  const std::string& name_of(int d) const { return s_.shape->dimensions[d].name; }

  void add_split() {
    for (size_t d = 0; d < s_.dimensions(); ++d) {
      for (const GridRole role : all_grid_roles) {
        const int64_t parts = s_.at(role, static_cast<int>(d));
        if (parts > 1) {
          config_.split[name_of(static_cast<int>(d))].push_back({s_.layer_of(role), parts});
        }
      }
    }
  }

  /// Bytes that lie side by side along a dimension, in all buffers.
  int64_t along(int d) const {
    int64_t bytes = 0;
    for (const model::BufferShape& buffer : s_.shape->buffers) {
      if (model::stride_along(buffer, d) == 1) bytes += buffer.element_bytes;
    }
    return bytes;
  }

  /// Groups and loops: results first. Threads: those last that lie along memory. Registers: what
  /// reduces first, so that results are used one after the other.
  std::vector<int> order_of(GridRole role) const {
    std::vector<int> order;
    for (size_t d = 0; d < s_.dimensions(); ++d) order.push_back(static_cast<int>(d));
    const auto kept_first = [&](int a, int b) { return s_.is_kept(a) > s_.is_kept(b); };
    const auto reduced_first = [&](int a, int b) { return s_.is_kept(a) < s_.is_kept(b); };
    const auto near_last = [&](int a, int b) { return along(a) < along(b); };
    switch (role) {
      case GridRole::threads:
        std::stable_sort(order.begin(), order.end(), near_last);
        break;
      case GridRole::warps:
      case GridRole::registers:
      case GridRole::lanes:
        std::stable_sort(order.begin(), order.end(), reduced_first);
        break;
      default:
        std::stable_sort(order.begin(), order.end(), kept_first);
    }
    return order;
  }

  void add_levels(GridRole role) {
    for (const int d : order_of(role)) {
      if (s_.at(role, d) > 1) config_.order.push_back({s_.layer_of(role), name_of(d)});
    }
  }

  bool is_one_of(const ll::LevelName& level, std::initializer_list<GridRole> roles) const {
    return std::any_of(roles.begin(), roles.end(),
                       [&](GridRole role) { return s_.layer_of(role) == level.layer; });
  }

  bool has_warps() const { return !s_.layer_of(GridRole::warps).empty(); }

  bool is_reduced(const ll::LevelName& level) const {
    return !s_.is_kept(s_.shape->dimension(level.dimension));
  }

  template <class Test>
  const ll::LevelName* first(const Test& test) const {
    const auto found = std::find_if(config_.order.begin(), config_.order.end(), test);
    return found == config_.order.end() ? nullptr : &*found;
  }

  // ---- results

  void add_results() {
    using enum GridRole;
    const auto* meeting = first([&](const ll::LevelName& l) {
      return is_reduced(l) && is_one_of(l, {warps, threads});
    });
    // Threads of a warp exchange registers.
    const bool waits = first([&](const ll::LevelName& l) {
                         return is_reduced(l) && is_one_of(l, {has_warps() ? warps : threads});
                       }) != nullptr;
    const auto* loop = first([&](const ll::LevelName& l) {
      return is_reduced(l) && is_one_of(l, {outer, inner, registers});
    });
    std::vector<ll::Relocation> places;
    if (meeting && waits) places.push_back({*meeting, c_.layers.shared, {}});
    if (loop) places.push_back({*loop, c_.layers.register_region, {}});
    for (const model::BufferShape& buffer : s_.shape->buffers) {
      if (buffer.is_output && !places.empty()) config_.acc[buffer.name] = places;
    }
    for (const ll::LevelName& level : config_.order) {
      if (!is_reduced(level)) continue;
      if (is_one_of(level, {threads}) && has_warps()) {
        config_.code.combine[level] = ll::Combination::shuffle;
      } else if (is_one_of(level, {warps, threads})) {
        config_.code.combine[level] = ll::Combination::team_tree;
      } else if (is_one_of(level, {groups}) && s_.groups_meet != ll::Combination::automatic) {
        config_.code.combine[level] = s_.groups_meet;
      }
    }
  }

  // ---- copies

  const ll::LevelName* copied_from(GridCopy copy) const {
    using enum GridRole;
    if (copy == GridCopy::whole) {
      return first([&](const ll::LevelName& l) { return is_one_of(l, {warps, threads}); });
    }
    const auto* piece =
        first([&](const ll::LevelName& l) { return is_reduced(l) && is_one_of(l, {inner}); });
    if (piece) return piece;
    return first([&](const ll::LevelName& l) { return is_one_of(l, {outer, inner}); });
  }

  /// The dimension of the buffer that what a thread computes side by side walks along.
  std::optional<size_t> read_along(const model::BufferShape& buffer) const {
    for (const GridRole role : {GridRole::lanes, GridRole::registers}) {
      for (size_t d = 0; d < s_.dimensions(); ++d) {
        const int n = static_cast<int>(d);
        const bool counts = role == GridRole::lanes || s_.is_kept(n);
        if (s_.at(role, n) <= 1 || !counts || !model::depends_on(buffer, n)) continue;
        for (size_t e = buffer.extents.size(); e-- > 0;) {
          if (model::moves_along(buffer, e, n)) return e;
        }
      }
    }
    return std::nullopt;
  }

  std::vector<ll::LayoutAxis> layout_of(const model::BufferShape& buffer) const {
    const auto last = read_along(buffer);
    const hl::BufferView* view = space::view_of(*s_.variant, buffer.name);
    const std::vector<std::string> names = space::walkers(*s_.variant, *view);
    if (!last || *last + 1 == buffer.extents.size()) return {};
    std::vector<ll::LayoutAxis> layout;
    for (size_t e = 0; e < names.size(); ++e) {
      if (names[e].empty()) return {};
      if (e != *last) layout.push_back({names[e], ""});
    }
    layout.push_back({names[*last], ""});
    return layout;
  }

  void add_copy(size_t n) {
    const model::BufferShape& buffer = input(n);
    std::vector<ll::StageCode> codes;
    const ll::LevelName* from = nullptr;
    if (s_.copies[n] != GridCopy::none) from = copied_from(s_.copies[n]);
    if (from) {
      const auto layout = layout_of(buffer);
      config_.stage[buffer.name].push_back({*from, c_.layers.shared, layout});
      codes.push_back(code_of(buffer, s_.copies[n], !layout.empty()));
    }
    const auto* tile = first([&](const ll::LevelName& l) {
      return is_one_of(l, {GridRole::registers, GridRole::lanes});
    });
    if (tile && s_.count(GridRole::registers) > 1 && keeps_in_registers(buffer)) {
      config_.stage[buffer.name].push_back({*tile, c_.layers.register_region, {}});
    }
    while (!codes.empty() && codes.back() == ll::StageCode{}) codes.pop_back();
    if (!codes.empty()) config_.code.stage[buffer.name] = codes;
  }

  /// A tile that is used several times, and is not too large.
  bool keeps_in_registers(const model::BufferShape& buffer) const {
    int64_t elements = 1, uses = 1;
    for (size_t d = 0; d < s_.dimensions(); ++d) {
      const int n = static_cast<int>(d);
      const int64_t side = s_.at(GridRole::registers, n) * s_.at(GridRole::lanes, n);
      (model::depends_on(buffer, n) ? elements : uses) *= side;
    }
    return uses > 1 && elements <= 64;
  }

  /// What comes later is on its way while a piece is used. Elements that change their order have to
  /// pass registers.
  ll::StageCode code_of(const model::BufferShape& buffer, GridCopy copy, bool turns) const {
    ll::StageCode code;
    code.pad = buffer.extents.size() > 1 && buffer.element_bytes == 4 ? 4 : 0;
    const bool has_rounds = copy == GridCopy::piece && rounds_of_pieces() > 1;
    if (!has_rounds) return code;
    code.depth = 2;
    const bool flies = !turns && has_warps();  // no other machine has copies that nobody carries
    code.transport = flies ? ll::Transport::async : ll::Transport::registers;
    return code;
  }

  int64_t rounds_of_pieces() const {
    const ll::LevelName* from = copied_from(GridCopy::piece);
    int64_t rounds = 1;
    for (const ll::LevelName& level : config_.order) {
      if (from && level == *from) break;
      if (!is_one_of(level, {GridRole::outer, GridRole::inner})) continue;
      const GridRole role =
          level.layer == s_.layer_of(GridRole::outer) ? GridRole::outer : GridRole::inner;
      rounds *= s_.at(role, s_.shape->dimension(level.dimension));
    }
    return rounds;
  }

  // ---- loops

  /// Straight code gains little where f is long, and has to be fetched.
  int64_t rounds_to_write_out() const {
    const auto side =
        static_cast<double>(s_.count(GridRole::registers) * s_.count(GridRole::lanes));
    const double rounds = most_straight / (std::max(1.0, s_.shape->function.code) * side);
    return std::clamp<int64_t>(static_cast<int64_t>(rounds), 1, most_written_out);
  }

  void add_code() {
    int64_t room = rounds_to_write_out();
    for (size_t n = config_.order.size(); n-- > 0;) {
      const ll::LevelName& level = config_.order[n];
      if (level.layer != s_.layer_of(GridRole::inner)) continue;
      const int64_t rounds = s_.at(GridRole::inner, s_.shape->dimension(level.dimension));
      const int64_t taken = rounds <= room ? rounds : std::min<int64_t>(room, 8);
      if (taken > 1) config_.code.kernel.unroll[level] = taken;
      room /= std::max<int64_t>(1, taken);
    }
  }

  const GridSketch& s_;
  const space::SpaceContext& c_;
  ll::Config config_;
};

}  // namespace

GridSketch::GridSketch(const space::SpaceContext& c, const space::SpaceVariant& v,
                       const model::Shape& s)
    : context(&c), variant(&v), shape(&s) {
  for (auto& of_role : parts) of_role.assign(s.dimensions.size(), 1);
  for (const model::BufferShape& buffer : s.buffers) {
    if (!buffer.is_output) copies.push_back(GridCopy::none);
  }
}

const std::string& GridSketch::layer_of(GridRole role) const {
  static const std::string none;
  const ll::Roles& l = context->layers;
  switch (role) {
    case GridRole::groups:
      return l.groups;
    case GridRole::warps:
      return l.cores.size() > 2 ? l.cores[l.cores.size() - 2] : none;
    case GridRole::threads:
      return l.threads;
    case GridRole::outer:
      return l.outer;
    case GridRole::inner:
      return l.inner;
    case GridRole::registers:
      return l.registers;
    case GridRole::lanes:
      return l.lanes;
  }
  return none;
}

int64_t GridSketch::count(GridRole role) const {
  int64_t product = 1;
  for (const int64_t one : parts[static_cast<size_t>(role)]) product *= one;
  return product;
}

void GridSketch::settle(int d) {
  const GridRole open = is_kept(d) ? GridRole::groups : GridRole::outer;
  int64_t rest = size(d);
  for (const GridRole role :
       {GridRole::lanes, GridRole::registers, GridRole::threads, GridRole::warps, GridRole::inner,
        GridRole::outer, GridRole::groups}) {
    if (role == open) continue;
    at(role, d) = std::clamp<int64_t>(at(role, d), 1, rest);
    rest = (rest + at(role, d) - 1) / at(role, d);
  }
  at(open, d) = rest;
}

void GridSketch::settle() {
  for (size_t d = 0; d < dimensions(); ++d) settle(static_cast<int>(d));
}

std::string GridSketch::key() const {
  std::string key = variant->label + " " + std::to_string(significance);
  for (const auto& of_role : parts) {
    for (const int64_t one : of_role) key += " " + std::to_string(one);
  }
  for (const GridCopy copy : copies) key += std::to_string(static_cast<int>(copy));
  return key + std::to_string(static_cast<int>(groups_meet));
}

ll::Config config_of(const GridSketch& sketch) { return GridOutline(sketch).run(); }

}  // namespace mdh::search
