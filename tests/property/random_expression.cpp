#include "tests/property/random_expression.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/support/text.h"

namespace mdh::test {
namespace {

using Kind = TypeText::Kind;

std::string wrapped(const std::string& text) { return "(" + text + ")"; }

bool is_compound(const std::string& text) {
  return text.rfind("if ", 0) == 0 || text.rfind("loop ", 0) == 0;
}

}  // namespace

TypeText scalar_type(const std::string& name) {
  if (name == "bool") return {name, Kind::boolean, false};
  const bool floating = name[0] == 'f' || name[0] == 'b';
  return {name, floating ? Kind::floating : Kind::integer, name[0] != 'u'};
}

TypeText random_scalar(Choices& choices) {
  static const std::vector<std::string> names = {"i32", "f32", "bool", "i64", "f64", "u8",  "i8",
                                                 "u64", "i16", "u16",  "u32", "f16", "bf16"};
  return scalar_type(choices.pick(names));
}

const TypeText& index_type() {
  static const TypeText type = scalar_type("i64");
  return type;
}

bool RecordText::has_arrays() const {
  return std::any_of(fields.begin(), fields.end(), [](const auto& f) { return f.count > 0; });
}

const RecordText& Vocabulary::record_of(const TypeText& type) const {
  return *std::find_if(records.begin(), records.end(),
                       [&](const RecordText& r) { return r.type == type; });
}

// ---- leaves

std::string ExpressionWriter::part(const std::string& record, const FieldText& field) {
  if (field.count == 0) return record + "." + field.name;
  std::string index = std::to_string(choices_.between(0, field.count - 1));
  for (const NameText& name : words_.names) {
    if (name.is_dimension && choices_.chance(30)) {
      index = fmt::format("{} % {}", name.name, field.count);
    }
  }
  return fmt::format("{}.{}[{}]", record, field.name, index);
}

/// Names of a type, and parts of records that have it.
std::vector<std::string> ExpressionWriter::known(const TypeText& type) {
  std::vector<std::string> all;
  for (const NameText& name : words_.names) {
    if (name.type == type) all.push_back(name.name);
    if (name.type.kind != Kind::record) continue;
    for (const FieldText& field : words_.record_of(name.type).fields) {
      if (field.type == type) all.push_back(part(name.name, field));
    }
  }
  return all;
}

std::string ExpressionWriter::literal(const TypeText& type, Surroundings around) {
  const bool is_parameter = type.name == "T" || type.name == "U";
  if (type.kind == Kind::boolean) return choices_.chance(50) ? "true" : "false";
  std::string digits = std::to_string(choices_.between(0, 9));
  if (type.kind == Kind::floating) {
    static const std::vector<std::string> decimals = {"0.5", "3.0", "1.25", "1e-3", "2.5E2", "0.1"};
    const bool whole = around == Surroundings::decide && choices_.chance(30);
    if (!whole) digits = choices_.pick(decimals);
  } else if (!is_parameter && choices_.chance(10)) {
    if (type.name == "u64") return "u64(18446744073709551615)";
    if (type.name == "i64") return "-9223372036854775808";
    digits = "100";
  }
  return type.negative && !is_parameter && choices_.chance(20) ? "-" + digits : digits;
}

std::string ExpressionWriter::leaf(const TypeText& type, Surroundings around) {
  const std::vector<std::string> all = known(type);
  if (type.kind != Kind::record) {
    return !all.empty() && !choices_.chance(30) ? choices_.pick(all) : literal(type, around);
  }
  if (!all.empty() && !choices_.chance(20)) return choices_.pick(all);
  return record(type, 0);
}

// ---- numbers and truth

std::string ExpressionWriter::operand(const TypeText& type, int depth, Surroundings around) {
  const std::string text = write(type, depth, around);
  return is_compound(text) || choices_.chance(50) ? wrapped(text) : text;
}

/// Operators of one type in any order of strength: however it is read, its type is right.
std::string ExpressionWriter::chain(const TypeText& type, int depth, Surroundings around) {
  static const std::vector<std::string> real = {"+", "*", "-", "/"},
                                        whole = {"+", "*", "-", "&", "|", "^"},
                                        constant = {"/", "%", "<<", ">>"};
  std::string text = operand(type, depth - 1, around);
  for (int64_t n = choices_.between(1, 2); n > 0; --n) {
    if (type.kind == Kind::integer && choices_.chance(25)) {
      const int64_t right = choices_.between(1, 5);
      text += fmt::format(" {} {}", choices_.pick(constant), right);
      continue;
    }
    const std::string right = operand(type, depth - 1, around);
    text += fmt::format(" {} {}", choices_.pick(type.kind == Kind::floating ? real : whole), right);
  }
  return text;
}

std::string ExpressionWriter::mathematics(const TypeText& type, int depth, Surroundings around) {
  static const std::vector<std::string> one = {"abs",  "sqrt",  "exp", "exp2", "log",
                                               "log2", "log10", "sin", "cos",  "tan",
                                               "tanh", "floor", "ceil"},
                                        two = {"min", "max", "pow", "atan2"};
  const bool floating = type.kind == Kind::floating;
  if (choices_.chance(40)) {
    const std::string name = floating ? choices_.pick(two) : choices_.chance(50) ? "min" : "max";
    const std::string second = write(type, depth - 1, around);
    const std::string first = write(type, depth - 1, around);
    return fmt::format("{}({}, {})", name, first, second);
  }
  const std::string argument = write(type, depth - 1, around);
  return fmt::format("{}({})", floating ? choices_.pick(one) : "abs", argument);
}

std::string ExpressionWriter::number(const TypeText& type, int depth, Surroundings around) {
  const std::vector<std::string> all = known(type);
  switch (choices_.between(0, 8)) {
    case 0:
      return leaf(type, around);
    case 1:
      return select(type, depth, around);
    case 2:
      return cast(type, depth);
    case 3:
      return mathematics(type, depth, around);
    case 4: {
      // Of names only: a literal of an unsigned type has no negative.
      if (all.empty()) return leaf(type, around);
      const std::string name = choices_.pick(all);
      return (type.kind == Kind::integer && choices_.chance(50) ? "~" : "-") + name;
    }
    case 5:
      return depth > 1 ? loop(type, depth) : leaf(type, around);
    case 6:
      return call(type, depth).value_or(leaf(type, around));
    case 7:
      return part_of_record(type, depth).value_or(leaf(type, around));
    default:
      return chain(type, depth, around);
  }
}

std::string ExpressionWriter::truth(int depth) {
  static const TypeText boolean = scalar_type("bool");
  static const std::vector<std::string> comparisons = {"<", "==", "!=", "<=", ">", ">="};
  const auto side = [&] { return operand(boolean, depth - 1, Surroundings::silent); };
  const TypeText other = random_scalar(choices_);
  switch (choices_.between(0, 8)) {
    case 0:
      return leaf(boolean, Surroundings::silent);
    case 1: {
      const std::string third = side(), second = side(), first = side();
      return fmt::format("{} && {} || {}", first, second, third);
    }
    case 2:
      return "!" + wrapped(truth(depth - 1));
    case 3:
      return select(boolean, depth, Surroundings::silent);
    case 4:
      return call(boolean, depth).value_or(leaf(boolean, Surroundings::silent));
    case 5: {
      const std::string right = wrapped(truth(depth - 1));
      const std::string op = choices_.pick<std::string>({"==", "!=", "&", "|", "^"});
      const std::string left = wrapped(truth(depth - 1));
      return fmt::format("{} {} {}", left, op, right);
    }
    case 6:
      return cast(boolean, depth);
    case 7:
      return part_of_record(boolean, depth).value_or(leaf(boolean, Surroundings::silent));
    default: {
      const std::string right = wrapped(write(other, depth - 1, Surroundings::silent));
      const std::string op = choices_.pick(comparisons);
      const std::string left = wrapped(write(other, depth - 1, Surroundings::silent));
      return fmt::format("{} {} {}", left, op, right);
    }
  }
}

// ---- records, and what all types have

bool ExpressionWriter::can_write(const TypeText& type) const {
  if (type.kind != Kind::record || !words_.record_of(type).has_arrays()) return true;
  return std::any_of(words_.names.begin(), words_.names.end(),
                     [&](const NameText& name) { return name.type == type; });
}

std::string ExpressionWriter::record(const TypeText& type, int depth) {
  const std::vector<std::string> all = known(type);
  if (depth > 0 && choices_.chance(30)) return select(type, depth, Surroundings::decide);
  if (!all.empty() && choices_.chance(30)) return choices_.pick(all);
  std::vector<std::string> fields;
  for (const FieldText& field : words_.record_of(type).fields) {
    const std::string value = field.count > 0 ? choices_.pick(all) + "." + field.name
                                              : write(field.type, depth - 1, Surroundings::decide);
    fields.push_back(fmt::format("{} = {}", field.name, value));
  }
  choices_.shuffle(fields);
  return fmt::format("{}{{ {} }}", type.name, join(fields, ", "));
}

std::string ExpressionWriter::select(const TypeText& type, int depth, Surroundings around) {
  const std::string condition = truth(depth - 1), then = write(type, depth - 1, around);
  return fmt::format("if {} then {} else {}", condition, then, write(type, depth - 1, around));
}

std::string ExpressionWriter::cast(const TypeText& type, int depth) {
  return fmt::format("{}({})", type.name,
                     write(random_scalar(choices_), depth - 1, Surroundings::silent));
}

std::string ExpressionWriter::loop(const TypeText& type, int depth) {
  const std::string k = fmt::format("k{}", words_.fresh), s = fmt::format("s{}", words_.fresh);
  ++words_.fresh;
  const std::string initial = write_typed(type, depth - 2);
  const std::vector<NameText> outside = words_.names;
  words_.names.push_back({k, index_type()});
  words_.names.push_back({s, type});
  const std::string condition = choices_.chance(30) ? " && " + wrapped(truth(depth - 2)) : "";
  const std::string update = write(type, depth - 2), result = write(type, depth - 2);
  words_.names = outside;
  return fmt::format("loop ({} = 0, {} = {}) while ({} < {}{}) {{ {} = {}, {} = {} + 1 }} yield {}",
                     k, s, initial, k, choices_.between(1, 3), condition, s, update, k, k, result);
}

std::optional<std::string> ExpressionWriter::call(const TypeText& type, int depth) {
  std::vector<const FunctionText*> fitting;
  for (const FunctionText& f : words_.functions) {
    const bool can = std::all_of(f.parameters.begin(), f.parameters.end(),
                                 [&](const TypeText& p) { return can_write(p); });
    if (f.result == type && can) fitting.push_back(&f);
  }
  if (fitting.empty()) return std::nullopt;
  const FunctionText f = *choices_.pick(fitting);
  std::vector<std::string> arguments;
  for (const TypeText& p : f.parameters) arguments.push_back(write(p, depth - 1));
  return fmt::format("{}({})", f.name, join(arguments, ", "));
}

/// A field of a record that is computed.
std::optional<std::string> ExpressionWriter::part_of_record(const TypeText& type, int depth) {
  for (const RecordText& r : words_.records) {
    for (const FieldText& field : r.fields) {
      if (field.type != type || !can_write(r.type) || choices_.chance(50)) continue;
      const std::string text = write(r.type, depth - 1, Surroundings::decide);
      return part(is_compound(text) ? wrapped(text) : text, field);
    }
  }
  return std::nullopt;
}

std::string ExpressionWriter::write(const TypeText& type, int depth, Surroundings around) {
  if (depth <= 0) return leaf(type, around);
  if (type.kind == Kind::record) return call(type, depth).value_or(record(type, depth));
  return type.kind == Kind::boolean ? truth(depth) : number(type, depth, around);
}

std::string ExpressionWriter::write_typed(const TypeText& type, int depth) {
  if (type.kind == Kind::record || type.kind == Kind::boolean) return write(type, depth);
  const std::vector<std::string> all = known(type);
  if (!all.empty() && choices_.chance(50)) {
    const std::string right = wrapped(write(type, depth));
    return fmt::format("{} + {}", choices_.pick(all), right);
  }
  return cast(type, depth);
}

}  // namespace mdh::test
