// What is printed for many programs, machines and configurations, as hashes in a file. A change of
// structure alone changes none of them; `scripts/frozen.sh` shows what another change changed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "examples/catalogue.h"
#include "tests/property/triples.h"

namespace mdh::test {

/// "catalogue/dot/f32/cpu", "stored/bench/configs/neon/dot.json", "seed/17"
struct FrozenCase {
  std::string name;
  std::function<Triple()> make;
};

/// Every program of the catalogue in all its types by the default configuration, every stored
/// configuration, and random triples.
std::vector<FrozenCase> frozen_cases();

/// A program of the catalogue at its first named size, or an odd one where none has a name.
examples::Instance usual_instance(const examples::Entry& entry, scalar::Scalar type);

/// A file with a configuration, the catalogue's program at its sizes, and its machine.
Triple stored_triple(const std::string& file);

/// Nothing if there is no case of that name.
const FrozenCase* find_case(const std::vector<FrozenCase>& cases, const std::string& name);

/// Program, machine and configuration as they are read from files.
std::string text_of(const Triple& triple);

/// All that run time gets to know: source, launches, arguments, memory, flags. Of what a back end
/// refuses, the code of the error.
std::string printed(const Triple& triple, const std::string& target);

/// A case by hashes. Where `triple` is another one, the case itself has changed, and its sources
/// say nothing.
struct FrozenLine {
  std::string name, triple, openmp, opencl;
  friend bool operator==(const FrozenLine&, const FrozenLine&) = default;
};

FrozenLine frozen_line(const FrozenCase& one);

/// A line of text each.
std::string print(const FrozenLine& line);
std::vector<FrozenLine> read_frozen(const std::string& text);

/// "seed/17: other opencl" and the like, for everything that is not as it was.
std::vector<std::string> changes(const std::vector<FrozenLine>& before,
                                 const std::vector<FrozenLine>& after);

}  // namespace mdh::test
