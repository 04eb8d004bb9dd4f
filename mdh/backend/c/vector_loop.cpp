// Loops in lockstep: the part of VectorText that prints statements with more than one line.
//
// All lanes run until none of them wants to. A lane that has left never comes back: its bit in the
// mask is only ever cleared. What it computes from then on is of no interest, so that variables run
// on freely, except those that the result mentions, which keep their value. What is the same in all
// lanes that are still running - a counter from a common start - is a scalar, and a condition on it
// alone ends the loop for all.
#include <fmt/format.h>

#include <algorithm>

#include "mdh/backend/c/operation.h"
#include "mdh/backend/c/vector_text.h"
#include "mdh/scalar/free.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using scalar::Binding;
using scalar::Expr;
using scalar::Loop;
using scalar::Scalar;

/// The parts of a && b && c.
void add_parts(const Expr& e, std::vector<Expr>& parts) {
  const auto* b = e.as<scalar::Binary>();
  if (!b || b->op != scalar::BinaryOp::logical_and) {
    parts.push_back(e);
    return;
  }
  add_parts(b->left, parts);
  add_parts(b->right, parts);
}

std::vector<Expr> parts_of(const Expr& e) {
  std::vector<Expr> parts;
  add_parts(e, parts);
  return parts;
}

}  // namespace

/// A variable of a loop.
struct VectorText::State {
  Symbol symbol;
  Scalar type;
  LaneValue initial;
  std::string name;        // while the loop runs
  std::string kept;        // what the result mentions, if that is another variable
  bool is_alike = false;   // in all lanes that run
  bool is_result = false;  // the result mentions it
};

bool VectorText::is_alike(const Expr& e) const {
  const scalar::Variables free = scalar::free_variables(e);
  return std::none_of(free.begin(), free.end(),
                      [&](const auto& v) { return values_.at(v.first).is_vector; });
}

std::string VectorText::printed_alike(const Expr& e) {
  Names names;
  for (const auto& [symbol, type] : scalar::free_variables(e)) {
    names.bind(symbol, {values_.at(symbol).text});
  }
  return printer_.print(e, names);
}

/// A loop that is the same in all lanes runs once, if a lane needs it.
LaneValue VectorText::looped_alike(const Expr& e) {
  const std::string text = printed_alike(e);
  const std::string needed = where_ ? fmt::format("{} ? {} : 0", any(*where_), text) : text;
  return named({needed, false}, e.type(), "loop");
}

LaneValue VectorText::looped(const Loop& l, const Expr& e) {
  if (is_alike(e)) return looped_alike(e);
  std::vector<State> states = states_of(l);
  find_alike(l, states);
  const bool together = is_alike(l.condition);
  for (State& s : states) {
    if (!together && s.is_alike && s.is_result) s.kept = names_.fresh(s.name + "_kept");
  }
  statements_ += declared(states);
  const std::string outside = std::exchange(statements_, "");
  const std::string run = together ? run_together(l, states) : run_apart(l, states);
  statements_ = outside + run;
  for (const State& s : states) {
    if (!s.kept.empty()) bind(s.symbol, {s.kept, true});
  }
  return value(l.result);
}

std::vector<VectorText::State> VectorText::states_of(const Loop& l) {
  std::vector<State> states;
  for (const Binding& b : l.initial) {
    State s{b.symbol, scalar_of(b.value.type()), value(b.value), "", ""};
    s.is_alike = !s.initial.is_vector;
    s.is_result = mentions(l.result, b.symbol);
    states.push_back(s);
  }
  for (State& s : states) s.name = names_.fresh(s.symbol.name);
  return states;
}

/// What begins alike stays so if it is computed from such values only.
void VectorText::find_alike(const Loop& l, std::vector<State>& states) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const State& s : states) bind(s.symbol, {s.name, !s.is_alike});
    for (State& s : states) {
      const auto parts = std::any_of(l.updates.begin(), l.updates.end(), [&](const Binding& b) {
        return b.symbol == s.symbol && !is_alike(b.value);
      });
      if (!s.is_alike || !parts) continue;
      s.is_alike = false;
      changed = true;
    }
  }
}

std::string VectorText::declared(const std::vector<State>& states) {
  std::string text;
  for (const State& s : states) {
    const std::string wide = vector(s.type, s.initial);
    text += s.is_alike
                ? fmt::format("{} {} = {};\n", helpers_.value_type(s.type), s.name, s.initial.text)
                : fmt::format("{} {} = {};\n", type(s.type), s.name, wide);
    if (!s.kept.empty()) text += fmt::format("{} {} = {};\n", type(s.type), s.kept, wide);
  }
  return text;
}

