#include "mdh/tuning/program_key.h"

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/hl/print.h"
#include "mdh/scalar/simplify.h"
#include "mdh/support/hash.h"

namespace mdh::tuning {
namespace {

using scalar::Expr;
using Locals = std::map<std::string, std::string>;

Expr index_named(const std::string& name) {
  return scalar::variable({name, 0}, scalar::Scalar::i64);
}

/// The body of an operator on several outputs assigns them by name.
bool assigns_outputs(const hl::UserOperator& op, const Locals& globals) {
  return std::any_of(op.body.begin(), op.body.end(),
                     [&](const auto& a) { return globals.contains(a.target.name); });
}

class Canonical {
 public:
  explicit Canonical(const hl::Program& program) : old_(program), p_(program) {}

  CanonicalProgram run() {
    p_.name = "p";
    name_buffers(p_.outputs, "out");
    name_buffers(p_.inputs, "in");
    name_dimensions();
    for (auto* views : {&p_.outputs, &p_.inputs}) {
      for (hl::BufferView& view : *views) write_view(view);
    }
    write_body();
    for (hl::UserOperator& op : p_.definitions.operators) write_operator(op);
    result_.text = hl::print(p_);
    return result_;
  }

 private:
  // ---- names

  void name_buffers(std::vector<hl::BufferView>& views, const std::string& prefix) {
    for (size_t n = 0; n < views.size(); ++n) {
      hl::BufferView& view = views[n];
      const std::string name = prefix + std::to_string(n + 1);
      result_.names.buffers[view.symbol.name] = name;
      result_.types[name] = to_string(view.type);
      view.symbol.name = name;
      for (size_t a = 0; a < view.accesses.size(); ++a) {
        std::string& access = view.accesses[a].symbol.name;
        const std::string own =
            view.accesses.size() == 1 ? name : fmt::format("{}.{}", name, a + 1);
        globals_[access] = own;
        access = own;
      }
    }
  }

  /// Sizes that are numbers become parameters, those that are known at run time stay.
  void name_dimensions() {
    std::vector<hl::Parameter> open = p_.parameters;
    p_.parameters.clear();
    for (size_t d = 0; d < p_.dimensions.size(); ++d) {
      const std::string name = fmt::format("d{}", d + 1), size = fmt::format("N{}", d + 1);
      std::string& old = p_.dimensions[d].symbol.name;
      globals_[old] = name;
      result_.names.dimensions[old] = name;
      old = name;
      if (const auto number = scalar::constant(p_.dimensions[d].size)) {
        p_.dimensions[d].size = parameter(size, *number);
      } else if (const auto* v = p_.dimensions[d].size.as<scalar::Variable>()) {
        globals_.try_emplace(v->symbol.name, size);
      }
    }
    for (size_t n = 0; n < open.size(); ++n) {
      std::string& name = open[n].symbol.name;
      name = globals_.try_emplace(name, fmt::format("S{}", n + 1)).first->second;
      p_.parameters.push_back(open[n]);
    }
    for (hl::Dimension& d : p_.dimensions) d.size = renamed(d.size, {});
  }

  Expr parameter(const std::string& name, int64_t value) {
    hl::Parameter size{.kind = hl::Parameter::Kind::size, .symbol = {name, 0}};
    size.type = scalar::Scalar::i64;
    p_.parameters.push_back(size);
    result_.sizes[name] = value;
    return index_named(name);
  }

  // ---- expressions

  Expr renamed(const Expr& e, const Locals& locals) {
    if (const auto* v = e.as<scalar::Variable>()) {
      const bool is_local = v->symbol == scalar::local(v->symbol.name);
      const Locals& names = is_local ? locals : globals_;
      const auto found = names.find(v->symbol.name);
      if (found == names.end()) return e;
      return scalar::variable({found->second, v->symbol.id}, e.type());
    }
    if (const auto* loop = e.as<scalar::Loop>()) return renamed_loop(e, *loop, locals);
    return map_children(e, [&](const Expr& child) { return renamed(child, locals); });
  }

