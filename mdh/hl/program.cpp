#include "mdh/hl/program.h"

#include <map>

namespace mdh::hl {
namespace {

void map_view(BufferView& view, const std::function<Expr(const Expr&)>& change) {
  for (Expr& extent : view.declared) extent = change(extent);
  for (Access& access : view.accesses) {
    for (Expr& index : access.index) index = change(index);
  }
}

/// Gives every name the next number at its first mention; names are distinct within a program.
class Renumbering {
 public:
  void declare(Symbol& symbol) {
    const auto [known, is_new] = ids_.try_emplace(symbol.name, static_cast<int>(ids_.size()));
    (void)is_new;
    symbol.id = known->second;
  }

  void declare(BufferView& view) {
    declare(view.symbol);
    for (Access& access : view.accesses) declare(access.symbol);
  }

  Symbol renamed(const Symbol& symbol) const {
    const auto known = ids_.find(symbol.name);
    return known == ids_.end() ? symbol : Symbol{symbol.name, known->second};
  }

  Type renamed(const Type& type) const {
    return type.is_parameter() ? Type(renamed(std::get<Symbol>(type.is))) : type;
  }

  Expr renamed(const Expr& e) const {
    if (const auto* v = e.as<scalar::Variable>()) {
      return scalar::variable(renamed(v->symbol), renamed(e.type()), e.where());
    }
    if (const auto* c = e.as<scalar::Cast>()) {
      return scalar::cast(renamed(e.type()), renamed(c->operand), e.where());
    }
    return map_children(e, [this](const Expr& child) { return renamed(child); });
  }

 private:
  std::map<std::string, int> ids_;
};

}  // namespace

bool is_concrete(const Program& p) { return p.parameters.empty(); }

Program map_expressions(const Program& p, const std::function<Expr(const Expr&)>& change) {
  Program changed = p;
  for (Parameter& parameter : changed.parameters) {
    if (parameter.value) parameter.value = change(*parameter.value);
  }
  for (BufferView& view : changed.outputs) map_view(view, change);
  for (BufferView& view : changed.inputs) map_view(view, change);
  for (Dimension& dimension : changed.dimensions) dimension.size = change(dimension.size);
  for (scalar::Assignment& assignment : changed.body) assignment.value = change(assignment.value);
  return changed;
}

Program renumbered(const Program& p) {
  Program result = p;
  Renumbering numbers;
  for (Parameter& parameter : result.parameters) numbers.declare(parameter.symbol);
  for (BufferView& view : result.outputs) numbers.declare(view);
  for (Dimension& dimension : result.dimensions) numbers.declare(dimension.symbol);
  for (BufferView& view : result.inputs) numbers.declare(view);
  for (Parameter& parameter : result.parameters) parameter.type = numbers.renamed(parameter.type);
  for (BufferView& view : result.outputs) view.type = numbers.renamed(view.type);
  for (BufferView& view : result.inputs) view.type = numbers.renamed(view.type);
  for (scalar::Assignment& a : result.body) {
    if (a.target != scalar::local(a.target.name)) a.target = numbers.renamed(a.target);
  }
  return map_expressions(result, [&](const Expr& e) { return numbers.renamed(e); });
}

}  // namespace mdh::hl
