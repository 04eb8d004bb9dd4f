// Decisions that the user takes out of a search.
#include <algorithm>

#include "mdh/search/space/context.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::search::space {
namespace {

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

[[noreturn]] void bad_lock(const std::string& lock, const std::string& why) {
  user_error("E882", {}, fmt::format("--lock '{}': {}", lock, why),
             "write \"split.j=COR 2, L1 64\", or the name of a parameter: order.L1=j,i,k");
}

int64_t count_in(const std::string& lock, const std::string& text) {
  const bool digits = !text.empty() && text.size() < 12 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return std::isdigit(c); });
  if (!digits || std::stol(text) < 1)
    bad_lock(lock, fmt::format("'{}' is no number of parts", text));
  return std::stol(text);
}

/// Every digit of a dimension: layers that are not named have one part, the outer memory layer what
/// is left.
void add_split(const SpaceContext& c, const std::string& lock, const std::string& dimension,
               const std::string& digits, NamedValues& values) {
  if (std::find(c.dimensions.begin(), c.dimensions.end(), dimension) == c.dimensions.end()) {
    bad_lock(lock, fmt::format("there is no dimension '{}'", dimension));
  }
  for (const std::string& layer : c.layers.nested()) {
    if (layer != c.layers.outer) values[layer + "." + dimension] = int64_t{1};
  }
  for (size_t begin = 0; begin < digits.size();) {
    const size_t end = std::min(digits.find(',', begin), digits.size());
    const std::string digit = trimmed(digits.substr(begin, end - begin));
    const size_t blank = digit.find(' ');
    const std::string layer = digit.substr(0, blank);
    const bool known = values.contains(layer + "." + dimension) || layer == c.layers.outer;
    if (!known) bad_lock(lock, fmt::format("layer '{}' is not searched", layer));
    const int64_t parts =
        count_in(lock, blank == std::string::npos ? "" : trimmed(digit.substr(blank)));
    if (layer != c.layers.outer) values[layer + "." + dimension] = parts;
    begin = end + 1;
  }
}

NamedValues locked_values(const SpaceContext& c, const std::vector<tune::Parameter>& parameters) {
  NamedValues values;
  for (const std::string& lock : c.options.locks) {
    const size_t equals = lock.find('=');
    if (equals == std::string::npos) bad_lock(lock, "there is no '='");
    const std::string name = trimmed(lock.substr(0, equals));
    const std::string value = trimmed(lock.substr(equals + 1));
    if (name.starts_with("split.")) {
      add_split(c, lock, name.substr(6), value, values);
      continue;
    }
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const tune::Parameter& p) { return p.name == name; });
    if (found == parameters.end()) bad_lock(lock, fmt::format("there is no parameter '{}'", name));
    if (found->kind == tune::ParameterKind::ordinal) {
      values[name] = count_in(lock, value);
    } else {
      values[name] = value;
    }
  }
  return values;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Decisions that there is something to decide about only where parts are so or so.
struct LateDecision {
  std::string prefix;
  std::vector<std::string> values;
};

std::vector<LateDecision> late_decisions(const SpaceContext& c) {
  std::vector<std::string> tags = c.dimensions;
  tags.emplace_back("none");
  return {{"edge.", names_of(ll::Edge{})},
          {"combine.", names_of(ll::Combination{})},
          {"deal", names_of(ll::Deal{})},
          {"store", names_of(ll::Hint{})},
          {"swizzle", swizzles},
          {"tags", tags},
          {"unroll", unrollings},
          {"groups", group_counts},
          {"phases", phases}};
}

/// Where the decision is there to be taken, it is taken so.
tune::Parameter decided_where_possible(tune::Parameter parameter, const tune::Value& wanted) {
  parameter.range = [range = parameter.range, wanted](const tune::Point& p) {
    std::vector<tune::Value> values = range(p);
    const bool possible = std::find(values.begin(), values.end(), wanted) != values.end();
    return std::vector<tune::Value>{possible ? wanted : values.front()};
  };
  return parameter;
}

const LateDecision* find_late(const std::vector<LateDecision>& all, const std::string& name) {
  for (const LateDecision& one : all) {
    const bool is_family = one.prefix.back() == '.';
    if (is_family ? name.starts_with(one.prefix) : name == one.prefix) return &one;
  }
  return nullptr;
}

}  // namespace

void lock(const SpaceContext& c, std::vector<tune::Parameter>& parameters) {
  const NamedValues values = locked_values(c, parameters);
  const std::vector<LateDecision> late = late_decisions(c);
  for (tune::Parameter& parameter : parameters) {
    const auto locked = values.find(parameter.name);
    if (locked == values.end()) continue;
    const tune::Value wanted = locked->second;
    if (const LateDecision* decision = find_late(late, parameter.name)) {
      const std::string value = tune::to_string(wanted);
      if (!has(decision->values, value)) {
        bad_lock(parameter.name + "=" + value, "it is one of " + join(decision->values, ", "));
      }
      parameter = decided_where_possible(parameter, wanted);
      continue;
    }
    parameter = tune::constrained(
        parameter, {},
        [wanted](const tune::Point&, const tune::Value& value) { return value == wanted; });
  }
}

}  // namespace mdh::search::space
