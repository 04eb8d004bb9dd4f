#include "mdh/hl/verify.h"

#include <algorithm>
#include <limits>

#include "mdh/hl/analysis.h"
#include "mdh/hl/print.h"
#include "mdh/scalar/combiner.h"
#include "mdh/scalar/print.h"
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
                             d.symbol.name, *size));
    }
    if (*size > greatest_volume / product) {
      user_error("E216", d.where, "the index set is too large for 64-bit indices");
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
    if (std::find(allowed.begin(), allowed.end(), v->symbol) != allowed.end()) return;
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

std::string point_text(const Program& p, const Affine& index, const std::vector<int64_t>& over,
                       bool least) {
  std::vector<std::string> texts;
  for (size_t d = 0; d < over.size(); ++d) {
    const int64_t c = least ? index.coefficients[d] : -index.coefficients[d];
    texts.push_back(fmt::format("{} = {}", p.dimensions[d].symbol.name, c < 0 ? over[d] - 1 : 0));
  }
  return texts.empty() ? "the only point" : join(texts, ", ");
}

void verify_view(const Program& p, const BufferView& view, const std::vector<int64_t>& over) {
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
                           view.symbol.name, view.declared.size(), rank));
  }
  const Extents declared = view.declared.empty() ? Extents{} : extents(p, view);
  for (const Access& access : view.accesses) {
    for (size_t e = 0; e < rank; ++e) {
      const Affine index = affine(p, access.index[e]);
      if (index.least(over) < 0) {
        user_error("E223", access.index[e].where(),
                   fmt::format("index {} of buffer '{}' reaches {} at {}", e + 1, view.symbol.name,
                               index.least(over), point_text(p, index, over, true)),
                   "indices begin at 0: shift the access, and the size of the buffer follows");
      }
      if (!declared.empty() && index.greatest(over) >= declared[e]) {
        user_error(
            "E224", access.index[e].where(),
            fmt::format("index {} of buffer '{}' reaches {} at {}, but its extent is {}", e + 1,
                        view.symbol.name, index.greatest(over), point_text(p, index, over, false),
                        declared[e]),
            fmt::format("declare at least {}, or leave the extents out", index.greatest(over) + 1));
      }
    }
  }
}

void verify_volume(const Program& p, const BufferView& view) {
  int64_t product = 1;
  for (const int64_t n : extents(p, view)) {
    if (n > greatest_volume / product) {
      user_error("E216", view.where,
                 fmt::format("buffer '{}' is too large for 64-bit addresses", view.symbol.name));
    }
    product *= n;
  }
}

void verify_operator(const std::string& name, const Location& where) {
  if (scalar::find_combiner(name)) return;
  user_error("E204", where, fmt::format("unknown operator '{}'", name),
             suggestion(name, scalar::combiner_names()));
}

/// Lemma 1: concatenations mix with point-wise combinations of one and the same associative and
/// commutative ⊕.
void verify_operators(const Program& p) {
  const Dimension* first = nullptr;
  const size_t count = components(p.outputs).size();
  for (const Dimension& d : p.dimensions) {
    if (!is_reduced(d)) continue;
    const auto& names = d.combine.operators;
    for (const std::string& name : names) verify_operator(name, d.where);
    if (names.size() != 1 && names.size() != count) {
      user_error("E225", d.where,
                 fmt::format("{} names {} operators for {} output{}", print(d.combine),
                             names.size(), count, count == 1 ? "" : "s"),
                 "give one operator for all outputs, or one for each");
    }
    if (first && !(first->combine == d.combine)) {
      user_error(
          "E226", d.where,
          fmt::format("dimensions '{}' by {} and '{}' by {} do not fit together",
                      first->symbol.name, print(first->combine), d.symbol.name, print(d.combine)),
          "all reductions of a program use one and the same operator: with others the result "
          "would depend on the order (of [[1,2],[3,4]]: multiply along rows, then add: 14; add "
          "along "
          "columns, then multiply: 24)");
    }
    first = &d;
  }
  if (!first) return;
  const scalar::Function combine = combine_function(p);
  for (const auto& result : combine.results) {
    const auto& b = *result.value.as<scalar::Binary>();
    const scalar::Scalar type = scalar::scalar_of(b.left.type());
    const bool bits = b.op < scalar::BinaryOp::add;
    if (bits ? !is_floating(type) : type != scalar::Scalar::boolean) continue;
    user_error("E227", first->where,
               fmt::format("{} does not combine values of type {}", print(first->combine),
                           to_string(type)),
               bits ? "use add, mul, min or max" : "use and, or, xor");
  }
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
  verify_operators(p);
}

}  // namespace mdh::hl
