// Records and array fields as structures of C.
#pragma once

#include <string>

#include "mdh/backend/c/helpers.h"
#include "mdh/scalar/type.h"

namespace mdh::backend {

/// The structure of a record or of an array field, defined where it is not yet. It is laid out as
/// leaves_of() says, and the same in memory and in variables: what a field means is decided when it
/// is read. An array field is a structure with the member `at`, so that it is a value like others.
std::string c_structure(Helpers& helpers, const scalar::Type& type);

}  // namespace mdh::backend
