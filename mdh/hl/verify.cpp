#include "mdh/hl/verify.h"

#include <algorithm>
#include <limits>

#include "mdh/hl/address.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/laws/laws.h"
#include "mdh/hl/print.h"
#include "mdh/hl/ranges/check_index.h"
#include "mdh/scalar/combiner.h"
#include "mdh/scalar/print.h"
#include "mdh/scalar/tape/tape.h"
#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

constexpr int64_t greatest_volume = std::numeric_limits<int64_t>::max() / 64;

void verify_sizes(const Program& p) {
  int64_t product = 1;
  for (const Dimension& d : p.dimensions) {
    const auto size = constant(d.size);
    if (!size) {
      user_error("E214", d.where,
                 fmt::format("the size of dimension '{}' is not a number: {}", d.symbol.name,
                             scalar::print(d.size)),
                 "sizes are made of constants and size parameters");
    }
    if (*size < 1) {
      user_error("E215", d.where,
                 fmt::format("the size of dimension '{}' is {}, but sizes are at least 1",
                             d.symbol.name, *size),
                 "give it a positive size");
    }
    if (*size > greatest_volume / product) {
      user_error("E216", d.where, "the index set is too large for 64-bit indices",
                 "use smaller sizes, or split the computation");
    }
    product *= *size;
  }
}

[[noreturn]] void assigned_times(int count, const Symbol& output, const Location& where) {
  user_error(
      "E217", where,
      fmt::format("output '{}' is assigned {} times in the scalar function", output.name, count),
      fmt::format("write exactly one '{} = ...;'", output.name));
}

void verify_body(const Program& p) {
  std::vector<Symbol> outputs, assigned;
  for (const BufferView& view : p.outputs) {
    for (const Access& access : view.accesses) outputs.push_back(access.symbol);
  }
  for (const auto& a : p.body) {
    if (a.target == scalar::local(a.target.name)) continue;  // a let
    if (std::find(outputs.begin(), outputs.end(), a.target) == outputs.end()) {
      std::vector<std::string> names;
      for (const Symbol& output : outputs) names.push_back(output.name);
      user_error("E205", a.where, fmt::format("'{}' is not an output", a.target.name),
                 suggestion(a.target.name, names));
    }
    if (std::find(assigned.begin(), assigned.end(), a.target) != assigned.end()) {
      assigned_times(2, a.target, a.where);
    }
    assigned.push_back(a.target);
  }
  for (const BufferView& view : p.outputs) {
    for (const Access& access : view.accesses) {
      const auto found = std::find(assigned.begin(), assigned.end(), access.symbol);
      if (found == assigned.end()) assigned_times(0, access.symbol, access.where);
    }
  }
}

/// Expressions may mention only what has a value where they are evaluated.
void verify_mentions(const Expr& e, const std::vector<Symbol>& allowed, const std::string& place) {
  if (const auto* v = e.as<scalar::Variable>()) {
    const bool is_local = v->symbol == scalar::local(v->symbol.name);
    if (is_local || std::find(allowed.begin(), allowed.end(), v->symbol) != allowed.end()) return;
    std::vector<std::string> names;
    for (const Symbol& symbol : allowed) names.push_back(symbol.name);
    user_error("E218", e.where(), fmt::format("'{}' has no value in {}", v->symbol.name, place),
               names.empty() ? "" : "usable here: " + join(names, ", "));
  }
  for_each_child(e, [&](const Expr& child) { verify_mentions(child, allowed, place); });
}

void verify_names(const Program& p) {
  std::vector<Symbol> dimensions;
  for (const Dimension& d : p.dimensions) dimensions.push_back(d.symbol);
  std::vector<Symbol> in_f = dimensions;
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const BufferView& view : *views) {
      for (const Expr& extent : view.declared) verify_mentions(extent, {}, "an extent");
      for (const Access& access : view.accesses) {
        for (const Expr& index : access.index) {
          verify_mentions(index, dimensions, "an index function");
        }
        if (views == &p.inputs) in_f.push_back(access.symbol);
      }
    }
  }
  for (const auto& a : p.body) verify_mentions(a.value, in_f, "the scalar function");
}

