// Numbers that may depend on sizes known at run time only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mdh::ll {

/// Sums and products of numbers that are not negative; what is too large stays at 2^63 - 1.
int64_t saturating_sum(int64_t a, int64_t b);
int64_t saturating_product(int64_t a, int64_t b);

/// A sum of products of a number and the part counts of open levels, such as 64 + 32 · ⌈I/8⌉.
/// Numbers saturate at 2^63 - 1.
class Count {
 public:
  Count(int64_t number = 0);  // NOLINT(google-explicit-constructor): numbers are counts
  static Count open(std::string name);

  /// The number, if it does not depend on anything.
  std::optional<int64_t> number() const;

  Count& operator+=(const Count& other);
  Count& operator*=(const Count& other);
  friend Count operator+(Count a, const Count& b) { return a += b; }
  friend Count operator*(Count a, const Count& b) { return a *= b; }
  friend bool operator==(const Count&, const Count&) = default;

  /// "64 + 32 * ceil(I / 8)"
  std::string to_string() const;

 private:
  std::map<std::vector<std::string>, int64_t> terms_;  // factors, sorted; no term is 0
};

}  // namespace mdh::ll
