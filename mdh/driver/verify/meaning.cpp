#include "mdh/driver/verify/meaning.h"

#include "mdh/hl/analysis.h"

namespace mdh::driver {

Meaning meaning_of(const hl::Program& program) {
  return {hl::scalar_function(program), hl::combine_function(program)};
}

std::optional<scalar::BinaryOp> built_in_combination(const Meaning& meaning, size_t result) {
  const scalar::Function& c = meaning.combine;
  const size_t count = meaning.f.results.size();
  if (c.results.size() != count || !c.locals.empty()) return std::nullopt;
  const auto* b = c.results[result].value.as<scalar::Binary>();
  if (!b) return std::nullopt;
  const auto is = [&](const scalar::Expr& e, size_t parameter) {
    const auto* v = e.as<scalar::Variable>();
    return v && v->symbol == c.parameters[parameter].symbol;
  };
  const bool own = is(b->left, result) && is(b->right, count + result);
  return own ? std::optional(b->op) : std::nullopt;
}

}  // namespace mdh::driver
