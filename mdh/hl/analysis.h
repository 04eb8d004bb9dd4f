// Questions about a concrete program that several passes ask.
#pragma once

#include <vector>

#include "mdh/hl/program.h"
#include "mdh/scalar/algebra.h"
#include "mdh/scalar/array.h"

namespace mdh::hl {

using scalar::Extents;

/// constant + Σ coefficients[d] · i_d
struct Affine {
  std::vector<int64_t> coefficients;
  int64_t constant = 0;

  int64_t at(std::span<const int64_t> point) const;
  /// Least and greatest value over the index set [0, sizes_1) x ... x [0, sizes_D); exact up to
  /// 2^62, where they stay.
  int64_t least(const std::vector<int64_t>& sizes) const;
  int64_t greatest(const std::vector<int64_t>& sizes) const;
};

/// The index function in affine form; "not supported" if it is something else.
Affine affine(const Program& p, const Expr& index);
std::vector<Affine> affine(const Program& p, const Access& access);

/// N_1 .. N_D.
std::vector<int64_t> sizes(const Program& p);

/// Sizes of the result before out_view: 1 in reduced dimensions.
std::vector<int64_t> result_sizes(const Program& p);

bool is_reduced(const Dimension& d);

/// Extents of a buffer: declared, else 1 + the greatest index over all accesses and points.
Extents extents(const Program& p, const BufferView& view);

/// All accesses of all buffers of a view, buffer by buffer: the inputs of f, or its results.
struct Component {
  int buffer;
  int access;
};
std::vector<Component> components(const std::vector<BufferView>& views);

/// f: one parameter per input access, then one per dimension (the point); one result per output
/// access.
scalar::Function scalar_function(const Program& p);

/// ⊕ of the reduced dimensions on the tuple of results; a program without reductions gets one that
/// is never called.
scalar::Function combine_function(const Program& p);

/// Two points never write one element, provably: every concatenated index can be read off the
/// buffer index.
bool is_injective(const Program& p, const BufferView& output);

int64_t points(const Program& p);

/// Operations of f plus one per combination, summed over all points.
int64_t operations(const Program& p);

/// Every buffer counted once.
int64_t bytes(const Program& p);

}  // namespace mdh::hl
