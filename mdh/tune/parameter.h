// A tuning parameter: a name and the values it may take, given those of earlier parameters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mdh/tune/point.h"

namespace mdh::tune {

enum class ParameterKind {
  ordinal,      // values are ordered numbers, close ones behave alike: numbers by their logarithm
  categorical,  // values have nothing to do with each other
  derived,      // a single value that follows from earlier ones; see `derived`
};

/// The values of a parameter. `earlier` holds exactly the parameters named in `depends_on`, in that
/// order: what is not declared cannot be read.
using Range = std::function<std::vector<Value>(const Point& earlier)>;

struct Parameter {
  std::string name;
  Range range;
  std::vector<std::string> depends_on;
  ParameterKind kind = ParameterKind::ordinal;
};

/// Numbers that depend on nothing.
Parameter numbers(std::string name, std::vector<int64_t> values);

/// Labels that depend on nothing.
Parameter labels(std::string name, std::vector<std::string> values);

/// The divisors of what `number` says, in ascending order.
Parameter divisors(std::string name, std::vector<std::string> depends_on,
                   std::function<int64_t(const Point& earlier)> number);

/// A number that follows from earlier parameters, e.g. what is left to distribute. Later parameters
/// that depend on it and not on what it was made of share their subtrees: a space over ten
/// factors of 2^40 then has a few hundred nodes.
Parameter derived(std::string name, std::vector<std::string> depends_on,
                  std::function<int64_t(const Point& earlier)> number);

/// `parameter` with those values only that `holds` accepts. `also` names what the condition reads
/// beyond the dependencies of the parameter.
Parameter constrained(Parameter parameter, std::vector<std::string> also,
                      std::function<bool(const Point& earlier, const Value& value)> holds);

}  // namespace mdh::tune
