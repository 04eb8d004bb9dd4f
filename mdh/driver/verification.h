// Is this result right?
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/scalar/array.h"

namespace mdh::driver {

enum class Coverage { none, sampled, full };

std::string to_string(Coverage coverage);

struct Verification {
  Coverage coverage = Coverage::none;
  bool right = false;
  bool exact = false;     // also found exact on inputs for which nothing rounds
  double max_error = 0;   // largest deviation found, absolute
  double bound = 0;       // what was allowed at that element
  std::string complaint;  // the first wrong element
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
  int64_t limit = full_limit;              // points up to which everything is checked
  int samples = sample_count;              // elements that are checked beyond it
  std::function<void(double)> share = {};  // called with how much is done, now and then
};

/// Roundings behind a result that is combined point after point.
int64_t sequential_depth(const hl::Program& p);

/// f and ⊕ never round on small whole numbers: then a second check can be exact.
bool is_exact_on_whole_numbers(const hl::Program& p);

/// Compares outputs with the definition. Integers must be equal. Floats may deviate from the
/// definition evaluated in double by (depth + 2) · epsilon · (the sum of the magnitudes of the
/// terms): what rounding can do in any order of combination. An element that some access writes
/// must be defined in `outputs`; what the other elements hold is not looked at.
Verification verify_outputs(const hl::Program& program, const std::vector<scalar::Array>& inputs,
                            const std::vector<scalar::Array>& outputs,
                            const VerifyOptions& options);

}  // namespace mdh::driver
