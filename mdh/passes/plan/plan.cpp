#include "mdh/passes/plan/plan.h"

#include "mdh/hl/analysis.h"
#include "mdh/hl/print.h"
#include "mdh/passes/common/blocks.h"
#include "mdh/passes/plan/plan_inputs.h"
#include "mdh/passes/plan/plan_outputs.h"
#include "mdh/scalar/print.h"

namespace mdh::passes {
namespace {

using loop::Block;
using loop::StmtNode;

void check_open(const ll::Program& low) {
  for (const ll::TaggedOperator& op : low.decompose) {
    if (op.parts != ll::open_parts) continue;
    unsupported("E506", {}, fmt::format("code for the open level {}", to_string(low, op.level)),
                "give the size when the program is compiled");
  }
}

/// Made of what can be printed as an index: operations on 64-bit integers, and choices.
bool is_printable(const scalar::Expr& e) {
  const scalar::Type& type = e.type();
  bool all =
      type == scalar::Type(scalar::Scalar::i64) || type == scalar::Type(scalar::Scalar::boolean);
  all = all && !e.as<scalar::Cast>() && !e.as<scalar::Loop>() && !e.as<scalar::Call>();
  scalar::for_each_child(e, [&](const scalar::Expr& child) { all = all && is_printable(child); });
  return all;
}

void check_indices(const hl::Program& p) {
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const hl::BufferView& view : *views) {
      for (const hl::Access& access : view.accesses) {
        for (const scalar::Expr& index : access.index) {
          if (is_printable(index)) continue;
          unsupported("E507", index.where(),
                      fmt::format("code for the index function '{}' of buffer '{}'",
                                  scalar::print(index), view.symbol.name),
                      "without casts, loops and calls, or run it with --target reference");
        }
      }
    }
  }
}

void check_program(const hl::Program& p) {
  for (const hl::Dimension& d : p.dimensions) {
    if (d.combine.shape != hl::Shape::custom) continue;
    unsupported("E503", d.where,
                fmt::format("code for dimension '{}' by {}", d.symbol.name, hl::print(d.combine)),
                "run it with --target reference");
  }
  for (const hl::BufferView& output : p.outputs) {
    if (hl::is_injective(p, output)) continue;
    unsupported("E502", output.where,
                fmt::format("code for output '{}', whose index functions are not provably "
                            "injective",
                            output.symbol.name),
                "run it with --target reference");
  }
  check_indices(p);
}

class Planner {
 public:
  Planner(const ll::Program& low, const machine::Machine& machine)
      : c_(low, machine), inputs_(plan_inputs(c_)), outputs_(plan_outputs(c_)) {}

  loop::Program run() {
    c_.result.body = level(0);
    return std::move(c_.result);
  }

 private:
  bool is_fused() const { return c_.fused == c_.depth(); }

  /// What stands inside the loops before a position.
  Block level(int q) const {
    Block block;
    for (const InputTile& tile : inputs_.tiles) {
      if (tile.position == q) append(block, tile.fill);
    }
    if (q == c_.fused && !is_fused()) {
      append(block, separate_nests());
    } else {
      append(block, outputs_.around(c_, q, q == c_.depth() ? leaf() : nested(q, level(q + 1))));
    }
    return block;
  }

  Block leaf() const {
    return {StmtNode{loop::Accumulate{inputs_.reads, outputs_.runs.back().target}}};
  }

  Block nested(int q, Block body) const {
    append(body, outputs_.at_end_of_body(c_, q));
    Block block = {StmtNode{loop::Loop{c_.output_digit(q), body}}};
    append(block, outputs_.after_loop(c_, q));
    return block;
  }

  /// f at all points below the common loops, then their combination, each in its own order.
  Block separate_nests() const {
    Block block;
    for (const Symbol& buffer : outputs_.results) block.push_back(StmtNode{loop::Alloc{buffer}});
    Block f = {StmtNode{loop::Accumulate{inputs_.reads, {outputs_.written, {}}}}};
    for (int q = c_.depth(); q-- > c_.fused;) {
      f = {StmtNode{loop::Loop{c_.scalar_digit(q), f}}};
    }
    append(block, f);
    append(block, recomposition(c_.fused));
    return block;
  }

  Block recomposition(int q) const {
    if (q < c_.depth()) return outputs_.around(c_, q, nested(q, recomposition(q + 1)));
    const Block one = {StmtNode{loop::WriteUp{{}, outputs_.read, outputs_.runs.back().target}}};
    return outputs_.around(c_, q, one);
  }

  PlanContext c_;
  InputPlan inputs_;
  OutputPlan outputs_;
};

}  // namespace

loop::Program plan(const ll::Program& program, const machine::Machine& machine) {
  check_open(program);
  check_program(program.computation);
  return Planner(program, machine).run();
}

std::vector<std::string> meant_for_registers(const ll::Program& program,
                                             const machine::Machine& machine) {
  PlanContext context(program, machine);
  std::vector<std::string> names = plan_inputs(context).in_registers;
  for (std::string& name : plan_outputs(context).in_registers) names.push_back(std::move(name));
  return names;
}

}  // namespace mdh::passes
