// Scalar functions on enclosures: what right generated code may compute.
#pragma once

#include <span>
#include <vector>

#include "mdh/scalar/contraction.h"
#include "mdh/scalar/enclosure/deviations.h"
#include "mdh/scalar/enclosure/enclosure.h"
#include "mdh/scalar/function.h"
#include "mdh/scalar/tape/tape.h"

namespace mdh::scalar {

struct MathBounds;

/// A function compiled for many evaluations on enclosures; one object per thread.
///
/// It runs the steps of a tape. Where a condition is undecided it goes both ways and takes the hull
/// of the results. Errors of the user (an index outside of an array, division by zero, an endless
/// loop) are reported where they are certain; behind an undecided condition the result is
/// everything instead.
class EnclosingFunction {
 public:
  explicit EnclosingFunction(const Function& f, const Deviations& deviations = {});

  /// A loop whose condition is undecided is left and goes on. If it has not surely ended this many
  /// rounds later, what it computes may be everything.
  static constexpr int most_open_rounds = 1024;
  /// The same for all steps behind an undecided condition.
  static constexpr int64_t most_open_steps = 1 << 20;

  /// Arguments and results leaf by leaf, as Tape has them. A product that is a result is rounded,
  /// even if contraction is allowed. A loop of more than `most` steps is a user error.
  void operator()(std::span<const Enclosure> arguments, std::span<Enclosure> results,
                  int64_t most = Tape::most_steps);

 private:
  struct Step {
    TapeStep is;
    bool contracted = false;
    bool loose = false;                  // a loose division
    Factors left = {}, right = {};       // of a contracted step
    const MathBounds* bounds = nullptr;  // of mathematics
    std::vector<int> merged = {};        // of conditions: the slots that both ways may set
  };

  void set_types(const Function& f);
  void add_step(const TapeStep& step, std::span<const Factors> factors);
  bool is_loop(size_t n) const;
  std::vector<int> set_by_both_branches(size_t n) const;
  std::vector<int> loop_variables(size_t n) const;

  void run(size_t n, size_t end);
  void check_limit() const;
  size_t after_condition(size_t n);
  size_t select_both(size_t n);
  size_t leave_and_stay(size_t n);
  void stay(size_t n, size_t saved);
  template <class Part>
  void try_open(const Step& step, Part&& part);

  // The slots that both ways of a condition may set.
  void save(const Step& step);
  void add_to_saved(const Step& step, size_t saved);
  void restore(const Step& step, size_t saved);
  void forget(const Step& step);

  Enclosure kept(int slot, const Enclosure& e) const;
  Enclosure value_of(const Step& step) const;
  Enclosure binary(const Step& step) const;
  Enclosure fused_left(const Step& step) const;
  Enclosure fused_right(const Step& step) const;
  Enclosure with_product(Scalar type, const Factors& factors, bool negated,
                         const Enclosure& summand) const;
  Enclosure element(const TapeStep& step) const;

  Deviations deviations_;
  std::vector<Step> steps_;
  std::vector<Scalar> types_;  // of the slots
  std::vector<int> results_;   // slots of all leaves of all results
  std::vector<Enclosure> slots_;
  std::vector<Enclosure> saved_;  // a stack: what one way has given while the other one runs
  int64_t done_ = 0, limit_ = Tape::most_steps;
};

}  // namespace mdh::scalar
