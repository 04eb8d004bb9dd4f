// What random texts are thrown at: every language that mdh reads from outside, up to the point
// where a text is believed. The fuzzer (scripts/fuzz.sh) and the replay of its corpus share it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mdh::fuzz {

/// A reader. `run` returns where the text is accepted, or refused as the user's mistake or as not
/// supported. Whatever else happens is a bug and leaves as an exception.
struct Target {
  std::string name;
  void (*run)(std::string_view text);
};

const std::vector<Target>& targets();

/// The target of that name, which must exist.
const Target& find_target(std::string_view name);

}  // namespace mdh::fuzz
