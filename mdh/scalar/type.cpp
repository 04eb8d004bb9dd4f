#include "mdh/scalar/type.h"

#include <array>

#include "mdh/support/diagnostic.h"

namespace mdh::scalar {
namespace {

struct Row {
  Scalar scalar;
  const char* name;
  int bytes;
};

constexpr std::array<Row, 11> table = {{
    {Scalar::boolean, "bool", 1},
    {Scalar::i8, "i8", 1},
    {Scalar::i16, "i16", 2},
    {Scalar::i32, "i32", 4},
    {Scalar::i64, "i64", 8},
    {Scalar::u8, "u8", 1},
    {Scalar::u16, "u16", 2},
    {Scalar::u32, "u32", 4},
    {Scalar::u64, "u64", 8},
    {Scalar::f32, "f32", 4},
    {Scalar::f64, "f64", 8},
}};

const Row& row(Scalar scalar) { return table[static_cast<size_t>(scalar)]; }

}  // namespace

Scalar scalar_of(const Type& type) {
  internal_check(type.is_scalar(), "type '{}' is not decided", to_string(type));
  return std::get<Scalar>(type.is);
}

bool is_integer(Scalar scalar) { return scalar >= Scalar::i8 && scalar <= Scalar::u64; }
bool is_signed(Scalar scalar) { return scalar >= Scalar::i8 && scalar <= Scalar::i64; }
bool is_floating(Scalar scalar) { return scalar == Scalar::f32 || scalar == Scalar::f64; }
int bytes_of(Scalar scalar) { return row(scalar).bytes; }

double epsilon_of(Scalar scalar) {
  internal_check(is_floating(scalar), "{} has no epsilon", to_string(scalar));
  return scalar == Scalar::f32 ? 0x1p-23 : 0x1p-52;
}

std::string to_string(Scalar scalar) { return row(scalar).name; }

std::string to_string(const Type& type) {
  if (type.is_scalar()) return to_string(std::get<Scalar>(type.is));
  if (type.is_parameter()) return std::get<Symbol>(type.is).name;
  switch (std::get<Undecided>(type.is)) {
    case Undecided::name:
      return "unknown";
    case Undecided::integer:
      return "integer literal";
    case Undecided::decimal:
      return "decimal literal";
  }
  return "unknown";
}

std::optional<Scalar> find_scalar(std::string_view name) {
  for (const Row& r : table) {
    if (name == r.name) return r.scalar;
  }
  return std::nullopt;
}

std::vector<std::string> scalar_names() {
  std::vector<std::string> names;
  for (const Row& r : table) names.emplace_back(r.name);
  return names;
}

}  // namespace mdh::scalar
