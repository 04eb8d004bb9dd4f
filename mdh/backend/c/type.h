// Names of types and of variables in C and its relatives.
#pragma once

#include <string>

#include "mdh/backend/c/dialect.h"
#include "mdh/scalar/type.h"

namespace mdh::backend {

/// C's name of a type. i64 and indices are `long`, which has 64 bits wherever mdh runs.
std::string c_type(scalar::Scalar type);

/// Of an element in memory: bool is one byte, f16 and bf16 are two bytes of bits.
std::string storage_type(scalar::Scalar type);

/// Of a variable: f16 and bf16 are a float that holds a value of the format.
std::string value_type(Dialect dialect, scalar::Scalar type);

/// What integers are computed in: operands narrower than int would be promoted to it, and int must
/// not overflow.
std::string wrapping_type(scalar::Scalar type);

/// The unsigned type with as many bits as the integer type.
std::string unsigned_type(scalar::Scalar type);

/// A name that all dialects accept: keywords and the names that printed code uses itself are
/// prefixed, and so are names with other characters than those of identifiers, such as x.1.
std::string c_name(const std::string& name);

/// The name with underscores for all characters that identifiers do not have.
std::string identifier(const std::string& name);

/// A name or a number, which needs no parentheses anywhere.
bool is_word(const std::string& text);

}  // namespace mdh::backend
