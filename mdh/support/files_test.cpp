#include "mdh/support/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "mdh/support/testing.h"

namespace mdh::files_test {
namespace {

size_t entries_in(const std::filesystem::path& folder) {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(Files, content_survives_byte_by_byte) {
  const TemporaryDirectory folder;
  const std::string content("a\r\n\0\xff z", 8);
  write_file(folder.path() / "x", content);
  EXPECT_EQ(read_file(folder.path() / "x"), content);
}

TEST(Files, empty_file_is_a_file) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "x", "");
  EXPECT_EQ(read_file(folder.path() / "x"), "");
}

TEST(Files, writing_replaces_the_old_content_and_leaves_nothing_beside_it) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "x", "a longer text");
  write_file(folder.path() / "x", "short");
  EXPECT_EQ(read_file(folder.path() / "x"), "short");
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(Files, missing_file_is_a_user_error_that_names_the_path) {
  const Diagnostic d = diagnostic_of([] { read_file("/nowhere/x.mdh"); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E001");
  EXPECT_EQ(d.message, "cannot read '/nowhere/x.mdh'");
}

TEST(Files, directory_is_not_read_as_a_file) {
  const TemporaryDirectory folder;
  EXPECT_EQ(diagnostic_of([&] { read_file(folder.path()); }).message,
            "cannot read '" + folder.path().string() + "'");
}

TEST(Files, write_into_a_missing_directory_is_a_user_error) {
  const Diagnostic d = diagnostic_of([] { write_file("/nowhere/x", "y"); });
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E002");
  EXPECT_EQ(d.message, "cannot write '/nowhere/x'");
}

TEST(Files, failed_write_leaves_nothing_behind) {
  const TemporaryDirectory folder;
  std::filesystem::create_directories(folder.path() / "taken" / "inside");
  EXPECT_EQ(diagnostic_of([&] { write_file(folder.path() / "taken", "y"); }).code, "E002");
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(Files, what_can_be_written_is_known_before_and_nothing_changes) {
  const TemporaryDirectory folder;
  EXPECT_NO_THROW(require_writable(folder.path() / "x"));
  EXPECT_EQ(entries_in(folder.path()), 0u);
  write_file(folder.path() / "x", "y");
  EXPECT_NO_THROW(require_writable(folder.path() / "x"));
  EXPECT_EQ(read_file(folder.path() / "x"), "y");
  for (const std::filesystem::path& path :
       {folder.path(), folder.path() / "", folder.path() / "missing" / "x",
        folder.path() / "x" / "y", std::filesystem::path("/dev/full"), std::filesystem::path()}) {
    EXPECT_EQ(diagnostic_of([&] { require_writable(path); }).code, "E002") << path;
  }
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(TemporaryDirectory, lives_as_long_as_the_object_with_all_it_holds) {
  std::filesystem::path path;
  {
    const TemporaryDirectory folder, other;
    path = folder.path();
    EXPECT_NE(path, other.path());
    EXPECT_TRUE(std::filesystem::is_directory(path));
    std::filesystem::create_directory(path / "below");
    write_file(path / "below" / "x", "y");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace mdh::files_test
