#include "mdh/driver/verification.h"

#include <algorithm>
#include <cmath>

#include "mdh/hl/evaluate.h"
#include "mdh/support/random.h"

namespace mdh::driver {
namespace {

using scalar::Array;
using scalar::Precision;
using scalar::Scalar;
using scalar::Value;

std::vector<Array> magnitudes_of(std::vector<Array> inputs) {
  for (Array& array : inputs) {
    if (!is_floating(array.type)) continue;
    for (Value& cell : array.cells) cell = Value::floating(std::abs(cell.as_floating()));
  }
  return inputs;
}

/// Collects comparisons of single elements.
class Judge {
 public:
  Judge(const hl::Program& p, const VerifyOptions& options) : program_(p) {
    const int64_t reference_depth = sequential_depth(p);
    for (const Scalar type : {Scalar::f32, Scalar::f64}) {
      // The yardstick itself is computed in double, point after point.
      share_[type == Scalar::f32 ? 0 : 1] =
          static_cast<double>(options.depth + 2) * scalar::epsilon_of(type) +
          static_cast<double>(reference_depth + 2) * scalar::epsilon_of(Scalar::f64);
    }
  }

  void compare(size_t buffer, int64_t at, const Array& actual, Value exact, Value wide,
               Value magnitude) {
    const Scalar type = actual.type;
    if (actual.defined[at] == 0) return reject(buffer, at, "was not written");
    if (!is_floating(type)) {
      if (actual.cells[at] != exact) complain(buffer, at, actual, exact, 0);
      return;
    }
    const double expected = wide.as_floating(), found = actual.cells[at].as_floating();
    const double error = std::abs(found - expected);
    const double bound = share_[type == Scalar::f32 ? 0 : 1] * std::abs(magnitude.as_floating());
    // What is too large for the type is infinite in it; no bound excuses an infinite error.
    const double rounded = scalar::from_floating(type, expected).as_floating();
    const bool near = error <= bound && std::isfinite(error);
    const bool same = found == rounded || (std::isnan(found) && std::isnan(expected));
    if (!near && !same) return complain(buffer, at, actual, wide, bound);
    if (near && error > result.max_error) {
      result.max_error = error;
      result.bound = bound;
    }
  }

  Verification result{Coverage::full, true};

 private:
  void complain(size_t buffer, int64_t at, const Array& actual, Value expected, double bound) {
    if (!result.right) return;
    const Scalar type = actual.type;
    result.max_error = std::abs(to_floating(type, actual.cells[at]) - to_floating(type, expected));
    result.bound = bound;
    // The digits that tell the two apart may be more than an f32 has.
    const Scalar shown = is_floating(type) ? Scalar::f64 : type;
    reject(buffer, at,
           fmt::format("is {}, expected {} (allowed error {:g})", to_string(type, actual.cells[at]),
                       to_string(shown, expected), bound));
  }

  void reject(size_t buffer, int64_t at, const std::string& fault) {
    if (!result.right) return;
    result.right = false;
    result.complaint = fmt::format("element {} of output '{}' {}", at,
                                   program_.outputs[buffer].symbol.name, fault);
  }

  const hl::Program& program_;
  double share_[2];
};

struct Algebras {
  explicit Algebras(const hl::Program& p)
      : exact(hl::algebra_of(p)),
        wide(hl::algebra_of(p, Precision::wide)),
        magnitude(scalar::magnitude(hl::scalar_function(p)),
                  scalar::magnitude(hl::combine_function(p)), Precision::wide) {}
  scalar::ScalarAlgebra exact, wide, magnitude;
};

bool any_floating(const hl::Program& p) {
  return std::any_of(p.outputs.begin(), p.outputs.end(),
                     [](const hl::BufferView& view) { return is_floating(scalar_of(view.type)); });
}

Verification verify_all(const hl::Program& p, const std::vector<Array>& inputs,
                        const std::vector<Array>& outputs, const VerifyOptions& options) {
  Algebras algebras(p);
  const std::vector<Array> exact = hl::evaluate(p, inputs, algebras.exact);
  const bool floats = any_floating(p);
  const std::vector<Array> wide = floats ? hl::evaluate(p, inputs, algebras.wide) : exact;
  const std::vector<Array> magnitude =
      floats ? hl::evaluate(p, magnitudes_of(inputs), algebras.magnitude) : exact;
  Judge judge(p, options);
  for (size_t b = 0; b < outputs.size(); ++b) {
    for (int64_t n = 0; n < outputs[b].size(); ++n) {
      if (exact[b].defined[n] == 0) continue;
      judge.compare(b, n, outputs[b], exact[b].cells[n], wide[b].cells[n], magnitude[b].cells[n]);
    }
  }
  return judge.result;
}

/// The n-th point of an index set in row-major order.
std::vector<int64_t> nth_point(const std::vector<int64_t>& sizes, int64_t n) {
  std::vector<int64_t> point(sizes.size());
  for (size_t d = sizes.size(); d-- > 0; n /= sizes[d]) point[d] = n % sizes[d];
  return point;
}

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

Verification verify_samples(const hl::Program& p, const std::vector<Array>& inputs,
                            const std::vector<Array>& outputs, const VerifyOptions& options) {
  Algebras algebras(p);
  Random random(options.seed);
  Judge judge(p, options);
  judge.result.coverage = Coverage::sampled;
  const std::vector<int64_t> sizes = hl::result_sizes(p);
  const int64_t results = scalar::volume(sizes);
  const bool floats = any_floating(p);
  const std::vector<Array> magnitudes = floats ? magnitudes_of(inputs) : inputs;
  const std::vector<hl::Component> all = hl::components(p.outputs);
  for (int64_t n = 0; n < std::min<int64_t>(results, sample_count) && judge.result.right; ++n) {
    const std::vector<int64_t> point =
        results <= sample_count ? nth_point(sizes, n) : sampled_point(sizes, options, random);
    const auto exact = hl::evaluate_at(p, inputs, algebras.exact, point);
    const auto wide = floats ? hl::evaluate_at(p, inputs, algebras.wide, point) : exact;
    const auto magnitude =
        floats ? hl::evaluate_at(p, magnitudes, algebras.magnitude, point) : exact;
    for (size_t c = 0; c < all.size(); ++c) {
      const auto b = static_cast<size_t>(all[c].buffer);
      std::vector<int64_t> index;
      for (const hl::Affine& axis : hl::affine(p, p.outputs[b].accesses[all[c].access])) {
        index.push_back(axis.at(point));
      }
      judge.compare(b, scalar::address(outputs[b].extents, index), outputs[b], exact[c], wide[c],
                    magnitude[c]);
    }
  }
  return judge.result;
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

int64_t sequential_depth(const hl::Program& p) {
  const int64_t combinations = hl::points(p) / scalar::volume(hl::result_sizes(p)) - 1;
  return combinations + scalar::depth_of(hl::scalar_function(p));
}

Verification verify_outputs(const hl::Program& program, const std::vector<Array>& inputs,
                            const std::vector<Array>& outputs, const VerifyOptions& options) {
  return hl::points(program) <= options.limit ? verify_all(program, inputs, outputs, options)
                                              : verify_samples(program, inputs, outputs, options);
}

}  // namespace mdh::driver
