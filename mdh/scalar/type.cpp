#include "mdh/scalar/type.h"

#include <algorithm>
#include <array>

#include "mdh/support/diagnostic.h"

namespace mdh::scalar {
namespace {

struct Row {
  Scalar scalar;
  const char* name;
  int bytes;
};

constexpr std::array<Row, 13> types = {{
    {Scalar::boolean, "bool", 1},
    {Scalar::i8, "i8", 1},
    {Scalar::i16, "i16", 2},
    {Scalar::i32, "i32", 4},
    {Scalar::i64, "i64", 8},
    {Scalar::u8, "u8", 1},
    {Scalar::u16, "u16", 2},
    {Scalar::u32, "u32", 4},
    {Scalar::u64, "u64", 8},
    {Scalar::f16, "f16", 2},
    {Scalar::bf16, "bf16", 2},
    {Scalar::f32, "f32", 4},
    {Scalar::f64, "f64", 8},
}};

const Row& row(Scalar scalar) { return types[static_cast<size_t>(scalar)]; }

}  // namespace

Scalar scalar_of(const Type& type) {
  internal_check(type.is_scalar(), "type '{}' is not decided", to_string(type));
  return std::get<Scalar>(type.is);
}

bool is_integer(Scalar scalar) { return scalar >= Scalar::i8 && scalar <= Scalar::u64; }
bool is_signed(Scalar scalar) { return scalar >= Scalar::i8 && scalar <= Scalar::i64; }
bool is_floating(Scalar scalar) { return scalar >= Scalar::f16; }
int bytes_of(Scalar scalar) { return row(scalar).bytes; }

double epsilon_of(Scalar scalar) {
  internal_check(is_floating(scalar), "{} has no epsilon", to_string(scalar));
  switch (scalar) {
    case Scalar::f16:
      return 0x1p-10;
    case Scalar::bf16:
      return 0x1p-7;
    case Scalar::f32:
      return 0x1p-23;
    default:
      return 0x1p-52;
  }
}

const Field* Record::find(std::string_view field) const {
  for (const Field& f : fields) {
    if (f.name == field) return &f;
  }
  return nullptr;
}

const Record* Type::record() const {
  const auto* handle = std::get_if<RecordType>(&is);
  return handle ? handle->record.get() : nullptr;
}

Type type_of(const Field& field) {
  return field.count == 0 ? Type(field.type) : Type(ArrayType{field.type, field.count});
}

std::vector<Leaf> leaves_of(const Type& type) {
  if (const ArrayType* array = type.array()) {
    std::vector<Leaf> leaves;
    for (int n = 0; n < array->count; ++n) {
      leaves.push_back({array->element, n * bytes_of(array->element)});
    }
    return leaves;
  }
  const Record* record = type.record();
  if (record == nullptr) return {{scalar_of(type), 0}};
  std::vector<Leaf> leaves;
  int offset = 0;
  for (const Field& field : record->fields) {
    const int bytes = bytes_of(field.type);
    offset = (offset + bytes - 1) / bytes * bytes;
    for (int n = 0; n < std::max(field.count, 1); ++n, offset += bytes) {
      leaves.push_back({field.type, offset});
    }
  }
  return leaves;
}

int width_of(const Type& type) {
  if (type.is_scalar()) return 1;
  return static_cast<int>(leaves_of(type).size());
}

int leaf_offset(const Record& record, std::string_view field) {
  int leaves = 0;
  for (const Field& f : record.fields) {
    if (f.name == field) return leaves;
    leaves += std::max(f.count, 1);
  }
  internal_check(false, "record {} has no field '{}'", record.name, field);
  return 0;
}

int bytes_of(const Type& type) {
  const std::vector<Leaf> leaves = leaves_of(type);
  int alignment = 1;
  for (const Leaf& leaf : leaves) alignment = std::max(alignment, bytes_of(leaf.type));
  const int end = leaves.back().offset + bytes_of(leaves.back().type);
  return (end + alignment - 1) / alignment * alignment;
}

int64_t elements_of_piece(const Type& type) { return std::max<int64_t>(1, 16 / bytes_of(type)); }

std::string to_string(Scalar scalar) { return row(scalar).name; }

std::string to_string(const Type& type) {
  if (type.is_scalar()) return to_string(std::get<Scalar>(type.is));
  if (type.is_parameter()) return std::get<Symbol>(type.is).name;
  if (const Record* record = type.record()) return record->name;
  if (const ArrayType* array = type.array()) {
    return fmt::format("{}[{}]", to_string(array->element), array->count);
  }
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
  for (const Row& r : types) {
    if (name == r.name) return r.scalar;
  }
  return std::nullopt;
}

std::vector<std::string> scalar_names() {
  std::vector<std::string> names;
  for (const Row& r : types) names.emplace_back(r.name);
  return names;
}

}  // namespace mdh::scalar
