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

}  // namespace

std::vector<std::string> without_effect(const ll::Code& code, const machine::Machine& machine,
                                        const Backend& backend) {
  Collector found;
  for (const auto& [buffer, list] : code.stage) {
    for (size_t n = 0; n < list.size(); ++n) {
      found.stage(fmt::format("code.stage.{}[{}]", buffer, n), list[n], backend);
    }
  }
  const bool groups = backend.facts.teams == machine::Teams::nested;
  for (const auto& [level, how] : code.combine) {
    // Members of a grid cannot wait for one another: they combine in a launch of their own.
    const machine::Layer* layer = machine.find_layer(level.layer);
    const bool waits = !groups || (layer && layer->barrier);
    const bool tree = how == ll::Combination::team_tree && waits && backend.obeys.team_tree;
    const bool launch = how == ll::Combination::partials_kernel && groups && !waits;
    const bool hands = how == ll::Combination::shuffle && waits &&
                       (backend.obeys.shuffle || backend.obeys.team_tree);
    const bool last = how == ll::Combination::last_core && !waits && backend.obeys.last_core;
    const bool atomic = how == ll::Combination::atomic && !waits && backend.obeys.atomic;
    const bool back = how == ll::Combination::look_back && !waits && backend.obeys.look_back;
    const bool meet = how == ll::Combination::cluster && !waits && backend.obeys.cluster;
    found.add(!tree && !launch && !hands && !last && !atomic && !back && !meet,
              "code.combine." + to_string(level));
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
