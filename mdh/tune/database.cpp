#include "mdh/tune/database.h"

#include <cstdlib>
#include <set>

#include "mdh/support/files.h"
#include "mdh/tune/locked_file.h"

namespace mdh::tune {
namespace {

namespace fs = std::filesystem;

Diagnostic cannot_store(const fs::path& file, const std::string& why) {
  return {DiagnosticKind::user,
          "E870",
          {},
          fmt::format("cannot write the tuning records '{}': {}", file.string(), why),
          {},
          "check the path, its permissions and the free space, or name another file by --records"};
}

/// The lines that a file has to keep, in their order.
std::vector<std::string> kept_lines(const Contents& contents) {
  std::vector<std::string> lines;
  std::set<std::string> known;
  const auto keep = [&](std::string line) {
    if (known.insert(line).second) lines.push_back(std::move(line));
  };
  for (const Record& record : contents.records) keep(print(record));
  for (const std::string& line : contents.newer) keep(line);
  return lines;
}

/// Behind those that are there, each that is not.
Merged add_lines(const Database& database, const std::vector<std::string>& lines,
                 int64_t unreadable) {
  Merged result{.unreadable = unreadable};
  database.rewrite([&](std::string_view old) {
    std::string text(old);
    if (!text.empty() && text.back() != '\n') text += '\n';
    std::set<std::string> known;
    for (std::string& line : kept_lines(parse_records(old))) known.insert(std::move(line));
    for (const std::string& line : lines) {
      const bool is_new = known.insert(line).second;
      ++(is_new ? result.added : result.known);
      if (is_new) text += line + "\n";
    }
    return text;
  });
  return result;
}

}  // namespace

Contents parse_records(std::string_view text) {
  Contents contents;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (std::optional<Record> record = parse_record(line)) {
      contents.records.push_back(std::move(*record));
    } else if (is_newer_record(line)) {
      contents.newer.emplace_back(line);
    } else {
      ++contents.unreadable;
    }
  }
  return contents;
}

fs::path Database::file_of_user() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  const fs::path data = variable("XDG_DATA_HOME"), home = variable("HOME");
  if (data.empty() && home.empty()) return {};
  return (data.empty() ? home / ".local" / "share" : data) / "mdh" / "records.jsonl";
}

Contents Database::load() const {
  std::error_code ignored;
  // A device may be endless.
  if (file_.empty() || !fs::exists(file_, ignored) || fs::is_character_file(file_, ignored)) {
    return {};
  }
  return parse_records(read_file(file_));
}

std::optional<Diagnostic> Database::append(const Record& record) const {
  LockedFile file(file_);
  if (file.failure().empty()) file.append_line(print(record));
  if (file.failure().empty()) return std::nullopt;
  return cannot_store(file_, file.failure());
}

void Database::rewrite(const std::function<std::string(std::string_view)>& change) const {
  LockedFile file(file_);
  const std::string old = file.failure().empty() ? file.read() : "";
  if (file.failure().empty()) {
    const std::string text = change(old);
    if (text != old) file.replace(text);
  }
  if (!file.failure().empty()) throw Error(cannot_store(file_, file.failure()));
}

std::string lines_of(const Contents& contents) {
  std::string text;
  for (const std::string& line : kept_lines(contents)) text += line + "\n";
  return text;
}

Merged merge(const Database& database, const std::vector<fs::path>& files) {
  int64_t unreadable = 0;
  std::vector<std::string> lines;
  for (const fs::path& file : files) {
    const Contents contents = parse_records(read_file(file));
    unreadable += contents.unreadable;
    for (std::string& line : kept_lines(contents)) lines.push_back(std::move(line));
  }
  return add_lines(database, lines, unreadable);
}

Merged merge(const Database& database, const Contents& contents) {
  return add_lines(database, kept_lines(contents), contents.unreadable);
}

}  // namespace mdh::tune
