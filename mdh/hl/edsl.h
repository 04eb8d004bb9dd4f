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
// form gives. Records, functions and operators are C++ values (term.h, op and combine below): a
// program defines those that it uses, in the order in which it first mentions them.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/hl/term.h"

namespace mdh::hl::edsl {

// ---- views

using IndexTuple = std::vector<Term>;

template <class... T>
IndexTuple index(T... terms) {
  return {Term(terms)...};
}

/// A buffer and its accesses.
class View {
 public:
  View(std::string name, Type type, Location where);

  /// An access that f knows by the buffer's name, or by number if there are several.
  View at(Lambda<IndexTuple> function) const { return at("", std::move(function)); }

  /// An access with a name of its own.
  View at(std::string access, Lambda<IndexTuple> function) const;

  /// Extents larger than those that follow from the accesses.
  View extents(std::vector<Size> sizes) const;

  struct NamedAccess {
    std::string name;
    Lambda<IndexTuple> function;
  };
  std::string name;
  Type type;
  std::vector<Size> declared;
  std::vector<NamedAccess> accesses;
  Location where;
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
  Term operator[](const std::string& name) const;
  Term operator()(const std::string& buffer, int number) const;
};

using Outputs = NamedTerms;

/// Several results: outputs({{"s", a}, {"p", b}}).
inline Outputs outputs(Outputs results) { return results; }

/// What f or an operator returns: one value for the only output, or named outputs.
struct Results {
  template <std::convertible_to<Term> T>
  Results(const T& only) : values{{"", Term(only)}} {}  // NOLINT(google-explicit-constructor)
  Results(Outputs named) : values(std::move(named)) {}  // NOLINT(google-explicit-constructor)
  Outputs values;                                       // the only one has no name
};

using ScalarFunction = std::function<Results(const Scalars&)>;

// ---- combine operators

struct NamedOperator {
  const char* name;
};
constexpr NamedOperator add{"add"}, mul{"mul"}, least{"min"}, greatest{"max"};
constexpr NamedOperator bitwise_and{"and"}, bitwise_or{"or"}, bitwise_xor{"xor"};

/// ⊕: built in, or defined with op().
class Operator {
 public:
  Operator(NamedOperator op) : name(op.name) {}  // NOLINT(google-explicit-constructor)
  Operator(std::string name, Definitions needs);
  std::string name;
  Definitions needs;  // itself and what it calls
};

/// ⊕ of the user, on scalars and records, or on several outputs by their names:
///
///   const Operator larger = op("larger", [](Term l, Term r) {
///     const Term left = let("left", l["value"] >= r["value"]);
///     return outputs({{"value", select(left, l["value"], r["value"])}, ...});
///   });
Operator op(const std::string& name, const std::function<Results(Term l, Term r)>& body,
            const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// ⊛ of one dimension.
struct Combine {
  CombineOperator op;
  Definitions needs = {};
};

Combine cc();
Combine pw(const Operator& op);
Combine pw(std::initializer_list<Operator> ops);
Combine ps(const Operator& op);
Combine ps(std::initializer_list<Operator> ops);

/// An operand of a combine operator of the user: an element, whether there is one at an index, and
/// the greatest index that is not above it, or -1.
class Operand {
 public:
  explicit Operand(std::string side) : side_(std::move(side)) {}
  Term operator[](const Index& x) const;
  Term has(const Index& x) const;
  Term last(const Index& x) const;

 private:
  std::string side_;
};

/// Which indices a combination has: those of both sides, or only 0.
enum class IndexSet { same, zero };

/// ⊛ of the user on whole MDAs, by its element at index x:
///
///   combine("side_by_side", IndexSet::same, [](Index x, Operand lhs, Operand rhs) {
///     return select(lhs.has(x), lhs[x], rhs[x]);
///   })
Combine combine(const std::string& name, IndexSet indices,
                const std::function<Term(Index x, Operand lhs, Operand rhs)>& body,
                const char* file = __builtin_FILE(), int line = __builtin_LINE());

// ---- composition

struct MdHom {
  std::vector<std::pair<std::string, Size>> dimensions;
  ScalarFunction f;
  std::vector<Combine> operators;
  Location where;
};

MdHom md_hom(std::vector<std::pair<std::string, Size>> dimensions, ScalarFunction f,
             std::vector<Combine> operators, const char* file = __builtin_FILE(),
             int line = __builtin_LINE());

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
