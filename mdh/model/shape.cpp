#include "mdh/model/shape.h"

#include <algorithm>

#include "mdh/scalar/function.h"
#include "mdh/scalar/lanes.h"

namespace mdh::model {
namespace {

DimensionKind kind_of(const hl::Dimension& d) {
  if (hl::is_reduced(d)) return DimensionKind::reduced;
  return d.combine.shape == hl::Shape::concatenate ? DimensionKind::kept : DimensionKind::scanned;
}

AccessShape access_of(const hl::Program& p, const hl::Access& access) {
  AccessShape shape;
  for (const hl::Expr& index : access.index) {
    const auto affine = hl::find_affine(p, index);
    shape.is_affine = shape.is_affine && affine.has_value();
    shape.index.push_back(
        affine.value_or(hl::Affine{std::vector<int64_t>(p.dimensions.size(), 1), 0}));
  }
  return shape;
}

BufferShape buffer_of(const hl::Program& p, const hl::BufferView& view, bool is_output) {
  BufferShape shape{view.symbol.name, bytes_of(view.type), hl::extents(p, view), {}, is_output};
  for (const hl::Access& access : view.accesses) shape.accesses.push_back(access_of(p, access));
  return shape;
}

bool multiplies(const scalar::Function& f) {
  return std::any_of(f.results.begin(), f.results.end(), [](const scalar::Assignment& a) {
    const auto* b = a.value.as<scalar::Binary>();
    return b && b->op == scalar::BinaryOp::multiply;
  });
}

bool adds(const scalar::Function& f) {
  return std::any_of(f.results.begin(), f.results.end(), [](const scalar::Assignment& a) {
    const auto* b = a.value.as<scalar::Binary>();
    return b && b->op == scalar::BinaryOp::add;
  });
}

}  // namespace

int Shape::dimension(const std::string& name) const {
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d].name == name) return static_cast<int>(d);
  }
  return -1;
}

Shape shape_of(const hl::Program& p) {
  Shape shape;
  const std::vector<int64_t> sizes = hl::sizes(p);
  for (size_t d = 0; d < sizes.size(); ++d) {
    shape.dimensions.push_back({p.dimensions[d].symbol.name, sizes[d], kind_of(p.dimensions[d])});
    shape.points *= static_cast<double>(sizes[d]);
  }
  for (const hl::BufferView& view : p.inputs) shape.buffers.push_back(buffer_of(p, view, false));
  for (const hl::BufferView& view : p.outputs) shape.buffers.push_back(buffer_of(p, view, true));
  const scalar::Function f = hl::scalar_function(p), combine = hl::combine_function(p);
  const bool combines = std::any_of(
      shape.dimensions.begin(), shape.dimensions.end(),
      [](const DimensionShape& d) { return d.kind != DimensionKind::kept && d.size > 1; });
  shape.operations = static_cast<double>(scalar::operations_in(f));
  if (combines && !(multiplies(f) && adds(combine))) {
    shape.operations += static_cast<double>(scalar::operations_in(combine));
  }
  shape.operations = std::max(shape.operations, 1.0);
  shape.has_lanes = scalar::lanes_ok(f) && (!combines || scalar::lanes_ok(combine));
  return shape;
}

}  // namespace mdh::model
