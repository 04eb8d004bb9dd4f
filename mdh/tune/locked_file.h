// A file that only we write, as long as the object lives.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mdh::tune {

class LockedFile {
 public:
  /// Makes the file and its folder where they are missing, and waits for the lock. Afterwards
  /// failure() says what did not work.
  explicit LockedFile(const std::filesystem::path& path);
  ~LockedFile();
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  /// Empty if all is well.
  const std::string& failure() const { return failure_; }

  std::string read();

  /// Adds a line, and ends a torn one before it; all or nothing.
  void append_line(std::string_view line);

  /// Another file of the same name takes its place, complete and on the disk.
  void replace(const std::string& text);

 private:
  bool open_and_lock();
  void fail();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::string failure_;
};

}  // namespace mdh::tune
