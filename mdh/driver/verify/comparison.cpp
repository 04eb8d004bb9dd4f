#include "mdh/driver/verify/comparison.h"

#include <algorithm>
#include <cmath>

#include "mdh/driver/verify/ranges.h"
#include "mdh/hl/address.h"

namespace mdh::driver {

using scalar::Enclosure;
using scalar::Scalar;
using scalar::Value;

/// Where the leaves of one result are.
struct Comparer::Place {
  const hl::BufferView& view;
  const char* memory;
  hl::Address address;
  int64_t bytes;
  std::vector<scalar::Leaf> leaves;
  size_t first;  // leaf of the row
};

namespace {

class Judge {
 public:
  explicit Judge(Comparison& result) : result_(result) {}

  void floating(const hl::BufferView& view, int64_t element, Scalar type, Value found,
                const Enclosure& e) {
    const double x = found.as_floating();
    const double least = e.least.as_floating(), greatest = e.greatest.as_floating();
    const double middle = least == greatest ? least : least + (greatest - least) / 2;
    const double bound = (greatest - least) / 2;
    const bool inside = least <= x && x <= greatest;
    if (!inside && !is_beyond(type, x, middle) && !is_no_number(x, e)) {
      return complain(view, element, type, found, middle, bound);
    }
    const double error = std::abs(x - middle);
    if (inside && error > result_.max_error) {
      result_.max_error = error;
      result_.bound = bound;
    }
  }

  void whole(const hl::BufferView& view, int64_t element, Scalar type, Value found,
             const Enclosure& e) {
    const bool wraps = is_integer(type) && !is_signed(type);
    const bool inside = wraps ? e.least.bits <= found.bits && found.bits <= e.greatest.bits
                              : e.least.as_integer() <= found.as_integer() &&
                                    found.as_integer() <= e.greatest.as_integer();
    if (inside) return;
    result_.max_error =
        std::abs(scalar::to_floating(type, found) - scalar::to_floating(type, e.least));
    result_.bound = 0;
    reject(view, element,
           fmt::format("is {}, expected {} (allowed error 0)", to_string(type, found),
                       to_string(type, e.least)));
  }

 private:
  /// What is too large for the type is infinite in it.
  static bool is_beyond(Scalar type, double x, double middle) {
    return std::isinf(x) && x == scalar::from_floating(type, middle).as_floating();
  }

  static bool is_no_number(double x, const Enclosure& e) {
    const bool may_be =
        e.no_number || (std::isnan(e.least.as_floating()) && std::isnan(e.greatest.as_floating()));
    return std::isnan(x) && may_be;
  }

  void complain(const hl::BufferView& view, int64_t element, Scalar type, Value found,
                double middle, double bound) {
    result_.max_error = std::abs(found.as_floating() - middle);
    result_.bound = bound;
    // The digits that tell the two apart may be more than an f32 has.
    reject(view, element,
           fmt::format("is {}, expected {} (allowed error {:g})", to_string(type, found),
                       to_string(Scalar::f64, Value::floating(middle)), bound));
  }

  void reject(const hl::BufferView& view, int64_t element, const std::string& fault) {
    result_.right = false;
    result_.complaint =
        fmt::format("element {} of output '{}' {}", element, view.symbol.name, fault);
  }

  Comparison& result_;
};

}  // namespace

Comparer::Comparer(const hl::Program& program, const Points& points, std::span<void* const> outputs,
                   SecondOpinion second)
    : points_(points),
      counts_(hl::result_sizes(program)),
      width_(static_cast<size_t>(hl::leaf_count(program.outputs))),
      second_(std::move(second)),
      wrong_from_(points.count) {
  for (const hl::Component& c : hl::components(program.outputs)) {
    const hl::BufferView& view = program.outputs[c.buffer];
    places_.push_back({view, static_cast<const char*>(outputs[c.buffer]),
                       hl::Address(program, view, view.accesses[c.access]),
                       scalar::bytes_of(view.type), leaves_of(view.type),
                       static_cast<size_t>(c.leaf)});
  }
}

Comparer::~Comparer() = default;

void Comparer::compare_row(const std::vector<int64_t>& point, std::span<const Enclosure> row,
                           Comparison& result) const {
  Judge judge(result);
  for (const Place& place : places_) {
    const int64_t element = place.address(point);
    const char* at = place.memory + element * place.bytes;
    for (size_t k = 0; k < place.leaves.size(); ++k) {
      const Scalar type = place.leaves[k].type;
      const Value found = scalar::load(type, at + place.leaves[k].offset);
      const Enclosure& e = row[place.first + k];
      is_floating(type) ? judge.floating(place.view, element, type, found, e)
                        : judge.whole(place.view, element, type, found, e);
      if (!result.right) return;
    }
  }
}

Comparison Comparer::compared(int64_t first, std::span<const Enclosure> leaves) const {
  Comparison result;
  const auto count = static_cast<int64_t>(leaves.size() / width_);
  std::vector<int64_t> point = points_.at(counts_, first);
  for (int64_t n = 0; n < count; ++n) {
    if (!points_.all) point = points_.at(counts_, first + n);
    compare_row(point, leaves.subspan(static_cast<size_t>(n) * width_, width_), result);
    if (!result.right) {
      const std::vector<Enclosure> again = second_ ? second_(first + n) : std::vector<Enclosure>{};
      if (again.empty()) return result;
      result = {};
      compare_row(point, again, result);
      if (!result.right) return result;
    }
    if (points_.all) advance(point, counts_);
  }
  return result;
}

void Comparer::take(int64_t first, std::span<const Enclosure> leaves) {
  if (leaves.empty()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (wrong_from_ < first) return;
  }
  const Comparison part = compared(first, leaves);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!part.right && first <= wrong_from_) {
    result_ = part;
    wrong_from_ = first;
  }
  if (result_.right && part.max_error > result_.max_error) result_ = part;
}

Comparison compare(const hl::Program& program, const Expected& expected, const Points& points,
                   std::span<void* const> outputs, Comparer::SecondOpinion second) {
  Comparer comparer(program, points, outputs, std::move(second));
  const std::span<const Enclosure> leaves = expected.leaves;
  in_ranges(points.count, [&](int, int64_t begin, int64_t end) {
    const auto from = static_cast<size_t>(begin), to = static_cast<size_t>(end);
    comparer.take(begin, leaves.subspan(from * expected.width, (to - from) * expected.width));
  });
  return comparer.result();
}

}  // namespace mdh::driver
