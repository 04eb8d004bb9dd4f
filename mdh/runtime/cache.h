// Compiled objects, kept in a folder from run to run.
//
// An entry is a file named by a hash of everything that determines its content, and sealed: its
// last bytes are a checksum of those before. It is written under another name and renamed, so that
// any number of processes can use one folder without locks. An entry that is not intact is no
// entry. Nothing here fails: a folder that cannot be read holds nothing, one that cannot be written
// (or is full) keeps nothing, and the run goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mdh::runtime {

/// The name of what these texts determine, 32 hexadecimal digits.
std::string cache_key(const std::vector<std::string>& parts);

struct CacheUse {
  int64_t files = 0;
  int64_t bytes = 0;
};

class Cache {
 public:
  static constexpr int64_t default_limit = int64_t{1} << 30;

  /// Keeps nothing.
  Cache() = default;

  /// Keeps about `limit` bytes in the folder, which is made when it is needed.
  explicit Cache(std::filesystem::path folder, int64_t limit = default_limit);

  /// MDH_CACHE, else $XDG_CACHE_HOME/mdh, else ~/.cache/mdh; MDH_CACHE=off keeps nothing.
  /// MDH_CACHE_LIMIT is a number of bytes, or one with K, M or G behind it.
  static Cache of_user();

  bool enabled() const { return !folder_.empty(); }
  const std::filesystem::path& folder() const { return folder_; }
  int64_t limit() const { return limit_; }

  /// The content of an intact entry, which counts as used just now. Content and not a file, because
  /// another process may remove or replace the file at any time.
  std::optional<std::string> read(const std::string& key) const;

  /// False if it could not be kept. Entries that have not been used for the longest time make room
  /// for it.
  bool store(const std::string& key, std::string_view content) const;

  /// Removes an entry that turned out to be of no use.
  void forget(const std::string& key) const;

  CacheUse use() const;

  /// Removes all entries, and no other file that the folder may hold. What was removed.
  CacheUse clear() const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  void trim(const std::string& kept) const;

  std::filesystem::path folder_;
  int64_t limit_ = default_limit;
};

}  // namespace mdh::runtime
