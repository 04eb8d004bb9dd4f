#include "mdh/search/sketch.h"

#include <algorithm>

#include "mdh/ll/names.h"
#include "mdh/model/traffic.h"
#include "mdh/search/space/layouts.h"

namespace mdh::search {
namespace {

class Outline {
 public:
  explicit Outline(const Sketch& sketch)
      : s_(sketch), base_(*sketch.base), c_(sketch.base->context) {}

  ll::Config run() {
    config_.fuse = base_.variant.fuse;
    config_.layers = c_.significance.front();
    add_split();
    add_order();
    add_copies();
    add_results();
    return std::move(config_);
  }

 private:
  const std::string& layer_of(Role role) const { return ll::layer_of(c_.layers, role); }

  const std::string& name_of(int d) const { return base_.shape.dimensions[d].name; }

  void add_split() {
    for (size_t d = 0; d < base_.dimensions(); ++d) {
      for (const Role role : ll::all_roles) {
        const int64_t parts = s_.at(role, static_cast<int>(d));
        if (parts > 1)
          config_.split[name_of(static_cast<int>(d))].push_back({layer_of(role), parts});
      }
    }
  }

  bool is_late(Role role, int d) const {
    return s_.late && (role == Role::registers || role == Role::lanes) && base_.is_reduced(d);
  }

  /// The layer whose reductions run inside of replicated parts that are combined late.
  Role late_role() const {
    for (size_t d = 0; d < base_.dimensions(); ++d) {
      const int n = static_cast<int>(d);
      if (base_.is_reduced(n) && s_.at(Role::inner, n) > 1) return Role::inner;
    }
    return Role::outer;
  }

  void add_order() {
    bool waiting = s_.late;
    for (const Role role : ll::all_roles) {
      for (const int d : s_.order_of(role)) {
        if (s_.at(role, d) <= 1 || is_late(role, d)) continue;
        if (waiting && role == late_role() && base_.is_reduced(d)) {
          waiting = false;
          add_late_levels();
        }
        config_.order.push_back({layer_of(role), name_of(d)});
      }
    }
  }

  void add_late_levels() {
    for (const Role role : {Role::registers, Role::lanes}) {
      for (const int d : s_.order_of(role)) {
        if (s_.at(role, d) > 1 && is_late(role, d)) {
          config_.order.push_back({layer_of(role), name_of(d)});
        }
      }
    }
  }

  /// The first level at a place or inside of it that is no register.
  std::optional<ll::LevelName> level_at(const SketchPlace& place) const {
    bool reached = false;
    for (const Role role : {Role::cores, Role::outer, Role::inner}) {
      for (const int d : s_.order_of(role)) {
        reached = reached || (role == place.role && d == place.dimension);
        if (reached && s_.at(role, d) > 1) return ll::LevelName{layer_of(role), name_of(d)};
      }
    }
    return std::nullopt;
  }

  /// The first replicated level that nothing else is inside of.
  std::optional<ll::LevelName> first_register() const {
    std::optional<ll::LevelName> first;
    for (auto l = config_.order.rbegin(); l != config_.order.rend(); ++l) {
      if (l->layer != c_.layers.registers && l->layer != c_.layers.lanes) break;
      first = *l;
    }
    return first;
  }

  /// Copies before the cores are shared; others lie in a memory of the core, the nearer the deeper.
  std::string region_at(const ll::LevelName& level) const {
    const bool outside = level.layer == c_.layers.cores.front();
    std::string found;
    for (size_t n = 1; n < c_.machine.regions.size(); ++n) {
      const machine::Region& region = c_.machine.regions[n];
      if (region.name == c_.layers.register_region || region.owner.empty() != outside) continue;
      if (found.empty() || level.layer == c_.layers.inner) found = region.name;
    }
    return found;
  }

  void add_copies() {
    for (size_t n = 0; n < s_.copies.size(); ++n) {
      const std::string& buffer = base_.shape.buffers[n].name;
      if (s_.copies[n]) {
        const auto level = level_at(*s_.copies[n]);
        const std::string region = level ? region_at(*level) : "";
        if (!region.empty()) {
          const hl::BufferView& view = *space::view_of(base_.variant, buffer);
          config_.stage[buffer].push_back({*level, region, copied_layout(view, *level)});
          add_blocks(buffer, view, config_.stage[buffer].back().layout);
        }
      }
      const auto registers = first_register();
      if (s_.in_registers[n] && registers) {
        config_.stage[buffer].push_back({*registers, c_.layers.register_region, {}});
      }
    }
  }

  /// As loops walk; digit by digit where that would be the order of the buffer, which is no copy.
  space::Layout copied_layout(const hl::BufferView& view, const ll::LevelName& level) const {
    const space::Layout walked = space::by_walk(base_.variant, config_, view, level);
    return space::is_kept(base_.variant, view, walked)
               ? space::by_digits(base_.variant, config_, view, level)
               : walked;
  }

  /// Panels: rows are cut into pieces that lie apart. A few whole rows at a time are copied.
  void add_blocks(const std::string& buffer, const hl::BufferView& view,
                  const space::Layout& layout) {
    const std::vector<std::string> names = space::walkers(base_.variant, view);
    if (names.size() < 2 || names.front().empty() || layout.back().dimension != names.back())
      return;
    const auto stored = ll::layout_of(base_.variant.program, view, layout);
    if (!stored || !model::cuts_rows(*stored) || names.front() == names.back()) return;
    ll::StageCode code;
    code.copy_order = {{names.front(), 8}};
    config_.code.stage[buffer] = {code};
  }

  void add_results() {
    const auto inside = result_level();
    for (const model::BufferShape& buffer : base_.shape.buffers) {
      if (buffer.is_output && inside) {
        config_.acc[buffer.name].push_back({*inside, c_.layers.register_region, {}});
      }
    }
  }

  /// Results are in registers from the first of the loops that only reduce; from the registers on
  /// where there is none.
  std::optional<ll::LevelName> result_level() const {
    size_t at = config_.order.size();
    while (at > 0 && stays_inside(config_.order[at - 1])) --at;
    if (at == config_.order.size()) return std::nullopt;
    return config_.order[at];
  }

  bool stays_inside(const ll::LevelName& level) const {
    if (level.layer == c_.layers.registers || level.layer == c_.layers.lanes) return true;
    const bool loop =
        level.layer == c_.layers.inner || (level.layer == c_.layers.outer && !s_.updates);
    return loop && base_.is_reduced(base_.shape.dimension(level.dimension));
  }

  const Sketch& s_;
  const SketchBase& base_;
  const space::SpaceContext& c_;
  ll::Config config_;
};

}  // namespace

Sketch::Sketch(const SketchBase& of) : base(&of) {
  for (size_t role = 0; role < role_count; ++role) {
    parts[role].assign(of.dimensions(), 1);
    for (size_t d = 0; d < of.dimensions(); ++d) order[role].push_back(static_cast<int>(d));
  }
  for (const model::BufferShape& buffer : of.shape.buffers) {
    if (buffer.is_output) continue;
    copies.emplace_back();
    in_registers.push_back(false);
  }
}

void Sketch::settle(int d) {
  int64_t rest = base->shape.dimensions[d].size;
  for (const Role role : {Role::lanes, Role::registers, Role::cores, Role::inner}) {
    at(role, d) = std::min(at(role, d), role == Role::lanes ? at(role, d) : rest);
    rest = (rest + at(role, d) - 1) / at(role, d);
  }
  at(Role::outer, d) = rest;
}

ll::Config config_of(const Sketch& sketch) { return Outline(sketch).run(); }

}  // namespace mdh::search
