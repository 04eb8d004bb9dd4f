#include "mdh/driver/verify/data_sets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "mdh/driver/verification.h"
#include "mdh/driver/verify/ranges.h"
#include "mdh/hl/address.h"
#include "mdh/scalar/tape/tape.h"
#include "mdh/support/random.h"

namespace mdh::driver {
namespace {

using scalar::Scalar;
using scalar::Value;

Value drawn(Scalar type, Numbers numbers, Random& random) {
  if (numbers == Numbers::words || type == Scalar::boolean) {
    const auto bits = static_cast<int64_t>(random.next());
    return scalar::from_integer(type, type == Scalar::boolean ? bits & 1 : bits);
  }
  if (!is_floating(type)) {
    return scalar::from_integer(type, random.between(is_signed(type) ? -9 : 0, 9));
  }
  if (numbers == Numbers::tenths) {
    return scalar::from_floating(type, static_cast<double>(random.between(-50, 50)) / 10);
  }
  const int64_t size = random.between(1, 3);
  return scalar::from_integer(type, random.chance(50) ? size : -size);
}

/// Constants that f and ⊕ mention: conditions are true on one side of them only.
void collect_constants(const scalar::Expr& e, std::vector<double>& constants) {
  if (const auto* number = e.as<scalar::Literal>()) {
    const Scalar type = scalar_of(e.type());
    constants.push_back(is_floating(type) ? number->value.as_floating()
                                          : scalar::to_floating(type, number->value));
  }
  for_each_child(e, [&](const scalar::Expr& child) { collect_constants(child, constants); });
  const auto* call = e.as<scalar::Call>();
  if (!call || !call->callee) return;
  for (const auto* part : {&call->callee->locals, &call->callee->results}) {
    for (const scalar::Assignment& a : *part) collect_constants(a.value, constants);
  }
}

std::vector<double> constants_of(const Meaning& meaning) {
  std::vector<double> constants;
  for (const scalar::Function* f : {&meaning.f, &meaning.combine}) {
    for (const auto* part : {&f->locals, &f->results}) {
      for (const scalar::Assignment& a : *part) collect_constants(a.value, constants);
    }
  }
  return constants;
}

/// Numbers that small random ones never are.
class WideNumbers {
 public:
  explicit WideNumbers(const Meaning& meaning) : constants_(constants_of(meaning)) {}

  Value operator()(Scalar type, Random& random) const {
    if (type == Scalar::boolean) return drawn(type, Numbers::words, random);
    switch (random.between(0, 3)) {
      case 0:
        return scalar::from_integer(type, random.between(0, 2));  // often equal to others
      case 1:
        if (!constants_.empty()) return near_constant(type, random);
        return drawn(type, Numbers::tenths, random);
      default:
        return is_floating(type) ? any_float(type, random) : any_integer(type, random);
    }
  }

 private:
  Value near_constant(Scalar type, Random& random) const {
    const double c = random.pick(constants_);
    if (!is_floating(type)) {
      const double limit = 0x1p62;
      return scalar::from_integer(
          type, static_cast<int64_t>(std::clamp(c, -limit, limit)) + random.between(-1, 1));
    }
    static constexpr std::array<double, 6> factors = {1, 0.999, 1.001, 0.7, 1.5, -1};
    return scalar::from_floating(type, c * factors[static_cast<size_t>(random.between(0, 5))]);
  }

  /// As many bits as come up.
  static Value any_integer(Scalar type, Random& random) {
    const auto bits = static_cast<int64_t>(random.next() >> random.between(0, 63));
    return scalar::from_integer(type, random.chance(50) ? bits : -bits);
  }

  static Value any_float(Scalar type, Random& random) {
    const double sign = random.chance(50) ? 1 : -1;
    const double digits = 1 + static_cast<double>(random.between(0, 999)) / 1000;
    if (random.between(0, 31) > 0) {
      return scalar::from_floating(
          type, sign * std::ldexp(digits, static_cast<int>(random.between(-10, 13))));
    }
    static constexpr std::array<double, 7> special = {0.0, 1e-7, 1e-35, 6e-8, 6e4, 1e38, HUGE_VAL};
    return scalar::from_floating(type, sign * special[static_cast<size_t>(random.between(0, 6))]);
  }

