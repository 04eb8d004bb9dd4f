// What comes before the program, in either form: how operators and combine operators are checked
// and what names they see.
#pragma once

#include "mdh/hl/program.h"
#include "mdh/scalar/define.h"

namespace mdh::hl {

using scalar::add_field;
using scalar::array_length;
using scalar::declare_record;
using scalar::resolved_body;
using scalar::returned;
using scalar::typed_function;

/// An operator takes its name, which is not built in: in a dimension the built-in one would be
/// meant.
void declare_operator(const std::string& name, scalar::Scope& scope, const Location& where);

/// lhs, rhs and the questions about them, which the body of a combine operator may ask.
void declare_operands(scalar::Scope& inside, const Location& where);

}  // namespace mdh::hl
