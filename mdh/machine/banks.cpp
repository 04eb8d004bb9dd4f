#include "mdh/machine/banks.h"

#include <algorithm>
#include <array>

namespace mdh::machine {
namespace {

constexpr int64_t banks = 32;
constexpr int64_t bank_bytes = 4;
constexpr int64_t warp_lanes = 32;

/// Lanes that the memory serves together. All of them at once can be given 128 bytes.
int64_t lanes_served_together(int64_t bytes) {
  return std::min(warp_lanes, banks * bank_bytes / bytes);
}

/// Takes words in any order, some of them several times.
BankPasses passes_for(std::vector<int64_t>& words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::array<int64_t, banks> words_in_bank = {};
  int64_t most = 0;
  for (const int64_t word : words) {
    most = std::max(most, ++words_in_bank[static_cast<size_t>(word % banks)]);
  }
  return {most, (std::ssize(words) + banks - 1) / banks};
}

void add(BankPasses& sum, const BankPasses& more) {
  sum.needed += more.needed;
  sum.least += more.least;
}

}  // namespace

BankPasses passes_of_warp(const std::vector<std::optional<int64_t>>& places, int64_t bytes) {
  const int64_t together = lanes_served_together(bytes);
  BankPasses sum;
  std::vector<int64_t> words;
  for (int64_t lane = 0; lane < std::ssize(places); ++lane) {
    if (lane % together == 0) {
      add(sum, passes_for(words));
      words.clear();
    }
    const auto& place = places[static_cast<size_t>(lane)];
    if (!place) continue;
    for (int64_t n = 0; n < bytes; n += bank_bytes) words.push_back((*place + n) / bank_bytes);
  }
  add(sum, passes_for(words));
  return sum;
}

}  // namespace mdh::machine
