// Scalar code of the embedded form: terms, and what they may use beyond operators.
//
//   const Record person = record("person", {{"id", i32}, {"born", i16, 3}});
//   const Function same_day = fun("same_day", {{"a", person}, {"b", person}}, boolean,
//                                 [](Term a, Term b) {
//     return loop({{"k", 0}, {"same", true}}, [&](Term k, Term same) {
//       return LoopBody{.condition = k < 3,
//                       .updates = {{"same", same && a["born"][k] == b["born"][k]}, {"k", k + 1}},
//                       .result = same};
//     });
//   });
//
// Lambdas are traced once. Terms mention names, as text does, and are resolved by the same rules:
// what text refuses is refused here.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mdh/hl/program.h"

namespace mdh::hl::edsl {

using scalar::Scalar;
using scalar::Type;
using Size = int64_t;

constexpr Scalar boolean = Scalar::boolean;
constexpr Scalar i8 = Scalar::i8, i16 = Scalar::i16, i32 = Scalar::i32, i64 = Scalar::i64;
constexpr Scalar u8 = Scalar::u8, u16 = Scalar::u16, u32 = Scalar::u32, u64 = Scalar::u64;
constexpr Scalar f16 = Scalar::f16, bf16 = Scalar::bf16, f32 = Scalar::f32, f64 = Scalar::f64;

/// A traced value: an index in an index function, a scalar or a record in f. It remembers the lets
/// it depends on.
class Term {
 public:
  using Lets = std::vector<scalar::Assignment>;

  Term(int value) : expr_(scalar::integer(value)) {}      // NOLINT(google-explicit-constructor)
  Term(int64_t value) : expr_(scalar::integer(value)) {}  // NOLINT(google-explicit-constructor)
  Term(double value) : expr_(scalar::decimal(value)) {}   // NOLINT(google-explicit-constructor)
  template <std::same_as<bool> B>                         // a pointer is no bool
  Term(B value)                                           // NOLINT(google-explicit-constructor)
      : expr_(scalar::literal(boolean, scalar::Value::integer(value ? 1 : 0))) {}
  explicit Term(Expr expr, Lets lets = {}) : expr_(std::move(expr)), lets_(std::move(lets)) {}

  const Expr& expr() const { return expr_; }
  const Lets& lets() const { return lets_; }

  /// A field of a record, t["weight"], or an element of an array field, t["born"][k].
  Term field(const std::string& name) const;
  Term operator[](const char* name) const { return field(name); }
  Term operator[](const Term& index) const;
  Term operator[](int index) const { return (*this)[Term(index)]; }
  Term operator[](int64_t index) const { return (*this)[Term(index)]; }

 private:
  Expr expr_;
  Lets lets_;
};

using Index = Term;
using NamedTerms = std::vector<std::pair<std::string, Term>>;

/// A lambda on n terms, as a function on a list of them.
template <class Result>
class Lambda {
 public:
  template <class F>
  Lambda(F f) : Lambda(f, &F::operator()) {}  // NOLINT(google-explicit-constructor)
  Result operator()(const std::vector<Term>& terms) const { return call_(terms); }
  size_t arity() const { return arity_; }

 private:
  template <class F, class R, class... Terms>
  Lambda(F f, R (F::*)(Terms...) const)
      : call_([f](const std::vector<Term>& terms) {
          return apply(f, terms, std::index_sequence_for<Terms...>());
        }),
        arity_(sizeof...(Terms)) {}

  template <class F, size_t... n>
  static Result apply(const F& f, const std::vector<Term>& terms, std::index_sequence<n...>) {
    return f(terms[n]...);
  }

  std::function<Result(const std::vector<Term>&)> call_;
  size_t arity_;
};

// ---- operators

Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator%(const Term& a, const Term& b);
Term operator<(const Term& a, const Term& b);
Term operator>(const Term& a, const Term& b);
Term operator<=(const Term& a, const Term& b);
Term operator>=(const Term& a, const Term& b);
Term operator==(const Term& a, const Term& b);
Term operator!=(const Term& a, const Term& b);
Term operator&&(const Term& a, const Term& b);
Term operator||(const Term& a, const Term& b);
Term operator&(const Term& a, const Term& b);
Term operator|(const Term& a, const Term& b);
Term operator^(const Term& a, const Term& b);
Term operator<<(const Term& a, const Term& b);
Term operator>>(const Term& a, const Term& b);
Term operator-(const Term& a);
Term operator!(const Term& a);
Term operator~(const Term& a);
Term min(const Term& a, const Term& b);
Term max(const Term& a, const Term& b);
Term select(const Term& condition, const Term& then, const Term& otherwise);
Term cast(Type type, const Term& a);

/// Functions of mathematics by their name in the text form: math("sqrt", x), math("pow", x, y).
Term math(const std::string& name, const Term& a);
Term math(const std::string& name, const Term& a, const Term& b);

/// A constant of a given type, rounded to it.
Term constant(Scalar type, double value);

/// A name for a value that is computed once and used several times. Lets come in the order in
/// which they are used.
Term let(const std::string& name, const Term& value, const char* file = __builtin_FILE(),
         int line = __builtin_LINE());

// ---- loops

/// What a loop does with its variables: while (condition) { updates } yield result. Updates are
/// simultaneous.
struct LoopBody {
  Term condition;
  NamedTerms updates;
  Term result;
};

/// The lambda gets the variables in the order of their initial values.
Term loop(const NamedTerms& initial, const Lambda<LoopBody>& body,
          const char* file = __builtin_FILE(), int line = __builtin_LINE());

// ---- records

/// A type with fields, and how values of it are made: best({{"id", i}, {"weight", w}}).
class Record {
 public:
  explicit Record(scalar::Record record) : type_(std::move(record)) {}
  operator Type() const { return type_; }  // NOLINT(google-explicit-constructor): it is a type
  Term operator()(const NamedTerms& fields) const;

 private:
  Type type_;
};

/// Fields are {name, type} or, for arrays, {name, type, length}.
Record record(std::string name, const std::vector<scalar::Field>& fields,
              const char* file = __builtin_FILE(), int line = __builtin_LINE());

// ---- functions

/// A function of the user. Programs that call it define it.
class Function {
 public:
  explicit Function(scalar::Function definition);

  template <class... T>
  Term operator()(const T&... arguments) const {
    return call({Term(arguments)...});
  }

 private:
  Term call(const std::vector<Term>& arguments) const;
  std::shared_ptr<const scalar::Function> definition_;
};

Function fun(const std::string& name, const std::vector<std::pair<std::string, Type>>& parameters,
             const Type& result, const Lambda<Term>& body, const char* file = __builtin_FILE(),
             int line = __builtin_LINE());

}  // namespace mdh::hl::edsl
