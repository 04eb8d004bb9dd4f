#include "mdh/backend/grid/atomics.h"

#include <optional>

#include "mdh/backend/rts/rts.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using scalar::BinaryOp;
using scalar::Scalar;
using scalar::Type;

/// A result and its operator, where that looks at this result only.
struct Own {
  Scalar type;
  BinaryOp op;
};

std::optional<Own> own_operator(const scalar::Function& combine, size_t result) {
  const size_t count = combine.results.size();
  const auto is_parameter = [&](const scalar::Expr& e, size_t n) {
    const auto* v = e.as<scalar::Variable>();
    return v && v->symbol == combine.parameters[n].symbol;
  };
  const scalar::Expr& value = combine.results[result].value;
  const auto* sum = value.as<scalar::Binary>();
  if (!sum || !combine.locals.empty() || !value.type().is_scalar()) return std::nullopt;
  const bool in_order = is_parameter(sum->left, result) && is_parameter(sum->right, result + count);
  const bool turned = is_parameter(sum->left, result + count) && is_parameter(sum->right, result);
  if (!in_order && !turned) return std::nullopt;
  return Own{std::get<Scalar>(value.type().is), sum->op};
}

/// What the language calls it; nothing where it has none, or 0 is not neutral.
std::string native_name(const Own& own) {
  const Scalar t = own.type;
  const bool is_unsigned = t == Scalar::u32 || t == Scalar::u64;
  const bool is_integer = is_unsigned || t == Scalar::i32 || t == Scalar::i64;
  const bool is_float = t == Scalar::f32 || t == Scalar::f64;
  if (own.op == BinaryOp::add && (is_integer || is_float)) return "atomicAdd";
  if (own.op == BinaryOp::bit_or && is_integer) return "atomicOr";
  if (own.op == BinaryOp::bit_xor && is_integer) return "atomicXor";
  if (own.op == BinaryOp::maximum && is_unsigned) return "atomicMax";
  return "";
}

bool is_native(const scalar::Function& combine, size_t result) {
  const auto own = own_operator(combine, result);
  return own && !native_name(*own).empty();
}

const Type& type_of(const loop::Program& p, size_t result) {
  return p.combine.parameters[result].type;
}

constexpr int64_t bytes_of_word = 8, most_in_word = 4;

// ---- native

/// Integers of both kinds wrap around alike, and the language has the unsigned ones.
std::string native(const Own& own, const std::string& element, const std::string& value) {
  const std::string name = native_name(own);
  if (own.type == Scalar::f32 || own.type == Scalar::f64) {
    return fmt::format("{}(&{}, {});\n", name, element, value);
  }
  const bool is_long = own.type == Scalar::i64 || own.type == Scalar::u64;
  const std::string type = is_long ? "unsigned long long" : "unsigned";
  return fmt::format("{0}(({1} *)&{2}, ({1}){3});\n", name, type, element, value);
}

// ---- with the operator of the program

/// The values that are there, combined with others, and stored.
std::string combined_there(const loop::Program& p, ExprPrinter& expressions,
                           const std::vector<std::string>& from, const AtomicText& text,
                           const std::vector<std::string>& to) {
  std::string result;
  std::vector<std::string> arguments, sums;
  for (size_t n = 0; n < from.size(); ++n) {
    arguments.push_back(fmt::format("mdh_there_{}", n));
    sums.push_back(fmt::format("mdh_both_{}", n));
    result += fmt::format("const {} {} = {};\n", expressions.value_type(type_of(p, n)),
                          arguments.back(), expressions.load(type_of(p, n), from[n]));
  }
  arguments.insert(arguments.end(), text.values.begin(), text.values.end());
  result += expressions.call(p.combine, arguments, sums);
  for (size_t n = 0; n < to.size(); ++n) {
    result += expressions.store(type_of(p, n), to[n], sums[n]);
  }
  return result;
}

std::string stored(const loop::Program& p, ExprPrinter& expressions, const AtomicText& text,
                   const std::vector<std::string>& to) {
  std::string result;
  for (size_t n = 0; n < to.size(); ++n) {
    result += expressions.store(type_of(p, n), to[n], text.values[n]);
  }
  return result;
}

void use_helper(ExprPrinter& expressions, const std::string& name) {
  expressions.definitions().define_type(name, rts_text(name));
}

