// What costs depend on of a program: how large it is, where its accesses go, what f does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mdh/hl/analysis.h"
#include "mdh/hl/program.h"
#include "mdh/model/function_cost.h"

namespace mdh::model {

enum class DimensionKind { kept, reduced, scanned };

struct DimensionShape {
  std::string name;
  int64_t size = 1;
  DimensionKind kind = DimensionKind::kept;
};

/// One index function per buffer dimension. One that is not affine is taken to depend on all
/// dimensions, as if every point had an element of its own.
struct AccessShape {
  std::vector<hl::Affine> index;
  bool is_affine = true;
};

struct BufferShape {
  std::string name;
  int64_t element_bytes = 4;
  int64_t words = 1;  // of an element that f reads: fields of a record
  std::vector<int64_t> extents;
  std::vector<AccessShape> accesses;
  bool is_output = false;
  size_t number = 0;  // among the inputs, or among the outputs
};

struct Shape {
  std::vector<DimensionShape> dimensions;
  std::vector<BufferShape> buffers;  // inputs, then outputs
  double operations = 1;             // of f and of one combination; a fused multiply-add is one
  FunctionCost function;             // the same in detail, with loops and choices
  bool has_lanes = true;             // f and the combination can be computed in lanes
  double points = 1;

  int dimension(const std::string& name) const;  // -1: there is none
};

/// Some index function of the buffer moves with the dimension.
bool depends_on(const BufferShape& buffer, int dimension);

/// Some index function of one of its dimensions does.
bool moves_along(const BufferShape& buffer, size_t axis, int dimension);

/// How an address moves with a dimension: 0, 1, or more (2 stands for all others).
int stride_along(const BufferShape& buffer, int dimension);

/// Of a program whose sizes are numbers.
Shape shape_of(const hl::Program& program);

}  // namespace mdh::model
