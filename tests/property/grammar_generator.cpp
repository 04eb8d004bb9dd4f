#include "tests/property/grammar_generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/hl/analysis.h"
#include "mdh/hl/parse.h"
#include "mdh/support/text.h"
#include "tests/property/random_expression.h"

namespace mdh::test {
namespace {

using Kind = TypeText::Kind;

struct DimensionText {
  std::string name, size, combine = "cc";
  bool reduced = false;
};

/// Where a result goes: the name it is assigned by, and its type.
struct Result {
  std::string name;
  TypeText type;
};

class FileWriter {
 public:
  explicit FileWriter(Choices& choices) : choices_(choices), writer_(choices, words_) {}

  RandomFile run() {
    records();
    functions();
    parameters();
    for (int64_t d = choices_.between(0, 3); d > 0; --d) dimension();
    const std::string inputs = inp_view();
    choose_results();
    choose_combination();
    const std::string outputs = out_view();
    const std::string dimensions = md_hom();
    const std::string body = assignments();
    const std::string generic = parameters_.empty() ? "" : "<" + join(parameters_, ", ") + ">";
    file_.text = fmt::format("mdh 1\n{}program p{} =\n  out_view( {} )\n* {} {{ {} }}\n* {}\n",
                             definitions_, generic, outputs, dimensions, body, inputs);
    return file_;
  }

 private:
  // ---- definitions

  void records() {
    for (int64_t n = choices_.between(0, 2); n > 0; --n) {
      RecordText record{{fmt::format("r{}", n), Kind::record, false}, {}};
      std::string text;
      for (int64_t f = choices_.between(1, 3); f > 0; --f) {
        const int count = choices_.chance(30) ? static_cast<int>(choices_.between(1, 3)) : 0;
        record.fields.push_back({fmt::format("f{}", f), random_scalar(choices_), count});
        text += fmt::format(" f{}: {}{};", f, record.fields.back().type.name,
                            count > 0 ? fmt::format("[{}]", count) : "");
      }
      definitions_ += fmt::format("record r{} {{{} }}\n", n, text);
      words_.records.push_back(record);
    }
  }

  TypeText random_type() {
    if (!words_.records.empty() && choices_.chance(25)) return choices_.pick(words_.records).type;
    if (generic_ && choices_.chance(50)) return *generic_;
    return random_scalar(choices_);
  }

  void functions() {
    for (int64_t n = choices_.between(0, 2); n > 0; --n) {
      FunctionText f{fmt::format("g{}", n), {}, {}};
      std::vector<std::string> parameters;
      for (int64_t a = choices_.between(0, 2); a > 0; --a) {
        f.parameters.push_back(random_type());
        const std::string name = fmt::format("a{}", a);
        words_.names.push_back({name, f.parameters.back()});
        parameters.push_back(name + ": " + f.parameters.back().name);
      }
      f.result = writable_type();
      definitions_ += fmt::format("fun {}({}): {} {}\n", f.name, join(parameters, ", "),
                                  f.result.name, function_body(f.result));
      words_.names.clear();
      words_.functions.push_back(f);
    }
  }

  TypeText writable_type() {
    const TypeText type = random_type();
    return writer_.can_write(type) ? type : scalar_type("i32");
  }

  std::string function_body(const TypeText& result) {
    if (choices_.chance(50)) return "= " + writer_.write(result, 2) + ";";
    const std::string first = let("b2"), second = let("b1");  // which may mention b2
    return fmt::format("{{ {}{}return {}; }}", first, second, writer_.write(result, 2));
  }

  std::string let(const std::string& name) {
    const TypeText type = writable_type();
    std::string text = fmt::format("{} = {}; ", name, writer_.write_typed(type, 2));
    words_.names.push_back({name, type});
    return text;
  }

  // ---- parameters

  void parameters() {
    if (choices_.chance(50)) type_parameters();
    for (int64_t n = choices_.between(0, 2); n > 0; --n) size_parameter(fmt::format("N{}", n));
    for (int64_t n = choices_.between(0, 2); n > 0; --n) constant(fmt::format("c{}", n));
  }

  void type_parameters() {
    static const std::vector<std::string> whole = {"i32", "i64", "u8", "i16", "u64"},
                                          real = {"f32", "f64", "f16", "bf16"};
    const bool floating = choices_.chance(50);
    const std::vector<std::string>& names = floating ? real : whole;
    generic_ = TypeText{"T", floating ? Kind::floating : Kind::integer, false};
    const bool has_default = choices_.chance(60);
    parameters_.push_back(has_default ? "T: type = " + choices_.pick(names) : "T: type");
    if (!has_default || choices_.chance(50)) {
      file_.bindings.types["T"] = *scalar::find_scalar(choices_.pick(names));
    }
    if (!choices_.chance(30)) return;
    parameters_.emplace_back("U: type = T");
    generic_->name = "U";
  }

