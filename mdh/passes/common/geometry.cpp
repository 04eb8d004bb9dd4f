#include "mdh/passes/common/geometry.h"

#include <algorithm>

#include "mdh/passes/common/replicated.h"
#include "mdh/passes/common/shapes.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {
namespace {

using loop::Digit;
using loop::Expr;
using scalar::index_literal;

int64_t greatest_base(const std::vector<Digit>& digits, int dimension) {
  int64_t sum = 0;
  for (const Digit& d : digits) {
    if (d.dimension == dimension) sum += (d.parts - 1) * d.step;
  }
  return sum;
}

}  // namespace

Expr base(const std::vector<Digit>& digits, int dimension) {
  std::vector<Digit> mine;
  for (const Digit& d : digits) {
    if (d.dimension == dimension) mine.push_back(d);
  }
  // Most significant first, as people write numbers.
  std::sort(mine.begin(), mine.end(),
            [](const Digit& a, const Digit& b) { return a.step > b.step; });
  Expr sum = index_literal(0);
  for (const Digit& d : mine) {
    sum = sum + loop::index_variable(d.var) * index_literal(d.step);
  }
  return sum;
}

std::optional<Expr> nonempty(const loop::Program& p, const std::vector<Digit>& digits) {
  std::optional<Expr> all;
  for (size_t d = 0; d < p.dimensions.size(); ++d) {
    const int dimension = static_cast<int>(d);
    const int64_t size = p.dimensions[d].size;
    if (greatest_base(digits, dimension) < size) continue;
    const Expr holds = below(base(digits, dimension), size);
    all = all ? scalar::binary(scalar::BinaryOp::logical_and, *all, holds) : holds;
  }
  return all;
}

bool has_tile_at_edge(const loop::Program& p, int dimension) {
  int64_t tile = 1;
  for (const Digit& d : p.digits) {
    if (d.dimension == dimension && is_replicated(d.how)) tile *= d.parts;
  }
  return p.dimensions[dimension].size % tile != 0;
}

Expr trip(const loop::Program& p, const std::vector<Digit>& enclosing, const Digit& digit) {
  const int64_t size = p.dimensions[digit.dimension].size;
  const Expr all = index_literal(digit.parts);
  const int64_t last = greatest_base(enclosing, digit.dimension) + (digit.parts - 1) * digit.step;
  if (last < size) return all;
  const Expr room = index_literal(size) - base(enclosing, digit.dimension);
  return bounded(all, parts_holding(room, digit.step));
}

}  // namespace mdh::passes
