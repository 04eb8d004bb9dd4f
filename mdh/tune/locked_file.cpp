#include "mdh/tune/locked_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace mdh::tune {
namespace {

namespace fs = std::filesystem;

/// A file beyond RLIMIT_FSIZE is an error of write(2) and not the end of the process.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~NoSizeSignal() {
    const int error = errno;
    const timespec at_once{};
    if (sigismember(&before_, SIGXFSZ) == 0) sigtimedwait(&only_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;

 private:
  sigset_t only_{}, before_{};
};

/// One write, unless the system takes only a part of it.
bool write_whole(int descriptor, std::string_view text) {
  const NoSizeSignal no_signal;
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

/// The lock was waited for: meanwhile the name may have become that of another file.
bool is_still(int descriptor, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

LockedFile::LockedFile(const fs::path& path) {
  std::error_code failure;
  path_ = fs::weakly_canonical(path, failure);  // a link stays one
  if (failure) path_ = path;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), failure);
  while (!open_and_lock()) {
    if (!failure_.empty()) return;
  }
}

LockedFile::~LockedFile() {
  if (descriptor_ >= 0) close(descriptor_);  // and with it the lock
}

void LockedFile::fail() {
  if (failure_.empty()) failure_ = std::strerror(errno);
}

/// False, without a failure, if the file has to be opened again.
bool LockedFile::open_and_lock() {
  descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail();
    return false;
  }
  int locked = -1;
  do {
    locked = flock(descriptor_, LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0) fail();
  if (locked == 0 && is_still(descriptor_, path_)) return true;
  close(descriptor_);
  descriptor_ = -1;
  return false;
}

std::string LockedFile::read() {
  std::string text;
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) fail();
  if (!S_ISREG(status.st_mode)) failure_ = "it is not a regular file";
  if (!failure_.empty()) return text;
  std::array<char, 1 << 16> chunk{};
  off_t at = 0;
  for (;;) {
    const ssize_t count = pread(descriptor_, chunk.data(), chunk.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    if (count <= 0) return text;
    text.append(chunk.data(), static_cast<size_t>(count));
    at += count;
  }
}

void LockedFile::append_line(std::string_view line) {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) return fail();
  const bool is_file = S_ISREG(status.st_mode);
  char last = '\n';
  if (is_file && status.st_size > 0 && pread(descriptor_, &last, 1, status.st_size - 1) != 1) {
    return fail();
  }
  std::string text = last == '\n' ? "" : "\n";
  text += line;
  text += '\n';
  if (write_whole(descriptor_, text)) return;
  fail();
  // What was written of it must not stay: the next line would be taken for its end.
  if (is_file && ftruncate(descriptor_, status.st_size) != 0) fail();
}

void LockedFile::replace(const std::string& text) {
  std::string temporary = path_.string() + ".XXXXXX";
  const int file = mkostemp(temporary.data(), O_CLOEXEC);
  if (file < 0) return fail();
  struct stat status {};
  bool done = fstat(descriptor_, &status) == 0 && fchmod(file, status.st_mode & 07777) == 0;
  done = done && write_whole(file, text) && fsync(file) == 0;
  if (!done) fail();
  done = close(file) == 0 && done;
  done = done && rename(temporary.c_str(), path_.c_str()) == 0;
  if (done) return sync_folder(path_.parent_path());
  fail();
  unlink(temporary.c_str());
}

}  // namespace mdh::tune