  std::vector<double> constants_;
};

bool sums_floats(const Meaning& meaning, size_t n) {
  const auto op = meaning.combine.results.empty() ? std::nullopt : built_in_combination(meaning, n);
  const scalar::Type& type = meaning.f.results[n].value.type();
  return op == scalar::BinaryOp::add && type.is_scalar() && is_floating(scalar_of(type));
}

/// All sums of floats have terms that are 0 as soon as the gate is closed.
class GateSearch {
 public:
  GateSearch(const hl::Program& program, const Meaning& meaning)
      : program_(program), meaning_(meaning), f_(meaning.f) {
    for (size_t n = 0; n < meaning.f.results.size(); ++n) {
      if (sums_floats(meaning, n)) sums_.push_back(n);
    }
  }

  bool has_sums() const {
    const bool scalars =
        std::all_of(program_.outputs.begin(), program_.outputs.end(),
                    [](const hl::BufferView& view) { return view.type.is_scalar(); });
    return scalars && !sums_.empty();
  }

  bool closes(const Gate& gate) const {
    Random random(3);
    for (int round = 0; round < 24; ++round) {
      const std::vector<Value> results = at(gate, random);
      for (const size_t n : sums_) {
        if (results[n].as_floating() != 0) return false;
      }
    }
    return true;
  }

 private:
  std::vector<Value> at(const Gate& gate, Random& random) const {
    std::vector<Value> arguments;
    for (size_t b = 0; b < program_.inputs.size(); ++b) {
      const hl::BufferView& view = program_.inputs[b];
      const bool closed =
          std::find(gate.buffers.begin(), gate.buffers.end(), b) != gate.buffers.end();
      for (size_t a = 0; a < view.accesses.size(); ++a) {
        for (const scalar::Leaf& leaf : leaves_of(view.type)) {
          const Value open = drawn(leaf.type, Numbers::tenths, random);
          arguments.push_back(closed ? scalar::from_floating(leaf.type, gate.value) : open);
        }
      }
    }
    for (const int64_t size : hl::sizes(program_)) {
      arguments.push_back(Value::integer(random.between(0, size - 1)));
    }
    std::vector<Value> results(meaning_.f.results.size());
    f_.run(arguments, results);
    return results;
  }

  const hl::Program& program_;
  const Meaning& meaning_;
  scalar::Tape f_;
  std::vector<size_t> sums_;
};

constexpr int64_t few_factors = 16;

/// The number of factors of a result if they are more than a few: then all but a few should be 1 or
/// -1, for long products of anything else leave the range of every type.
int64_t long_products(const hl::Program& program) {
  for (const hl::Dimension& d : program.dimensions) {
    const auto& names = d.combine.operators;
    const bool multiplies = std::find(names.begin(), names.end(), "mul") != names.end();
    if (multiplies && terms_of(program) > few_factors) return terms_of(program);
  }
  return 0;
}

Value drawn_sign(Scalar type, Random& random) {
  const bool is_negative = is_signed(type) || is_floating(type);
  return scalar::from_integer(type, is_negative && random.chance(50) ? -1 : 1);
}

/// Chunks of buffers have numbers of their own, so that threads can draw them in any order.
Random random_of(uint64_t seed, size_t buffer, uint64_t chunk) {
  Random mixed(seed * 0x9e3779b97f4a7c15u + buffer);
  return Random(mixed.next() + chunk * 0xbf58476d1ce4e5b9u);
}

bool is_float_buffer(const hl::BufferView& view) {
  return view.type.is_scalar() && is_floating(scalar_of(view.type));
}

/// Elements of the buffer that f reads at the points.
std::unordered_set<int64_t> read_at(const hl::Program& program, const hl::BufferView& view,
                                    const std::vector<std::vector<int64_t>>& points) {
  std::unordered_set<int64_t> elements;
  for (const hl::Access& access : view.accesses) {
    const hl::Address address(program, view, access);
    for (const std::vector<int64_t>& point : points) elements.insert(address(point));
  }
  return elements;
}

}  // namespace

std::vector<Gate> find_gates(const hl::Program& program, const Meaning& meaning) {
  const GateSearch search(program, meaning);
  std::vector<Gate> gates;
  if (!search.has_sums()) return gates;
  std::vector<size_t> floats;
  for (size_t b = 0; b < program.inputs.size(); ++b) {
    if (is_float_buffer(program.inputs[b])) floats.push_back(b);
  }
  if (floats.empty()) return gates;
  for (const double value : {0.0, 1.0, -1.0, -20000.0, 20000.0}) {
    for (const size_t b : floats) {
      if (search.closes({{b}, value})) gates.push_back({{b}, value});
    }
    if (gates.empty() && search.closes({floats, value})) gates.push_back({floats, value});
    if (!gates.empty()) return gates;
  }
  return gates;
}

namespace {

/// Which elements of a buffer are closed.
class Closing {
 public:
  Closing(const hl::Program& program, size_t buffer, const Thinning& thinning)
      : type_(scalar_of(program.inputs[buffer].type)),
        closed_(scalar::from_floating(type_, thinning.gate.value)),
        limit_(static_cast<uint64_t>(thinning.density >= 1 ? 0x1p63 : thinning.density * 0x1p63)),
        stay_(read_at(program, program.inputs[buffer], thinning.points)) {}

