#include "mdh/backend/c/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mdh/backend/c/streaming.h"
#include "mdh/scalar/linear.h"
#include "mdh/scalar/simplify.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Element;
using loop::Expr;
using loop::Stmt;
using scalar::Scalar;

int64_t occurrences(const Expr& e, const Symbol& symbol) {
  const auto* v = e.as<scalar::Variable>();
  int64_t count = v && v->symbol == symbol ? 1 : 0;
  scalar::for_each_child(e, [&](const Expr& child) { count += occurrences(child, symbol); });
  return count;
}

/// How often a function mentions the value among its arguments; one that it ignores counts, too.
/// One that is not printed in place takes it once.
int64_t uses_in(const scalar::Function& f, const std::vector<Symbol>& arguments,
                const Symbol& value) {
  if (!is_plain(f)) return std::count(arguments.begin(), arguments.end(), value);
  int64_t count = 0;
  for (size_t n = 0; n < arguments.size(); ++n) {
    if (arguments[n] != value) continue;
    int64_t here = 0;
    for (const auto& result : f.results) {
      here += occurrences(result.value, f.parameters[n].symbol);
    }
    count += std::max<int64_t>(here, 1);
  }
  return count;
}

int64_t uses_in(const loop::Program& p, const Stmt& s, const Symbol& value) {
  if (const auto* f = s.as<loop::Apply>()) return uses_in(p.f, f->inputs, value);
  if (const auto* sum = s.as<loop::Combine>()) {
    std::vector<Symbol> arguments = sum->left;
    arguments.insert(arguments.end(), sum->right.begin(), sum->right.end());
    return uses_in(p.combine, arguments, value);
  }
  const auto* store = s.as<loop::Store>();
  return store && store->value == value ? 1 : 0;
}

class LanesPrinter {
 public:
  LanesPrinter(const loop::Program& p, const loop::Lanes& s, const RegisterMap& registers,
               ExprPrinter& expressions)
      : program_(p), lanes_(s), registers_(registers), expressions_(expressions) {}

  std::string run() {
    std::string text;
    for (at_ = 0; at_ < lanes_.body.size(); ++at_) text += statement(lanes_.body[at_]);
    return declares_ ? fmt::format("{{\n{}}}\n", indent(text, 2)) : text;
  }

 private:
  /// A value, and the buffers that its text reads.
  struct Value {
    LaneValue is;
    std::set<Symbol> reads = {};
  };

  std::string statement(const Stmt& s) {
    if (const auto* load = s.as<loop::Load>()) return loaded(*load);
    if (const auto* store = s.as<loop::Store>()) return stored(*store);
    if (const auto* f = s.as<loop::Apply>()) {
      std::vector<Value> arguments = values(f->inputs);
      for (const Expr& at : f->point) {
        const Symbol& parameter = program_.f.parameters[arguments.size()].symbol;
        arguments.push_back({mentions(program_.f, parameter) ? index(at) : LaneValue{"0", false}});
      }
      return defined(program_.f, f->results, arguments);
    }
    const auto* sum = s.as<loop::Combine>();
    internal_check(sum != nullptr, "lanes cannot do this in lockstep");
    std::vector<Value> arguments = values(sum->left);
    for (const Value& right : values(sum->right)) arguments.push_back(right);
    return defined(program_.combine, sum->results, arguments);
  }

  // ---- values

  /// What is defined before the lanes is the same in all of them.
  Value value(const Symbol& symbol) const {
    const auto found = values_.find(symbol);
    return found == values_.end() ? Value{{c_name(symbol.name), false}} : found->second;
  }

  std::vector<Value> values(const std::vector<Symbol>& symbols) const {
    std::vector<Value> all;
    for (const Symbol& symbol : symbols) all.push_back(value(symbol));
    return all;
  }

