// The tuning database: records in a file, one JSON line each.
//
// A record is appended by one write under a lock. A writer that is killed leaves at most one torn
// line, which the next one ends and readers skip: nothing else is lost. Any number of processes may
// append, also while another one rewrites the file: a rewrite makes a new file and renames it, and
// who waited for the lock of the old one opens the new one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mdh/support/diagnostic.h"
#include "mdh/tune/record.h"

namespace mdh::tune {

struct Contents {
  std::vector<Record> records;
  std::vector<std::string> newer;  // lines of later versions
  int64_t unreadable = 0;          // lines that are torn or no records
};

/// The lines of a file.
Contents parse_records(std::string_view text);

class Database {
 public:
  explicit Database(std::filesystem::path file) : file_(std::move(file)) {}

  /// $XDG_DATA_HOME/mdh/records.jsonl, else ~/.local/share/mdh/records.jsonl; no name where there
  /// is no home.
  static std::filesystem::path file_of_user();

  const std::filesystem::path& file() const { return file_; }

  /// A file that does not exist holds nothing; one that cannot be read is a user error.
  Contents load() const;

  /// Folder and file are made when they are needed. What went wrong, if something did (a full disk,
  /// a folder that cannot be written): the file is then as it was, and the caller may go on.
  [[nodiscard]] std::optional<Diagnostic> append(const Record& record) const;

  /// Replaces the text of the file, atomically; nothing is appended in between. A failure is a user
  /// error, and the file is as it was.
  void rewrite(const std::function<std::string(std::string_view old)>& change) const;

 private:
  std::filesystem::path file_;
};

/// The records of other files behind those of the database, without those that it has already.
struct Merged {
  int64_t added = 0;
  int64_t known = 0;
  int64_t unreadable = 0;  // lines of the other files
};
Merged merge(const Database& database, const std::vector<std::filesystem::path>& files);
Merged merge(const Database& database, const Contents& contents);

/// Every record and every line of a later version, once each, as the lines of a file.
std::string lines_of(const Contents& contents);

}  // namespace mdh::tune
