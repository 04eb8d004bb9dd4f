// Whether a mutant means something else than its original.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/ll/program.h"
#include "mdh/loop/program.h"
#include "mdh/scalar/array.h"
#include "tests/faults/terms.h"

namespace mdh::test {

enum class Verdict {
  same,       // the same terms behind every result, or no data of ours tell them apart
  different,  // other results
  undefined,  // it reads what nobody has written, from memory that all cores share
  arbitrary,  // the same from variables, of which a compiler may think what it likes
  race,       // it depends on who comes first
  broken,     // it leaves its buffers, or is no program at all
};

/// One program, lowered, and what its loops compute. Small: it is evaluated, again and again.
class Meaning {
 public:
  Meaning(const hl::Program& program, const ll::Program& low, const loop::Program& concrete,
          const std::vector<std::vector<scalar::Array>>& data);

  /// A mutant of the loops: other terms, and other results on some of the data. Both are asked for:
  /// the smallest of some numbers stays the same if one of them is taken twice.
  Verdict of_loops(const loop::Program& mutant);

  /// A mutant of f or ⊕: results that differ by more than rounding does.
  Verdict of_function(const loop::Program& mutant) const;

 private:
  struct Terms {
    std::vector<std::vector<uint8_t>> defined;              // by output
    std::vector<std::vector<std::vector<int64_t>>> behind;  // by output and leaf
    friend bool operator==(const Terms&, const Terms&) = default;
  };
  Terms terms_of(const loop::Program& p);

  TermAlgebra algebra_;
  std::vector<scalar::Array> numbered_;  // inputs whose elements all differ
  Terms terms_;
  std::vector<std::vector<scalar::Array>> data_, in_double_, as_declared_;
};

}  // namespace mdh::test
