#include "mdh/hl/analysis.h"

#include <algorithm>
#include <numeric>

#include "mdh/hl/wide.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/print.h"

namespace mdh::hl {
namespace {

using scalar::BinaryOp;

std::optional<Affine> scaled(Affine a, int64_t factor) {
  for (int64_t& c : a.coefficients) {
    if (__builtin_mul_overflow(c, factor, &c)) return std::nullopt;
  }
  if (__builtin_mul_overflow(a.constant, factor, &a.constant)) return std::nullopt;
  return a;
}

std::optional<Affine> added(Affine a, const Affine& b) {
  for (size_t d = 0; d < a.coefficients.size(); ++d) {
    if (__builtin_add_overflow(a.coefficients[d], b.coefficients[d], &a.coefficients[d])) {
      return std::nullopt;
    }
  }
  if (__builtin_add_overflow(a.constant, b.constant, &a.constant)) return std::nullopt;
  return a;
}

bool is_constant(const Affine& a) {
  return std::all_of(a.coefficients.begin(), a.coefficients.end(),
                     [](int64_t c) { return c == 0; });
}

std::optional<Affine> to_affine(const Program& p, const Expr& e) {
  Affine zero{std::vector<int64_t>(p.dimensions.size(), 0), 0};
  if (const auto number = constant(e)) {
    zero.constant = *number;
    return zero;
  }
  if (const auto* v = e.as<scalar::Variable>()) {
    for (size_t d = 0; d < p.dimensions.size(); ++d) {
      if (p.dimensions[d].symbol != v->symbol) continue;
      zero.coefficients[d] = 1;
      return zero;
    }
    return std::nullopt;
  }
  if (const auto* u = e.as<scalar::Unary>()) {
    const auto inner = to_affine(p, u->operand);
    const auto negative = inner ? scaled(*inner, -1) : std::nullopt;
    if (!negative || u->op == scalar::UnaryOp::negate) return negative;
    if (u->op == scalar::UnaryOp::logical_not) return std::nullopt;
    zero.constant = -1;  // ~x is -x - 1
    return added(*negative, zero);
  }
  const auto* b = e.as<scalar::Binary>();
  if (!b) return std::nullopt;
  const auto left = to_affine(p, b->left), right = to_affine(p, b->right);
  if (!left || !right) return std::nullopt;
  if (b->op == BinaryOp::add) return added(*left, *right);
  if (b->op == BinaryOp::subtract) {
    const auto negative = scaled(*right, -1);
    return negative ? added(*left, *negative) : std::nullopt;
  }
  if (b->op != BinaryOp::multiply) return std::nullopt;
  if (is_constant(*right)) return scaled(*left, right->constant);
  return is_constant(*left) ? scaled(*right, left->constant) : std::nullopt;
}

}  // namespace

int64_t Affine::at(std::span<const int64_t> point) const {
  int64_t value = constant;
  for (size_t d = 0; d < coefficients.size(); ++d) value += coefficients[d] * point[d];
  return value;
}

int64_t Affine::least(const std::vector<int64_t>& sizes) const {
  Wide value = constant;
  for (size_t d = 0; d < sizes.size(); ++d) {
    value += Wide{std::min<int64_t>(coefficients[d], 0)} * (sizes[d] - 1);
  }
  return clamped(value);
}

int64_t Affine::greatest(const std::vector<int64_t>& sizes) const {
  Wide value = constant;
  for (size_t d = 0; d < sizes.size(); ++d) {
    value += Wide{std::max<int64_t>(coefficients[d], 0)} * (sizes[d] - 1);
  }
  return clamped(value);
}

std::optional<Affine> find_affine(const Program& p, const Expr& index) {
  return to_affine(p, index);
}

std::vector<int64_t> sizes(const Program& p) {
  std::vector<int64_t> numbers;
  for (const Dimension& d : p.dimensions) {
    const auto size = constant(d.size);
    internal_check(size.has_value(), "the size of '{}' is not a number", d.symbol.name);
    numbers.push_back(*size);
  }
  return numbers;
}

bool is_reduced(const Dimension& d) {
  return d.combine.shape == Shape::pointwise || d.combine.to_zero;
}

bool has_custom_operator(const Program& p) {
  return std::any_of(p.dimensions.begin(), p.dimensions.end(),
                     [](const Dimension& d) { return d.combine.shape == Shape::custom; });
}

std::vector<int64_t> result_sizes(const Program& p) {
  std::vector<int64_t> numbers = sizes(p);
  for (size_t d = 0; d < numbers.size(); ++d) {
    if (is_reduced(p.dimensions[d])) numbers[d] = 1;
  }
  return numbers;
}

std::vector<int64_t> sizes_of_accesses(const Program& p, const BufferView& view) {
  const bool is_output = std::any_of(p.outputs.begin(), p.outputs.end(),
                                     [&](const BufferView& v) { return v.symbol == view.symbol; });
  return is_output ? result_sizes(p) : sizes(p);
}

Extents extents(const Program& p, const BufferView& view) {
  Extents result;
  if (!view.declared.empty()) {
    for (const Expr& extent : view.declared) result.push_back(constant(extent).value_or(0));
    return result;
  }
  const std::vector<int64_t> over = sizes_of_accesses(p, view);
  result.assign(view.accesses.front().index.size(), 0);
  for (const Access& access : view.accesses) {
    for (size_t e = 0; e < result.size(); ++e) {
      const auto range = index_range(p, access.index[e], over);
      if (!range) {
        user_error(
            "E234", access.index[e].where(),
            fmt::format("the extent of buffer '{}' does not follow from the index function "
                        "'{}'",
                        view.symbol.name, scalar::print(access.index[e])),
            fmt::format("declare it: {}: {}[...] = ...", view.symbol.name, to_string(view.type)));
      }
      result[e] = std::max(result[e], 1 + range->greatest);
    }
  }
  return result;
}

std::vector<Component> components(const std::vector<BufferView>& views) {
  std::vector<Component> all;
  int leaf = 0;
  for (size_t b = 0; b < views.size(); ++b) {
    const int width = width_of(views[b].type);
    for (size_t a = 0; a < views[b].accesses.size(); ++a, leaf += width) {
      all.push_back({static_cast<int>(b), static_cast<int>(a), leaf, width});
    }
  }
  return all;
}

int leaf_count(const std::vector<BufferView>& views) {
  int leaves = 0;
  for (const Component& c : components(views)) leaves += c.width;
  return leaves;
}

scalar::Function scalar_function(const Program& p) {
  scalar::Function f{"f", {}, {}, {}};
  for (const scalar::Assignment& a : p.body) {
    if (a.target == scalar::local(a.target.name)) f.locals.push_back(a);
  }
  for (const BufferView& view : p.inputs) {
    for (const Access& access : view.accesses) f.parameters.push_back({access.symbol, view.type});
  }
  for (const Dimension& d : p.dimensions) f.parameters.push_back({d.symbol, scalar::Scalar::i64});
  for (const BufferView& view : p.outputs) {
    for (const Access& access : view.accesses) {
      const auto found = std::find_if(p.body.begin(), p.body.end(),
                                      [&](const auto& a) { return a.target == access.symbol; });
      internal_check(found != p.body.end(), "output '{}' has no value", access.symbol.name);
      f.results.push_back(*found);
    }
  }
  return f;
}

bool is_injective(const Program& p, const BufferView& output) {
  if (output.accesses.size() != 1) return false;
  std::vector<Affine> index;
  for (const Expr& e : output.accesses.front().index) {
    const auto form = find_affine(p, e);
    if (!form) return false;
    index.push_back(*form);
  }
  std::vector<int64_t> counts;
  for (const Dimension& d : p.dimensions) {
    // A size that is not known yet may be anything.
    counts.push_back(is_reduced(d) ? 1 : constant(d.size).value_or(int64_t{1} << 40));
  }
  std::vector<bool> known(counts.size());
  for (size_t d = 0; d < counts.size(); ++d) known[d] = counts[d] == 1;
  // Each round reads off the dimensions of every index whose unknown terms do not overlap.
  for (bool progress = true; progress;) {
    progress = false;
    for (const Affine& axis : index) {
      std::vector<std::pair<int64_t, int64_t>> terms;
      for (size_t d = 0; d < counts.size(); ++d) {
        if (!known[d] && axis.coefficients[d] != 0) {
          terms.emplace_back(std::abs(axis.coefficients[d]), counts[d]);
        }
      }
      if (terms.empty() || !scalar::is_mixed_radix(terms)) continue;
      for (size_t d = 0; d < counts.size(); ++d) {
        if (axis.coefficients[d] != 0) known[d] = true;
      }
      progress = true;
    }
  }
  return std::all_of(known.begin(), known.end(), [](bool k) { return k; });
}

int64_t points(const Program& p) { return scalar::volume(sizes(p)); }

namespace {

/// Folding comes first: what is left of a scan is one combination for all results but the first.
int64_t combinations(const Program& p) {
  const int64_t results = scalar::volume(result_sizes(p));
  int64_t count = points(p) - results;
  for (const Dimension& d : p.dimensions) {
    if (d.combine.shape == Shape::scan) count += results - results / constant(d.size).value();
  }
  return count;
}

}  // namespace

int64_t operations(const Program& p) {
  const auto per_combination = static_cast<int64_t>(components(p.outputs).size());
  return points(p) * scalar::operations_in(scalar_function(p)) + combinations(p) * per_combination;
}

int64_t bytes(const Program& p) {
  int64_t sum = 0;
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const BufferView& view : *views) {
      sum += scalar::volume(extents(p, view)) * scalar::bytes_of(view.type);
    }
  }
  return sum;
}

}  // namespace mdh::hl
