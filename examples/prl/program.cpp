#include "examples/prl/program.h"

namespace mdh::examples {
namespace {

using namespace hl::edsl;  // NOLINT(google-build-using-namespace): the paper's names

/// u holds, in a new record, how frequent its own 14 values are; existing records carry it unused.
Record patient() {
  return record("patient", {{"id", i32},
                            {"surname", i32, 3},
                            {"forename", i32, 3},
                            {"birth_name", i32, 3},
                            {"day", i8},
                            {"month", i8},
                            {"year", i16},
                            {"gender", i8},
                            {"town", i32},
                            {"u", f64, 14}});
}

Record link() { return record("link", {{"id", i32}, {"weight", f64}, {"status", i8}}); }

/// A function on a new and an existing record.
Function of_pair(const std::string& name, Scalar result, const Lambda<Term>& body) {
  return fun(name, {{"a", patient()}, {"b", patient()}}, result, body);
}

Function same_name(const char* field) {
  return of_pair(std::string("same_") + field, boolean, [field](Term a, Term b) {
    return a[field][0] == b[field][0] && a[field][1] == b[field][1] && a[field][2] == b[field][2];
  });
}

Function same_birthday() {
  return of_pair("same_birthday", boolean, [](Term a, Term b) {
    return a["day"] == b["day"] && a["month"] == b["month"] && a["year"] == b["year"];
  });
}

/// Seven stages of blocking: only pairs that agree in one of them are weighed.
Function blocked() {
  return of_pair("blocked", boolean, [](Term a, Term b) {
    const Term surname = let("surname", same_name("surname")(a, b));
    const Term forename = let("forename", same_name("forename")(a, b));
    const Term birthday = let("birthday", same_birthday()(a, b));
    const Term town = let("town", a["town"] == b["town"]);
    const Term gender = let("gender", a["gender"] == b["gender"]);
    const Term birth_name = let("birth_name", same_name("birth_name")(a, b));
    return (surname && forename && birthday) || (surname && forename && town) ||
           (surname && birthday && gender) || (forename && birthday && town) ||
           (birth_name && forename && birthday) || (birth_name && forename && town) ||
           (surname && a["year"] == b["year"] && gender && town);
  });
}

Function term() {
  return fun("term", {{"same", boolean}, {"m", f64}, {"u", f64}}, f64,
             [](Term same, Term m, Term u) {
               return select(same, math("log2", m / u), math("log2", (1.0 - m) / (1.0 - u)));
             });
}

Function names() {
  return of_pair("names", f64, [](Term a, Term b) {
    return loop({{"k", 0}, {"w", 0.0}}, [&](Term k, Term w) {
      const auto same = [&](const char* name, const Term& n) { return a[name][n] == b[name][n]; };
      const Term agree = select(k < 3, same("surname", k),
                                select(k < 6, same("forename", k - 3), same("birth_name", k - 6)));
      return LoopBody{.condition = k < 9,
                      .updates = {{"w", w + term()(agree, 0.975, a["u"][k])}, {"k", k + 1}},
                      .result = w};
    });
  });
}

Function weight() {
  return of_pair("weight", f64, [](Term a, Term b) {
    const auto agree = [&](const char* field, double m, int n) {
      return term()(a[field] == b[field], m, a["u"][n]);
    };
    return names()(a, b) + agree("day", 0.99, 9) + agree("month", 0.99, 10) +
           agree("year", 0.99, 11) + agree("gender", 0.999, 12) + agree("town", 0.9, 13);
  });
}

/// 0: no match, 1: possible match, 2: match
Function classified() {
  return fun("classified", {{"w", f64}}, i8,
             [](Term w) { return select(w > 45.0, 2, select(w < 15.0, 0, 1)); });
}

/// The weight of a pair and its class.
struct Weighed {
  Term weight, status;
};

Weighed weighed(const Scalars& in) {
  const Term near = let("near", blocked()(in["N"], in["E"]));
  const Term w = let("w", select(near, weight()(in["N"], in["E"]), 0.0));
  return {w, select(near, classified()(w), 0)};
}

InpView patients() {
  return inp_view(buffer("N", patient()).at([](Index i, Index) { return index(i); }),
                  buffer("E", patient()).at([](Index, Index j) { return index(j); }));
}

const auto at_new = [](Index i, Index) { return index(i); };

}  // namespace

hl::Program prl_program(int64_t NN, int64_t NE) {
  // Larger weight first, then smaller index: a total order, hence commutative.
  const Operator better = op("better", [](Term l, Term r) {
    return select(l["weight"] > r["weight"] || (l["weight"] == r["weight"] && l["id"] <= r["id"]),
                  l, r);
  });
  const ScalarFunction f = [](Scalars in) {
    const auto [w, status] = weighed(in);
    return link()({{"id", cast(i32, in["j"])}, {"weight", w}, {"status", status}});
  };
  return named("prl", out_view(buffer("M", link()).at(at_new)) *
                          md_hom({{"i", NN}, {"j", NE}}, f, {cc(), pw(better)}) * patients());
}

hl::Program prl_multi_program(int64_t NN, int64_t NE) {
  // All three results move together.
  const Operator better = op("better", [](Term l, Term r) {
    const Term left = let("left", l["weight_of"] > r["weight_of"] ||
                                      (l["weight_of"] == r["weight_of"] && l["id"] <= r["id"]));
    return outputs({{"id", select(left, l["id"], r["id"])},
                    {"weight_of", select(left, l["weight_of"], r["weight_of"])},
                    {"status", select(left, l["status"], r["status"])}});
  });
  const ScalarFunction f = [](Scalars in) {
    const auto [w, status] = weighed(in);
    return outputs({{"id", cast(i32, in["j"])}, {"weight_of", w}, {"status", status}});
  };
  return named("prl_multi",
               out_view(buffer("id", i32).at(at_new), buffer("weight_of", f64).at(at_new),
                        buffer("status", i8).at(at_new)) *
                   md_hom({{"i", NN}, {"j", NE}}, f, {cc(), pw(better)}) * patients());
}

}  // namespace mdh::examples