  Expr renamed_loop(const Expr& e, scalar::Loop loop, const Locals& locals) {
    Locals inside = locals;
    for (scalar::Binding& binding : loop.initial) {
      binding.value = renamed(binding.value, locals);
      inside[binding.symbol.name] = fmt::format("v{}", ++loop_variables_);
    }
    for (scalar::Binding& binding : loop.updates) binding.value = renamed(binding.value, inside);
    for (auto* bindings : {&loop.initial, &loop.updates}) {
      for (scalar::Binding& binding : *bindings) {
        binding.symbol.name = inside.at(binding.symbol.name);
      }
    }
    loop.condition = renamed(loop.condition, inside);
    loop.result = renamed(loop.result, inside);
    scalar::ExprNode node = e.node();
    node.is = loop;
    return node;
  }

  /// c1 * d1 + c2 * d2 + ... + c, whatever way it was written in.
  Expr canonical_index(const Expr& index) {
    const auto affine = hl::find_affine(old_, index);
    if (!affine) return renamed(index, {});
    Expr sum = scalar::index_literal(0);
    for (size_t d = 0; d < affine->coefficients.size(); ++d) {
      const Expr variable = index_named(fmt::format("d{}", d + 1));
      sum = sum + scalar::index_literal(affine->coefficients[d]) * variable;
    }
    return sum + scalar::index_literal(affine->constant);
  }

  // ---- parts of the program

  void write_view(hl::BufferView& view) {
    for (hl::Access& access : view.accesses) {
      for (Expr& index : access.index) index = canonical_index(index);
    }
    if (view.declared.empty()) return;
    if (has_inferred_extents(view)) return view.declared.clear();
    for (Expr& extent : view.declared) {
      const auto number = scalar::constant(extent);
      extent = number ? parameter(fmt::format("E{}", ++extents_), *number) : renamed(extent, {});
    }
  }

  /// Declared ones that follow from the index functions anyway.
  bool has_inferred_extents(const hl::BufferView& view) const {
    if (!hl::is_concrete(old_)) return false;
    const hl::BufferView& old = old_view(view);
    const std::vector<int64_t> over = hl::sizes_of_accesses(old_, old);
    scalar::Extents inferred(old.accesses.front().index.size(), 0);
    for (const hl::Access& access : old.accesses) {
      for (size_t e = 0; e < inferred.size(); ++e) {
        const auto range = hl::index_range(old_, access.index[e], over);
        if (!range) return false;
        inferred[e] = std::max(inferred[e], 1 + range->greatest);
      }
    }
    return inferred == hl::extents(old_, old);
  }

  const hl::BufferView& old_view(const hl::BufferView& view) const {
    for (const auto* views : {&old_.outputs, &old_.inputs}) {
      for (const hl::BufferView& old : *views) {
        if (result_.names.buffers.at(old.symbol.name) == view.symbol.name) return old;
      }
    }
    internal_check(false, "buffer '{}' has no old name", view.symbol.name);
    return view;
  }

  void write_body() {
    Locals lets;
    for (scalar::Assignment& a : p_.body) {
      a.value = renamed(a.value, lets);
      std::string& target = a.target.name;
      if (a.target == scalar::local(target)) {
        const std::string name = fmt::format("t{}", lets.size() + 1);
        target = lets.try_emplace(target, name).first->second;
      } else {
        target = globals_.at(target);
      }
    }
  }

  void write_operator(hl::UserOperator& op) const {
    if (!assigns_outputs(op, globals_)) return;
    for (scalar::Assignment& a : op.body) {
      a.value = with_outputs(a.value, op);
      const auto output = globals_.find(a.target.name);
      if (output != globals_.end()) a.target.name = output->second;
    }
  }

  /// l.s is a field of an operand.
  Expr with_outputs(const Expr& e, const hl::UserOperator& op) const {
    if (const auto* field = e.as<scalar::FieldOf>()) {
      const auto* operand = field->operand.as<scalar::Variable>();
      const auto output = globals_.find(field->field);
      const bool is_side = operand && (operand->symbol == op.left || operand->symbol == op.right);
      if (is_side && output != globals_.end()) {
        return scalar::field_of(field->operand, output->second);
      }
    }
    return map_children(e, [&](const Expr& child) { return with_outputs(child, op); });
  }

  const hl::Program& old_;
  hl::Program p_;
  Locals globals_;  // accesses, dimensions and open sizes
  int loop_variables_ = 0;
  int extents_ = 0;
  CanonicalProgram result_;
};

}  // namespace

std::string CanonicalProgram::key() const { return hash_name(text); }

CanonicalProgram canonical_program(const hl::Program& program) { return Canonical(program).run(); }

}  // namespace mdh::tuning
