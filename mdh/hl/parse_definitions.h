// The part of a .mdh file before its program: records, functions, operators.
#pragma once

#include "mdh/hl/program.h"
#include "mdh/scalar/parse_definitions.h"

namespace mdh::hl {

/// Reads definitions until something else begins. Records and functions are declared in the scope;
/// functions are typed here, operators when their program is.
Definitions parse_definitions(scalar::TokenStream& tokens, scalar::Scope& scope);

using scalar::parse_assignment;
using scalar::parse_body;

}  // namespace mdh::hl
