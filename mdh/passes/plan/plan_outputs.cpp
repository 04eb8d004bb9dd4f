#include "mdh/passes/plan/plan_outputs.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/ll/names.h"
#include "mdh/passes/common/blocks.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Element;
using loop::StmtNode;
using scalar::index_literal;

std::vector<Expr> variables(const std::vector<Symbol>& digits) {
  std::vector<Expr> all;
  for (const Symbol& digit : digits) all.push_back(loop::index_variable(digit));
  return all;
}

void add(std::vector<Symbol>& digits, const std::vector<Symbol>& more) {
  digits.insert(digits.end(), more.begin(), more.end());
}

/// The loops of a scan in the digits of re-composition.
loop::ScanShape shape_of(const PlanContext& c, const ll::ScanTeam& team) {
  loop::ScanShape shape{.digit = c.output_digit(team.loop)};
  for (const int q : team.coarse) shape.coarse.push_back(c.output_digit(q));
  for (const int q : team.fine) shape.fine.push_back(c.output_digit(q));
  for (const int q : team.lines) shape.lines.push_back(c.output_digit(q));
  return shape;
}

/// The elements of the run that a loop belongs to, in the digits of re-composition.
std::vector<Element> scanned_elements(const PlanContext& c, const std::vector<OutputRun>& runs,
                                      int position) {
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const OutputRun& r) {
    return std::find(r.run.levels.begin(), r.run.levels.end(), position) != r.run.levels.end();
  });
  internal_check(run != runs.end(), "a loop without an accumulator");
  std::vector<loop::Digit> digits;
  for (int q = 0; q < c.depth(); ++q) digits.push_back(find_digit(c.result, c.output_digit(q)));
  return in_digits(c.result, run->target.elements, digits);
}

class OutputPlanner {
 public:
  explicit OutputPlanner(PlanContext& context) : c_(context) {}

  OutputPlan run() {
    for (const ll::Run& run : c_.decomposition.runs()) add_run(run);
    if (c_.fused < c_.depth()) add_results();
    for (int q = 0; q < c_.depth(); ++q) {
      if (ll::is_scan(c_.outputs.loops[q]) && c_.outputs.loops[q].is_parallel()) add_fix(q);
    }
    return std::move(plan_);
  }

 private:
  /// One per result of f.
  struct Component {
    size_t output;
    int access;
  };
  std::vector<Component> components() const {
    std::vector<Component> all;
    for (size_t b = 0; b < c_.computation.outputs.size(); ++b) {
      for (int a = 0; a < std::ssize(c_.computation.outputs[b].accesses); ++a) {
        all.push_back({b, a});
      }
    }
    return all;
  }

  const hl::BufferView& view(const Component& c) const { return c_.computation.outputs[c.output]; }

  std::string name_of(const Component& c, const std::string& suffix) const {
    return plain_name(view(c).accesses[c.access].symbol.name) + "_" + suffix;
  }

  std::vector<int64_t> parts_of(const std::vector<Symbol>& digits) const {
    std::vector<int64_t> parts;
    for (const Symbol& digit : digits) parts.push_back(find_digit(c_.result, digit).parts);
    return parts;
  }

  // ---- runs

  void add_run(const ll::Run& run) {
    OutputRun out{run, {}, {}, elements_from(std::max(run.start, 0))};
    for (const int q : run.levels) {
      const ll::NestLoop& loop = c_.outputs.loops[q];
      const bool replica =
          std::find(run.replicas.begin(), run.replicas.end(), q) != run.replicas.end();
      if (loop.reduced && !loop.is_parallel() && !replica) {
        out.target.first.push_back(c_.output_digit(q));
      }
    }
    for (const Component& component : components()) {
      out.target.elements.push_back(run.start < 0 ? user_element(component)
                                                  : accumulator(run, component, out));
    }
    plan_.runs.push_back(std::move(out));
  }

  /// The loops from a position inwards that results still tell apart.
  std::vector<Symbol> elements_from(int position) const {
    std::vector<Symbol> digits;
    for (int r = position; r < c_.depth(); ++r) {
      if (!c_.outputs.loops[r].reduced) digits.push_back(c_.output_digit(r));
    }
    return digits;
  }

  /// Output index functions see 0 in reduced dimensions.
  Element user_element(const Component& component) const {
    Element element{loop::named(view(component).symbol.name), {}};
    for (const Expr& index : view(component).accesses[component.access].index) {
      element.index.push_back(simplify(without_reduced(index_of(index))));
    }
    return element;
  }

  Expr without_reduced(const Expr& index) const {
    return substitute(index, [&](const scalar::Variable& v, const Expr&) -> std::optional<Expr> {
      for (const loop::Dimension& d : c_.result.dimensions) {
        if (d.symbol == v.symbol && d.kind == loop::Kind::reduced) return index_literal(0);
      }
      return std::nullopt;
    });
  }

