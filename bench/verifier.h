// Are the results of candidates right?
#pragma once

#include <vector>

#include "bench/child.h"
#include "mdh/driver/memory.h"
#include "mdh/driver/verification.h"

namespace mdh::bench {

/// Whole numbers: nothing rounds, and every difference is a mistake.
enum class Numbers { whole, any };

/// Whether results on whole numbers must be exact. Libraries for GPUs convolve by transforms that
/// round there as well: then a hundredth is allowed.
enum class Exactness { required, wished };

/// The definition is slow, so it is evaluated once, for mdh; the others are compared with what mdh
/// computed, element by element, and only if they deviate by more than both may deviate from the
/// definition are they compared with it themselves. Outputs are poisoned, and all elements must be
/// written.
class Verifier {
 public:
  Verifier(const hl::Program& program, driver::Memory& memory, uint64_t seed);

  /// New inputs, for all candidates.
  void take(const std::vector<scalar::Array>& inputs, Numbers numbers);

  /// Keeps the outputs if they are right.
  driver::Verification by_definition(Child& child);

  driver::Verification by_mdh(Child& child, Exactness exactness = Exactness::required);

  using Bytes = std::vector<std::vector<char>>;  // of each output

  /// What the last child computed.
  const Bytes& outputs() const { return outputs_; }

 private:
  driver::VerifyOptions options() const;
  driver::Verification defined(Child& child);
  Bytes computed(Child& child, int poison);
  int64_t unwritten(const Bytes& one, const Bytes& other) const;
  double deviation_from_mdh(const Bytes& outputs) const;
  bool is_near(const Bytes& outputs, double& deviation, Exactness exactness) const;

  const hl::Program& program_;
  driver::Memory& memory_;
  uint64_t seed_;
  const std::vector<scalar::Array>* inputs_ = nullptr;
  Numbers numbers_ = Numbers::any;
  Bytes right_;  // what mdh computed
  Bytes outputs_;
  driver::Verification verified_;
};

}  // namespace mdh::bench
