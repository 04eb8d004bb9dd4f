#include "tests/faults/text_mutations.h"

#include <functional>
#include <regex>

namespace mdh::test {
namespace {

using Text = std::optional<std::string>;

/// Where the text of the kernels begins, behind the helpers.
size_t begin_of_kernels(const kernel::Module& module) {
  const std::string& text = module.source;
  const std::string opening =
      module.language == "c" ? "static void " + module.name + "(" : "__kernel";
  const size_t at = text.find(opening);
  return at == std::string::npos ? text.size() : at;
}

/// A number in the text.
struct Number {
  size_t at, length;
  int64_t value;
};

/// All numbers that the last group of an expression matches, in a part of the text.
void collect(const std::string& text, size_t begin, size_t end, const std::regex& pattern,
             std::vector<Number>& found) {
  const auto first = text.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = text.begin() + static_cast<std::ptrdiff_t>(end);
  for (std::sregex_iterator match(first, last, pattern), none; match != none; ++match) {
    const size_t group = match->size() - 1;
    if (!(*match)[group].matched || match->length(group) > 15) continue;
    found.push_back({begin + static_cast<size_t>(match->position(group)),
                     static_cast<size_t>(match->length(group)), std::stoll(match->str(group))});
  }
}

std::vector<Number> numbers(const kernel::Module& module, const std::string& pattern) {
  std::vector<Number> found;
  collect(module.source, begin_of_kernels(module), module.source.size(), std::regex(pattern),
          found);
  return found;
}

/// Between the brackets of an element: there are no others in a kernel but those of declarations,
/// which have a type before the name.
std::vector<Number> numbers_in_indices(const kernel::Module& module) {
  std::vector<Number> found;
  static const std::regex factor(R"([*%] (\d+))");
  const std::string& text = module.source;
  for (size_t at = begin_of_kernels(module); (at = text.find('[', at)) != std::string::npos; ++at) {
    const size_t end = text.find(']', at);
    if (end == std::string::npos) break;
    collect(text, at, end, factor, found);
  }
  return found;
}

Text with_number(const kernel::Module& module, const std::vector<Number>& all, const Mutation& m,
                 const std::function<std::optional<int64_t>(int64_t)>& change) {
  std::vector<Number> possible;
  for (const Number& n : all) {
    if (change(n.value)) possible.push_back(n);
  }
  if (possible.empty()) return std::nullopt;
  const Number& chosen = possible[m.place % possible.size()];
  std::string text = module.source;
  return text.replace(chosen.at, chosen.length, std::to_string(*change(chosen.value)));
}

std::optional<int64_t> one_less(int64_t n) {
  if (n < 2) return std::nullopt;
  return n - 1;
}

// ---- rows

Text bound_lowered(const kernel::Module& module, const Mutation& m) {
  return with_number(module, numbers(module, R"(for \(long \w+ = \d+; \w+ < (\d+);)"), m, one_less);
}

Text start_raised(const kernel::Module& module, const Mutation& m) {
  return with_number(module, numbers(module, R"(for \(long \w+ = (\d+); \w+ <)"), m,
                     [](int64_t n) { return std::optional(n + 1); });
}

Text step_doubled(const kernel::Module& module, const Mutation& m) {
  const std::string& text = module.source;
  std::vector<size_t> found;
  static const std::regex step(R"(; \+\+(\w+)\) \{)");
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(begin_of_kernels(module));
  std::vector<std::smatch> all;
  for (std::sregex_iterator match(begin, text.end(), step), none; match != none; ++match) {
    all.push_back(*match);
  }
  if (all.empty()) return std::nullopt;
  const std::smatch& chosen = all[m.place % all.size()];
  std::string result(text.begin(), chosen[0].first);
  result += "; " + chosen.str(1) + " += 2) {";
  return result + std::string(chosen[0].second, text.end());
}

Text guard_lowered(const kernel::Module& module, const Mutation& m) {
  return with_number(module, numbers(module, R"(if \([^\n]*< (\d+)[^\n]*\{)"), m, one_less);
}

Text stride_lowered(const kernel::Module& module, const Mutation& m) {
  return with_number(module, numbers_in_indices(module), m, one_less);
}

/// Aligned as it was.
Text workspace_overlaps(const kernel::Module& module, const Mutation& m) {
  return with_number(module, numbers(module, R"(\((?:workspace|mine) \+ (\d+)\))"), m,
                     [](int64_t n) { return n < 64 ? std::nullopt : std::optional(n - 64); });
}

/// The slots of neighbours overlap.
Text slot_lowered(const kernel::Module& module, const Mutation& m) {
  return with_number(module, numbers(module, R"(\((?:workspace|mine) \+ \d+\) \+ \w+ \* (\d+))"), m,
                     one_less);
}

}  // namespace

const std::vector<TextMutation>& text_mutations() {
  static const std::vector<TextMutation> table = {
      {"bound_lowered", bound_lowered},   {"start_raised", start_raised},
      {"step_doubled", step_doubled},     {"guard_lowered", guard_lowered},
      {"stride_lowered", stride_lowered}, {"workspace_overlaps", workspace_overlaps},
      {"slot_lowered", slot_lowered},
  };
  return table;
}

}  // namespace mdh::test
