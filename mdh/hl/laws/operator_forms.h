// Operators whose laws follow from how they are written.
#pragma once

#include "mdh/hl/program.h"

namespace mdh::hl {

/// The operator is associative and commutative on results of f (floats: up to rounding, and as far
/// as they are numbers), proven by its form, field by field:
///
///   - a sum, product, minimum, maximum, and, or, exclusive or of the two fields, or a constant;
///   - one operand's field or the other's, chosen by a lexicographic order of keys. Where all keys
///     are equal it must not matter which one is taken: the chosen fields are keys themselves, or
///     one key is an index of f, which no two points have in common.
///
/// "No" means nothing: the operator has another form.
bool is_lawful_by_form(const Program& p, const CombineOperator& op);

}  // namespace mdh::hl
