// What one evaluation of a scalar function costs, with what its own loops and choices add.
#pragma once

#include <map>
#include <set>
#include <string>

#include "mdh/scalar/function.h"

namespace mdh::model {

/// Operations are counted in units of a simple one, such as an addition.
struct FunctionCost {
  double singles = 0;      // operations of a typical evaluation, on all but f64
  double doubles = 0;      // on f64
  double loop_chain = 0;   // that wait for each other in its loops, typically
  double double_part = 0;  // share of those that are on f64
  double uneven = 1;       // the longest evaluation takes so many times the typical one
  double code = 0;         // instructions of its text, short loops written out
  double usual_code = 0;   // without what is rarely executed
  /// Of every record type: fields, and elements of fields, that a typical evaluation reads.
  std::map<std::string, std::set<std::string>> fields;
};

/// Rounds of a loop are known by scalar::rounds_of. One that may end early is taken to end after a
/// fifth of them. The expensive side of a choice is taken to be rare.
FunctionCost cost_of(const scalar::Function& f);

}  // namespace mdh::model
