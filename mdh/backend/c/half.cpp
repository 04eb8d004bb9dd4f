#include "mdh/backend/c/half.h"

#include <fmt/format.h>

#include "mdh/backend/rts/rts.h"

namespace mdh::backend {
namespace {

using scalar::Scalar;

std::string applied(Helpers& helpers, const std::string& verb, Scalar type,
                    const std::string& operand) {
  const std::string function = fmt::format("{}_{}", verb, to_string(type));
  helpers.define_operation("mdh_" + function, rts_text(function));
  return fmt::format("mdh_{}({})", function, operand);
}

}  // namespace

bool is_half(Scalar type) { return type == Scalar::f16 || type == Scalar::bf16; }

std::string rounded_half(Helpers& helpers, Scalar type, const std::string& value) {
  return applied(helpers, "round", type, value);
}

std::string unpacked_half(Helpers& helpers, Scalar type, const std::string& bits) {
  return applied(helpers, "from", type, bits);
}

std::string packed_half(Helpers& helpers, Scalar type, const std::string& value) {
  return applied(helpers, "to", type, value);
}

}  // namespace mdh::backend