/// All new values are computed before any of them is assigned.
std::string VectorText::updated(const Loop& l, const std::vector<State>& states,
                                const LaneValue* mask) {
  std::string computed, assigned;
  for (const Binding& b : l.updates) {
    const State& s = *std::find_if(states.begin(), states.end(),
                                   [&](const State& s) { return s.symbol == b.symbol; });
    const LaneValue next = value(b.value);
    computed += std::exchange(statements_, "");
    const std::string name = names_.fresh("next_" + s.name);
    computed +=
        fmt::format("const {} {} = {};\n", s.is_alike ? helpers_.value_type(s.type) : type(s.type),
                    name, s.is_alike ? next.text : vector(s.type, next));
    const auto chosen = [&](const std::string& kept) {
      return fmt::format("{}({}, {}, {})", choice(s.type),
                         this->mask(*mask, scalar::bytes_of(s.type)),
                         vector(s.type, {name, !s.is_alike}), kept);
    };
    const bool keeps = mask && s.is_result && !s.is_alike;
    if (!s.kept.empty()) assigned += fmt::format("{} = {};\n", s.kept, chosen(s.kept));
    assigned += fmt::format("{} = {};\n", s.name, keeps ? chosen(s.name) : name);
  }
  return computed + assigned;
}

/// All lanes take the same number of rounds.
std::string VectorText::run_together(const Loop& l, const std::vector<State>& states) {
  std::string condition = printed_alike(l.condition), before;
  if (where_) {
    const std::string runs = names_.fresh("runs");
    before = fmt::format("const _Bool {} = {};\n", runs, any(*where_));
    condition = fmt::format("{} && {}", runs, condition);
  }
  const std::string body = updated(l, states, nullptr);
  return fmt::format("{}while ({}) {{\n{}}}\n", before, condition, indent(body, 2));
}

std::string VectorText::run_apart(const Loop& l, const std::vector<State>& states) {
  const int bytes = std::max(width_of_truth(l.condition), where_ ? where_->mask_bytes : 0);
  const LaneValue running{names_.fresh("running"), true, bytes};
  const LaneValue at_first = where_ ? *where_ : LaneValue{"1", false};
  const std::string begin =
      fmt::format("{} {} = {};\n", type(mask_of_width(bytes)), running.text, mask(at_first, bytes));
  const std::optional<LaneValue> outside = std::exchange(where_, running);
  std::string common, body;
  for (const Expr& part : parts_of(l.condition)) {
    if (is_alike(part) && !scalar::has_loop(part)) {
      common += (common.empty() ? "" : " && ") + printed_alike(part);
      continue;
    }
    const LaneValue holds = value(part);
    body += std::exchange(statements_, "");
    body += fmt::format("{0} = {0} & {1};\n", running.text, mask(holds, bytes));
  }
  body += fmt::format("if (!{}) break;\n", any(running));
  body += updated(l, states, &running);
  where_ = outside;
  return fmt::format("{}{} {{\n{}}}\n", begin,
                     common.empty() ? "for (;;)" : "while (" + common + ")", indent(body, 2));
}

/// Of the comparisons that it consists of.
int VectorText::width_of_truth(const Expr& e) const {
  if (const auto* v = e.as<scalar::Variable>()) return values_.at(v->symbol).mask_bytes;
  const auto* b = e.as<scalar::Binary>();
  if (b && scalar::is_comparison(b->op)) return scalar::bytes_of(b->left.type());
  int widest = 1;
  scalar::for_each_child(e, [&](const Expr& child) {
    if (child.type() == scalar::Type(Scalar::boolean)) {
      widest = std::max(widest, width_of_truth(child));
    }
  });
  return widest;
}

/// Halves are joined until what is left fits into two words.
std::string VectorText::any(const LaneValue& v) {
  if (!v.is_vector) return v.text;
  const Scalar scalar = mask_of_width(v.mask_bytes);
  const std::string name = "mdh_any_" + type(scalar);
  int64_t lanes = lanes_;
  std::string joined = "m", statements;
  while (lanes * v.mask_bytes > 16) {
    lanes /= 2;
    const std::string half = fmt::format("m{}", lanes);
    const std::string at = unaligned_vector_type(helpers_, scalar, lanes);
    statements +=
        fmt::format("  const {0} {1} = ((const {2} *)&{3})[0] | ((const {2} *)&{3})[1];\n",
                    vector_type(helpers_, scalar, lanes), half, at, joined);
    joined = half;
  }
  std::vector<std::string> words;
  if (lanes * v.mask_bytes == 16) {
    const std::string at = unaligned_vector_type(helpers_, Scalar::i64, 2);
    for (int n = 0; n < 2; ++n)
      words.push_back(fmt::format("(*(const {} *)&{})[{}]", at, joined, n));
  } else {
    for (int64_t n = 0; n < lanes; ++n) words.push_back(fmt::format("{}[{}]", joined, n));
  }
  helpers_.define_operation(
      name, fmt::format("static inline _Bool {}({} m) {{\n{}  return ({}) != 0;\n}}", name,
                        type(scalar), statements, join(words, " | ")));
  return fmt::format("{}({})", name, v.text);
}

}  // namespace mdh::backend
