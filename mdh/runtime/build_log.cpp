#include "mdh/runtime/build_log.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mdh/support/text.h"

namespace mdh::runtime {
namespace {

constexpr size_t most_lines = 40;

/// The digits that begin at a place of the text.
std::string_view digits_at(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
  return text.substr(at, end - at);
}

/// 0, which is no line, where there are no digits or too many.
size_t to_line(std::string_view digits) {
  return digits.empty() || digits.size() > 9 ? 0 : std::stoul(std::string(digits));
}

/// Whether the text goes on with a piece there.
bool continues_with(std::string_view text, size_t at, std::string_view piece) {
  return at < text.size() && text.substr(at, piece.size()) == piece;
}

/// clang and its descendants write ":12:3:", NVIDIA's compilers "(12): ", others "line 12".
std::vector<size_t> mentioned(std::string_view log) {
  constexpr std::string_view word = "line ";
  std::vector<size_t> lines;
  for (size_t at = 0; at < log.size(); ++at) {
    if (log.substr(at, word.size()) == word) {
      lines.push_back(to_line(digits_at(log, at + word.size())));
    }
    const std::string_view line = digits_at(log, at + 1);
    const size_t behind = at + 1 + line.size();
    if (log[at] == '(' && continues_with(log, behind, "): ")) lines.push_back(to_line(line));
    const std::string_view column = digits_at(log, behind + 1);
    if (log[at] != ':' || line.empty() || column.empty() || log[behind] != ':') continue;
    lines.push_back(to_line(line));
    at = behind + column.size();
  }
  return lines;
}

}  // namespace

std::string offending_lines(std::string_view source, std::string_view log) {
  const std::vector<std::string> lines = split(source, '\n');
  std::set<size_t> shown;
  for (const size_t line : mentioned(log)) {
    if (line == 0 || line > lines.size() || shown.size() >= most_lines) continue;
    shown.insert({line - 1, line, line + 1});
  }
  std::string text;
  for (const size_t line : shown) {
    if (line == 0 || line > lines.size()) continue;
    text += fmt::format("{:5} | {}\n", line, lines[line - 1]);
  }
  return text;
}

}  // namespace mdh::runtime
