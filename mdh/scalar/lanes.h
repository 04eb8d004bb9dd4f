// Which functions work on vectors as they do on scalars.
#pragma once

#include "mdh/scalar/function.h"

namespace mdh::scalar {

/// Numbers that fill the lanes of vectors: neither bits nor what is rounded to 16 bits.
bool is_lane_type(Scalar type);

/// Numbers of these widths, in bytes, can be in lanes of the same statement: they are equal, or 4
/// and 8.
bool widths_meet(int a, int b);

/// One operation on vectors does what it does on each of their lanes: + - * /, min and max,
/// negation, comparisons, && || !, choices, casts, lets and loops. All lanes compute both sides of
/// a choice, and a loop runs as long as one of them wants to. Left out are what is rounded to 16
/// bits, truth as an argument, a result or a number, the division of integers, which is guarded
/// lane by lane, casts of floats to integers, which saturate, of 64-bit integers to f32, which some
/// compilers round twice in vectors, calls and records.
bool lanes_ok(const Function& f);

}  // namespace mdh::scalar
