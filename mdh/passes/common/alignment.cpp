#include "mdh/passes/common/alignment.h"

#include <numeric>

#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"

namespace mdh::passes {

loop::Expr without_lets(const loop::Expr& e, const Lets& lets) {
  if (lets.empty()) return e;
  return scalar::substitute(
      e, [&](const scalar::Variable& v, const loop::Expr&) -> std::optional<loop::Expr> {
        const auto found = lets.find(v.symbol);
        return found == lets.end() ? std::nullopt : std::optional(found->second);
      });
}

int64_t alignment_of(const loop::Program& p, const loop::Element& e, const Lets& lets) {
  const scalar::Linear place = scalar::linear(without_lets(address_of(p, e), lets));
  int64_t step = place.constant;
  for (const auto& [term, coefficient] : place.terms) step = std::gcd(step, coefficient);
  return std::abs(step);
}

int64_t widest_access(const loop::Program& p, const Symbol& buffer, int64_t bytes) {
  const loop::Buffer& b = find_buffer(p, buffer);
  const bool is_private = b.role == loop::Role::temporary && b.scope >= loop::Scope::core;
  if (is_private || !b.type.is_scalar() || b.extents.empty()) return 1;
  const int64_t one = scalar::bytes_of(b.type);
  if (one != 4 && one != 8) return 1;
  int64_t width = 1;
  while (2 * width * one <= bytes) width *= 2;
  const bool has_instances = b.role == loop::Role::temporary && !b.per.empty();
  while (has_instances && scalar::volume(b.extents) % width != 0) width /= 2;
  return width;
}

}  // namespace mdh::passes
