#include "mdh/driver/verification.h"

#include <algorithm>
#include <cmath>

#include "mdh/hl/address.h"
#include "mdh/hl/evaluate.h"
#include "mdh/support/random.h"

namespace mdh::driver {
namespace {

using scalar::Array;
using scalar::Precision;
using scalar::Scalar;
using scalar::Value;

/// Rounding errors have a bound where f and ⊕ are made of plain arithmetic.
bool is_bounded(const hl::Program& p) {
  return is_plain(hl::scalar_function(p)) && is_plain(hl::combine_function(p)) &&
         !hl::has_custom_operator(p);
}

bool any_floating(const hl::Program& p) {
  for (const hl::BufferView& view : p.outputs) {
    for (const scalar::Leaf& leaf : leaves_of(view.type)) {
      if (is_floating(leaf.type)) return true;
    }
  }
  return false;
}

std::vector<Array> magnitudes_of(std::vector<Array> inputs) {
  for (Array& array : inputs) {
    if (!array.type.is_scalar() || !is_floating(scalar_of(array.type))) continue;
    for (Value& cell : array.cells) cell = Value::floating(std::abs(cell.as_floating()));
  }
  return inputs;
}

/// What one leaf of an element should be: in the declared precision, in double, and what its
/// rounding errors are proportional to.
struct Expected {
  Value exact, wide, magnitude;
};

/// Collects comparisons of single elements.
class Judge {
 public:
  Judge(const hl::Program& p, const VerifyOptions& options)
      : program_(p),
        options_(options),
        bounded_(is_bounded(p)),
        reference_depth_(sequential_depth(p)) {
    for (const hl::BufferView& view : p.outputs) leaves_.push_back(leaves_of(view.type));
  }

  bool bounded() const { return bounded_; }

  void compare(size_t buffer, int64_t at, const Array& actual, std::span<const Expected> expected) {
    if (actual.defined[at] == 0) return reject(buffer, at, "was not written");
    const int64_t width = actual.width();
    for (int64_t leaf = 0; leaf < width; ++leaf) {
      compare_leaf(buffer, at, leaves_[buffer][leaf].type, actual.cells[at * width + leaf],
                   expected[leaf]);
    }
  }

  Verification result{Coverage::full, true};

 private:
  /// Roundings of the result and of the yardstick, which is computed in double, point after point.
  /// Without a bound the same operations are expected, up to what mathematical libraries differ in.
  double allowed(Scalar type, const Expected& expected) const {
    if (!bounded_) {
      const double size = std::max(1.0, std::abs(expected.exact.as_floating()));
      return 4096 * scalar::epsilon_of(type) * size;
    }
    const double magnitude = std::abs(expected.magnitude.as_floating());
    if (options_.whole && magnitude <= 2 / scalar::epsilon_of(type)) return 0;
    const double share =
        static_cast<double>(options_.depth + 2) * scalar::epsilon_of(type) +
        static_cast<double>(reference_depth_ + 2) * scalar::epsilon_of(Scalar::f64);
    return share * magnitude;
  }

  void compare_leaf(size_t buffer, int64_t at, Scalar type, Value actual,
                    const Expected& expected) {
    if (!is_floating(type)) {
      if (actual != expected.exact) complain(buffer, at, type, actual, expected.exact, 0);
      return;
    }
    const Value yardstick = bounded_ ? expected.wide : expected.exact;
    const double wished = yardstick.as_floating(), found = actual.as_floating();
    const double error = std::abs(found - wished), bound = allowed(type, expected);
    // What is too large for the type is infinite in it; no bound excuses an infinite error.
    const double rounded = scalar::from_floating(type, wished).as_floating();
    const bool near = error <= bound && std::isfinite(error);
    const bool same = found == rounded || (std::isnan(found) && std::isnan(wished));
    if (!near && !same) return complain(buffer, at, type, actual, yardstick, bound);
    if (near && error > result.max_error) {
      result.max_error = error;
      result.bound = bound;
    }
  }

  void complain(size_t buffer, int64_t at, Scalar type, Value actual, Value expected,
                double bound) {
    if (!result.right) return;
    result.max_error = std::abs(to_floating(type, actual) - to_floating(type, expected));
    result.bound = bound;
    // The digits that tell the two apart may be more than an f32 has.
    const Scalar shown = is_floating(type) ? Scalar::f64 : type;
    reject(buffer, at,
           fmt::format("is {}, expected {} (allowed error {:g})", to_string(type, actual),
                       to_string(shown, expected), bound));
  }

