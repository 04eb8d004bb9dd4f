// Files, whole and atomic.
#pragma once

#include <filesystem>
#include <string>

namespace mdh {

/// The whole content of a file; a user error naming the path if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Writes through a temporary file and a rename, so that a reader never sees half of it.
void write_file(const std::filesystem::path& path, const std::string& content);

/// An error like that of write_file, if it could not write there now; nothing changes.
void require_writable(const std::filesystem::path& path);

/// A directory that exists as long as the object does.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace mdh
