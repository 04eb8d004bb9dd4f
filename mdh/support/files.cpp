#include "mdh/support/files.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "mdh/support/diagnostic.h"

namespace mdh {
namespace {

std::filesystem::path part_of(const std::filesystem::path& path) {
  return path.string() + fmt::format(".{}.part", getpid());
}

[[noreturn]] void cannot_write(const std::filesystem::path& path) {
  user_error("E002", {}, fmt::format("cannot write '{}'", path.string()),
             "check the path, its permissions and the free space");
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path)) {
    user_error("E001", {}, fmt::format("cannot read '{}'", path.string()),
               "check the path and its permissions");
  }
  // Through iterators, because << of a stream buffer takes an empty file for a failure.
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& path, const std::string& content) {
  const std::filesystem::path temporary = part_of(path);
  std::ofstream out(temporary, std::ios::binary);
  out << content;
  out.close();
  std::error_code failure;
  if (out) std::filesystem::rename(temporary, path, failure);
  if (!out || failure) {
    std::filesystem::remove(temporary, failure);
    cannot_write(path);
  }
}

void require_writable(const std::filesystem::path& path) {
  // A device would be replaced by the file.
  std::error_code failure;
  const bool is_free = !std::filesystem::exists(path, failure);
  if (failure || !(is_free || std::filesystem::is_regular_file(path, failure))) cannot_write(path);
  const std::filesystem::path temporary = part_of(path);
  const bool opened = path.has_filename() && std::ofstream(temporary, std::ios::binary).is_open();
  std::filesystem::remove(temporary, failure);
  if (!opened) cannot_write(path);
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "mdh-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    missing("E003", fmt::format("cannot create a temporary directory '{}'", name),
            "set TMPDIR to a writable directory");
  }
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace mdh
