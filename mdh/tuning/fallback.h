// What to do when the configuration of a record does not work here.
//
// A record was measured, but not necessarily by this compiler, in this container, or by anybody we
// know. One that cannot be compiled or whose kernel fails is passed over for the next best.
#pragma once

#include <vector>

#include "mdh/tuning/records.h"

namespace mdh::tuning {

/// A kernel was not compiled, not loaded, or failed where it ran: another configuration may work.
bool is_failure_of_kernel(const Diagnostic& d);

/// After so many records that failed no further one is tried: what is wrong is not the records.
constexpr int most_failed_records = 3;

/// The records without the best one for the program and others of its configuration.
struct Remaining {
  std::vector<tune::Record> records;
  std::string note;  // "the record (2 us, ...) is not used: ... [E605]"
};
Remaining without_best(const hl::Program& program, const Site& where,
                       std::vector<tune::Record> records, const Diagnostic& failure);

}  // namespace mdh::tuning