  std::string defined(const scalar::Function& f, const std::vector<Symbol>& results,
                      const std::vector<Value>& arguments) {
    std::vector<LaneValue> given;
    std::set<Symbol> reads;
    for (const Value& argument : arguments) {
      given.push_back(argument.is);
      reads.insert(argument.reads.begin(), argument.reads.end());
    }
    if (!is_plain(f)) return called(f, results, given);
    const std::vector<LaneValue> texts = vector_call(expressions_, f, given, lanes_.count);
    std::string text;
    for (size_t n = 0; n < results.size(); ++n) {
      text += uses_of(results[n]) == 1 && stays(results[n], reads)
                  ? in_place(results[n], {texts[n], reads})
                  : variable(results[n], scalar_of(f.results[n].value.type()), texts[n]);
    }
    return text;
  }

  std::string called(const scalar::Function& f, const std::vector<Symbol>& results,
                     const std::vector<LaneValue>& arguments) {
    const VectorFunction made = vector_function(expressions_, f, arguments, lanes_.count);
    std::vector<std::string> given;
    for (const size_t n : made.passed) given.push_back(arguments[n].text);
    const auto type = [&](size_t n) { return scalar_of(f.results[n].value.type()); };
    if (results.size() == 1) {
      const std::string call = fmt::format("{}({})", made.name, join(given, ", "));
      return variable(results[0], type(0), {call, made.is_vector[0]});
    }
    std::string text;
    for (size_t n = 0; n < results.size(); ++n) {
      const std::string name = c_name(results[n].name);
      text += fmt::format("{} {};\n", made.is_vector[n] ? vector(type(n)) : scalar(type(n)), name);
      values_[results[n]] = {{name, made.is_vector[n]}};
      given.push_back("&" + name);
    }
    declares_ = true;
    return fmt::format("{}{}({});\n", text, made.name, join(given, ", "));
  }

  /// The same in all lanes, or a step further in each.
  LaneValue index(const Expr& e) {
    if (!mentions(e, lanes_.var)) return {"(" + expressions_.print_index(e) + ")", false};
    const auto stride = scalar::coefficient(e, lanes_.var);
    std::vector<std::string> parts;
    for (int64_t n = 0; n < lanes_.count; ++n) {
      parts.push_back(stride ? std::to_string(n * *stride)
                             : expressions_.print_index(in_lane(e, n)));
    }
    const std::string steps = fmt::format("(({}){{{}}})", vector(Scalar::i64), join(parts, ", "));
    if (!stride) return {steps, true};
    return {fmt::format("({} + ({}))", steps, expressions_.print_index(in_lane(e, 0))), true};
  }

  std::string in_place(const Symbol& symbol, const Value& value) {
    values_[symbol] = value;
    return "";
  }

  std::string variable(const Symbol& symbol, Scalar type, const LaneValue& value) {
    const std::string name = c_name(symbol.name);
    values_[symbol] = {{name, value.is_vector}};
    declares_ = true;
    return fmt::format("const {} {} = {};\n", value.is_vector ? vector(type) : scalar(type), name,
                       value.text);
  }

  int64_t uses_of(const Symbol& value) const {
    int64_t count = 0;
    for (const Stmt& s : lanes_.body) count += uses_in(program_, s, value);
    return count;
  }

  /// No statement between here and the last use stores into the buffers.
  bool stays(const Symbol& value, const std::set<Symbol>& buffers) const {
    bool stored = false;
    for (size_t n = at_ + 1; n < lanes_.body.size(); ++n) {
      const Stmt& s = lanes_.body[n];
      if (stored && uses_in(program_, s, value) > 0) return false;
      const auto* store = s.as<loop::Store>();
      stored = stored || (store && buffers.contains(store->to.buffer));
    }
    return true;
  }

  // ---- elements

