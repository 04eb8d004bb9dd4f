#include "mdh/passes/plan/plan_context.h"

#include <algorithm>
#include <map>

#include "mdh/hl/analysis.h"
#include "mdh/loop/definitions.h"
#include "mdh/support/text.h"

namespace mdh::passes {
namespace {

using loop::How;

/// Parts side by side are joined one after the other where they are scanned.
How how_of(const ll::NestLoop& loop) {
  const bool scanned = !loop.reduced && !loop.concatenated;
  switch (loop.layer->kind) {
    case machine::LayerKind::loop:
      return How::sequential;
    case machine::LayerKind::cores:
      return loop.layer->barrier ? How::cores : How::grid;
    case machine::LayerKind::replicated:
      return scanned ? How::sequential : loop.layer->lanes ? How::lanes : How::unrolled;
  }
  return How::sequential;
}

loop::Kind kind_of(const hl::Dimension& d) {
  if (hl::is_reduced(d)) return loop::Kind::reduced;
  return d.combine.shape == hl::Shape::concatenate ? loop::Kind::kept : loop::Kind::scanned;
}

loop::Edge edge_along(const ll::Code& code, const hl::Dimension& d) {
  const auto asked = code.edge.find(d.symbol.name);
  if (asked == code.edge.end()) return loop::Edge::automatic;
  switch (asked->second) {
    case ll::Edge::automatic:
      return loop::Edge::automatic;
    case ll::Edge::clamp:
      return loop::Edge::clamp;
    case ll::Edge::pad:
      return loop::Edge::pad;
    case ll::Edge::mask:
      return loop::Edge::mask;
    case ll::Edge::overlap:
      return loop::Edge::overlap;
  }
  return loop::Edge::automatic;
}

loop::Dealing dealing_of(ll::Deal deal) {
  switch (deal) {
    case ll::Deal::block:
      return loop::Dealing::block;
    case ll::Deal::cyclic:
      return loop::Dealing::cyclic;
    case ll::Deal::dynamic:
      return loop::Dealing::dynamic;
  }
  return loop::Dealing::block;
}

loop::Scope scope_of(const machine::Machine& machine, const std::string& region) {
  const machine::Region* found = machine.find_region(region);
  if (found->owner.empty()) return loop::Scope::all;
  if (ll::is_register(machine, region)) return loop::Scope::registers;
  return machine.find_layer(found->owner)->barrier ? loop::Scope::core : loop::Scope::group;
}

/// A function with other names of its parameters and results; what it defines inside keeps its own.
scalar::Function renamed(scalar::Function f, const std::vector<std::string>& parameters,
                         const std::vector<std::string>& results) {
  std::map<Symbol, Symbol> names;
  for (size_t n = 0; n < f.parameters.size(); ++n) {
    names.emplace(f.parameters[n].symbol, loop::named(parameters[n]));
    f.parameters[n].symbol = loop::named(parameters[n]);
  }
  const auto change = [&](const Expr& e) {
    return substitute(e, [&](const scalar::Variable& v, const Expr& at) -> std::optional<Expr> {
      const auto found = names.find(v.symbol);
      if (found == names.end()) return std::nullopt;
      return scalar::variable(found->second, at.type(), at.where());
    });
  };
  for (auto& local : f.locals) local.value = change(local.value);
  for (size_t n = 0; n < f.results.size(); ++n) {
    f.results[n].target = loop::named(results[n]);
    f.results[n].value = change(f.results[n].value);
  }
  return f;
}

scalar::Function with_plain_symbols(const scalar::Function& f) {
  std::vector<std::string> parameters, results;
  for (const auto& parameter : f.parameters) parameters.push_back(parameter.symbol.name);
  for (const auto& result : f.results) results.push_back(result.target.name);
  return renamed(f, parameters, results);
}

bool is_defined(const loop::Definitions& definitions, const std::string& name) {
  const auto is_it = [&](const auto& definition) { return definition.name == name; };
  return std::any_of(definitions.records.begin(), definitions.records.end(), is_it) ||
         std::any_of(definitions.functions.begin(), definitions.functions.end(), is_it);
}

/// Operands are called l and r, and numbered if there are several: names of outputs need not be
/// names in the text form of loops. Neither are they called like what the user defines.
scalar::Function with_operands_numbered(const scalar::Function& f,
                                        const loop::Definitions& definitions) {
  const size_t count = f.results.size();
  const auto number = [&](const char* name, size_t c) {
    std::string numbered = count == 1 ? std::string(name) : name + std::to_string(c);
    while (is_defined(definitions, numbered)) numbered += "_";
    return numbered;
  };
  std::vector<std::string> parameters, results;
  for (size_t n = 0; n < f.parameters.size(); ++n) {
    parameters.push_back(number(n < count ? "l" : "r", n % count));
  }
  for (size_t c = 0; c < count; ++c) results.push_back(number("x", c));
  return renamed(f, parameters, results);
}

}  // namespace

PlanContext::PlanContext(const ll::Program& low, const machine::Machine& machine)
    : decomposition(low, machine),
      low(low),
      computation(low.computation),
      machine(machine),
      code(low.code),
      inputs(decomposition.inputs()),
      outputs(decomposition.outputs()),
      scalar(decomposition.scalar()),
      fused(decomposition.fused_loops()) {
  declare();
}

void PlanContext::declare() {
  result.name = computation.name;
  for (const hl::Dimension& d : computation.dimensions) {
    result.dimensions.push_back(
        {fresh(d.symbol.name), constant(d.size).value(), kind_of(d), edge_along(code, d)});
  }
  for (const auto* views : {&computation.outputs, &computation.inputs}) {
    const auto role = views == &computation.outputs ? loop::Role::output : loop::Role::input;
    for (const hl::BufferView& view : *views) {
      const bool streaming = role == loop::Role::output && code.kernel.store == ll::Hint::streaming;
      result.buffers.push_back({.symbol = fresh(view.symbol.name),
                                .type = view.type,
                                .extents = hl::extents(computation, view),
                                .role = role,
                                .streaming = streaming});
    }
  }
  for (int q = 0; q < depth(); ++q) {
    output_digits_.push_back(
        add_digit(outputs.loops[q], q < fused || fused == depth() ? "" : "_r"));
    scalar_digits_.push_back(q < fused || fused == depth() ? output_digits_.back()
                                                           : add_digit(scalar.loops[q], ""));
  }
  result.f = with_plain_symbols(hl::scalar_function(computation));
  result.emission = emission();
  const std::vector<int64_t>& bounds = code.kernel.launch_bounds;
  if (!bounds.empty()) result.bounds.cores = bounds[0];
  if (bounds.size() > 1) result.bounds.groups = bounds[1];
  result.begins_early = code.kernel.start == ll::Start::early;
  result.combine = hl::combine_function(computation);
  result.combine = with_operands_numbered(result.combine, loop::definitions_of(result));
}

/// Parameters of f are the accesses of all inputs, then the dimensions.
loop::Emission PlanContext::emission() const {
  const std::string& order = code.kernel.emit;
  if (order == ll::KernelCode{}.emit) return {};
  const bool winds = order.rfind("serpentine", 0) == 0;
  loop::Emission by{winds ? loop::Emission::Order::serpentine : loop::Emission::Order::by_operand,
                    {}};
  size_t n = 0;
  for (const hl::BufferView& view : computation.inputs) {
    for (size_t access = 0; access < view.accesses.size(); ++access, ++n) {
      const bool asked = order == (winds ? "serpentine " : "by_operand ") + view.symbol.name;
      if (asked) by.operands.push_back(result.f.parameters[n].symbol);
    }
  }
  return by;
}

Symbol PlanContext::add_digit(const ll::NestLoop& loop, const std::string& suffix) {
  const std::string& dimension = computation.dimensions[loop.level.dimension].symbol.name;
  const std::string layer = lower_case(low.layers[loop.level.layer]);
  const Symbol var = fresh(layer + "_" + dimension + suffix);
  loop::Digit digit{
      var, to_string(low, loop.level), loop.level.dimension, loop.parts, loop.chunk, how_of(loop)};
  const auto unroll = code.kernel.unroll.find({low.layers[loop.level.layer], dimension});
  if (unroll != code.kernel.unroll.end() && digit.how == How::sequential) {
    digit.unroll = unroll->second;
  }
  digit.axis = axis_of(loop);
  result.digits.push_back(digit);
  add_to_cores(*loop.layer, var);
  return var;
}

/// Launches have three axes; what a configuration puts further out shares the last one.
std::optional<int> PlanContext::axis_of(const ll::NestLoop& loop) const {
  const auto& with = low.axes;
  const bool asked = std::find(with.begin(), with.end(), loop.layer->name) != with.end();
  if (!loop.is_parallel() || !asked) return std::nullopt;
  if (loop.axis == "x") return 0;
  return loop.axis == "y" ? 1 : 2;
}

/// Layers with one core for each part, dealt as they come, are not worth a word.
void PlanContext::add_to_cores(const machine::Layer& layer, const Symbol& digit) {
  for (loop::Cores& cores : result.cores) {
    if (cores.layer == layer.name) return cores.digits.push_back(digit);
  }
  for (const auto& [name, asked] : code.cores) {
    if (machine.find_layer(name) != &layer || asked == ll::CoresCode{}) continue;
    result.cores.push_back(
        {layer.name, {digit}, dealing_of(asked.deal), asked.count, asked.swizzle});
  }
}

Symbol PlanContext::digit_of_input(int position) const {
  const ll::Level& level = inputs.loops[position].level;
  for (int q = 0; q < depth(); ++q) {
    if (scalar.loops[q].level == level) return scalar_digits_[q];
  }
  internal_check(false, "a level of de-composition is missing in the scalar phase");
  return {};
}

std::vector<Symbol> PlanContext::cores_around(int position, const std::set<int>& without) const {
  std::vector<Symbol> digits;
  for (int r = 0; r < position; ++r) {
    if (outputs.loops[r].is_parallel() && !without.contains(r)) {
      digits.push_back(output_digits_[r]);
    }
  }
  return digits;
}

Symbol PlanContext::fresh(std::string name) {
  while (!names_.insert(name).second) name += "_";
  return loop::named(name);
}

Symbol PlanContext::add_temporary(loop::Buffer buffer) {
  buffer.symbol = fresh(buffer.symbol.name);
  buffer.role = loop::Role::temporary;
  buffer.scope = scope_of(machine, buffer.region);
  result.buffers.push_back(buffer);
  return buffer.symbol;
}

namespace {

/// Index arithmetic knows operations on two numbers only: ~x is -1 - x, !c is c == false.
Expr without_complements(const Expr& e) {
  const Expr inner = scalar::map_children(e, without_complements);
  const auto* u = inner.as<scalar::Unary>();
  if (!u) return inner;
  const Expr no = scalar::literal(scalar::Scalar::boolean, scalar::Value::integer(0));
  switch (u->op) {
    case scalar::UnaryOp::negate:
      return inner;
    case scalar::UnaryOp::bit_not:
      return scalar::binary(scalar::BinaryOp::subtract, scalar::index_literal(-1), u->operand,
                            e.where());
    case scalar::UnaryOp::logical_not:
      return scalar::binary(scalar::BinaryOp::equal, u->operand, no, e.where());
  }
  return inner;
}

}  // namespace

Expr index_of(const Expr& e) {
  const Expr plain = substitute(e, [](const scalar::Variable& v, const Expr& at) {
    return std::optional(scalar::variable(loop::named(v.symbol.name), at.type(), at.where()));
  });
  return loop::without_negation(without_complements(plain));
}

std::string plain_name(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace mdh::passes
