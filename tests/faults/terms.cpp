#include "tests/faults/terms.h"

#include <algorithm>
#include <iterator>

namespace mdh::test {

using scalar::Value;

void TermAlgebra::f(std::span<const Value> inputs, std::span<const int64_t> point,
                    std::span<Value> results) {
  Key key;
  for (const Value v : inputs) key.push_back(v.bits);
  for (const int64_t i : point) key.push_back(static_cast<uint64_t>(i));
  const auto number =
      numbers_.try_emplace(std::move(key), static_cast<int64_t>(numbers_.size())).first->second;
  for (int c = 0; c < components_; ++c) results[static_cast<size_t>(c)] = keep({number});
}

void TermAlgebra::combine(std::span<const Value> left, std::span<const Value> right,
                          std::span<Value> results) {
  for (size_t c = 0; c < static_cast<size_t>(components_); ++c) {
    const std::vector<int64_t>&a = terms(left[c]), &b = terms(right[c]);
    std::vector<int64_t> both;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    results[c] = keep(std::move(both));
  }
}

const std::vector<int64_t>& TermAlgebra::terms(Value multiset) const {
  return multisets_.at(multiset.bits);
}

Value TermAlgebra::keep(std::vector<int64_t> terms) {
  multisets_.push_back(std::move(terms));
  return {multisets_.size() - 1};
}

}  // namespace mdh::test