  std::string loaded(const loop::Load& s) {
    const Scalar type = scalar_of(find_buffer(program_, s.from.buffer).type);
    const LaneValue value = content(s.from, type);
    const bool cheap = registers_.contains(s.from.buffer.name) || uses_of(s.result) == 1;
    const std::set<Symbol> reads = {s.from.buffer};
    if (cheap && stays(s.result, reads)) return in_place(s.result, {value, reads});
    return variable(s.result, type, value);
  }

  bool is_whole(const Element& e) const { return mentions(address_of(program_, e), lanes_.var); }

  LaneValue content(const Element& e, Scalar type) {
    if (!is_whole(e)) return {single(e, 0), false};
    if (const auto whole = whole_vector(e, type, true)) return {*whole, true};
    std::vector<std::string> parts;
    for (int64_t n = 0; n < lanes_.count; ++n) parts.push_back(single(e, n));
    return {fmt::format("(({}){{{}}})", vector(type), join(parts, ", ")), true};
  }

  std::string stored(const loop::Store& s) {
    const Scalar type = scalar_of(find_buffer(program_, s.to.buffer).type);
    const std::string vector_text =
        as_vector(expressions_.definitions(), type, lanes_.count, value(s.value).is);
    if (const auto whole = whole_vector(s.to, type, false)) {
      if (!s.streaming || !can_stream(type, lanes_.count)) {
        return fmt::format("{} = {};\n", *whole, vector_text);
      }
      return fmt::format("{}(&{}, {});\n",
                         streaming_store(expressions_.definitions(), type, lanes_.count),
                         single(s.to, 0), vector_text);
    }
    std::string text = fmt::format("const {} mdh_all = {};\n", vector(type), vector_text);
    for (int64_t n = 0; n < lanes_.count; ++n) {
      text += fmt::format("{} = mdh_all[{}];\n", single(s.to, n), n);
    }
    return fmt::format("{{\n{}}}\n", indent(text, 2));
  }

  /// All lanes at once, if they are the elements of a vector.
  std::optional<std::string> whole_vector(const Element& e, Scalar type, bool reads) {
    const auto registers = registers_.find(e.buffer.name);
    const Expr address = address_of(program_, e);
    const Expr first = in_lane(address, 0);
    for (int64_t n = 1; n < lanes_.count; ++n) {
      if (scalar::distance(first, in_lane(address, n)) != n) return std::nullopt;
    }
    if (registers != registers_.end()) {
      const Registers& r = registers->second;
      if (r.lanes != lanes_.count) return std::nullopt;
      return r.variable(*constant(first) / r.lanes);
    }
    const std::string place =
        fmt::format("{}[{}]", c_name(e.buffer.name), expressions_.print_index(first));
    return fmt::format("*({}{} *)&{}", reads ? "const " : "",
                       unaligned_vector_type(expressions_.definitions(), type, lanes_.count),
                       place);
  }

  std::string single(const Element& e, int64_t lane) {
    const Expr address = in_lane(address_of(program_, e), lane);
    const auto registers = registers_.find(e.buffer.name);
    if (registers != registers_.end()) return registers->second.element(*constant(address));
    return fmt::format("{}[{}]", c_name(e.buffer.name), expressions_.print_index(address));
  }

  Expr in_lane(const Expr& e, int64_t n) const { return with_value(e, lanes_.var, n); }

  // ---- types

  std::string vector(Scalar type) {
    return vector_type(expressions_.definitions(), type, lanes_.count);
  }
  std::string scalar(Scalar type) { return expressions_.value_type(type); }

  const loop::Program& program_;
  const loop::Lanes& lanes_;
  const RegisterMap& registers_;
  ExprPrinter& expressions_;
  std::map<Symbol, Value> values_;
  size_t at_ = 0;
  bool declares_ = false;  // names of its own
};

}  // namespace

std::string print_lanes(const loop::Program& p, const loop::Lanes& s, const RegisterMap& registers,
                        ExprPrinter& expressions) {
  return LanesPrinter(p, s, registers, expressions).run();
}

}  // namespace mdh::backend
