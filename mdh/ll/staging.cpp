#include "mdh/ll/staging.h"

#include <algorithm>

#include "mdh/ll/names.h"

namespace mdh::ll {
namespace {

/// Where a buffer's place changes along the order: the position from which the new one holds.
struct Change {
  int position = 0;
  Place place;
  bool is_hint = false;
};

class Stager {
 public:
  Stager(const Program& p, const Nest& inputs, const machine::Machine& machine)
      : p_(p), inputs_(inputs), machine_(machine), fused_(common_prefix(p)) {}

  std::vector<Staging> run() {
    for (size_t b = 0; b < p_.computation.inputs.size(); ++b) {
      const std::vector<Change> all = changes(b);
      for (const Family& family : families(p_.computation, p_.computation.inputs[b])) {
        stage(b, family, all);
      }
    }
    return std::move(result_);
  }

 private:
  std::vector<Change> changes(size_t b) const {
    std::vector<Change> all;
    Place now = user_place(p_.computation.inputs[b], machine_);
    const auto change = [&](int position, const Place& place) {
      if (place == now) return;
      all.push_back({position, place, !is_copy(now, place, machine_)});
      now = place;
    };
    for (int q = 0; q < fused_; ++q) change(q, p_.decompose[q].places[b]);
    change(fused_, p_.scalar.reads[b]);
    return all;
  }

  /// A cache that keeps what it likes is no source: the next copy comes from where data really are.
  void stage(size_t b, const Family& family, const std::vector<Change>& all) {
    std::set<int> held = inputs_.inside(0);  // the user's buffer holds what all loops touch
    int source = -1, number = 0;
    for (const Change& change : all) {
      Staging s{.buffer = b,
                .number = number++,
                .accesses = family,
                .place = change.place,
                .position = change.position,
                .is_hint = change.is_hint,
                .source = source};
      s.in_registers = is_register(machine_, s.place.region) && !is_walked_along(s) && is_alone(s);
      s.free = inputs_.inside(change.position);
      for (int r = 0; r < change.position; ++r) {
        if (fills_together(r, change.place, held)) s.team.insert(r);
      }
      s.free.insert(s.team.begin(), s.team.end());
      s.filled = filled_at(s, source < 0 ? 0 : result_[source].filled);
      result_.push_back(s);
      if (s.is_hint) continue;
      held = s.free;
      source = static_cast<int>(result_.size()) - 1;
    }
  }

  /// Several tiles in flight, and a window that moves along, are found by an index.
  bool is_alone(const Staging& s) const {
    const StageCode code = stage_code(p_, s.buffer, s.number);
    return code.depth == 1 && !code.roll;
  }

  /// A loop inside moves the elements that f reads.
  bool is_walked_along(const Staging& s) const {
    return std::any_of(inputs_.loops.begin() + s.position, inputs_.loops.end(), [&](const auto& l) {
      return l.layer->kind == machine::LayerKind::loop &&
             uses(p_.computation, p_.computation.inputs[s.buffer], s.accesses, l.level.dimension);
    });
  }

  /// Outwards from the place where it is needed, over loops it does not depend on; not out of
  /// cores, not above its source.
  int filled_at(const Staging& s, int least) const {
    int q = s.position;
    while (q > least && !inputs_.loops[q - 1].is_parallel() &&
           !uses(p_.computation, p_.computation.inputs[s.buffer], s.accesses,
                 inputs_.loops[q - 1].level.dimension)) {
      --q;
    }
    return q;
  }

  /// Cores around a copy share it if they see one region, can wait for each other, and their data
  /// is where the copy comes from.
  bool fills_together(int r, const Place& place, const std::set<int>& held) const {
    const NestLoop& loop = inputs_.loops[r];
    return loop.is_parallel() && loop.layer->barrier && held.contains(r) &&
           machine::shares(machine_, *loop.layer, *machine_.find_region(place.region));
  }

  const Program& p_;
  const Nest& inputs_;
  const machine::Machine& machine_;
  int fused_;
  std::vector<Staging> result_;
};

}  // namespace

std::vector<Staging> stagings(const Program& p, const Nest& inputs,
                              const machine::Machine& machine) {
  return Stager(p, inputs, machine).run();
}

StageCode stage_code(const Program& p, size_t buffer, int number) {
  const auto mine = p.code.stage.find(p.computation.inputs[buffer].symbol.name);
  const bool decided = mine != p.code.stage.end() && number < std::ssize(mine->second);
  return decided ? mine->second[number] : StageCode{};
}

bool is_register(const machine::Machine& machine, const std::string& region) {
  bool any = false;
  for (const machine::Layer& layer : machine.layers) {
    if (layer.region != region) continue;
    if (layer.kind != machine::LayerKind::replicated) return false;
    any = true;
  }
  return any;
}

}  // namespace mdh::ll
