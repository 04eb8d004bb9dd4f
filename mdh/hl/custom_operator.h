// Combine operators that the user defined on whole MDAs.
#pragma once

#include "mdh/hl/analysis.h"
#include "mdh/hl/mda.h"

namespace mdh::hl {

class CustomOperator {
 public:
  /// Types the definition for the program's output; several outputs are "not supported".
  CustomOperator(const Program& p, const UserCombine& definition);

  /// The combination of two results in dimension d. Reading an element that a side does not have is
  /// a user error. Tells the algebra how much it computed.
  Mda operator()(const Mda& left, const Mda& right, int d, scalar::Algebra& algebra) const;

 private:
  /// What the definition asks of its operands, in the order in which it can be answered.
  struct Step {
    enum class Kind { in, last, element };
    Kind kind;
    bool of_left;
    scalar::Tape argument;  // of the index and the answers so far
  };

  void answer(const Mda& left, const Mda& right, int d, std::span<const int64_t> point,
              int64_t poison, std::span<Value> result, scalar::Algebra& algebra) const;

  std::string name_;
  Location where_;
  bool to_zero_;
  Type type_;
  std::vector<Step> steps_;
  std::vector<scalar::Tape> body_;
  friend class CustomOperatorBuilder;
};

/// The definition a dimension names.
const UserCombine& definition_of(const Program& p, const CombineOperator& op);

}  // namespace mdh::hl