  void size_parameter(const std::string& name) {
    std::string value = fmt::format(" = {}", choices_.between(1, 4));
    if (!sizes_.empty() && choices_.chance(40)) {
      value = fmt::format(" = {} + {}", sizes_.back(), choices_.between(0, 1));
    }
    const bool has_none = choices_.chance(30);
    if (has_none) value = choices_.chance(50) ? "" : " = *";
    if (has_none || choices_.chance(30)) file_.bindings.sizes[name] = choices_.between(1, 4);
    parameters_.push_back(name + ": size" + value);
    sizes_.push_back(name);
    words_.names.push_back({name, index_type()});
  }

  /// Constants are given values that are finite in every type.
  void constant(const std::string& name) {
    const TypeText type = generic_ && choices_.chance(50) ? *generic_ : random_scalar(choices_);
    const bool has_default = choices_.chance(70);
    parameters_.push_back(fmt::format("{}: {}{}", name, type.name,
                                      has_default ? " = " + value_of_constant(type) : ""));
    if (!has_default || choices_.chance(30)) {
      file_.bindings.values.insert_or_assign(name, bound_constant(type));
    }
    words_.names.push_back({name, type});
  }

  std::string value_of_constant(const TypeText& type) {
    const bool whole = type.kind == Kind::integer;
    if (type.kind == Kind::boolean) return choices_.pick<std::string>({"true", "(1 < 2)"});
    if (whole) return choices_.pick<std::string>({"7", "2 * 3 - 1", "(if 1 < 2 then 3 else 4)"});
    return choices_.pick<std::string>({"0.1", "1.0 / 3.0", "2", "(if 2 > 1 then 0.5 else 3)"});
  }

  scalar::Expr bound_constant(const TypeText& type) {
    if (type.kind == Kind::boolean) {
      return scalar::literal(scalar::Scalar::boolean, scalar::Value::integer(1));
    }
    return type.kind == Kind::floating && choices_.chance(70) ? scalar::decimal(0.1)
                                                              : scalar::integer(5);
  }

  // ---- dimensions and views

  void dimension() {
    DimensionText d{std::string(1, static_cast<char>('i' + dimensions_.size())), "", "cc", false};
    d.size = std::to_string(choices_.between(1, 4));
    if (!sizes_.empty() && choices_.chance(60)) d.size = choices_.pick(sizes_);
    words_.names.push_back({d.name, index_type(), true});
    dimensions_.push_back(d);
  }

  std::string index_function(bool has_extents) {
    if (dimensions_.empty()) return std::to_string(choices_.between(0, 2));
    const DimensionText &a = choices_.pick(dimensions_), &b = choices_.pick(dimensions_);
    switch (choices_.between(0, has_extents ? 9 : 8)) {
      case 1:
        return fmt::format("{} + {}", a.name, choices_.between(0, 2));
      case 2:
        return fmt::format("2 * {} + {}", a.name, b.name);
      case 3:
        return fmt::format("{} - 1 - {}", a.size, a.name);
      case 4:
        return fmt::format("({} + {} - 2) + 1 + 2", a.name, choices_.between(0, 3));
      case 5:
        return fmt::format("{} / 2 + {} % 2", a.name, b.name);
      case 6:
        return fmt::format("min({}, {})", a.name, b.name);
      case 7:
        return std::to_string(choices_.between(0, 2));
      case 8:
        return fmt::format("(if {} < 2 then {} else 1)", a.name, b.name);
      case 9:
        return fmt::format("{} * {}", a.name, b.name);
      default:
        return a.name;
    }
  }

  std::string extents(size_t rank) {
    std::vector<std::string> texts;
    for (size_t e = 0; e < rank; ++e) {
      texts.push_back(sizes_.empty() || choices_.chance(50)
                          ? "31"
                          : fmt::format("{} + {}", choices_.pick(sizes_), 30));
    }
    return "[" + join(texts, ", ") + "]";
  }

  /// Accesses with and without names of their own; these names are those of f's arguments.
  std::string accesses(const std::string& buffer, const std::vector<std::string>& indices,
                       const std::function<void(const std::string&)>& named) {
    std::vector<std::string> texts;
    for (size_t n = 0; n < indices.size(); ++n) {
      const bool own = choices_.chance(30);
      const std::string name = own                   ? fmt::format("{}_{}", buffer, n)
                               : indices.size() == 1 ? buffer
                                                     : fmt::format("{}.{}", buffer, n + 1);
      texts.push_back((own ? name + ": " : "") + indices[n]);
      named(name);
    }
    return join(texts, ", ");
  }

