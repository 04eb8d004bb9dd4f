// How records and functions are checked and what names they see, whatever they are read from.
#pragma once

#include "mdh/scalar/resolve.h"

namespace mdh::scalar {

/// What a returned value is assigned to.
inline constexpr const char* returned = "return";

/// Appends a field if its name is new.
void add_field(Record& record, Field field, const Location& where);

/// The length of an array field, if it is one.
int array_length(int64_t count, const Location& where);

/// The record has fields and a free name, and takes it.
void declare_record(const Record& record, Scope& scope, const Location& where);

/// Bare names become symbols; lets are visible in what follows them.
std::vector<Assignment> resolved_body(std::vector<Assignment> body, Scope& scope);

/// A function, typed; `inside` knows its parameters.
Function typed_function(Function header, const Type& type, std::vector<Assignment> body,
                        Scope inside, const Location& where);

}  // namespace mdh::scalar
