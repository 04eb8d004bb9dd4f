// Records and functions to text; parse_record and parse_function read it back.
#pragma once

#include <string>

#include "mdh/scalar/function.h"

namespace mdh::scalar {

std::string print_definition(const Record& record);
std::string print_definition(const Function& f);

/// "NAME = expr;" or "return expr;". Lets take the type of their value, so it shows its type.
std::string print_assignment(const Assignment& a, bool is_let);
std::string print_body(const std::vector<Assignment>& body);

}  // namespace mdh::scalar