  std::string inp_view() {
    std::vector<std::string> buffers;
    const int64_t count = choices_.between(0, 3);
    for (int64_t b = 0; b < count; ++b) {
      const std::string name = fmt::format("x{}", b);
      const TypeText type = random_type();
      const auto rank = static_cast<size_t>(choices_.between(0, 2));
      const bool declared = rank > 0 && choices_.chance(30);
      std::vector<std::string> indices;
      for (int64_t a = choices_.between(1, 3); a > 0; --a) {
        std::vector<std::string> axes;
        for (size_t e = 0; e < rank; ++e) axes.push_back(index_function(declared));
        indices.push_back("[" + join(axes, ", ") + "]");
      }
      const auto named = [&](const std::string& access) { words_.names.push_back({access, type}); };
      const std::string all = accesses(name, indices, named);
      const std::string extent = declared ? extents(rank) : "";
      buffers.push_back(fmt::format("{}: {}{} = {}", name, type.name, extent, all));
    }
    return buffers.empty() ? "inp_view()" : "inp_view( " + join(buffers, "; ") + " )";
  }

  // ---- results

  void choose_results() {
    const int64_t count = choices_.between(1, 2);
    for (int64_t b = 0; b < count; ++b) {
      result_types_.push_back(writable_type());
      access_counts_.push_back(choices_.chance(25) ? 2 : 1);
    }
  }

  /// The concatenated dimensions in any order; several accesses lie side by side.
  std::string out_view() {
    std::vector<std::string> buffers;
    size_t result = 0;
    for (size_t b = 0; b < result_types_.size(); ++b) {
      std::vector<std::string> axes, indices;
      for (const DimensionText& d : dimensions_) {
        if (d.reduced) continue;
        axes.push_back(choices_.chance(20) ? fmt::format("2 * {} + 1", d.name) : d.name);
      }
      choices_.shuffle(axes);
      for (int n = 0; n < access_counts_[b]; ++n) {
        std::vector<std::string> own = axes;
        if (access_counts_[b] > 1) own.push_back(std::to_string(n));
        indices.push_back("[" + join(own, ", ") + "]");
      }
      const size_t rank = axes.size() + (access_counts_[b] > 1 ? 1 : 0);
      const std::string declared = rank > 0 && choices_.chance(20) ? extents(rank) : "";
      // Operators know results by name: it is chosen by choose_combination().
      std::vector<std::string> texts;
      for (const std::string& index : indices) {
        const Result& r = results_[result++];
        const bool own = r.name.find('_') != std::string::npos;
        texts.push_back(own ? r.name + ": " + index : index);
      }
      buffers.push_back(
          fmt::format("y{}: {}{} = {}", b, result_types_[b].name, declared, join(texts, ", ")));
    }
    return join(buffers, "; ");
  }

  void name_results() {
    for (size_t b = 0; b < result_types_.size(); ++b) {
      const std::vector<std::string> blank(static_cast<size_t>(access_counts_[b]));
      accesses(fmt::format("y{}", b), blank, [&](const std::string& name) {
        results_.push_back({name, result_types_[b]});
      });
    }
  }

  // ---- combine operators

  bool can_be_folded(const TypeText& type) const {
    return type.kind != Kind::record || !words_.record_of(type).has_arrays();
  }

  void choose_combination() {
    name_results();
    if (dimensions_.empty()) return;
    const bool foldable = std::all_of(results_.begin(), results_.end(),
                                      [&](const Result& r) { return can_be_folded(r.type); });
    const int64_t kind = choices_.between(0, 3);
    if (kind == 1 && results_.size() == 1) return custom_combination();
    if (kind < 2 || !foldable) return;
    const std::string op = folding();
    for (DimensionText& d : dimensions_) {
      if (!choices_.chance(60)) continue;
      d.reduced = choices_.chance(60);
      d.combine = fmt::format("{}({})", d.reduced ? "pw" : "ps", op);
    }
  }

  /// x ⊕ y of a scalar type, associative and commutative.
  std::string folded(const TypeText& type, const std::string& x, const std::string& y) {
    const auto text = [&](const char* form) { return fmt::format(fmt::runtime(form), x, y); };
    if (type.kind == Kind::boolean) {
      return text(choices_.pick<const char*>({"{} && {}", "{} || {}", "{} != {}"}));
    }
    if (type.kind == Kind::floating) {
      return text(choices_.pick<const char*>({"min({}, {})", "max({1}, {0})", "{0} + {1}"}));
    }
    return text(choices_.pick<const char*>({"{0} + {1}", "max({1}, {0})", "{0} + {1} + {0} * {1}",
                                            "if {0} < {1} then {0} else {1}", "{1} ^ {0}"}));
  }

