#include "mdh/ll/count.h"

#include <fmt/format.h>

#include <algorithm>

#include "mdh/support/text.h"

namespace mdh::ll {

int64_t saturating_sum(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? INT64_MAX : result;
}

int64_t saturating_product(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? INT64_MAX : result;
}

Count::Count(int64_t number) {
  if (number != 0) terms_[{}] = number;
}

Count Count::open(std::string name) {
  Count result;
  result.terms_[{std::move(name)}] = 1;
  return result;
}

std::optional<int64_t> Count::number() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty()) return terms_.begin()->second;
  return std::nullopt;
}

Count& Count::operator+=(const Count& other) {
  for (const auto& [factors, number] : other.terms_) {
    const int64_t together = saturating_sum(terms_[factors], number);
    if (together == 0) {
      terms_.erase(factors);
    } else {
      terms_[factors] = together;
    }
  }
  return *this;
}

Count& Count::operator*=(const Count& other) {
  Count result;
  for (const auto& [mine, a] : terms_) {
    for (const auto& [theirs, b] : other.terms_) {
      std::vector<std::string> factors = mine;
      factors.insert(factors.end(), theirs.begin(), theirs.end());
      std::sort(factors.begin(), factors.end());
      Count term;
      term.terms_[factors] = saturating_product(a, b);
      result += term;
    }
  }
  return *this = std::move(result);
}

std::string Count::to_string() const {
  std::vector<std::string> texts;
  for (const auto& [factors, number] : terms_) {
    std::vector<std::string> words;
    if (number != 1 || factors.empty()) words.push_back(std::to_string(number));
    words.insert(words.end(), factors.begin(), factors.end());
    texts.push_back(join(words, " * "));
  }
  return texts.empty() ? "0" : join(texts, " + ");
}

}  // namespace mdh::ll
