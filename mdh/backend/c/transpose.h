// Squares of elements that are transposed in vectors, in C for gcc and clang.
#pragma once

#include <string>

#include "mdh/backend/c/helpers.h"

namespace mdh::backend {

/// A function (void *to, long to_stride, const void *from, long from_stride) that moves a square of
/// `side` by `side` numbers of the type's width; the strides are those between rows, in numbers.
std::string square_transpose(Helpers& helpers, scalar::Scalar type, int64_t side);

}  // namespace mdh::backend
