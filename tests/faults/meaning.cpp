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
  const loop::Buffer& b = loop::find_buffer(p, loop::named(quoted(complaint)));
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

/// Numbers that no rounding makes of one another; also a number and none.
bool are_apart(scalar::Scalar type, Value a, Value b) {
  if (!is_floating(type)) return a != b;
  const double x = a.as_floating(), y = b.as_floating();
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) != std::isnan(y);
  if (std::isinf(x) || std::isinf(y)) return x != y;
  return std::abs(x - y) > 16 * epsilon_of(type) * std::max(std::abs(x), std::abs(y));
}

bool are_apart(const Array& a, const Array& b) {
  const std::vector<scalar::Scalar> types = leaf_types(a.type);
  for (size_t n = 0; n < a.cells.size(); ++n) {
    if (a.defined[n / types.size()] == 0) continue;
    if (are_apart(types[n % types.size()], a.cells[n], b.cells[n])) return true;
  }
  return false;
}

}  // namespace

Meaning::Meaning(const hl::Program& program, const ll::Program& low, const loop::Program& concrete,
                 const std::vector<std::vector<Array>>& data)
    : algebra_(static_cast<int>(hl::leaf_count(program.outputs))) {
  for (const std::vector<Array>& inputs : data) {
    data_.push_back(reshaped(inputs, low.computation, low.computation.inputs));
    results_.push_back(loop::evaluate(concrete, data_.back()));
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
      if (loop::evaluate(mutant, data_[n]) != results_[n]) return false;
    }
    return true;
  });
}

Verdict Meaning::of_function(const loop::Program& mutant) const {
  return judged(mutant, [&] {
    for (size_t n = 0; n < data_.size(); ++n) {
      const std::vector<Array> found = loop::evaluate(mutant, data_[n]);
      for (size_t b = 0; b < found.size(); ++b) {
        if (are_apart(results_[n][b], found[b])) return false;
      }
    }
    return true;
  });
}

}  // namespace mdh::test