  void reject(size_t buffer, int64_t at, const std::string& fault) {
    if (!result.right) return;
    result.right = false;
    result.complaint = fmt::format("element {} of output '{}' {}", at,
                                   program_.outputs[buffer].symbol.name, fault);
  }

  const hl::Program& program_;
  const VerifyOptions& options_;
  bool bounded_;
  int64_t reference_depth_;
  std::vector<std::vector<scalar::Leaf>> leaves_;
};

struct Algebras {
  explicit Algebras(const hl::Program& p)
      : exact(hl::algebra_of(p)),
        wide(hl::algebra_of(p, Precision::wide)),
        magnitude(scalar::magnitude(hl::scalar_function(p)),
                  scalar::magnitude(hl::combine_function(p)), Precision::wide) {}
  scalar::ScalarAlgebra exact, wide, magnitude;
};

Verification verify_all(const hl::Program& p, const std::vector<Array>& inputs,
                        const std::vector<Array>& outputs, const VerifyOptions& options) {
  Algebras algebras(p);
  Judge judge(p, options);
  const bool floats = any_floating(p) && judge.bounded();
  const auto evaluated = [&](int turn, const std::vector<Array>& from, scalar::Algebra& algebra) {
    const int turns = floats ? 3 : 1;
    return hl::evaluate(p, from, algebra, [&](double done) {
      if (options.share) options.share((turn + done) / turns);
    });
  };
  const std::vector<Array> exact = evaluated(0, inputs, algebras.exact);
  const std::vector<Array> wide = floats ? evaluated(1, inputs, algebras.wide) : exact;
  const std::vector<Array> magnitude =
      floats ? evaluated(2, magnitudes_of(inputs), algebras.magnitude) : exact;
  for (size_t b = 0; b < outputs.size(); ++b) {
    const int64_t width = outputs[b].width();
    std::vector<Expected> expected(static_cast<size_t>(width));
    for (int64_t n = 0; n < outputs[b].size(); ++n) {
      if (exact[b].defined[n] == 0) continue;
      for (int64_t leaf = 0; leaf < width; ++leaf) {
        const int64_t at = n * width + leaf;
        expected[leaf] = {exact[b].cells[at], wide[b].cells[at], magnitude[b].cells[at]};
      }
      judge.compare(b, n, outputs[b], expected);
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
  const bool floats = any_floating(p) && judge.bounded();
  const std::vector<Array> magnitudes = floats ? magnitudes_of(inputs) : inputs;
  for (int64_t n = 0; n < std::min<int64_t>(results, options.samples) && judge.result.right; ++n) {
    const std::vector<int64_t> point =
        results <= options.samples ? nth_point(sizes, n) : sampled_point(sizes, options, random);
    const auto exact = hl::evaluate_at(p, inputs, algebras.exact, point);
    const auto wide = floats ? hl::evaluate_at(p, inputs, algebras.wide, point) : exact;
    const auto magnitude =
        floats ? hl::evaluate_at(p, magnitudes, algebras.magnitude, point) : exact;
    for (const hl::Component& c : hl::components(p.outputs)) {
      const hl::BufferView& view = p.outputs[c.buffer];
      std::vector<Expected> expected;
      for (int leaf = c.leaf; leaf < c.leaf + c.width; ++leaf) {
        expected.push_back({exact[leaf], wide[leaf], magnitude[leaf]});
      }
      const hl::Address address(p, view, view.accesses[c.access]);
      judge.compare(static_cast<size_t>(c.buffer), address(point), outputs[c.buffer], expected);
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

bool is_exact_on_whole_numbers(const hl::Program& p) {
  return is_bounded(p) && any_floating(p) && keeps_integers(hl::scalar_function(p)) &&
         keeps_integers(hl::combine_function(p));
}

int64_t sequential_depth(const hl::Program& p) {
  int64_t terms = 1;
  const std::vector<int64_t> sizes = hl::sizes(p);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (p.dimensions[d].combine.shape != hl::Shape::concatenate) terms *= sizes[d];
  }
  return terms - 1 + scalar::depth_of(hl::scalar_function(p));
}

Verification verify_outputs(const hl::Program& program, const std::vector<Array>& inputs,
                            const std::vector<Array>& outputs, const VerifyOptions& options) {
  const bool all = hl::points(program) <= options.limit || hl::has_custom_operator(program);
  return all ? verify_all(program, inputs, outputs, options)
             : verify_samples(program, inputs, outputs, options);
}

}  // namespace mdh::driver
