// Values that the laws of operators are tried on.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mdh/hl/address.h"
#include "mdh/scalar/array.h"
#include "mdh/support/random.h"

namespace mdh::hl {

using scalar::Value;

/// Where inputs are drawn from.
enum class LawDomain {
  few,    // -1 to 2: equal ones meet, and nothing rounds
  usual,  // what programs are run on: small numbers, floats with a decimal
  whole,  // everything that the type can hold, each magnitude as likely as any other
};

Value drawn_for_laws(scalar::Scalar type, LawDomain domain, Random& random);

/// What f reads at a point, leaf by leaf.
using InputsAt = std::function<std::vector<Value>(std::span<const int64_t> point)>;

/// Buffers that exist only where they are looked at; a seed stands for one content.
class DrawnInputs {
 public:
  explicit DrawnInputs(const Program& p);
  InputsAt from(LawDomain domain, uint64_t seed) const;

 private:
  struct Placed {
    int buffer;
    Address address;
    std::vector<scalar::Leaf> leaves;
  };
  std::vector<Placed> accesses_;
};

/// Buffers of the user.
InputsAt inputs_at(const Program& p, const std::vector<scalar::Array>& inputs);

/// The leaves of all results of f.
std::vector<scalar::Leaf> result_leaves(const Program& p);

/// "3" or "{3, 0.5}"
std::string text_of_leaves(const std::vector<scalar::Leaf>& leaves, std::span<const Value> values);

}  // namespace mdh::hl