/// Nobody waits for anybody: of all who try, one has changed the word.
std::string swapped(const loop::Program& p, ExprPrinter& expressions, const AtomicText& text) {
  use_helper(expressions, "atomic_word");
  const std::string type = expressions.storage_type(type_of(p, 0));
  const std::string first = stored(p, expressions, text, {"mdh_sum"});
  const std::string later = combined_there(p, expressions, {"mdh_old"}, text, {"mdh_sum"});
  return fmt::format(
      "for (unsigned long long mdh_seen = 0;;) {{\n"
      "  {0} mdh_sum;\n"
      "  if (mdh_seen == 0) {{\n{1}  }} else {{\n"
      "    {0} mdh_old;\n"
      "    mdh_from_word(mdh_seen, &mdh_old, sizeof mdh_old);\n{2}  }}\n"
      "  const unsigned long long mdh_was =\n"
      "      atomicCAS(&{3}, mdh_seen, mdh_to_word(&mdh_sum, sizeof mdh_sum));\n"
      "  if (mdh_was == mdh_seen) break;\n"
      "  mdh_seen = mdh_was;\n"
      "}}\n",
      type, indent(first, 4), indent(later, 4), text.elements.front());
}

/// Threads of a warp that want the same element take turns without waiting inside of the loop: who
/// has got it goes on to the end of the round.
std::string done_alone(const loop::Program& p, ExprPrinter& expressions, const AtomicText& text) {
  use_helper(expressions, "alone");
  const std::string first = stored(p, expressions, text, text.elements);
  const std::string later = combined_there(p, expressions, text.elements, text, text.elements);
  return fmt::format(
      "for (bool mdh_done = false; !mdh_done;) {{\n"
      "  const unsigned mdh_was = mdh_begin_alone(&{0});\n"
      "  if (mdh_was != 1u) {{\n"
      "    if (mdh_was == 0u) {{\n{1}    }} else {{\n{2}    }}\n"
      "    mdh_end_alone(&{0});\n"
      "    mdh_done = true;\n"
      "  }}\n"
      "}}\n",
      text.state, indent(first, 6), indent(later, 6));
}

}  // namespace

AtomicForm atomic_form(const loop::Program& p) {
  bool all_native = true;
  for (size_t n = 0; n < p.combine.results.size(); ++n) {
    all_native = all_native && is_native(p.combine, n);
  }
  if (all_native) return AtomicForm::native;
  const bool is_small =
      p.combine.results.size() == 1 && scalar::bytes_of(type_of(p, 0)) <= most_in_word;
  return is_small ? AtomicForm::word : AtomicForm::alone;
}

std::string atomic_type(const loop::Program& p, ExprPrinter& expressions, const loop::Buffer& b) {
  return atomic_form(p) == AtomicForm::word ? "unsigned long long"
                                            : expressions.storage_type(b.type);
}

int64_t atomic_bytes(const loop::Program& p, const loop::Buffer& b) {
  return atomic_form(p) == AtomicForm::word ? bytes_of_word : scalar::bytes_of(b.type);
}

std::string combined_atomically(const loop::Program& p, ExprPrinter& expressions,
                                const AtomicText& text) {
  switch (atomic_form(p)) {
    case AtomicForm::native:
      break;
    case AtomicForm::word:
      return swapped(p, expressions, text);
    case AtomicForm::alone:
      return done_alone(p, expressions, text);
  }
  std::string result;
  for (size_t n = 0; n < text.elements.size(); ++n) {
    result += native(*own_operator(p.combine, n), text.elements[n], text.values[n]);
  }
  return result;
}

std::string taken_atomically(const loop::Program& p, ExprPrinter& expressions,
                             const AtomicText& text) {
  const AtomicForm form = atomic_form(p);
  std::string result;
  for (size_t n = 0; n < text.elements.size(); ++n) {
    std::string from = text.elements[n];
    if (form == AtomicForm::word) {
      use_helper(expressions, "atomic_word");
      from = text.values[n] + "_bits";
      result +=
          fmt::format("{} {};\nmdh_from_word({}, &{}, sizeof {});\n",
                      expressions.storage_type(type_of(p, n)), from, text.elements[n], from, from);
    }
    result += fmt::format("const {} {} = {};\n", expressions.value_type(type_of(p, n)),
                          text.values[n], expressions.load(type_of(p, n), from));
    if (form != AtomicForm::alone) result += fmt::format("{} = 0;\n", text.elements[n]);
  }
  if (form == AtomicForm::alone) result += fmt::format("{} = 0;\n", text.state);
  return result;
}

}  // namespace mdh::backend
