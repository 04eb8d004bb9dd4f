// What comes before the program, in either form: how records, functions, operators and combine
// operators are checked and what names they see.
#pragma once

#include "mdh/hl/program.h"
#include "mdh/scalar/resolve.h"

namespace mdh::hl {

/// What a returned value is assigned to.
inline constexpr const char* returned = "return";

/// Appends a field if its name is new.
void add_field(scalar::Record& record, scalar::Field field, const Location& where);

/// The length of an array field, if it is one.
int array_length(int64_t count, const Location& where);

/// The record has fields and a free name, and takes it.
void declare_record(const scalar::Record& record, scalar::Scope& scope, const Location& where);

/// Bare names become symbols; lets are visible in what follows them.
std::vector<scalar::Assignment> resolved_body(std::vector<scalar::Assignment> body,
                                              scalar::Scope& scope);

/// A function, typed; `inside` knows its parameters.
scalar::Function typed_function(scalar::Function header, const Type& type,
                                std::vector<scalar::Assignment> body, scalar::Scope inside,
                                const Location& where);

/// An operator takes its name, which is not built in: in a dimension the built-in one would be
/// meant.
void declare_operator(const std::string& name, scalar::Scope& scope, const Location& where);

/// lhs, rhs and the questions about them, which the body of a combine operator may ask.
void declare_operands(scalar::Scope& inside, const Location& where);

}  // namespace mdh::hl