/// Where an affine index function takes its least (or greatest) value.
std::string extreme_point(const Program& p, const Expr& e, const std::vector<int64_t>& over,
                          bool least) {
  const auto index = find_affine(p, e);
  std::vector<int64_t> point;
  for (size_t d = 0; d < over.size(); ++d) {
    const int64_t c = least ? index->coefficients[d] : -index->coefficients[d];
    point.push_back(c < 0 ? over[d] - 1 : 0);
  }
  return point_text(p, point);
}

void verify_rank(const BufferView& view) {
  const size_t rank = view.accesses.front().index.size();
  for (const Access& access : view.accesses) {
    if (access.index.size() == rank) continue;
    user_error("E221", access.where,
               fmt::format("buffer '{}' has {} dimension{}, but this access has {}",
                           view.symbol.name, rank, rank == 1 ? "" : "s", access.index.size()),
               "all accesses of a buffer have one index function per buffer dimension");
  }
  if (!view.declared.empty() && view.declared.size() != rank) {
    user_error("E222", view.where,
               fmt::format("buffer '{}' is declared with {} extents, but accessed with {} indices",
                           view.symbol.name, view.declared.size(), rank),
               "declare one extent per index function");
  }
}

void verify_declared(const BufferView& view) {
  for (size_t e = 0; e < view.declared.size(); ++e) {
    const auto extent = constant(view.declared[e]);
    const std::string which = fmt::format("extent {} of buffer '{}'", e + 1, view.symbol.name);
    if (!extent) {
      user_error("E214", view.declared[e].where(),
                 fmt::format("{} is not a number: {}", which, scalar::print(view.declared[e])),
                 "extents are made of constants and size parameters");
    }
    if (*extent < 1) {
      user_error("E215", view.declared[e].where(),
                 fmt::format("{} is {}, but extents are at least 1", which, *extent),
                 "declare a larger one, or leave the extents out");
    }
  }
}

/// Bounds of index functions that are not affine are not exact; verify_points() looks closer.
void verify_index(const Program& p, const BufferView& view, const Access& access, size_t e,
                  const std::vector<int64_t>& over) {
  const Expr& index = access.index[e];
  const Extents declared = view.declared.empty() ? Extents{} : extents(p, view);
  if (!find_affine(p, index)) return;
  const auto range = index_range(p, index, over);
  if (!range) return;  // extents() explains it
  if (range->least < 0) {
    user_error("E223", index.where(),
               fmt::format("index {} of buffer '{}' reaches {} at {}", e + 1, view.symbol.name,
                           range->least, extreme_point(p, index, over, true)),
               "indices begin at 0: shift the access, and the size of the buffer follows");
  }
  if (!declared.empty() && range->greatest >= declared[e]) {
    user_error("E224", index.where(),
               fmt::format("index {} of buffer '{}' reaches {} at {}, but its extent is {}", e + 1,
                           view.symbol.name, range->greatest, extreme_point(p, index, over, false),
                           declared[e]),
               fmt::format("declare at least {}, or leave the extents out", range->greatest + 1));
  }
}

void verify_view(const Program& p, const BufferView& view, const std::vector<int64_t>& over) {
  verify_rank(view);
  verify_declared(view);
  for (const Access& access : view.accesses) {
    for (size_t e = 0; e < access.index.size(); ++e) verify_index(p, view, access, e, over);
  }
  extents(p, view);
}

void verify_volume(const Program& p, const BufferView& view) {
  int64_t product = 1;
  for (const int64_t n : extents(p, view)) {
    if (n > greatest_volume / product) {
      user_error("E216", view.where,
                 fmt::format("buffer '{}' is too large for 64-bit addresses", view.symbol.name),
                 "use smaller sizes, or split the computation");
    }
    product *= n;
  }
}

/// What must hold at every point, also of index functions that are not affine.
void verify_points(const Program& p) {
  CheckBudget budget;
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const BufferView& view : *views) {
      const Extents inside = extents(p, view);
      const std::vector<int64_t> over = sizes_of_accesses(p, view);
      for (const Access& access : view.accesses) {
        for (size_t e = 0; e < access.index.size(); ++e) {
          check_index(p, {view, access.index[e], e}, inside[e], over, budget);
        }
      }
    }
  }
}

