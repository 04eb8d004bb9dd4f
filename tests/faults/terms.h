// Provenance with operands: which terms are behind a result.
#pragma once

#include <map>
#include <vector>

#include "mdh/scalar/algebra.h"

namespace mdh::test {

/// A term is a point together with the operands that f was given there; two are the same if both
/// are. Values are numbers of multisets of terms; ⊕ unites them. Where every element of the inputs
/// has a number of its own, this tells which of them f has read, which the points alone do not.
class TermAlgebra : public scalar::Algebra {
 public:
  explicit TermAlgebra(int components) : components_(components) {}

  void f(std::span<const scalar::Value> inputs, std::span<const int64_t> point,
         std::span<scalar::Value> results) override;
  void combine(std::span<const scalar::Value> left, std::span<const scalar::Value> right,
               std::span<scalar::Value> results) override;

  /// Multisets of earlier evaluations are gone, the numbers of terms stay: results of one
  /// evaluation can be compared with those of another.
  void begin() { multisets_.clear(); }

  /// Sorted, with repetitions.
  const std::vector<int64_t>& terms(scalar::Value multiset) const;

 private:
  using Key = std::vector<uint64_t>;
  scalar::Value keep(std::vector<int64_t> terms);

  int components_;
  std::map<Key, int64_t> numbers_;
  std::vector<std::vector<int64_t>> multisets_;
};

}  // namespace mdh::test
