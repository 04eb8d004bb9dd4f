#include "mdh/driver/verification.h"

#include <algorithm>
#include <cmath>

#include "mdh/driver/memory.h"
#include "mdh/driver/verify/comparison.h"
#include "mdh/hl/address.h"
#include "mdh/hl/evaluate.h"
#include "mdh/support/random.h"

namespace mdh::driver {
namespace {

using scalar::Array;
using scalar::Enclosure;
using scalar::Value;

/// Points of the result: corners, both sides of tile borders, and random ones.
std::vector<int64_t> sampled_point(const std::vector<int64_t>& sizes, const VerifyOptions& options,
                                   Random& random) {
  std::vector<int64_t> point;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t n = sizes[d];
    const int64_t step = d < options.border_steps.size() ? options.border_steps[d] : 0;
    int64_t i = random.between(0, n - 1);
    if (random.chance(25)) i = random.chance(50) ? 0 : n - 1;
    if (step > 0 && random.chance(50)) i = i / step * step - (random.chance(50) ? 1 : 0);
    point.push_back(std::clamp<int64_t>(i, 0, n - 1));
  }
  return point;
}

std::string not_written(const hl::Program& p, const Points& points,
                        const std::vector<Array>& outputs) {
  const std::vector<int64_t> counts = hl::result_sizes(p);
  for (const hl::BufferView& view : p.outputs) {
    const auto b = static_cast<size_t>(&view - p.outputs.data());
    for (const hl::Access& access : view.accesses) {
      const hl::Address address(p, view, access);
      for (int64_t n = 0; n < points.count; ++n) {
        const int64_t at = address(points.at(counts, n));
        if (outputs[b].defined[at] != 0) continue;
        return fmt::format("element {} of output '{}' was not written", at, view.symbol.name);
      }
    }
  }
  return "";
}

void take(const Comparison& c, Verification& result) {
  result.max_error = c.max_error;
  result.bound = c.bound;
  if (c.right || !result.right) return;
  result.right = false;
  result.complaint = c.complaint;
}

/// Operators on whole arrays have no single elements, and no order but their own is known to round
/// alike: results may deviate by what single and double precision differ in, and by a rounding for
/// every part that was combined.
Verification verify_custom(const hl::Program& p, const std::vector<Array>& inputs,
                           const std::vector<Array>& outputs) {
  scalar::ScalarAlgebra declared = hl::algebra_of(p);
  scalar::ScalarAlgebra wide = hl::algebra_of(p, scalar::Precision::wide);
  const std::vector<Array> exact = hl::evaluate(p, inputs, declared);
  const std::vector<Array> finer = hl::evaluate(p, inputs, wide);
  Verification result{Coverage::full, true};
  const auto depth = static_cast<double>(sequential_depth(p) + 2);
  for (size_t b = 0; b < outputs.size() && result.right; ++b) {
    const std::vector<scalar::Leaf> leaves = leaves_of(outputs[b].type);
    for (size_t n = 0; n < outputs[b].cells.size() && result.right; ++n) {
      const scalar::Scalar type = leaves[n % leaves.size()].type;
      const size_t element = n / leaves.size();
      if (exact[b].defined[element] == 0) continue;
      const Value found = outputs[b].cells[n], wished = exact[b].cells[n];
      double bound = 0;
      bool same = found == wished && outputs[b].defined[element] != 0;
      if (is_floating(type)) {
        const double x = found.as_floating(), y = wished.as_floating();
        const double w = finer[b].cells[n].as_floating();
        bound = 4 * std::abs(y - w) + depth * scalar::epsilon_of(type) * std::abs(y);
        same = outputs[b].defined[element] != 0 &&
               (std::abs(x - y) <= bound || x == y || (std::isnan(x) && std::isnan(y)));
      }
      if (same) continue;
      result.right = false;
      result.bound = bound;
      result.complaint =
          fmt::format("element {} of output '{}' {}", element, p.outputs[b].symbol.name,
                      outputs[b].defined[element] == 0
                          ? "was not written"
                          : fmt::format("is {}, expected {} (allowed error {:g})",
                                        to_string(type, found), to_string(type, wished), bound));
    }
  }
  return result;
}

}  // namespace

std::string to_string(Coverage coverage) {
  switch (coverage) {
    case Coverage::none:
      return "none";
    case Coverage::sampled:
      return "sampled";
    case Coverage::full:
      return "full";
  }
  return "none";
}

bool is_exact_on_whole_numbers(const hl::Program& p) {
  return !hl::has_custom_operator(p) && Yardstick(p, scalar::Deviations{}).keeps_integers();
}

int64_t terms_of(const hl::Program& p) {
  int64_t terms = 1;
  const std::vector<int64_t> sizes = hl::sizes(p);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (p.dimensions[d].combine.shape != hl::Shape::concatenate) terms *= sizes[d];
  }
  return terms;
}

scalar::Deviations deviations_of(const runtime::Accuracy& accuracy, bool contracts) {
  scalar::Deviations d{.contracts = contracts};
  if (accuracy.mathematics == runtime::Mathematics::opencl) {
    d.mathematics = scalar::MathLibrary::opencl;
  }
  d.loose_division = !accuracy.has_exact_division;
  d.flushes_subnormals = !accuracy.has_subnormals;
  return d;
}

int64_t sequential_depth(const hl::Program& p) {
  return terms_of(p) - 1 + scalar::depth_of(hl::scalar_function(p));
}

Points chosen_points(const hl::Program& p, const VerifyOptions& options) {
  const std::vector<int64_t> counts = hl::result_sizes(p);
  const int64_t results = scalar::volume(counts);
  if (hl::points(p) <= options.limit || results <= options.samples) return all_points(p);
  Random random(options.seed);
  Points points{.count = options.samples};
  for (int64_t n = 0; n < points.count; ++n) {
    for (const int64_t i : sampled_point(counts, options, random)) points.coordinates.push_back(i);
  }
  return points;
}

Verification verify_outputs(const hl::Program& program, const std::vector<Array>& inputs,
                            const std::vector<Array>& outputs, const VerifyOptions& options) {
  hl::check_inputs(program, inputs);
  if (hl::has_custom_operator(program)) return verify_custom(program, inputs, outputs);
  const Points points = chosen_points(program, options);
  Verification result{hl::points(program) <= options.limit ? Coverage::full : Coverage::sampled,
                      true};
  result.complaint = not_written(program, points, outputs);
  result.right = result.complaint.empty();
  if (!result.right) return result;
  Memory memory(program, inputs);
  for (size_t b = 0; b < outputs.size(); ++b) copy_to_memory(outputs[b], memory.pointers()[b]);
  scalar::Deviations deviations = options.deviations;
  deviations.contracts = may_contract(hl::scalar_function(program), meaning_of(program).combine);
  const Yardstick yardstick(program, deviations);
  const Expected expected =
      yardstick.expected(points, memory.pointers().subspan(outputs.size()),
                         {.whole = options.whole, .depth = options.depth}, options.share);
  take(compare(program, expected, points, memory.pointers().first(outputs.size())), result);
  return result;
}

}  // namespace mdh::driver
