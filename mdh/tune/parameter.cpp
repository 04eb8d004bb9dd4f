#include "mdh/tune/parameter.h"

#include <algorithm>

namespace mdh::tune {

Parameter numbers(std::string name, std::vector<int64_t> values) {
  const std::vector<Value> range(values.begin(), values.end());
  return {std::move(name), [range](const Point&) { return range; }, {}, ParameterKind::ordinal};
}

Parameter labels(std::string name, std::vector<std::string> values) {
  const std::vector<Value> range(values.begin(), values.end());
  return {std::move(name), [range](const Point&) { return range; }, {}, ParameterKind::categorical};
}

Parameter divisors(std::string name, std::vector<std::string> depends_on,
                   std::function<int64_t(const Point& earlier)> number) {
  auto range = [number = std::move(number)](const Point& earlier) {
    const int64_t n = number(earlier);
    std::vector<Value> low, high;
    for (int64_t d = 1; d <= n / d; ++d) {
      if (n % d != 0) continue;
      low.emplace_back(d);
      if (d != n / d) high.emplace_back(n / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
  };
  return {std::move(name), std::move(range), std::move(depends_on), ParameterKind::ordinal};
}

Parameter derived(std::string name, std::vector<std::string> depends_on,
                  std::function<int64_t(const Point& earlier)> number) {
  auto range = [number = std::move(number)](const Point& earlier) {
    return std::vector<Value>{number(earlier)};
  };
  return {std::move(name), std::move(range), std::move(depends_on), ParameterKind::derived};
}

Parameter constrained(Parameter parameter, std::vector<std::string> also,
                      std::function<bool(const Point& earlier, const Value& value)> holds) {
  std::vector<std::string>& names = parameter.depends_on;
  for (std::string& name : also) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  parameter.range = [range = std::move(parameter.range),
                     holds = std::move(holds)](const Point& earlier) {
    std::vector<Value> values = range(earlier);
    const auto refused = [&](const Value& value) { return !holds(earlier, value); };
    values.erase(std::remove_if(values.begin(), values.end(), refused), values.end());
    return values;
  };
  return parameter;
}

}  // namespace mdh::tune
