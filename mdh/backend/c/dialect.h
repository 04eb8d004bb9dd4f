// Languages like C: what they share is printed once, and where they differ a fact decides.
#pragma once

#include <string>

namespace mdh::backend {

/// Header-free C (gnu11), OpenCL C 1.2, or CUDA C++ without headers. Printing code asks for facts,
/// never for a name.
enum class Dialect { c, opencl, cuda };

struct DialectFacts {
  /// Attributes, inline assembler, __builtin functions, and vectors with all operations.
  bool is_gnu = false;
  /// It is C++: structures are made by name, and braces do not narrow.
  bool is_cpp = false;
  /// Any pointer may point to any memory. Elsewhere a pointer's type says to which.
  bool has_one_memory = false;
  /// A branch that is rarely taken costs less than computing both sides. Not where items run in
  /// lockstep.
  bool branches_are_cheap = false;
  /// Functions of mathematics that serve all types under one name, and fmin and fmax.
  bool has_generic_mathematics = false;
  /// Some compiler of the language loses minus signs of integers (operation.cpp): the helper that
  /// knows a minus one which compilers do not.
  std::string minus_one;
  std::string function = "static inline";  // begins the definition of a function
  std::string truth;                       // the type of a truth value in a variable
  std::string unroll;                      // before the number of copies of a loop's body
  /// Loops whose count is computed are not to be written out. NVIDIA's compilers (NVRTC 12, OpenCL and
  /// CUDA 13 with driver 580) run as many rounds as they are to write where that is more than there
  /// can be: `#pragma unroll 3` of a loop that ends at min(2, n) ran three.
  bool unrolls_known_counts = false;
  /// A loop of known count whose variable decides how many rounds loops inside of it have ends with
  /// `!=`. NVIDIA's compiler (NVRTC 12.9 and CUDA 13.0) lost all rounds but the first with `<`.
  bool loses_rounds = false;
  /// What f computes in loops is stored through a pointer that is computed before f. Otherwise NVIDIA's
  /// compiler keeps a counter of the loop twice, one move a round: Mandelbrot took 3 to 4 % longer.
  bool knows_places_before_loops = false;
  /// Before a loop of f: nobody knows how often it runs, and where all its operands are constants,
  /// compilers would unroll it to run it themselves, for minutes.
  std::string not_unrolled;
  /// GPUs are told by inline PTX, the language of NVIDIA's assembler.
  bool has_ptx = false;
  std::string doubles;  // what a source begins with that uses doubles
};

const DialectFacts& facts_of(Dialect dialect);

}  // namespace mdh::backend
