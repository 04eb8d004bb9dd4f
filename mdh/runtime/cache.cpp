#include "mdh/runtime/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "mdh/support/diagnostic.h"
#include "mdh/support/hash.h"
#include "mdh/support/text.h"

namespace mdh::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view entry_suffix = ".sealed", part_suffix = ".part";
constexpr size_t key_length = 32;

std::string seal_of(std::string_view content) {
  return fmt::format("\nmdh seal {}\n", hash_name(content));
}

/// The content without its seal, if it is intact.
std::optional<std::string> unsealed(std::string text) {
  static const size_t length = seal_of("").size();
  if (text.size() < length) return std::nullopt;
  const size_t size = text.size() - length;
  if (text.substr(size) != seal_of({text.data(), size})) return std::nullopt;
  text.resize(size);
  return text;
}

/// Code of other users is not loaded, wherever MDH_CACHE points.
bool is_own_file(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

bool is_key(std::string_view text) {
  return text.size() == key_length &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

struct Entry {
  fs::path path;
  int64_t bytes;
  fs::file_time_type used;
  bool is_part;  // being written, or left by a process that died while it did
};

std::vector<Entry> entries_of(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code failure;
  fs::directory_iterator file(folder, failure);
  for (; !failure && file != fs::directory_iterator(); file.increment(failure)) {
    const std::string name = file->path().filename().string();
    if (!is_key(name.substr(0, key_length))) continue;
    const std::string rest = name.substr(key_length);
    const bool is_part = rest.ends_with(part_suffix);
    if (!is_part && rest != entry_suffix) continue;
    std::error_code gone;  // by another process
    const auto bytes = static_cast<int64_t>(file->file_size(gone));
    const fs::file_time_type used = file->last_write_time(gone);
    if (!gone) entries.push_back({file->path(), bytes, used, is_part});
  }
  return entries;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

/// Under a name that no other thread or process uses, then renamed.
bool write_atomically(const fs::path& path, std::string_view content, const std::string& seal) {
  std::string temporary = path.parent_path() / path.stem();
  temporary += fmt::format(".XXXXXX{}", part_suffix);
  const int file = mkostemps(temporary.data(), part_suffix.size(), O_CLOEXEC);
  if (file < 0) return false;
  bool written = write_all(file, content) && write_all(file, seal);
  written = close(file) == 0 && written;
  written = written && rename(temporary.c_str(), path.c_str()) == 0;
  if (!written) unlink(temporary.c_str());
  return written;
}

int64_t limit_of_user() {
  const char* text = std::getenv("MDH_CACHE_LIMIT");
  if (text == nullptr || *text == '\0') return Cache::default_limit;
  std::string number = text;
  int shift = 0;
  for (const auto& [unit, bits] : {std::pair('K', 10), std::pair('M', 20), std::pair('G', 30)}) {
    if (number.back() == unit) shift = bits;
  }
  if (shift > 0) number.pop_back();
  long long value = 0;
  if (!to_integer(number, value) || value < 0 || value > (INT64_MAX >> shift)) {
    user_error("E606", {}, fmt::format("MDH_CACHE_LIMIT: cannot read '{}'", text),
               "write a number of bytes, or one such as 500M or 2G");
  }
  return static_cast<int64_t>(value) << shift;
}

}  // namespace

std::string cache_key(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += fmt::format("{}:{}", part.size(), part);
  return hash_name(all) + hash_name("second half: " + all);
}

Cache::Cache(fs::path folder, int64_t limit) : folder_(std::move(folder)), limit_(limit) {}

Cache Cache::of_user() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const int64_t limit = limit_of_user();
  const std::string own = variable("MDH_CACHE"), shared = variable("XDG_CACHE_HOME");
  if (own == "off") return {};
  if (!own.empty()) return Cache(own, limit);
  if (!shared.empty()) return Cache(fs::path(shared) / "mdh", limit);
  const std::string home = variable("HOME");
  return home.empty() ? Cache() : Cache(fs::path(home) / ".cache" / "mdh", limit);
}

fs::path Cache::file_of(const std::string& key) const {
  internal_check(is_key(key), "'{}' is not the key of a cache", key);
  return folder_ / (key + std::string(entry_suffix));
}

std::optional<std::string> Cache::read(const std::string& key) const {
  if (!enabled()) return std::nullopt;
  const fs::path path = file_of(key);
  if (!is_own_file(path)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return std::nullopt;
  std::optional<std::string> content = unsealed(std::move(text));
  std::error_code ignored;
  if (content) {
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  } else {
    fs::remove(path, ignored);
  }
  return content;
}

bool Cache::store(const std::string& key, std::string_view content) const {
  const std::string seal = seal_of(content);
  const auto bytes = static_cast<int64_t>(content.size() + seal.size());
  if (!enabled() || bytes > limit_) return false;
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (!write_atomically(file_of(key), content, seal)) return false;
  // Looking at all entries takes time. Where one more is next to nothing, one in sixteen does.
  if (bytes > limit_ / 16 || key.back() == '0') trim(key);
  return true;
}

void Cache::forget(const std::string& key) const {
  std::error_code ignored;
  if (enabled()) fs::remove(file_of(key), ignored);
}

void Cache::trim(const std::string& kept) const {
  std::vector<Entry> entries = entries_of(folder_);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  int64_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes;
  const fs::file_time_type long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  std::error_code ignored;
  for (const Entry& entry : entries) {
    const bool is_left_over = entry.is_part && entry.used < long_ago;
    const bool is_too_much = !entry.is_part && bytes > limit_ && entry.path != file_of(kept);
    if (!is_left_over && !is_too_much) continue;
    fs::remove(entry.path, ignored);
    bytes -= entry.bytes;
  }
}

CacheUse Cache::use() const {
  CacheUse use;
  if (!enabled()) return use;
  for (const Entry& entry : entries_of(folder_)) {
    ++use.files;
    use.bytes += entry.bytes;
  }
  return use;
}

CacheUse Cache::clear() const {
  CacheUse removed;
  if (!enabled()) return removed;
  for (const Entry& entry : entries_of(folder_)) {
    std::error_code failure;
    if (!fs::remove(entry.path, failure)) continue;
    ++removed.files;
    removed.bytes += entry.bytes;
  }
  return removed;
}

}  // namespace mdh::runtime
