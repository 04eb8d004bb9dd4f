// Is this result right?
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mdh/driver/verify/definition.h"
#include "mdh/hl/program.h"
#include "mdh/runtime/device.h"
#include "mdh/scalar/array.h"
#include "mdh/scalar/enclosure/deviations.h"

namespace mdh::driver {

enum class Coverage { none, sampled, full };

std::string to_string(Coverage coverage);

/// One of the three checks that a kernel has to pass.
struct Check {
  Coverage coverage = Coverage::none;
  int runs = 0;      // sets of inputs
  std::string note;  // why it was not done, or what it could not do
};

struct Verification {
  Coverage coverage = Coverage::none;
  bool right = false;
  bool exact = false;          // also found exact on inputs for which nothing rounds
  double max_error = 0;        // largest deviation found on random data, absolute
  double bound = 0;            // what was allowed at that element
  std::string complaint;       // the first wrong element
  Check twin;                  // every point contributes exactly once, to the right element
  Check thinned;               // few terms, whole numbers: exact, or nearly
  Check random;                // within what rounding can do
  double weakness = 0;         // the part of √Σ terms² that rounding may change on random data
  bool orders_differ = false;  // of an operator of the user, by more than rounding can do
  std::vector<scalar::Array> failed_on = {};  // data of ours; none if the given inputs failed
};

/// Programs with more points than this are checked by samples: all elements of small results,
/// `sample_count` of large ones.
constexpr int64_t full_limit = int64_t{1} << 26;
constexpr int sample_count = 4096;

struct VerifyOptions {
  int64_t depth = 0;  // longest chain of roundings behind the result
  std::vector<int64_t>
      border_steps;  // per dimension: a tile size whose borders are sampled (0: none)
  uint64_t seed = 1;
  bool whole = false;  // inputs are whole numbers: results that cannot have rounded are exact
  scalar::Deviations deviations = {};      // of the back end; contraction follows from f
  int64_t limit = full_limit;              // points up to which everything is checked
  int samples = sample_count;              // elements that are checked beyond it
  std::function<void(double)> share = {};  // called with how much is done, now and then
};

/// What kernels on a device of this accuracy may do. The bounds of loose mathematics are those of
/// OpenCL's standard.
scalar::Deviations deviations_of(const runtime::Accuracy& accuracy, bool contracts);

/// Roundings behind a result that is combined point after point.
int64_t sequential_depth(const hl::Program& p);

/// f and ⊕ never round on small whole numbers: then a second check can be exact.
bool is_exact_on_whole_numbers(const hl::Program& p);

/// Terms that are combined into one result.
int64_t terms_of(const hl::Program& p);

/// All points of the result, or samples of them: corners, tile borders, random ones.
Points chosen_points(const hl::Program& p, const VerifyOptions& options);

/// Compares outputs with the definition (verify/yardstick.h says what is allowed). An element that
/// some access writes must be defined in `outputs`; what the other elements hold is not looked at.
Verification verify_outputs(const hl::Program& program, const std::vector<scalar::Array>& inputs,
                            const std::vector<scalar::Array>& outputs,
                            const VerifyOptions& options);

}  // namespace mdh::driver
