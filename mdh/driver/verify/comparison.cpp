#include "mdh/driver/verify/comparison.h"

#include <algorithm>
#include <cmath>

#include "mdh/driver/verify/ranges.h"
#include "mdh/hl/address.h"

namespace mdh::driver {
namespace {

using scalar::Enclosure;
using scalar::Scalar;
using scalar::Value;

/// Where the leaves of one result are.
struct Place {
  const hl::BufferView& view;
  const char* memory;
  hl::Address address;
  int64_t bytes;
  std::vector<scalar::Leaf> leaves;
  size_t first;  // leaf of the row
};

class Judge {
 public:
  explicit Judge(Comparison& result) : result_(result) {}

  void floating(const Place& place, int64_t element, Scalar type, Value found, const Enclosure& e) {
    const double x = found.as_floating();
    const double least = e.least.as_floating(), greatest = e.greatest.as_floating();
    const double middle = least == greatest ? least : least + (greatest - least) / 2;
    const double bound = (greatest - least) / 2;
    const bool inside = least <= x && x <= greatest;
    // What is too large for the type is infinite in it.
    const bool overflows = std::isinf(x) && x == scalar::from_floating(type, middle).as_floating();
    const bool nan = std::isnan(x) && (e.no_number || (std::isnan(least) && std::isnan(greatest)));
    if (!inside && !overflows && !nan) return complain(place, element, type, found, middle, bound);
    const double error = std::abs(x - middle);
    if (inside && error > result_.max_error) {
      result_.max_error = error;
      result_.bound = bound;
    }
  }

  void whole(const Place& place, int64_t element, Scalar type, Value found, const Enclosure& e) {
    const bool wraps = is_integer(type) && !is_signed(type);
    const bool inside = wraps ? e.least.bits <= found.bits && found.bits <= e.greatest.bits
                              : e.least.as_integer() <= found.as_integer() &&
                                    found.as_integer() <= e.greatest.as_integer();
    if (inside) return;
    result_.max_error =
        std::abs(scalar::to_floating(type, found) - scalar::to_floating(type, e.least));
    result_.bound = 0;
    reject(place, element,
           fmt::format("is {}, expected {} (allowed error 0)", to_string(type, found),
                       to_string(type, e.least)));
  }

 private:
  void complain(const Place& place, int64_t element, Scalar type, Value found, double middle,
                double bound) {
    result_.max_error = std::abs(found.as_floating() - middle);
    result_.bound = bound;
    // The digits that tell the two apart may be more than an f32 has.
    reject(place, element,
           fmt::format("is {}, expected {} (allowed error {:g})", to_string(type, found),
                       to_string(Scalar::f64, Value::floating(middle)), bound));
  }

  void reject(const Place& place, int64_t element, const std::string& fault) {
    result_.right = false;
    result_.complaint =
        fmt::format("element {} of output '{}' {}", element, place.view.symbol.name, fault);
  }

  Comparison& result_;
};

std::vector<Place> places_of(const hl::Program& program, std::span<void* const> outputs) {
  std::vector<Place> places;
  for (const hl::Component& c : hl::components(program.outputs)) {
    const hl::BufferView& view = program.outputs[c.buffer];
    places.push_back({view, static_cast<const char*>(outputs[c.buffer]),
                      hl::Address(program, view, view.accesses[c.access]),
                      scalar::bytes_of(view.type), leaves_of(view.type),
                      static_cast<size_t>(c.leaf)});
  }
  return places;
}

void compare_range(const std::vector<Place>& places, const std::vector<int64_t>& counts,
                   const Expected& expected, const Points& points, int64_t begin, int64_t end,
                   Comparison& result) {
  Judge judge(result);
  std::vector<int64_t> point = points.at(counts, begin);
  for (int64_t n = begin; n < end; ++n) {
    if (!points.all) point = points.at(counts, n);
    const std::span<const Enclosure> row = expected[static_cast<size_t>(n)];
    for (const Place& place : places) {
      const int64_t element = place.address(point);
      const char* at = place.memory + element * place.bytes;
      for (size_t k = 0; k < place.leaves.size(); ++k) {
        const Scalar type = place.leaves[k].type;
        const Value found = scalar::load(type, at + place.leaves[k].offset);
        const Enclosure& e = row[place.first + k];
        is_floating(type) ? judge.floating(place, element, type, found, e)
                          : judge.whole(place, element, type, found, e);
        if (!result.right) return;
      }
    }
    for (size_t d = counts.size(); points.all && d-- > 0;) {
      if (++point[d] < counts[d]) break;
      point[d] = 0;
    }
  }
}

}  // namespace

Comparison compare(const hl::Program& program, const Expected& expected, const Points& points,
                   std::span<void* const> outputs) {
  const std::vector<Place> places = places_of(program, outputs);
  const std::vector<int64_t> counts = hl::result_sizes(program);
  std::vector<Comparison> parts(static_cast<size_t>(most_ranges()));
  const int used = in_ranges(points.count, [&](int part, int64_t begin, int64_t end) {
    if (begin == end) return;
    compare_range(places, counts, expected, points, begin, end, parts[static_cast<size_t>(part)]);
  });
  Comparison result = parts.front();
  for (int part = 1; part < used && result.right; ++part) {
    const Comparison& other = parts[static_cast<size_t>(part)];
    if (!other.right || other.max_error > result.max_error) result = other;
  }
  return result;
}

}  // namespace mdh::driver
