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

/// The index function in affine form, or nothing.
std::optional<Affine> find_affine(const Program& p, const Expr& index);

/// Bounds of an index function over an index set: exact for affine ones, by intervals where it
/// divides by constants, chooses or takes extremes; nothing where that does not help.
struct Range {
  int64_t least = 0;
  int64_t greatest = 0;
};
std::optional<Range> index_range(const Program& p, const Expr& index,
                                 const std::vector<int64_t>& sizes);

/// N_1 .. N_D.
std::vector<int64_t> sizes(const Program& p);

/// Sizes of the result before out_view: 1 in reduced dimensions.
std::vector<int64_t> result_sizes(const Program& p);

/// Its results all have the index 0.
bool is_reduced(const Dimension& d);

/// Some dimension has an operator that the user defined on whole MDAs.
bool has_custom_operator(const Program& p);

/// The sizes over which a buffer is accessed: all points, or those that have a result.
std::vector<int64_t> sizes_of_accesses(const Program& p, const BufferView& view);

/// Extents of a buffer: declared, else 1 + the greatest index over all accesses and points.
Extents extents(const Program& p, const BufferView& view);

/// All accesses of all buffers of a view, buffer by buffer: the inputs of f, or its results.
struct Component {
  int buffer;
  int access;
  int leaf;   // number of leaves before it
  int width;  // its leaves
};
std::vector<Component> components(const std::vector<BufferView>& views);
int leaf_count(const std::vector<BufferView>& views);

/// f: one parameter per input access, then one per dimension (the point); one result per output
/// access.
scalar::Function scalar_function(const Program& p);

/// ⊕ of the reduced and scanned dimensions on the tuple of results; a program without them gets one
/// that is never called.
scalar::Function combine_function(const Program& p);
scalar::Function combine_function(const Program& p, const CombineOperator& op);

/// Two points never write one element, provably: every concatenated index can be read off the
/// buffer index.
bool is_injective(const Program& p, const BufferView& output);

int64_t points(const Program& p);

/// Operations of f plus one per combination, summed over all points.
int64_t operations(const Program& p);

/// Every buffer counted once.
int64_t bytes(const Program& p);

}  // namespace mdh::hl
