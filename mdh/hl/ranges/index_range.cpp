// Bounds of index functions.
#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/hl/wide.h"

namespace mdh::hl {
namespace {

using scalar::BinaryOp;

Range product(const Range& a, const Range& b) {
  const auto [least, greatest] =
      std::minmax({Wide{a.least} * b.least, Wide{a.least} * b.greatest, Wide{a.greatest} * b.least,
                   Wide{a.greatest} * b.greatest});
  return {clamped(least), clamped(greatest)};
}

/// Division truncates towards zero, which is monotone.
std::optional<Range> quotient(const Range& a, const Range& b) {
  if (b.least != b.greatest || b.least < 1) return std::nullopt;
  return Range{a.least / b.least, a.greatest / b.least};
}

std::optional<Range> remainder(const Range& a, const Range& b) {
  if (b.least != b.greatest || b.least < 1) return std::nullopt;
  const int64_t n = b.least;
  // Without a jump in between the remainder just follows.
  if (a.least >= 0 && a.least / n == a.greatest / n) return Range{a.least % n, a.greatest % n};
  return Range{a.least < 0 ? 1 - n : 0, a.greatest > 0 ? n - 1 : 0};
}

std::optional<Range> combined(BinaryOp op, const Range& a, const Range& b) {
  switch (op) {
    case BinaryOp::add:
      return Range{clamped(Wide{a.least} + b.least), clamped(Wide{a.greatest} + b.greatest)};
    case BinaryOp::subtract:
      return Range{clamped(Wide{a.least} - b.greatest), clamped(Wide{a.greatest} - b.least)};
    case BinaryOp::multiply:
      return product(a, b);
    case BinaryOp::divide:
      return quotient(a, b);
    case BinaryOp::remainder:
      return remainder(a, b);
    case BinaryOp::minimum:
      return Range{std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
    case BinaryOp::maximum:
      return Range{std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Range> index_range(const Program& p, const Expr& index,
                                 const std::vector<int64_t>& sizes) {
  if (const auto form = find_affine(p, index)) {
    return Range{form->least(sizes), form->greatest(sizes)};
  }
  if (const auto* s = index.as<scalar::Select>()) {
    const auto a = index_range(p, s->then, sizes), b = index_range(p, s->otherwise, sizes);
    if (!a || !b) return std::nullopt;
    return Range{std::min(a->least, b->least), std::max(a->greatest, b->greatest)};
  }
  const auto* b = index.as<scalar::Binary>();
  if (!b) return std::nullopt;
  const auto left = index_range(p, b->left, sizes), right = index_range(p, b->right, sizes);
  return left && right ? combined(b->op, *left, *right) : std::nullopt;
}

}  // namespace mdh::hl