  std::string folded_any(const TypeText& type, const std::string& x, const std::string& y) {
    if (type.kind != Kind::record) return folded(type, x, y);
    std::vector<std::string> fields;
    for (const FieldText& f : words_.record_of(type).fields) {
      fields.push_back(
          fmt::format("{} = {}", f.name, folded(f.type, x + "." + f.name, y + "." + f.name)));
    }
    return fmt::format("{}{{ {} }}", type.name, join(fields, ", "));
  }

  std::string built_in(const TypeText& type) {
    if (type.kind == Kind::boolean) return choices_.pick<std::string>({"and", "or", "xor"});
    if (type.kind == Kind::floating) return choices_.pick<std::string>({"add", "min", "max"});
    return choices_.pick<std::string>({"add", "mul", "min", "max", "and", "or", "xor"});
  }

  /// One operator for all results, or one for each: built in or defined here.
  std::string folding() {
    if (choices_.chance(30)) return operator_on_all();
    std::vector<std::string> names;
    for (size_t n = 0; n < results_.size(); ++n) {
      const TypeText& type = results_[n].type;
      const bool user = type.kind == Kind::record || choices_.chance(40);
      names.push_back(user ? operator_on(type, fmt::format("o{}", n)) : built_in(type));
    }
    return join(names, ", ");
  }

  std::string operator_on(const TypeText& type, const std::string& name) {
    const std::string value = folded_any(type, "l", "r");
    definitions_ +=
        fmt::format("op {}(l, r) {}\n", name,
                    choices_.chance(50) ? "= " + value + ";" : "{ t = " + value + "; return t; }");
    return name;
  }

  std::string operator_on_all() {
    if (results_.size() == 1) return operator_on(results_[0].type, "all");
    std::string body;
    for (const Result& r : results_) {
      body += fmt::format(" {} = {};", r.name, folded_any(r.type, "l." + r.name, "r." + r.name));
    }
    definitions_ += fmt::format("op all(l, r) {{{} }}\n", body);
    return "all";
  }

  void custom_combination() {
    DimensionText& d = dimensions_[static_cast<size_t>(
        choices_.between(0, static_cast<int64_t>(dimensions_.size()) - 1))];
    d.combine = "own";
    const bool number = results_[0].type.kind == Kind::integer;
    switch (number ? choices_.between(0, 2) : 0) {
      case 0:
        definitions_ += "combine own(x): same = if in_lhs(x) then lhs[x] else rhs[x];\n";
        return;
      case 1:
        definitions_ += "combine own(x): zero { a = lhs[x]; return min(a, rhs[0]); }\n";
        d.reduced = true;
        return;
      default:
        definitions_ +=
            "combine own(x): same { a = last_lhs(x); b = last_rhs(x);\n"
            "  return if a < 0 then rhs[b] else if b < 0 then lhs[a] else lhs[a] + rhs[b]; }\n";
    }
  }

  // ---- md_hom

  std::string md_hom() {
    std::vector<std::string> texts;
    for (const DimensionText& d : dimensions_) {
      texts.push_back(fmt::format("{}: {} by {}", d.name, d.size, d.combine));
    }
    return texts.empty() ? "md_hom()" : "md_hom( " + join(texts, ", ") + " )";
  }

  /// Lets and results, each result once, in any order.
  std::string assignments() {
    std::string text;
    choices_.shuffle(results_);
    int lets = 0;
    for (const Result& r : results_) {
      while (lets < 4 && choices_.chance(40)) text += let(fmt::format("v{}", lets++));
      text += fmt::format("{} = {}; ", r.name, writer_.write(r.type, 3));
    }
    return text;
  }

  Choices& choices_;
  Vocabulary words_;
  ExpressionWriter writer_;
  RandomFile file_;
  std::string definitions_;
  std::optional<TypeText> generic_;  // T, or U
  std::vector<std::string> parameters_, sizes_;
  std::vector<DimensionText> dimensions_;
  std::vector<TypeText> result_types_;  // of each output
  std::vector<int> access_counts_;
  std::vector<Result> results_;  // of all accesses of all outputs
};

}  // namespace

RandomFile random_file(Choices& choices) { return FileWriter(choices).run(); }

std::vector<scalar::Function> functions_of(const hl::Program& p) {
  std::vector<scalar::Function> functions = {hl::scalar_function(p)};
  if (!hl::has_custom_operator(p)) functions.push_back(hl::combine_function(p));
  return functions;
}

std::vector<scalar::Function> random_functions(Choices& choices) {
  const RandomFile file = random_file(choices);
  try {
    return functions_of(hl::instantiate(hl::parse(file.text), file.bindings));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace mdh::test
