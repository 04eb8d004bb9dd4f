// Types of scalars: what one element of a buffer is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mdh/support/symbol.h"

namespace mdh::scalar {

enum class Scalar : uint8_t {
  boolean,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f16,
  bf16,
  f32,
  f64,
};

/// What is not a type yet: a name that is not resolved, and literals, which take the type their
/// surroundings ask for.
enum class Undecided : uint8_t { name, integer, decimal };

/// A field of a record: a scalar, or a fixed number of them.
struct Field {
  std::string name;
  Scalar type = Scalar::i32;
  int count = 0;  // 0: one scalar; n: an array of n
  friend bool operator==(const Field&, const Field&) = default;
};

struct Record {
  std::string name;
  std::vector<Field> fields;

  const Field* find(std::string_view field) const;
  friend bool operator==(const Record&, const Record&) = default;
};

/// A record as a type: shared, compared by content.
struct RecordType {
  std::shared_ptr<const Record> record;
  friend bool operator==(const RecordType& a, const RecordType& b) {
    return a.record == b.record || *a.record == *b.record;
  }
};

/// The type of an array field; it exists only below an index or inside a record.
struct ArrayType {
  Scalar element = Scalar::i32;
  int count = 1;
  friend bool operator==(const ArrayType&, const ArrayType&) = default;
};

/// A scalar, a record, an array field, a type parameter of a generic program, or undecided.
struct Type {
  std::variant<Scalar, Undecided, Symbol, RecordType, ArrayType> is = Undecided::name;

  Type() = default;
  Type(Scalar scalar) : is(scalar) {}           // NOLINT(google-explicit-constructor)
  Type(Undecided undecided) : is(undecided) {}  // NOLINT(google-explicit-constructor)
  explicit Type(Symbol parameter) : is(std::move(parameter)) {}
  explicit Type(Record record)
      : is(RecordType{std::make_shared<const Record>(std::move(record))}) {}
  explicit Type(ArrayType array) : is(array) {}

  bool is_scalar() const { return std::holds_alternative<Scalar>(is); }
  bool is_parameter() const { return std::holds_alternative<Symbol>(is); }
  bool is_undecided() const { return std::holds_alternative<Undecided>(is); }
  const Record* record() const;
  const ArrayType* array() const { return std::get_if<ArrayType>(&is); }
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

Type type_of(const Field& field);

/// The scalars a value consists of, in order of declaration: one for a scalar, one per field and
/// array element for a record. Evaluators hold values leaf by leaf.
struct Leaf {
  Scalar type;
  int offset;  // in bytes, as C lays the record out
};
std::vector<Leaf> leaves_of(const Type& type);
int width_of(const Type& type);  // number of leaves

/// Leaves before a field.
int leaf_offset(const Record& record, std::string_view field);

/// sizeof, in C's layout on every target.
int bytes_of(const Type& type);

/// So many elements lie in 16 bytes, which cores of grids move at once: at least 1.
int64_t elements_of_piece(const Type& type);

std::string to_string(const Type& type);
std::string to_string(Scalar scalar);
std::optional<Scalar> find_scalar(std::string_view name);
std::vector<std::string> scalar_names();

}  // namespace mdh::scalar
