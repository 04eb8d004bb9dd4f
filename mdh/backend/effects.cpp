#include "mdh/backend/effects.h"

namespace mdh::backend {
namespace {

class Collector {
 public:
  void add(bool asked, const std::string& option) {
    if (asked) options_.push_back(option);
  }

  void stage(const std::string& where, const ll::StageCode& code, const Backend& backend) {
    const ll::StageCode plain;
    add(code.transport == ll::Transport::registers && !backend.obeys.transport,
        where + ".transport");
    add(code.width != plain.width && !backend.obeys.width, where + ".width");
    add(code.swizzle != plain.swizzle && !backend.obeys.tile_swizzle, where + ".swizzle");
    add(code.prefetch && !backend.obeys.prefetch, where + ".prefetch");
    add(code.hint != plain.hint, where + ".hint");
    add(code.opaque && !backend.obeys.opaque, where + ".opaque");
  }

  void kernel(const ll::KernelCode& code, const Backend& backend) {
    const ll::KernelCode plain;
    const Obeys& obeys = backend.obeys;
    add(!obeys.emit && code.emit != plain.emit, "code.kernel.emit");
    add(!obeys.launch_bounds && !code.launch_bounds.empty(), "code.kernel.launch_bounds");
    add(!obeys.start && code.start == ll::Start::early, "code.kernel.start");
    add(!obeys.store && code.store == ll::Hint::streaming, "code.kernel.store");
    add(!obeys.compiler && !code.compiler.empty(), "code.kernel.compiler");
    add(!obeys.compiler && !code.flags.empty(), "code.kernel.flags");
  }

  std::vector<std::string> take() { return std::move(options_); }

 private:
  std::vector<std::string> options_;
};

/// The parts of a level; 1 where the split says nothing, or not how many.
int64_t parts_of(const ll::Config& config, const ll::LevelName& level,
                 const machine::Machine& machine) {
  const auto digits = config.split.find(level.dimension);
  if (digits == config.split.end()) return 1;
  for (const ll::Digit& digit : digits->second) {
    // Both may be called by an alias.
    const bool same = machine.find_layer(digit.layer) == machine.find_layer(level.layer);
    if (same && digit.parts != ll::open_parts) return digit.parts;
  }
  return 1;
}

bool has_groups(const Backend& backend) { return backend.facts.teams == machine::Teams::nested; }

/// Whether cores combine as they are told. Members of a grid cannot wait for one another: they
/// combine in a launch of their own, or in one of the ways that a back end has for them.
bool combines(ll::Combination how, const ll::LevelName& level, const ll::Config& config,
              const machine::Machine& machine, const Backend& backend) {
  const Obeys& obeys = backend.obeys;
  const machine::Layer* layer = machine.find_layer(level.layer);
  const bool waits = !has_groups(backend) || (layer && layer->barrier);
  switch (how) {
    case ll::Combination::automatic:
      return true;
    case ll::Combination::team_tree:
      return waits && obeys.team_tree;
    case ll::Combination::shuffle:
      return waits && (obeys.shuffle || obeys.team_tree);
    case ll::Combination::partials_kernel:
      return !waits;
    case ll::Combination::last_core:
      return !waits && obeys.last_core;
    case ll::Combination::atomic:
      return !waits && obeys.atomic;
    case ll::Combination::look_back:
      return !waits && obeys.look_back;
    case ll::Combination::cluster:
      return !waits && obeys.cluster &&
             parts_of(config, level, machine) <= backend.facts.most_that_meet;
  }
  return false;
}

}  // namespace

std::vector<std::string> without_effect(const ll::Config& config, const machine::Machine& machine,
                                        const Backend& backend) {
  const ll::Code& code = config.code;
  Collector found;
  for (const auto& [buffer, list] : code.stage) {
    for (size_t n = 0; n < list.size(); ++n) {
      found.stage(fmt::format("code.stage.{}[{}]", buffer, n), list[n], backend);
    }
  }
  const bool groups = has_groups(backend);
  for (const auto& [level, how] : code.combine) {
    const bool obeyed = combines(how, level, config, machine, backend);
    found.add(!obeyed, "code.combine." + to_string(level));
  }
  for (const auto& [layer, cores] : code.cores) {
    // Groups run several parts each, in turns; the cores of a group have one part each.
    const machine::Layer* found_layer = machine.find_layer(layer);
    const bool in_group = groups && found_layer && found_layer->barrier;
    const bool swizzles = groups && !in_group && backend.obeys.swizzle;
    found.add(in_group, "code.cores." + layer);
    found.add(!in_group && !swizzles && cores.swizzle != 1, "code.cores." + layer + ".swizzle");
    found.add(groups && !in_group && cores.deal == ll::Deal::dynamic,
              "code.cores." + layer + ".deal");
  }
  found.kernel(code.kernel, backend);
  return found.take();
}

}  // namespace mdh::backend
