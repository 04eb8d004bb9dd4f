// What clang's libFuzzer calls; one executable per target. An exception that leaves the target ends
// the process, and the fuzzer keeps the input.
//
// The fuzzer changes bytes; three times out of four we change words instead, because few texts with
// changed bytes get past the lexer.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mdh/support/random.h"
#include "tests/fuzz/targets.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace mdh::fuzz {
namespace {

using Words = std::vector<std::string>;

bool belongs_together(char a, char b) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  return is_part(a) && is_part(b);
}

/// Names, numbers and single characters.
Words words_of(const std::string& text) {
  Words words;
  for (const char c : text) {
    if (!words.empty() && belongs_together(words.back().back(), c)) {
      words.back() += c;
    } else {
      words.emplace_back(1, c);
    }
  }
  return words;
}

const Words& numbers() {
  static const Words all = {"0",    "1",          "2",          "3",
                            "7",    "64",         "1000",       "4096",
                            "4097", "2147483648", "4294967296", "4611686018427387904",
                            "1e9",  "0.5",        "1e300",      "9223372036854775807"};
  return all;
}

/// Copies, removes, exchanges or replaces a few words.
void change(Words& words, Random& random) {
  const auto size = static_cast<int64_t>(words.size());
  const auto from = words.begin() + random.between(0, size - 1);
  const auto to = from + random.between(1, std::min<int64_t>(words.end() - from, 20));
  const Words piece(from, to);
  const auto other = words.begin() + random.between(0, size - 1);
  switch (random.between(0, 4)) {
    case 0:
      words.insert(other, piece.begin(), piece.end());
      return;
    case 1:
      words.erase(from, to);
      return;
    case 2:
      std::iter_swap(from, other);
      return;
    case 3:
      *other = piece.front();
      return;
    default: {
      const auto number = std::find_if(from, words.end(), [](const std::string& word) {
        return std::isdigit(static_cast<unsigned char>(word.front())) != 0;
      });
      if (number != words.end()) *number = random.pick(numbers());
    }
  }
}

size_t mutate(uint8_t* data, size_t size, size_t most, Random random) {
  Words words = words_of({data, data + size});
  for (int64_t n = random.between(1, 3); n > 0 && !words.empty(); --n) change(words, random);
  std::string text;
  for (const std::string& word : words) text += word;
  text.resize(std::min(text.size(), most));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

}  // namespace
}  // namespace mdh::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const mdh::fuzz::Target& target = mdh::fuzz::find_target(MDH_FUZZ_TARGET);
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  mdh::Random random(seed);
  if (size == 0 || random.chance(25)) return LLVMFuzzerMutate(data, size, most);
  return mdh::fuzz::mutate(data, size, most, random);
}
