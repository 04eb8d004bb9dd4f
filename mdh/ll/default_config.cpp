// A reasonable configuration without any search.
#include <algorithm>
#include <numeric>

#include "mdh/hl/analysis.h"
#include "mdh/ll/config.h"
#include "mdh/ll/grid_config.h"
#include "mdh/ll/roles.h"

namespace mdh::ll {
namespace {

/// How well a dimension serves as the innermost loop: accesses that walk along memory with it,
/// minus those that jump.
int contiguity(const hl::Program& p, int d) {
  int score = 0;
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const hl::BufferView& view : *views) {
      for (const hl::Access& access : view.accesses) {
        for (size_t e = 0; e < access.index.size(); ++e) {
          const auto index = hl::find_affine(p, access.index[e]);
          const int64_t step = index ? index->coefficients[d] : 0;
          if (step == 0) continue;
          score += e + 1 == access.index.size() && step == 1 ? 1 : -1;
        }
      }
    }
  }
  return score;
}

/// The dimension dealt to the cores: the least contiguous of those that need no combination across
/// cores; a reduction only if there is nothing else of some size.
int dealt_dimension(const hl::Program& p, const std::vector<int64_t>& sizes,
                    const std::vector<int>& from_outside, int64_t cores) {
  for (const bool reduced : {false, true}) {
    for (const int d : from_outside) {
      if (hl::is_reduced(p.dimensions[d]) == reduced && sizes[d] >= cores) return d;
    }
  }
  return from_outside.empty() ? -1 : from_outside.front();
}

std::string last_layer(const machine::Machine& m, machine::LayerKind kind) {
  std::string name;
  for (const machine::Layer& layer : m.layers) {
    if (layer.kind == kind) name = layer.name;
  }
  return name;
}

std::vector<std::string> core_layers(const machine::Machine& m) {
  std::vector<std::string> names;
  for (const machine::Layer& layer : m.layers) {
    if (layer.kind == machine::LayerKind::cores) names.push_back(layer.name);
  }
  return names;
}

class Chooser {
 public:
  Chooser(const hl::Program& p, const machine::Machine& m, int cores)
      : p_(p), machine_(m), cores_(std::max(1, cores)) {
    for (const hl::Dimension& d : p.dimensions) sizes_.push_back(constant(d.size).value_or(0));
    from_outside_.resize(sizes_.size());
    std::iota(from_outside_.begin(), from_outside_.end(), 0);
    std::stable_sort(from_outside_.begin(), from_outside_.end(),
                     [&](int a, int b) { return contiguity(p, a) < contiguity(p, b); });
  }

  Config run() {
    const std::string inner = last_layer(machine_, machine::LayerKind::loop);
    const std::vector<std::string> teams = core_layers(machine_);
    config_ = {.program = p_.name, .machine = machine_.name};
    config_.layers = teams;
    config_.layers.push_back(inner);
    rest_ = sizes_;
    const Roles roles = roles_of(machine_);
    if (!roles.threads.empty()) {
      deal_to_threads(roles.groups, roles.threads);
    } else if (!teams.empty()) {
      deal_to_cores(teams.front());
    }
    // Sizes that are known at run time only are walked along by one open loop.
    for (const int d : from_outside_) add(inner, d, sizes_[d] == 0 ? open_parts : rest_[d]);
    return std::move(config_);
  }

 private:
  /// One layer of cores takes one dimension.
  void deal_to_cores(const std::string& layer) {
    const int dealt = dealt_dimension(p_, sizes_, from_outside_, cores_);
    if (dealt >= 0 && sizes_[dealt] > 0) {
      add(layer, dealt, std::min<int64_t>(cores_, sizes_[dealt]));
    }
  }

  /// Many cores in groups: groups take concatenated dimensions whole, members of a group the one
  /// that walks along memory; a program that only reduces deals its reduction.
  void deal_to_threads(const std::string& groups, const std::string& members) {
    std::vector<int> dealt;
    for (const int d : from_outside_) {
      if (p_.dimensions[d].combine.shape == hl::Shape::concatenate && sizes_[d] > 0) {
        dealt.push_back(d);
      }
    }
    if (dealt.empty() && !from_outside_.empty() && sizes_[from_outside_.back()] > 0) {
      dealt = {from_outside_.back()};
    }
    if (dealt.empty()) return;
    const int inside = dealt.back();
    const int64_t member_parts =
        limit_of(machine_, members, "", std::min<int64_t>(128, sizes_[inside]));
    int64_t free = limit_of(machine_, groups, "", 65535);
    const bool reduces = p_.dimensions[inside].combine.shape != hl::Shape::concatenate;
    if (reduces) free = std::min<int64_t>(free, 64);
    for (const int d : dealt) {
      const int64_t left = d == inside ? (sizes_[d] + member_parts - 1) / member_parts : sizes_[d];
      const int64_t parts = std::min(left, free);
      add(groups, d, parts);
      free = std::max<int64_t>(1, free / parts);
    }
    add(members, inside, std::min(member_parts, rest_[inside]));
    if (reduces) combine_where_allowed(groups);
  }

  /// Results that meet on cores are written where the machine combines them.
  void combine_where_allowed(const std::string& layer) {
    for (const machine::Constraint& c : machine_.constraints) {
      const auto* in = std::get_if<machine::CombinesIn>(&c);
      if (!in || in->layer != layer || in->regions.front() == machine_.regions.front().name) {
        continue;
      }
      if (config_.order.empty()) return;
      for (const hl::BufferView& output : p_.outputs) {
        config_.acc[output.symbol.name] = {{config_.order.front(), in->regions.front(), {}}};
      }
    }
  }

  void add(const std::string& layer, int d, int64_t parts) {
    const std::string& name = p_.dimensions[d].symbol.name;
    const bool is_loop = machine_.find_layer(layer)->kind == machine::LayerKind::loop;
    if (parts == 1 && !is_loop) return;
    config_.split[name].push_back({layer, parts});
    config_.order.push_back({layer, name});
    if (parts != open_parts) rest_[d] = (rest_[d] + parts - 1) / parts;
  }

  const hl::Program& p_;
  const machine::Machine& machine_;
  std::vector<int64_t> sizes_, rest_;
  std::vector<int> from_outside_;
  int64_t cores_;
  Config config_;
};

}  // namespace

Config default_config(const hl::Program& p, const machine::Machine& m, int cores) {
  if (auto for_grid = grid_config(p, m)) return *for_grid;
  return Chooser(p, m, cores).run();
}

}  // namespace mdh::ll
