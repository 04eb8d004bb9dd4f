// The loops of a decomposition, sorted by what becomes of them, and what lies inside of them.
#pragma once

#include <vector>

#include "mdh/ll/decomposition.h"
#include "mdh/model/rates.h"
#include "mdh/model/shape.h"

namespace mdh::model {

/// Outermost first. They are those of the decomposition.
using Loops = std::vector<const ll::NestLoop*>;

struct Structure {
  Loops loops;            // sequential ones, then those that are replicated: what one core does
  size_t replicated = 0;  // where those begin
  Loops cores;
  Loops whole;  // all, as de-composition has them

  /// How many sequential loops stand outside of a position of de-composition.
  size_t loops_before(int position) const;
};

/// The decomposition outlives it.
Structure structure_of(const ll::Decomposition& d);

/// What is estimated: a computation, how it is de-composed, and how fast the machine is.
struct Work {
  Work(const Shape& shape, const ll::Decomposition& d, const Rates& rates)
      : shape(shape), d(d), structure(structure_of(d)), rates(rates) {}

  const Shape& shape;
  const ll::Decomposition& d;
  Structure structure;
  const Rates& rates;

  int64_t size(int dimension) const { return shape.dimensions[dimension].size; }
  bool is_reduced(int dimension) const {
    return shape.dimensions[dimension].kind != DimensionKind::kept;
  }
};

inline bool is_loop(const ll::NestLoop& loop) {
  return loop.layer->kind == machine::LayerKind::loop;
}
inline int dimension_of(const ll::NestLoop* loop) { return loop->level.dimension; }

/// Points of the loops from a position on along one dimension; more than there are where parts do
/// not divide it.
int64_t points(const Loops& loops, int dimension, size_t from);

/// How far indices of a dimension spread over the parts of the loops from a position on.
int64_t spread(const Shape& shape, const Loops& loops, int dimension, size_t from);

/// The elements of a buffer that the loops from a position on touch, edges considered: a box.
struct Touched {
  std::vector<int64_t> extents;
  std::vector<int64_t> counts;  // along each dimension; parts may lie apart
  int64_t elements = 1;         // distinct ones; at most the volume of the extents
};

/// By all accesses.
Touched touched(const Shape& shape, const Loops& loops, const BufferShape& buffer, size_t from);

/// By one of them.
Touched touched(const Shape& shape, const Loops& loops, const BufferShape& buffer,
                const AccessShape& access, size_t from);

}  // namespace mdh::model