  Element accumulator(const ll::Run& run, const Component& component, OutputRun& out) {
    std::vector<Symbol> axes;
    if (run.slots >= 0 && !run.exchanged) axes.push_back(c_.output_digit(run.slots));
    add(axes, in_layout(component, run.start, run.places[component.output].layout));
    for (const int q : run.replicas) axes.push_back(c_.output_digit(q));
    if (run.in_registers) put_lanes_last(axes);
    const int position = run.slots >= 0 && !run.exchanged ? run.slots : run.start;
    std::vector<Symbol> per = c_.cores_around(position);
    if (run.exchanged || run.is_private) each_core_has_its_own(run.start, axes, per);
    const Stored stored = this->stored(component, run, axes);
    const Symbol buffer = c_.add_temporary({.symbol = loop::named(name_of(component, "acc")),
                                            .type = view(component).type,
                                            .extents = stored.extents,
                                            .region = run.places[component.output].region,
                                            .per = per});
    out.buffers.push_back(buffer);
    if (run.in_registers) plan_.in_registers.push_back(buffer.name);
    return {buffer, stored.index};
  }

  /// Where an element lies in a temporary.
  struct Stored {
    scalar::Extents extents;
    std::vector<Expr> index;
  };

  /// The innermost axes are one line where a core moves it as a whole, and those are apart.
  Stored stored(const Component& component, const ll::Run& run,
                const std::vector<Symbol>& axes) const {
    Stored result{parts_of(axes), variables(axes)};
    const int64_t padded = ll::padded_line(run.line, view(component).type);
    if (run.line == 0 || padded == run.line) return result;
    int64_t line = 1;
    Expr place = index_literal(0);
    while (!result.extents.empty() && line < run.line) {
      place = simplify(place + result.index.back() * index_literal(line));
      line *= result.extents.back();
      result.extents.pop_back();
      result.index.pop_back();
    }
    internal_check(line == run.line, "a line of {} elements among others", run.line);
    result.extents.push_back(padded);
    result.index.push_back(place);
    return result;
  }

  /// Also those of loops inside.
  void each_core_has_its_own(int start, std::vector<Symbol>& axes, std::vector<Symbol>& per) const {
    for (int r = start; r < c_.depth(); ++r) {
      if (!c_.outputs.loops[r].is_parallel() || c_.outputs.loops[r].reduced) continue;
      std::erase(axes, c_.output_digit(r));
      per.push_back(c_.output_digit(r));
    }
  }

  /// Registers have no layout: what is computed as one vector is kept as one, however it is stored
  /// in the end.
  void put_lanes_last(std::vector<Symbol>& axes) const {
    std::stable_partition(axes.begin(), axes.end(), [&](const Symbol& digit) {
      return find_digit(c_.result, digit).how != loop::How::lanes;
    });
  }

  /// The digits inside of a run, in the order in which a layout stores them; those that it does not
  /// name come last.
  std::vector<Symbol> in_layout(const Component& component, int start, const ll::Layout& layout) {
    std::vector<int> left;
    for (int r = start; r < c_.depth(); ++r) {
      if (!c_.outputs.loops[r].reduced) left.push_back(r);
    }
    std::stable_sort(left.begin(), left.end(), [&](int a, int b) {
      const ll::NestLoop &x = c_.outputs.loops[a], &y = c_.outputs.loops[b];
      return x.level.dimension != y.level.dimension ? x.level.dimension < y.level.dimension
                                                    : x.chunk > y.chunk;
    });
    std::vector<Symbol> digits;
    const auto place = [&](const auto& chosen) {
      for (auto r = left.begin(); r != left.end();) {
        const bool now = chosen(c_.outputs.loops[*r]);
        if (now) digits.push_back(c_.output_digit(*r));
        r = now ? left.erase(r) : std::next(r);
      }
    };
    for (const ll::Axis& axis : layout) {
      const Expr& index = view(component).accesses[component.access].index[axis.dimension - 1];
      const auto affine = hl::find_affine(c_.computation, index);
      place([&](const ll::NestLoop& loop) {
        const bool walks = affine && affine->coefficients[loop.level.dimension] != 0;
        return walks && (axis.layer.empty() || c_.low.layers[loop.level.layer] == axis.layer);
      });
    }
    place([](const ll::NestLoop&) { return true; });
    return digits;
  }

  // ---- between phases

  void add_results() {
    std::vector<int> order;
    for (int q = c_.fused; q < c_.depth(); ++q) order.push_back(q);
    std::vector<Symbol> read = digits_at(order), written;
    for (const Symbol& digit : read) written.push_back(same_level(digit));
    for (const Component& component : components()) {
      const Symbol buffer =
          c_.add_temporary({.symbol = loop::named(name_of(component, "f")),
                            .type = view(component).type,
                            .extents = parts_of(read),
                            .region = c_.low.scalar.writes[component.output].region,
                            .per = c_.cores_around(c_.fused)});
      plan_.results.push_back(buffer);
      plan_.read.push_back({buffer, variables(read)});
      plan_.written.push_back({buffer, variables(written)});
    }
  }

  std::vector<Symbol> digits_at(const std::vector<int>& positions) const {
    std::vector<Symbol> digits;
    for (const int q : positions) digits.push_back(c_.output_digit(q));
    return digits;
  }

