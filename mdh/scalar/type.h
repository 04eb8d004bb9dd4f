// Types of scalars: what one element of a buffer is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mdh/support/symbol.h"

namespace mdh::scalar {

enum class Scalar : uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };

/// What is not a type yet: a name that is not resolved, and literals, which take the type their
/// surroundings ask for.
enum class Undecided : uint8_t { name, integer, decimal };

/// A scalar type, a type parameter of a generic program (its symbol), or undecided.
struct Type {
  std::variant<Scalar, Undecided, Symbol> is = Undecided::name;

  Type() = default;
  Type(Scalar scalar) : is(scalar) {}           // NOLINT(google-explicit-constructor)
  Type(Undecided undecided) : is(undecided) {}  // NOLINT(google-explicit-constructor)
  explicit Type(Symbol parameter) : is(std::move(parameter)) {}

  bool is_scalar() const { return std::holds_alternative<Scalar>(is); }
  bool is_parameter() const { return std::holds_alternative<Symbol>(is); }
  bool is_undecided() const { return std::holds_alternative<Undecided>(is); }
  friend bool operator==(const Type&, const Type&) = default;
};

/// The scalar of a type that must be one by now.
Scalar scalar_of(const Type& type);

bool is_integer(Scalar scalar);  // bool is not an integer
bool is_signed(Scalar scalar);   // signed integers
bool is_floating(Scalar scalar);
int bytes_of(Scalar scalar);

/// Distance between 1 and the next number: 2^-23 for f32, 2^-52 for f64.
double epsilon_of(Scalar scalar);

std::string to_string(const Type& type);
std::string to_string(Scalar scalar);
std::optional<Scalar> find_scalar(std::string_view name);
std::vector<std::string> scalar_names();

}  // namespace mdh::scalar
