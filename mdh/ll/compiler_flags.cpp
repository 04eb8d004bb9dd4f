#include "mdh/ll/compiler_flags.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "mdh/support/text.h"

namespace mdh::ll {
namespace {

using namespace std::string_view_literals;

constexpr std::array whole_flags = {"-O0"sv, "-O1"sv, "-O2"sv, "-O3"sv, "-Os"sv, "-g"sv};

/// -fNAME and -fno-NAME. None of them lets a compiler change the value of an expression.
constexpr std::array optimisations = {
    "align-functions"sv,
    "align-loops"sv,
    "crossjumping"sv,
    "forward-propagate"sv,
    "gcse"sv,
    "gcse-after-reload"sv,
    "if-conversion"sv,
    "if-conversion2"sv,
    "inline"sv,
    "inline-functions"sv,
    "ipa-cp-clone"sv,
    "ira-hoist-pressure"sv,
    "ira-loop-pressure"sv,
    "ivopts"sv,
    "loop-interchange"sv,
    "loop-unroll-and-jam"sv,
    "modulo-sched"sv,
    "move-loop-invariants"sv,
    "omit-frame-pointer"sv,
    "peel-loops"sv,
    "predictive-commoning"sv,
    "prefetch-loop-arrays"sv,
    "rename-registers"sv,
    "reorder-blocks"sv,
    "sched-pressure"sv,
    "schedule-insns"sv,
    "schedule-insns2"sv,
    "selective-scheduling"sv,
    "selective-scheduling2"sv,
    "slp-vectorize"sv,
    "split-loops"sv,
    "split-paths"sv,
    "tree-ccp"sv,
    "tree-coalesce-vars"sv,
    "tree-loop-distribute-patterns"sv,
    "tree-loop-distribution"sv,
    "tree-loop-im"sv,
    "tree-loop-vectorize"sv,
    "tree-partial-pre"sv,
    "tree-pre"sv,
    "tree-slp-vectorize"sv,
    "tree-ter"sv,
    "tree-vectorize"sv,
    "tree-vrp"sv,
    "unroll-all-loops"sv,
    "unroll-loops"sv,
    "unswitch-loops"sv,
    "vectorize"sv,
    "version-loops-for-strides"sv,
    "web"sv,
};

/// -mNAME and -mno-NAME: instructions that may be used, fused ones only where contraction is
/// allowed.
constexpr std::array instructions = {
    "avx"sv,     "avx2"sv,       "avx512bf16"sv, "avx512bw"sv, "avx512cd"sv,   "avx512dq"sv,
    "avx512f"sv, "avx512fp16"sv, "avx512ifma"sv, "avx512vl"sv, "avx512vnni"sv, "bmi"sv,
    "bmi2"sv,    "f16c"sv,       "fma"sv,        "popcnt"sv,   "sse3"sv,       "sse4.1"sv,
    "sse4.2"sv,  "ssse3"sv,      "vzeroupper"sv,
};

/// NAME=VALUE with a value of this kind: letters, digits and what names of CPUs have in between.
enum class FlagValue { cpu, number, name };
struct ValuedFlag {
  std::string_view name;
  FlagValue value;
};
constexpr std::array valued_flags = {
    ValuedFlag{"-march", FlagValue::cpu},
    ValuedFlag{"-mcpu", FlagValue::cpu},
    ValuedFlag{"-mtune", FlagValue::cpu},
    ValuedFlag{"-mprefer-vector-width", FlagValue::cpu},
    ValuedFlag{"-falign-functions", FlagValue::number},
    ValuedFlag{"-falign-loops", FlagValue::number},
    ValuedFlag{"-fvect-cost-model", FlagValue::name},
    ValuedFlag{"-fsimd-cost-model", FlagValue::name},
    ValuedFlag{"-fira-algorithm", FlagValue::name},
    ValuedFlag{"-fira-region", FlagValue::name},
};

template <class List>
bool has(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// Without the prefix, and without "no-" behind it.
std::string_view switched(std::string_view flag) {
  flag.remove_prefix(2);
  return flag.starts_with("no-") ? flag.substr(3) : flag;
}

bool fits(FlagValue kind, std::string_view value) {
  const auto allowed = [&](char c) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    switch (kind) {
      case FlagValue::number:
        return digit;
      case FlagValue::name:
        return letter || c == '-';
      case FlagValue::cpu:
        break;
    }
    return digit || letter || c == '-' || c == '+' || c == '.' || c == '_';
  };
  return !value.empty() && std::all_of(value.begin(), value.end(), allowed);
}

bool is_valued(std::string_view flag) {
  const size_t equal = flag.find('=');
  if (equal == std::string_view::npos) return false;
  return std::any_of(valued_flags.begin(), valued_flags.end(), [&](const ValuedFlag& row) {
    return row.name == flag.substr(0, equal) && fits(row.value, flag.substr(equal + 1));
  });
}

}  // namespace

bool is_known_flag(const std::string& flag) {
  const std::string_view text = flag;
  if (has(whole_flags, text) || is_valued(text)) return true;
  if (text.starts_with("-f")) return has(optimisations, switched(text));
  return text.starts_with("-m") && has(instructions, switched(text));
}

std::string unknown_flag(const std::string& flag) {
  return fmt::format("'{}' is none of the flags that are known to change neither results nor files",
                     flag);
}

std::string hint_for_flag(const std::string& flag) {
  std::vector<std::string> known(whole_flags.begin(), whole_flags.end());
  for (const std::string_view name : optimisations) {
    for (const char* prefix : {"-f", "-fno-"}) known.push_back(prefix + std::string(name));
  }
  for (const std::string_view name : instructions) known.push_back("-m" + std::string(name));
  const std::string near = nearest(flag, known);
  return (near.empty() ? "" : fmt::format("did you mean '{}'? ", near)) +
         "configurations may have -O0 to -O3, switches of optimisations such as -fno-unroll-loops, "
         "and instruction sets such as -mavx2 or -march=native";
}

}  // namespace mdh::ll