  /// The digit of the scalar phase for the level of one of re-composition.
  Symbol same_level(const Symbol& digit) const {
    for (int q = 0; q < c_.depth(); ++q) {
      if (c_.output_digit(q) != digit) continue;
      for (int r = 0; r < c_.depth(); ++r) {
        if (c_.scalar.loops[r].level == c_.outputs.loops[q].level) return c_.scalar_digit(r);
      }
    }
    internal_check(false, "the phases have different levels");
    return digit;
  }

  // ---- scans on cores

  loop::Meeting joining_of(const ll::NestLoop& loop) const {
    const ll::Combination how = ll::combination_of(c_.low, loop);
    if (how == ll::Combination::shuffle) return loop::Meeting::exchange;
    if (how == ll::Combination::look_back) return loop::Meeting::look_back;
    return loop::Meeting::in_order;
  }

  void add_fix(int q) {
    const ll::ScanTeam team = ll::scan_team(c_.low, c_.outputs, q, c_.machine);
    loop::ScanFix fix;
    fix.shape = shape_of(c_, team);
    fix.elements = scanned_elements(c_, plan_.runs, q);
    fix.how = joining_of(c_.outputs.loops[q]);
    std::vector<Symbol> axes = fix.shape.lines;
    add(axes, fix.shape.coarse);
    axes.push_back(c_.output_digit(q));
    for (const Component& component : components()) {
      loop::Buffer buffer{.symbol = loop::named(name_of(component, "totals")),
                          .type = view(component).type,
                          .extents = parts_of(axes),
                          .region = team.places[component.output].region,
                          .per = c_.cores_around(q)};
      fix.totals.push_back({c_.add_temporary(buffer), variables(axes)});
      buffer.symbol = loop::named(name_of(component, "offset"));
      fix.offset.push_back({c_.add_temporary(buffer), variables(axes)});
    }
    plan_.fixes.emplace_back(q, fix);
  }

  PlanContext& c_;
  OutputPlan plan_;
};

loop::Block allocs(const std::vector<Symbol>& buffers) {
  loop::Block block;
  for (const Symbol& buffer : buffers) block.push_back(StmtNode{loop::Alloc{buffer}});
  return block;
}

}  // namespace

loop::Block OutputPlan::around(const PlanContext& c, int position, const loop::Block& body) const {
  loop::Block before, after;
  for (size_t n = 1; n < runs.size(); ++n) {
    const ll::Run& run = runs[n].run;
    const bool here = run.slots >= 0 ? run.slots == position : run.start == position;
    if (!here) continue;
    append(before, allocs(runs[n].buffers));
    if (run.slots >= 0) continue;
    loop::Target target = runs[n - 1].target;
    std::vector<Symbol> over = runs[n].elements;
    for (const int q : run.replicas) {
      over.push_back(c.output_digit(q));
      target.first.push_back(c.output_digit(q));
    }
    after.insert(after.begin(), StmtNode{loop::WriteUp{over, runs[n].target.elements, target}});
  }
  for (const auto& [q, fix] : fixes) {
    if (q != position) continue;
    for (const auto* elements : {&fix.totals, &fix.offset}) {
      for (const Element& e : *elements) before.push_back(StmtNode{loop::Alloc{e.buffer}});
    }
  }
  append(before, body);
  append(before, after);
  return before;
}

loop::Block OutputPlan::at_end_of_body(const PlanContext& c, int position) const {
  const ll::NestLoop& loop = c.outputs.loops[position];
  if (!ll::is_scan(loop) || loop.is_parallel()) return {};
  const ll::ScanTeam team = ll::scan_team(c.low, c.outputs, position, c.machine);
  return {StmtNode{loop::ScanStep{shape_of(c, team), scanned_elements(c, runs, position)}}};
}

namespace {

loop::Meeting meeting_of(const PlanContext& c, const ll::Run& run) {
  switch (ll::combination_of(c.low, c.outputs.loops[run.slots])) {
    case ll::Combination::team_tree:
      return loop::Meeting::tree;
    case ll::Combination::shuffle:
      return run.exchanged ? loop::Meeting::exchange : loop::Meeting::tree;
    case ll::Combination::last_core:
      return loop::Meeting::last;
    case ll::Combination::atomic:
      return loop::Meeting::atomic;
    case ll::Combination::cluster:
      return loop::Meeting::cluster;
    case ll::Combination::automatic:
    case ll::Combination::partials_kernel:
    case ll::Combination::look_back:
      break;
  }
  return loop::Meeting::in_order;
}

}  // namespace

loop::Block OutputPlan::after_loop(const PlanContext& c, int position) const {
  for (const auto& [q, fix] : fixes) {
    if (q == position) return {StmtNode{fix}};
  }
  for (size_t n = 1; n < runs.size(); ++n) {
    if (runs[n].run.slots != position) continue;
    return {StmtNode{loop::TeamCombine{c.output_digit(position), runs[n].elements,
                                       runs[n].target.elements, runs[n - 1].target,
                                       meeting_of(c, runs[n].run)}}};
  }
  return {};
}

OutputPlan plan_outputs(PlanContext& context) { return OutputPlanner(context).run(); }

}  // namespace mdh::passes
