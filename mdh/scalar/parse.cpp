#include "mdh/scalar/parse.h"

#include <charconv>
#include <limits>

#include "mdh/scalar/operator_table.h"

namespace mdh::scalar {
namespace {

constexpr int weakest = 0;

/// Operators are read by precedence climbing over operator_table(); deep nesting is refused instead
/// of overflowing the stack.
class Parser {
 public:
  explicit Parser(TokenStream& tokens) : tokens_(tokens) {}

  Expr expression() {
    const Depth guard(*this);
    if (tokens_.at("loop") && tokens_.peek(1).text == "(") return loop_expression();
    if (!tokens_.at("if")) return binary_level(weakest);
    const Location where = tokens_.next().where;
    Expr condition = expression();
    tokens_.expect("then", "after the condition of 'if'");
    Expr then = expression();
    tokens_.expect("else", "after the first branch of 'if'");
    return select(std::move(condition), std::move(then), expression(), where);
  }

  Expr binary_level(int strength) {
    Expr left = unary_level();
    for (;;) {
      const OperatorRow* row = find_infix(tokens_.peek().text);
      if (!row || row->strength < strength || tokens_.peek().kind != Token::Kind::symbol)
        return left;
      // Trees of a sum are as deep as it is long, and all functions on trees are recursive.
      if (++operators_ > 1000) tokens_.fail("a simpler expression", "(too many operators)");
      const Location where = tokens_.next().where;
      left = binary(row->op, std::move(left), binary_level(row->strength + 1), where);
    }
  }

  /// NAME "=" expr {"," NAME "=" expr}
  std::vector<Binding> set() {
    std::vector<Binding> bindings;
    do {
      const Token name = tokens_.expect_name("of a value");
      tokens_.expect("=", fmt::format("after '{}'", name.text));
      bindings.push_back({local(name.text), expression()});
    } while (tokens_.accept(","));
    return bindings;
  }

 private:
  Expr loop_expression() {
    const Location where = tokens_.next().where;
    tokens_.expect("(", "after loop");
    std::vector<Binding> initial = set();
    tokens_.expect(")", "after the initial values");
    tokens_.expect("while", "after the initial values");
    tokens_.expect("(", "before the condition");
    Expr condition = expression();
    tokens_.expect(")", "after the condition");
    tokens_.expect("{", "before the updates");
    std::vector<Binding> updates = set();
    tokens_.expect("}", "after the updates");
    tokens_.expect("yield", "after the updates");
    return loop({std::move(initial), std::move(condition), std::move(updates), expression()},
                where);
  }

  /// Bounds the recursion: every way back into the grammar passes here.
  struct Depth {
    explicit Depth(Parser& parser) : parser(parser) {
      if (++parser.depth_ > 400) parser.tokens_.fail("a simpler expression", "(nested too deeply)");
    }
    ~Depth() { --parser.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser;
  };

  Expr unary_level() {
    const Depth guard(*this);
    const Location where = tokens_.peek().where;
    // The least i64 is the one number whose magnitude is not an i64.
    if (tokens_.at("-") && tokens_.peek(1).text == "9223372036854775808") {
      tokens_.next();
      return integer(std::numeric_limits<int64_t>::min(), tokens_.next().where);
    }
    if (tokens_.accept("-")) return unary(UnaryOp::negate, unary_level(), where);
    if (tokens_.accept("!")) return unary(UnaryOp::logical_not, unary_level(), where);
    if (tokens_.accept("~")) return unary(UnaryOp::bit_not, unary_level(), where);
    return postfix();
  }

  Expr postfix() {
    Expr e = primary();
    for (;;) {
      const Location where = tokens_.peek().where;
      if (tokens_.accept("[")) {
        e = element_of(std::move(e), expression(), where);
        tokens_.expect("]", "after the index");
      } else if (tokens_.accept(".")) {
        e = field_of(std::move(e), numbered(tokens_.expect_name("of a field").text), where);
      } else {
        return e;
      }
      if (++operators_ > 1000) tokens_.fail("a simpler expression", "(too many operators)");
    }
  }

  Expr primary() {
    const Token token = tokens_.peek();
    if (token.kind == Token::Kind::integer) return integer_literal(tokens_.next());
    if (token.kind == Token::Kind::decimal) return decimal_literal(tokens_.next());
    if (tokens_.accept("(")) {
      Expr inner = expression();
      tokens_.expect(")", "to close the parenthesis");
      return inner;
    }
    if (token.kind != Token::Kind::name) tokens_.fail("an expression", "here");
    return named(tokens_.next());
  }

  static Expr integer_literal(const Token& token) {
    uint64_t value = 0;
    const char* end = token.text.data() + token.text.size();
    if (std::from_chars(token.text.data(), end, value).ec != std::errc()) {
      user_error("E104", token.where,
                 fmt::format("the integer {} does not fit 64 bits", token.text),
                 "write a decimal literal, such as 1e30, for a floating-point value");
    }
    // Where the sign bit is set only a u64 is meant; undecided literals are signed.
    const bool fits = value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return literal(fits ? Type(Undecided::integer) : Type(Scalar::u64), Value{value}, token.where);
  }

  static Expr decimal_literal(const Token& token) {
    double value = 0;
    const char* end = token.text.data() + token.text.size();
    if (std::from_chars(token.text.data(), end, value).ec != std::errc()) {
      user_error("E105", token.where, fmt::format("the number {} is out of range", token.text),
                 "the largest f64 is about 1.8e308");
    }
    return decimal(value, token.where);
  }

  Expr named(const Token& name) {
    if (name.text == "true" || name.text == "false") {
      return literal(Scalar::boolean, Value::integer(name.text == "true" ? 1 : 0), name.where);
    }
    if (tokens_.accept("(")) return call(name);
    if (tokens_.at("{") && tokens_.peek(1).kind == Token::Kind::name &&
        tokens_.peek(2).text == "=") {
      return record(name);
    }
    return variable({numbered(name.text), -1}, Undecided::name, name.where);
  }

  /// x.2: the second of several unnamed accesses of buffer x; l.x.2 in an operator on all outputs.
  std::string numbered(const std::string& name) {
    if (!tokens_.at(".") || tokens_.peek(1).kind != Token::Kind::integer) return name;
    tokens_.next();
    return name + "." + tokens_.next().text;
  }

  Expr record(const Token& name) {
    tokens_.next();
    Make fields{name.text, set()};
    tokens_.expect("}", fmt::format("after the fields of '{}'", name.text));
    return make(Undecided::name, std::move(fields), name.where);
  }

  Expr call(const Token& name) {
    Call parts{name.text, {}, nullptr};
    if (!tokens_.accept(")")) {
      do {
        parts.arguments.push_back(expression());
      } while (tokens_.accept(","));
      tokens_.expect(")", fmt::format("after the arguments of '{}'", name.text));
    }
    return scalar::call(std::move(parts), Undecided::name, name.where);
  }

  TokenStream& tokens_;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

Expr parse_expression(TokenStream& tokens) { return Parser(tokens).expression(); }

Expr parse_sum(TokenStream& tokens) {
  return Parser(tokens).binary_level(find_infix("+")->strength);
}

Expr parse_expression(std::string_view text, const std::string& file) {
  TokenStream tokens(text, file);
  Expr e = parse_expression(tokens);
  if (tokens.peek().kind != Token::Kind::end) tokens.fail("the end", "of the expression");
  return e;
}

}  // namespace mdh::scalar
