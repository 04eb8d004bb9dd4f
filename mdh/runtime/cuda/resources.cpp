#include "mdh/runtime/cuda/resources.h"

#include <regex>
#include <string>

#include "mdh/support/text.h"

namespace mdh::runtime::cuda {
namespace {

/// The number in front of some words, as in "2120 bytes spill stores"; nothing if they are not
/// there.
std::optional<int64_t> number_before(const std::string& line, const std::string& words) {
  std::smatch parts;
  if (!std::regex_search(line, parts, std::regex("([0-9]{1,18}) " + words))) return std::nullopt;
  return std::stoll(parts[1].str());
}

/// The function that is called so in "Compiling entry function 'f' for 'sm_90'".
std::optional<std::string> entry_in(const std::string& line) {
  static const std::regex form("Compiling entry function '([^']*)'");
  std::smatch parts;
  if (!std::regex_search(line, parts, form)) return std::nullopt;
  return parts[1].str();
}

/// Functions that are not inlined have properties of their own, in front of what the entry uses.
bool is_about_another(const std::string& line, const Resources& entry) {
  static const std::regex form("Function properties for (\\S+)");
  std::smatch parts;
  return std::regex_search(line, parts, form) && parts[1].str() != entry.function;
}

void read_line(const std::string& line, Resources& entry) {
  if (const auto bytes = number_before(line, "bytes stack frame")) entry.stack_bytes = bytes;
  if (const auto bytes = number_before(line, "bytes spill stores")) entry.spilled_bytes = bytes;
  static const std::regex used("Used ([0-9]{1,9}) registers");
  std::smatch parts;
  if (!std::regex_search(line, parts, used)) return;
  entry.registers = std::stoll(parts[1].str());
  entry.local_bytes = number_before(line, "bytes smem").value_or(0);
  // That of functions that it calls included.
  if (const auto bytes = number_before(line, "bytes cumulative stack size")) {
    entry.stack_bytes = bytes;
  }
}

}  // namespace

std::vector<Resources> resources_in_log(std::string_view log) {
  std::vector<Resources> all;
  bool is_of_entry = false;
  for (const std::string& line : split(log, '\n')) {
    if (const auto name = entry_in(line)) {
      all.push_back({.function = *name});
      is_of_entry = true;
    } else if (!all.empty()) {
      if (line.find("Function properties for ") != std::string::npos) {
        is_of_entry = !is_about_another(line, all.back());
      }
      const bool is_summary = line.find("Used ") != std::string::npos;
      if (is_of_entry || is_summary) read_line(line, all.back());
    }
  }
  return all;
}

}  // namespace mdh::runtime::cuda
