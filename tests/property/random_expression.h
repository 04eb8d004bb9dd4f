// Random expressions as text, of any wanted type, with everything the scalar language has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/property/choices.h"

namespace mdh::test {

struct TypeText {
  enum class Kind { boolean, integer, floating, record };
  std::string name;
  Kind kind = Kind::integer;
  bool negative = false;  // literals may be below zero
  friend bool operator==(const TypeText&, const TypeText&) = default;
};

TypeText scalar_type(const std::string& name);
TypeText random_scalar(Choices& choices);
const TypeText& index_type();  // i64

struct FieldText {
  std::string name;
  TypeText type;
  int count = 0;  // 0: not an array
};

struct RecordText {
  TypeText type;
  std::vector<FieldText> fields;

  bool has_arrays() const;
};

struct FunctionText {
  std::string name;
  std::vector<TypeText> parameters;
  TypeText result;
};

struct NameText {
  std::string name;
  TypeText type;
  bool is_dimension = false;
};

/// What expressions may mention.
struct Vocabulary {
  std::vector<RecordText> records;
  std::vector<FunctionText> functions;
  std::vector<NameText> names;
  int fresh = 0;  // number of the next loop variable

  const RecordText& record_of(const TypeText& type) const;
};

/// Whether literals get their type from the surroundings, or have to be of a kind that does
/// without.
enum class Surroundings { decide, silent };

class ExpressionWriter {
 public:
  ExpressionWriter(Choices& choices, Vocabulary& words) : choices_(choices), words_(words) {}

  /// An expression for a place that decides the type of literals.
  std::string write(const TypeText& type, int depth) {
    return write(type, depth, Surroundings::decide);
  }

  /// An expression that shows its own type, for lets and variables of loops.
  std::string write_typed(const TypeText& type, int depth);

  /// Records with array fields cannot be made, only copied.
  bool can_write(const TypeText& type) const;

 private:
  std::string write(const TypeText& type, int depth, Surroundings around);
  std::string number(const TypeText& type, int depth, Surroundings around);
  std::string truth(int depth);
  std::string record(const TypeText& type, int depth);
  std::string literal(const TypeText& type, Surroundings around);
  std::string leaf(const TypeText& type, Surroundings around);
  std::string operand(const TypeText& type, int depth, Surroundings around);
  std::string chain(const TypeText& type, int depth, Surroundings around);
  std::string mathematics(const TypeText& type, int depth, Surroundings around);
  std::string select(const TypeText& type, int depth, Surroundings around);
  std::string cast(const TypeText& type, int depth);
  std::string loop(const TypeText& type, int depth);
  std::optional<std::string> call(const TypeText& type, int depth);
  std::optional<std::string> part_of_record(const TypeText& type, int depth);
  std::string part(const std::string& record, const FieldText& field);
  std::vector<std::string> known(const TypeText& type);

  Choices& choices_;
  Vocabulary& words_;
};

}  // namespace mdh::test