  /// Asked for one element after the other. Closes it, or leaves it alone.
  bool operator()(int64_t n, char* element, Random& random) const {
    if (random.next() >> 1 < limit_ || stay_.contains(n)) return false;
    scalar::store(type_, element, closed_);
    return true;
  }

 private:
  Scalar type_;
  Value closed_;
  uint64_t limit_;
  std::unordered_set<int64_t> stay_;
};

std::optional<Closing> closing_of(const hl::Program& program, size_t buffer,
                                  const std::optional<Thinning>& thinning) {
  if (!thinning) return std::nullopt;
  const std::vector<size_t>& gated = thinning->gate.buffers;
  if (std::find(gated.begin(), gated.end(), buffer) == gated.end()) return std::nullopt;
  return Closing(program, buffer, *thinning);
}

}  // namespace

void fill(const hl::Program& program, std::span<void* const> inputs, Numbers numbers, uint64_t seed,
          const std::optional<Thinning>& thinning) {
  const int64_t signs = numbers == Numbers::words ? 0 : long_products(program);
  std::optional<WideNumbers> wide;
  if (numbers == Numbers::wide) wide.emplace(meaning_of(program));
  const auto draw = [&](Scalar type, Random& random) {
    if (signs > 0 && random.between(0, signs) > few_factors) return drawn_sign(type, random);
    return wide ? (*wide)(type, random) : drawn(type, numbers, random);
  };
  for (size_t b = 0; b < program.inputs.size(); ++b) {
    const hl::BufferView& view = program.inputs[b];
    const std::vector<scalar::Leaf> leaves = leaves_of(view.type);
    const int64_t bytes = scalar::bytes_of(view.type);
    const std::optional<Closing> closing = closing_of(program, b, thinning);
    const int64_t count = scalar::volume(hl::extents(program, view));
    in_chunks(count, [&](int64_t begin, int64_t end, uint64_t chunk) {
      Random random = random_of(seed, b, chunk), which = random_of(seed + 1, b, chunk);
      char* element = static_cast<char*>(inputs[b]) + begin * bytes;
      for (int64_t n = begin; n < end; ++n, element += bytes) {
        if (closing && (*closing)(n, element, which)) continue;
        for (const scalar::Leaf& leaf : leaves) {
          scalar::store(leaf.type, element + leaf.offset, draw(leaf.type, random));
        }
      }
    });
  }
}

void thin(const hl::Program& program, std::span<void* const> inputs, const Thinning& thinning,
          uint64_t seed) {
  for (const size_t b : thinning.gate.buffers) {
    const hl::BufferView& view = program.inputs[b];
    const Closing closing(program, b, thinning);
    const int64_t bytes = scalar::bytes_of(view.type);
    const int64_t count = scalar::volume(hl::extents(program, view));
    in_chunks(count, [&](int64_t begin, int64_t end, uint64_t chunk) {
      Random random = random_of(seed + 1, b, chunk);
      char* element = static_cast<char*>(inputs[b]) + begin * bytes;
      for (int64_t n = begin; n < end; ++n, element += bytes) closing(n, element, random);
    });
  }
}

std::vector<std::vector<int64_t>> border_points(const std::vector<int64_t>& sizes,
                                                const std::vector<int64_t>& steps, int count,
                                                uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<int64_t>> points;
  for (int n = 0; n < count; ++n) {
    std::vector<int64_t> point;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const int64_t last = sizes[d] - 1;
      int64_t i = n == 0 ? 0 : n == 1 ? last : random.chance(50) ? 0 : last;
      const int64_t step = d < steps.size() ? steps[d] : 0;
      if (n > 3 && step > 0) i = random.between(0, last) / step * step - random.between(0, 1);
      point.push_back(std::clamp<int64_t>(i, 0, last));
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace mdh::driver
