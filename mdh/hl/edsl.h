// The embedded form of programs: C++ that reads like the paper. `*` is function composition.
//
//   Program matvec(Type T, Size I, Size K) {
//     return out_view(buffer("w", T).at([](Index i, Index) { return index(i); }))
//          * md_hom({{"i", I}, {"k", K}}, [](Scalars in) { return in["M"] * in["v"]; }, {cc(),
//          pw(add)})
//          * inp_view(buffer("M", T).at([](Index i, Index k) { return index(i, k); }),
//                     buffer("v", T).at([](Index, Index k) { return index(k); }));
//   }
//
// The lambdas are traced once into scalar expressions; the result is the same value that the text
// form gives.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mdh/hl/program.h"

namespace mdh::hl::edsl {

using scalar::Scalar;
using scalar::Type;
using Size = int64_t;

constexpr Scalar i8 = Scalar::i8, i16 = Scalar::i16, i32 = Scalar::i32, i64 = Scalar::i64;
constexpr Scalar u8 = Scalar::u8, u16 = Scalar::u16, u32 = Scalar::u32, u64 = Scalar::u64;
constexpr Scalar f16 = Scalar::f16, bf16 = Scalar::bf16, f32 = Scalar::f32, f64 = Scalar::f64;

/// A traced value: an index in an index function, a scalar in f.
class Term {
 public:
  Term(int value) : expr_(scalar::integer(value)) {}      // NOLINT(google-explicit-constructor)
  Term(int64_t value) : expr_(scalar::integer(value)) {}  // NOLINT(google-explicit-constructor)
  Term(double value) : expr_(scalar::decimal(value)) {}   // NOLINT(google-explicit-constructor)
  explicit Term(Expr expr) : expr_(std::move(expr)) {}
  const Expr& expr() const { return expr_; }

 private:
  Expr expr_;
};

using Index = Term;

Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator%(const Term& a, const Term& b);
Term operator-(const Term& a);
Term operator<(const Term& a, const Term& b);
Term operator>(const Term& a, const Term& b);
Term operator==(const Term& a, const Term& b);
Term min(const Term& a, const Term& b);
Term max(const Term& a, const Term& b);
Term select(const Term& condition, const Term& then, const Term& otherwise);
Term cast(Type type, const Term& a);
Term operator<=(const Term& a, const Term& b);
Term operator>=(const Term& a, const Term& b);
Term operator&&(const Term& a, const Term& b);
Term operator||(const Term& a, const Term& b);

/// A function of mathematics by its name in the text form: math("sqrt", x).
Term math(const std::string& name, const Term& a);

/// A constant of a given type, rounded to it.
Term constant(Scalar type, double value);

// ---- views

using IndexTuple = std::vector<Term>;
using IndexFunction = std::function<IndexTuple(const std::vector<Index>&)>;

template <class... T>
IndexTuple index(T... terms) {
  return {Term(terms)...};
}

/// A buffer and its accesses.
class View {
 public:
  View(std::string name, Type type, Location where);

  /// An access that f knows by the buffer's name, or by number if there are several.
  template <class F>
  View at(F function) const {
    return with_access("", traced(function, &F::operator()));
  }

  /// An access with a name of its own.
  template <class F>
  View at(std::string name, F function) const {
    return with_access(std::move(name), traced(function, &F::operator()));
  }

  /// Extents larger than those that follow from the accesses.
  View extents(std::vector<Size> declared) const;

  struct NamedAccess {
    std::string name;
    IndexFunction function;
    size_t arity;
  };
  std::string name;
  Type type;
  std::vector<Size> declared;
  std::vector<NamedAccess> accesses;
  Location where;

 private:
  View with_access(std::string name, std::pair<IndexFunction, size_t> function) const;

  /// A lambda on n indices as a function on a list of them.
  template <class F, class... Indices>
  static std::pair<IndexFunction, size_t> traced(F function, IndexTuple (F::*)(Indices...) const) {
    return {[function](const std::vector<Index>& at) {
              return apply(function, at, std::index_sequence_for<Indices...>());
            },
            sizeof...(Indices)};
  }

  template <class F, size_t... n>
  static IndexTuple apply(const F& function, const std::vector<Index>& at,
                          std::index_sequence<n...>) {
    return function(at[n]...);
  }
};

View buffer(std::string name, Type type, const char* file = __builtin_FILE(),
            int line = __builtin_LINE());

struct InpView {
  std::vector<View> buffers;
};
struct OutView {
  std::vector<View> buffers;
};

template <class... V>
OutView out_view(V... views) {
  return {{std::move(views)...}};
}
template <class... V>
InpView inp_view(V... views) {
  return {{std::move(views)...}};
}

// ---- md_hom

/// What f sees: the accesses by name (or buffer and 1-based number), the indices of the point by
/// dimension.
class Scalars {
 public:
  explicit Scalars(std::function<Expr(const std::string&)> find) : find_(std::move(find)) {}
  Term operator[](const std::string& name) const { return Term(find_(name)); }
  Term operator()(const std::string& buffer, int number) const;

 private:
  std::function<Expr(const std::string&)> find_;
};

using Outputs = std::vector<std::pair<std::string, Term>>;

/// Several results: outputs({{"s", a}, {"p", b}}).
inline Outputs outputs(Outputs results) { return results; }

/// f returns one value for the only output, or named outputs.
class ScalarFunction {
 public:
  template <class F>
  ScalarFunction(F f)  // NOLINT(google-explicit-constructor): lambdas are scalar functions
      : call_([f](const Scalars& in) { return as_outputs(f(in)); }) {}
  Outputs operator()(const Scalars& in) const { return call_(in); }

 private:
  static Outputs as_outputs(Outputs results) { return results; }
  static Outputs as_outputs(const Term& only) { return {{"", only}}; }
  std::function<Outputs(const Scalars&)> call_;
};

struct NamedOperator {
  const char* name;
};
constexpr NamedOperator add{"add"}, mul{"mul"}, least{"min"}, greatest{"max"};
constexpr NamedOperator bitwise_and{"and"}, bitwise_or{"or"}, bitwise_xor{"xor"};

CombineOperator cc();
CombineOperator pw(NamedOperator op);
CombineOperator pw(std::initializer_list<NamedOperator> ops);
CombineOperator ps(NamedOperator op);

struct MdHom {
  std::vector<std::pair<std::string, Size>> dimensions;
  ScalarFunction f;
  std::vector<CombineOperator> operators;
  Location where;
};

MdHom md_hom(std::vector<std::pair<std::string, Size>> dimensions, ScalarFunction f,
             std::vector<CombineOperator> operators, const char* file = __builtin_FILE(),
             int line = __builtin_LINE());

// ---- composition

struct OutOfMdHom {
  OutView out;
  MdHom hom;
};
inline OutOfMdHom operator*(OutView out, MdHom hom) { return {std::move(out), std::move(hom)}; }

/// Builds, types and verifies the program. Errors carry the C++ file and line of the buffer or
/// md_hom.
Program operator*(const OutOfMdHom& left, const InpView& inp);

/// Programs are called "program" until they are given a name.
Program named(std::string name, Program p);

}  // namespace mdh::hl::edsl
