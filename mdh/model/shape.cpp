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

BufferShape buffer_of(const hl::Program& p, const hl::BufferView& view, bool is_output,
                      size_t number) {
  BufferShape shape{.name = view.symbol.name,
                    .element_bytes = bytes_of(view.type),
                    .extents = hl::extents(p, view),
                    .accesses = {},
                    .is_output = is_output,
                    .number = number};
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

/// With one combination, unless it is part of a fused multiply-add.
FunctionCost with_combination(FunctionCost cost, const FunctionCost& combination) {
  cost.singles += combination.singles;
  cost.doubles += combination.doubles;
  cost.code += combination.code;
  cost.usual_code += combination.usual_code;
  return cost;
}

int64_t words_of(const hl::BufferView& view, const FunctionCost& function) {
  const auto* record = std::get_if<scalar::RecordType>(&view.type.is);
  if (!record) return 1;
  const auto found = function.fields.find(record->record->name);
  if (found == function.fields.end()) return 1;
  return std::max<int64_t>(1, static_cast<int64_t>(found->second.size()));
}

}  // namespace

int Shape::dimension(const std::string& name) const {
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d].name == name) return static_cast<int>(d);
  }
  return -1;
}

bool depends_on(const BufferShape& buffer, int dimension) {
  return std::any_of(buffer.accesses.begin(), buffer.accesses.end(), [&](const AccessShape& a) {
    return std::any_of(a.index.begin(), a.index.end(),
                       [&](const hl::Affine& index) { return index.coefficients[dimension] != 0; });
  });
}

bool moves_along(const BufferShape& buffer, size_t axis, int dimension) {
  return std::any_of(buffer.accesses.begin(), buffer.accesses.end(), [&](const AccessShape& a) {
    return a.index[axis].coefficients[dimension] != 0;
  });
}

int stride_along(const BufferShape& buffer, int dimension) {
  int most = 0;
  for (const AccessShape& access : buffer.accesses) {
    for (size_t e = 0; e < access.index.size(); ++e) {
      const int64_t step = access.index[e].coefficients[dimension];
      if (step == 0) continue;
      most = std::max(most, e + 1 == access.index.size() && step == 1 ? 1 : 2);
    }
  }
  return most;
}

Shape shape_of(const hl::Program& p) {
  Shape shape;
  const std::vector<int64_t> sizes = hl::sizes(p);
  for (size_t d = 0; d < sizes.size(); ++d) {
    shape.dimensions.push_back({p.dimensions[d].symbol.name, sizes[d], kind_of(p.dimensions[d])});
    shape.points *= static_cast<double>(sizes[d]);
  }
  for (size_t b = 0; b < p.inputs.size(); ++b) {
    shape.buffers.push_back(buffer_of(p, p.inputs[b], false, b));
  }
  for (size_t b = 0; b < p.outputs.size(); ++b) {
    shape.buffers.push_back(buffer_of(p, p.outputs[b], true, b));
  }
  const scalar::Function f = hl::scalar_function(p), combine = hl::combine_function(p);
  const bool combines = std::any_of(
      shape.dimensions.begin(), shape.dimensions.end(),
      [](const DimensionShape& d) { return d.kind != DimensionKind::kept && d.size > 1; });
  shape.operations = static_cast<double>(scalar::operations_in(f));
  if (combines && !(multiplies(f) && adds(combine))) {
    shape.operations += static_cast<double>(scalar::operations_in(combine));
  }
  shape.operations = std::max(shape.operations, 1.0);
  shape.function = cost_of(f);
  if (combines && !(multiplies(f) && adds(combine))) {
    shape.function = with_combination(shape.function, cost_of(combine));
  }
  for (size_t b = 0; b < p.inputs.size(); ++b) {
    shape.buffers[b].words = words_of(p.inputs[b], shape.function);
  }
  shape.has_lanes = scalar::lanes_ok(f) && (!combines || scalar::lanes_ok(combine));
  return shape;
}

}  // namespace mdh::model