bool is_user_operator(const Program& p, const std::string& name) {
  const auto& all = p.definitions.operators;
  return std::any_of(all.begin(), all.end(), [&](const auto& op) { return op.name == name; });
}

void verify_operator(const Program& p, const std::string& name, const Type& type,
                     const Dimension& d) {
  if (is_user_operator(p, name)) return;
  const scalar::Combiner* builtin = scalar::find_combiner(name);
  if (!builtin) {
    user_error("E204", d.where, fmt::format("unknown operator '{}'", name),
               suggestion(name, scalar::combiner_names()));
  }
  const bool bits = builtin->op < scalar::BinaryOp::add;
  const bool fits = type.is_scalar() && (bits ? !is_floating(scalar_of(type))
                                              : scalar_of(type) != scalar::Scalar::boolean);
  if (fits) return;
  user_error(
      "E227", d.where,
      fmt::format("{} does not combine values of type {}", print(d.combine), to_string(type)),
      !type.is_scalar() ? "define an operator for the record: op name(l, r) = ...;"
      : bits            ? "use add, mul, min or max"
                        : "use and, or, xor");
}

/// One name for all outputs, or one for each, and each fits its output's type.
void verify_names_of(const Program& p, const Dimension& d) {
  const auto& names = d.combine.operators;
  const std::vector<Component> results = components(p.outputs);
  if (names.size() != 1 && names.size() != results.size()) {
    user_error("E225", d.where,
               fmt::format("{} names {} operators for {} output{}", print(d.combine), names.size(),
                           results.size(), results.size() == 1 ? "" : "s"),
               "give one operator for all outputs, or one for each");
  }
  for (size_t c = 0; c < results.size(); ++c) {
    const std::string& name = names.size() == 1 ? names[0] : names[c];
    verify_operator(p, name, p.outputs[results[c].buffer].type, d);
  }
}

[[noreturn]] void do_not_fit(const Program& p, const Dimension& first, const Dimension& second) {
  const auto found = exchange_counterexample(p, first.combine, second.combine, 1);
  user_error(
      "E226", second.where,
      fmt::format("dimensions '{}' by {} and '{}' by {} do not fit together", first.symbol.name,
                  print(first.combine), second.symbol.name, print(second.combine)),
      "all reductions of a program use one and the same operator: with others the result "
      "would depend on the order" +
          (found ? ", as for " + *found : ""));
}

/// Lemma 1 and its extension: concatenations mix with point-wise combinations and prefix sums of
/// one and the same associative and commutative ⊕. Equal means equal as functions, not by name.
void verify_operators(const Program& p) {
  const Dimension* first = nullptr;
  for (const Dimension& d : p.dimensions) {
    if (d.combine.shape != Shape::pointwise && d.combine.shape != Shape::scan) continue;
    verify_names_of(p, d);
    if (first && !(combine_function(p, first->combine) == combine_function(p, d.combine))) {
      do_not_fit(p, *first, d);
    }
    first = &d;
  }
}

/// They are not too large, and so is everything that is computed from them.
void verify_functions(const Program& p) {
  const scalar::Tape f(scalar_function(p)), combine(combine_function(p));
  check_laws(p);
}

}  // namespace

void verify(const Program& p) {
  internal_check(is_concrete(p), "only concrete programs can be verified");
  if (p.outputs.empty()) {
    user_error("E228", p.where, fmt::format("program '{}' has no output", p.name),
               "out_view needs at least one buffer");
  }
  verify_sizes(p);
  verify_body(p);
  verify_names(p);
  for (const BufferView& view : p.outputs) verify_view(p, view, result_sizes(p));
  for (const BufferView& view : p.inputs) verify_view(p, view, sizes(p));
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const BufferView& view : *views) verify_volume(p, view);
  }
  verify_points(p);
  verify_operators(p);
  verify_functions(p);
}

}  // namespace mdh::hl
