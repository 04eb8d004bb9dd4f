#include "tests/faults/meaning.h"

#include <algorithm>
#include <cmath>

#include "mdh/hl/analysis.h"
#include "mdh/loop/evaluate.h"
#include "mdh/support/diagnostic.h"
#include "tests/property/triples.h"

namespace mdh::test {
namespace {

using scalar::Array;
using scalar::Value;

std::vector<Array> numbered(std::vector<Array> arrays) {
  uint64_t next = 0;
  for (Array& a : arrays) {
    for (Value& cell : a.cells) cell.bits = ++next;
  }
  return arrays;
}

/// What is between the quotes of a complaint.
std::string quoted(const std::string& complaint) {
  const size_t begin = complaint.find('\''), end = complaint.find('\'', begin + 1);
  return end == std::string::npos ? "" : complaint.substr(begin + 1, end - begin - 1);
}

/// What the evaluator complains about.
Verdict verdict_of(const std::string& complaint, const loop::Program& p) {
  const auto says = [&](const char* text) { return complaint.find(text) != std::string::npos; };
  if (says("race:")) return Verdict::race;
  if (!says("is read before it is written")) return Verdict::broken;
  const Symbol named = loop::named(quoted(complaint));
  const loop::Buffer& b = loop::find_buffer(p, named);
  const bool in_memory = b.role == loop::Role::output || b.scope == loop::Scope::all;
  return in_memory ? Verdict::undefined : Verdict::arbitrary;
}

/// Evaluates, and turns complaints into verdicts.
template <class Evaluate>
Verdict judged(const loop::Program& p, Evaluate evaluate) {
  try {
    return evaluate() ? Verdict::same : Verdict::different;
  } catch (const Error& e) {
    return verdict_of(e.diagnostic().message, p);
  } catch (const std::exception&) {  // a value or an index that has no definition any more
    return Verdict::broken;
  }
}

/// The types of the leaves of an element, one after the other.
std::vector<scalar::Scalar> leaf_types(const scalar::Type& type) {
  const scalar::Record* record = type.record();
  if (!record) return {scalar_of(type)};
  std::vector<scalar::Scalar> types;
  for (const scalar::Field& field : record->fields) {
    types.insert(types.end(), static_cast<size_t>(std::max(1, field.count)), field.type);
  }
  return types;
}

/// How far apart two numbers may be for which rounding is an excuse.
struct Slack {
  double share;     // of the larger one
  double absolute;  // whatever they are
};

bool are_apart(Value a, Value b, const Slack& slack) {
  const double x = a.as_floating(), y = b.as_floating();
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) != std::isnan(y);
  if (std::isinf(x) || std::isinf(y)) return x != y;
  return std::abs(x - y) > slack.share * std::max(std::abs(x), std::abs(y)) + slack.absolute;
}

/// Some element is not the same, and not for rounding; floats of a type may have a slack.
template <class SlackOf>
bool are_apart(const Array& a, const Array& b, SlackOf slack_of) {
  if (a.defined != b.defined) return true;
  const std::vector<scalar::Scalar> types = leaf_types(a.type);
  for (size_t n = 0; n < a.cells.size(); ++n) {
    const scalar::Scalar type = types[n % types.size()];
    if (a.defined[n / types.size()] == 0) continue;
    const bool apart = is_floating(type) ? are_apart(a.cells[n], b.cells[n], slack_of(type))
                                         : a.cells[n] != b.cells[n];
    if (apart) return true;
  }
  return false;
}

/// The largest magnitude of all floats.
double largest(const Array& a) {
  const std::vector<scalar::Scalar> types = leaf_types(a.type);
  double most = 0;
  for (size_t n = 0; n < a.cells.size(); ++n) {
    if (a.defined[n / types.size()] == 0 || !is_floating(types[n % types.size()])) continue;
    const double magnitude = std::abs(a.cells[n].as_floating());
    if (std::isfinite(magnitude)) most = std::max(most, magnitude);
  }
  return most;
}

/// Sums in another order differ in the last digits of a double.
bool differ_in_double(const std::vector<Array>& a, const std::vector<Array>& b) {
  for (size_t n = 0; n < a.size(); ++n) {
    const Slack slack{0, 1e-9 * largest(a[n])};
    if (are_apart(a[n], b[n], [&](auto) { return slack; })) return true;
  }
  return false;
}

/// By more than the digits of their types account for.
bool differ_as_declared(const std::vector<Array>& a, const std::vector<Array>& b) {
  for (size_t n = 0; n < a.size(); ++n) {
    const auto slack = [](scalar::Scalar type) { return Slack{16 * epsilon_of(type), 0}; };
    if (are_apart(a[n], b[n], slack)) return true;
  }
  return false;
}

std::vector<Array> in_double(const loop::Program& p, const std::vector<Array>& inputs) {
  scalar::ScalarAlgebra algebra(p.f, p.combine, scalar::Precision::wide);
  return loop::evaluate(p, inputs, algebra);
}

}  // namespace

Meaning::Meaning(const hl::Program& program, const ll::Program& low, const loop::Program& concrete,
                 const std::vector<std::vector<Array>>& data)
    : algebra_(static_cast<int>(hl::leaf_count(program.outputs))) {
  for (const std::vector<Array>& inputs : data) {
    data_.push_back(reshaped(inputs, low.computation, low.computation.inputs));
    in_double_.push_back(in_double(concrete, data_.back()));
    as_declared_.push_back(loop::evaluate(concrete, data_.back()));
  }
  numbered_ = numbered(data_.front());
  terms_ = terms_of(concrete);
}

Meaning::Terms Meaning::terms_of(const loop::Program& p) {
  algebra_.begin();
  Terms result;
  for (const Array& output : loop::evaluate(p, numbered_, algebra_)) {
    result.defined.push_back(output.defined);
    auto& behind = result.behind.emplace_back(output.cells.size());
    const auto width = static_cast<size_t>(output.width());
    for (size_t n = 0; n < output.cells.size(); ++n) {
      if (output.defined[n / width] != 0) behind[n] = algebra_.terms(output.cells[n]);
    }
  }
  return result;
}

Verdict Meaning::of_loops(const loop::Program& mutant) {
  const Verdict terms = judged(mutant, [&] { return terms_of(mutant) == terms_; });
  if (terms != Verdict::different) return terms;
  return judged(mutant, [&] {
    for (size_t n = 0; n < data_.size(); ++n) {
      if (differ_in_double(in_double_[n], in_double(mutant, data_[n]))) return false;
    }
    return true;
  });
}

Verdict Meaning::of_function(const loop::Program& mutant) const {
  return judged(mutant, [&] {
    for (size_t n = 0; n < data_.size(); ++n) {
      if (differ_as_declared(as_declared_[n], loop::evaluate(mutant, data_[n]))) return false;
    }
    return true;
  });
}

}  // namespace mdh::test
