#include "mdh/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace mdh {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replace, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, Align others) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      if (c > 0) line += "  ";
      line += c == 0 || others == Align::left ? fmt::format("{:<{}}", row[c], widths[c])
                                              : fmt::format("{:>{}}", row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string in_ascii(std::string text) {
  for (char& c : text) c = c >= ' ' && c <= '~' ? c : '?';
  return text;
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string indent(std::string_view text, int columns) {
  const std::string pad(static_cast<size_t>(columns), ' ');
  std::string moved;
  for (bool at_line_start = true; const char c : text) {
    if (at_line_start && c != '\n') moved += pad;
    moved += c;
    at_line_start = c == '\n';
  }
  return moved;
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  if (known.empty()) return {};
  const std::string near = nearest(name, known);
  return near.empty() ? "known: " + join(known, ", ") : "did you mean '" + near + "'?";
}

bool to_integer(std::string_view text, long long& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::string time_left(double share, double seconds) {
  const double left = seconds / share * (1 - share);
  const std::string text = left < 100          ? fmt::format("{:.0f} s", left)
                           : left < 100 * 60   ? fmt::format("{:.0f} min", left / 60)
                           : left < 100 * 3600 ? fmt::format("{:.0f} h", left / 3600)
                                               : fmt::format("{:.0f} days", left / 86400);
  return fmt::format("{:.0f} %, {} left", 100 * share, text);
}

}  // namespace mdh
