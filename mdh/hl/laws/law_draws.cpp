#include "mdh/hl/laws/law_draws.h"

#include <cmath>

#include "mdh/support/text.h"

namespace mdh::hl {
namespace {

using scalar::Leaf;
using scalar::Scalar;

/// Any magnitude that the type has, any bits, and both sides of every power of two, the limits of
/// the type among them.
Value any_integer(Scalar type, Random& random) {
  const int digits = 8 * scalar::bytes_of(type);
  const uint64_t bits = random.next();
  const int shift = static_cast<int>(random.between(0, digits - 1));
  const int64_t beside = random.between(-1, 1);
  uint64_t magnitude = bits;
  switch (random.between(0, 3)) {
    case 0:
      break;
    case 1:
      magnitude = (uint64_t{1} << shift) + static_cast<uint64_t>(beside);
      break;
    default:
      magnitude = bits >> (64 - digits + shift);
  }
  // Without a sign these are the numbers below the greatest one.
  const bool negative = random.chance(scalar::is_signed(type) ? 50 : 25);
  return scalar::from_integer(type, Value{negative ? 0 - magnitude : magnitude}.as_integer());
}

/// Any exponent, one that rounds but does not overflow soon, or two decimals.
Value any_float(Scalar type, Random& random) {
  const int widest = type == Scalar::f16 ? 14 : type == Scalar::f64 ? 1021 : 125;
  const double mantissa = 1 + std::ldexp(static_cast<double>(random.next() >> 12), -52);
  const double sign = random.chance(50) ? 1 : -1;
  switch (random.between(0, 2)) {
    case 0:
      return scalar::from_floating(
          type, sign * std::ldexp(mantissa, static_cast<int>(random.between(-widest, widest))));
    case 1:
      return scalar::from_floating(
          type, sign * std::ldexp(mantissa, static_cast<int>(random.between(-12, 12))));
    default:
      return scalar::from_floating(type,
                                   static_cast<double>(random.between(-100'000, 100'000)) / 100);
  }
}

}  // namespace

Value drawn_for_laws(Scalar type, LawDomain domain, Random& random) {
  const bool floating = is_floating(type), negative = floating || scalar::is_signed(type);
  if (type == Scalar::boolean) return Value::integer(random.between(0, 1));
  switch (domain) {
    case LawDomain::few: {
      const int64_t least = negative ? -1 : 0;
      return scalar::from_integer(type, random.between(least, least + 3));
    }
    case LawDomain::usual:
      if (!floating) return scalar::from_integer(type, random.between(negative ? -9 : 0, 9));
      return scalar::from_floating(type, static_cast<double>(random.between(-50, 50)) / 10);
    case LawDomain::whole:
      break;
  }
  return floating ? any_float(type, random) : any_integer(type, random);
}

DrawnInputs::DrawnInputs(const Program& p) {
  for (const Component& c : components(p.inputs)) {
    const BufferView& view = p.inputs[c.buffer];
    accesses_.push_back(
        {c.buffer, Address(p, view, view.accesses[c.access]), leaves_of(view.type)});
  }
}

InputsAt DrawnInputs::from(LawDomain domain, uint64_t seed) const {
  return [this, domain, seed](std::span<const int64_t> point) {
    std::vector<Value> all;
    for (const Placed& access : accesses_) {
      const auto element = static_cast<uint64_t>(access.address(point));
      Random random(seed ^ (element * 977 + static_cast<uint64_t>(access.buffer)));
      for (const Leaf& leaf : access.leaves) {
        all.push_back(drawn_for_laws(leaf.type, domain, random));
      }
    }
    return all;
  };
}

InputsAt inputs_at(const Program& p, const std::vector<scalar::Array>& inputs) {
  std::vector<Address> addresses;
  const std::vector<Component> accesses = components(p.inputs);
  for (const Component& c : accesses) {
    const BufferView& view = p.inputs[c.buffer];
    addresses.emplace_back(p, view, view.accesses[c.access]);
  }
  return [&inputs, accesses, addresses](std::span<const int64_t> point) {
    std::vector<Value> all;
    for (size_t n = 0; n < accesses.size(); ++n) {
      const std::vector<Value>& cells = inputs[accesses[n].buffer].cells;
      const auto first = cells.begin() + addresses[n](point) * accesses[n].width;
      all.insert(all.end(), first, first + accesses[n].width);
    }
    return all;
  };
}

std::vector<Leaf> result_leaves(const Program& p) {
  std::vector<Leaf> leaves;
  for (const Component& c : components(p.outputs)) {
    const auto more = leaves_of(p.outputs[c.buffer].type);
    leaves.insert(leaves.end(), more.begin(), more.end());
  }
  return leaves;
}

std::string text_of_leaves(const std::vector<Leaf>& leaves, std::span<const Value> values) {
  std::vector<std::string> texts;
  for (size_t n = 0; n < leaves.size(); ++n) texts.push_back(to_string(leaves[n].type, values[n]));
  return texts.size() == 1 ? texts[0] : "{" + join(texts, ", ") + "}";
}

}  // namespace mdh::hl
