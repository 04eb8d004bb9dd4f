// What results may be: for every result an interval, found from the definition and the inputs.
//
// Exact results have one value. Sums of plain arithmetic lie within what rounding can do in any
// order of combination: u · (roundings of f + terms that are not 0) · Σ|terms|, with u about half
// of epsilon; on whole numbers whose sum of magnitudes is below 2^p nothing rounds. All others are
// followed operation by operation (mdh/scalar/enclosure/enclosing_function.h), and so are results
// that seem wrong. Where sums of magnitudes exceed the type, anything may come out.
#pragma once

#include "mdh/driver/verify/definition.h"
#include "mdh/driver/verify/measured.h"
#include "mdh/scalar/enclosure/enclosure.h"

namespace mdh::driver {

/// About the data that results are computed from.
struct About {
  bool whole = false;  // floats are whole numbers
  int64_t depth = 0;   // no more roundings than this follow each other in a sum; 0: not known
};

/// What every leaf of every result may be, point after point.
struct Expected {
  std::vector<scalar::Enclosure> leaves;
  size_t width = 0;
  /// The largest part of √Σ terms² that rounding may change: beyond an eighth, a tenth of the terms
  /// could be missing. 0 where nothing is summed up.
  double weakness = 0;
  bool orders_differ = false;  // results of an operator of the user, by more than rounding can do

  std::span<const scalar::Enclosure> operator[](size_t n) const {
    return {leaves.data() + n * width, width};
  }
};

class Yardstick {
 public:
  Yardstick(const hl::Program& program, const scalar::Deviations& deviations);

  /// Of a twin: all of its results are exact.
  Yardstick(const hl::Program& views, const Meaning& twin);

  const hl::Program& program() const { return definition_.views(); }

  /// All of the results are judged exactly or by bounds, so that plain loops can compute them.
  bool can_be_compiled() const;
  kernel::Module plain_loops(const std::string& name) const;
  void compute_by(const DefinitionKernel& kernel, std::span<void* const> inputs, int threads);
  bool is_compiled() const { return definition_.is_compiled(); }
  bool has_bounds() const;

  /// In blocks: `take` is called by several threads at a time, in any order. What it is given lives
  /// as long as the call.
  using Take = std::function<void(int64_t first, const Expected& expected)>;
  void each(const Points& points, std::span<void* const> inputs, const About& about,
            const Take& take, const std::function<void(double)>& share = {}) const;

  /// Of all points, to be kept.
  Expected expected(const Points& points, std::span<void* const> inputs, const About& about,
                    const std::function<void(double)>& share = {}) const;

  /// What the results at one of the points may be, operation by operation: right where bounds are
  /// not, because something overflows or vanishes inside of f.
  std::vector<scalar::Enclosure> followed(const Points& points, int64_t n,
                                          std::span<void* const> inputs, const About& about) const;

  /// Only plain arithmetic with whole numbers: on whole numbers it does not round.
  bool keeps_integers() const { return keeps_integers_; }

 private:
  Expected judged(const RowsView& rows, const About& about) const;
  struct Strength {
    double weakness = 0;
  };
  void judge_row(std::span<const scalar::Value> row, const About& about,
                 std::span<scalar::Enclosure> leaves, Strength& strength) const;
  scalar::Enclosure bounded(std::span<const scalar::Value> row, size_t result, const About& about,
                            Strength& strength) const;

  scalar::Deviations deviations_;
  std::vector<Rule> rules_;
  bool is_enclosed_ = false;  // some result is
  bool keeps_integers_ = false, is_deterministic_ = false;
  /// What is known of a result before it is computed.
  struct Result {
    std::optional<scalar::BinaryOp> combination;  // where it is built in
    double depth = 0;                             // of f: a chain of so many roundings
    double epsilon = 0, coarsest = 0;             // of the result, of all that f computes in
    double smallest = 0, largest = 0;             // numbers of its type
  };
  std::vector<Result> results_;
  static scalar::Enclosure overflowing(double wide, const Result& r, Strength& strength);
  Measured measured_;
  Meaning meaning_;
  Definition definition_;
};

}  // namespace mdh::driver
