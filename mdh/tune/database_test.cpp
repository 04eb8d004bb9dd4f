#include "mdh/tune/database.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <set>

#include "mdh/support/files.h"
#include "mdh/support/testing.h"
#include "mdh/tune/lookup.h"
#include "mdh/tune/testing.h"

namespace mdh::tune::database_test {
namespace {

namespace fs = std::filesystem;

class DatabaseFile : public ::testing::Test {
 protected:
  void append(const Record& record) const {
    const auto failure = database().append(record);
    EXPECT_FALSE(failure) << failure->message;
  }
  Database database() const { return Database(folder_.path() / "data" / "records.jsonl"); }
  std::string text() const { return read_file(database().file()); }
  fs::path folder() const { return folder_.path(); }

  /// The exit code of another process that does this.
  static int in_child(const std::function<int()>& work) { return waited(started(work)); }
  static pid_t started(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0) _exit(work());
    return child;
  }
  static int waited(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  TemporaryDirectory folder_;
};

std::string line_of(int config, double median) { return print(some_record(config, median)) + "\n"; }

TEST_F(DatabaseFile, that_does_not_exist_holds_nothing) {
  const Contents contents = database().load();
  EXPECT_TRUE(contents.records.empty());
  EXPECT_EQ(contents.unreadable, 0);
  EXPECT_FALSE(fs::exists(database().file())) << "reading makes nothing";
  EXPECT_TRUE(Database("").load().records.empty());
}

TEST_F(DatabaseFile, is_made_by_the_first_record) {
  append(some_record(1, 1));
  append(some_record(2, 2));
  EXPECT_EQ(text(), line_of(1, 1) + line_of(2, 2));
  EXPECT_EQ(database().load().records.size(), 2u);
}

TEST_F(DatabaseFile, that_cannot_be_read_is_a_user_error) {
  fs::create_directories(database().file());
  EXPECT_EQ(diagnostic_of([&] { database().load(); }).code, "E001");
}

// ---- torn lines

TEST_F(DatabaseFile, torn_last_line_is_ignored_and_ended_by_the_next_writer) {
  append(some_record(1, 1));
  const std::string torn = line_of(2, 2).substr(0, 100);
  write_file(database().file(), text() + torn);
  EXPECT_EQ(database().load().records.size(), 1u);
  EXPECT_EQ(database().load().unreadable, 1);
  append(some_record(3, 3));
  EXPECT_EQ(text(), line_of(1, 1) + torn + "\n" + line_of(3, 3));
  EXPECT_EQ(database().load().records.size(), 2u);
  EXPECT_EQ(database().load().unreadable, 1);
}

TEST_F(DatabaseFile, last_line_that_only_lacks_its_end_is_whole) {
  fs::create_directories(database().file().parent_path());
  write_file(database().file(), print(some_record(1, 1)));
  EXPECT_EQ(database().load().records.size(), 1u);
  append(some_record(2, 2));
  EXPECT_EQ(text(), line_of(1, 1) + line_of(2, 2));
}

TEST_F(DatabaseFile, damaged_lines_in_the_middle_cost_only_themselves) {
  fs::create_directories(database().file().parent_path());
  write_file(database().file(), line_of(1, 1) + "{\"mdh_record\":1}\n\n  \n\xff\xff\n" +
                                    std::string(3, '\0') + "\n" + line_of(2, 2));
  const Contents contents = database().load();
  EXPECT_EQ(contents.records.size(), 2u);
  EXPECT_EQ(contents.unreadable, 3) << "lines without anything do not count";
}

TEST_F(DatabaseFile, tampered_key_changes_nothing) {
  fs::create_directories(database().file().parent_path());
  std::string line = line_of(1, 1);
  const std::string key = key_of(some_record(1, 1));
  line.replace(line.find(key), key.size(), "0000000000000000");
  write_file(database().file(), line);
  const Contents contents = database().load();
  ASSERT_EQ(contents.records.size(), 1u);
  EXPECT_EQ(key_of(contents.records[0]), key);
  EXPECT_EQ(lines_of(contents), line_of(1, 1));
}

// ---- no space, no permission

TEST_F(DatabaseFile, full_disk_is_a_value_that_the_caller_survives) {
  const auto failure = Database("/dev/full").append(some_record(1, 1));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "E870");
  EXPECT_EQ(failure->message,
            "cannot write the tuning records '/dev/full': No space left on device");
  EXPECT_FALSE(failure->hint.empty());
  EXPECT_EQ(diagnostic_of([] {
              Database("/dev/full").rewrite([](std::string_view) { return "x"; });
            }).message,
            "cannot write the tuning records '/dev/full': it is not a regular file");
}

/// Appends records until one does not fit below the limit.
int append_below_limit(const Database& database, size_t bytes) {
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 99;
  for (int n = 0; n < 1000; ++n) {
    const auto failure = database.append(some_record(n, 1));
    if (!failure) continue;
    if (failure->message.find("File too large") == std::string::npos) return 98;
    return n;
  }
  return 97;
}

TEST_F(DatabaseFile, partial_append_is_taken_back) {
  const size_t length = line_of(0, 1).size();
  const auto child = [&] { return append_below_limit(database(), 2 * length + length / 2); };
  EXPECT_EQ(in_child(child), 2) << "without a handler of SIGXFSZ";
  EXPECT_EQ(text(), line_of(0, 1) + line_of(1, 1));
  fs::remove(database().file());
  EXPECT_EQ(in_child([&] {
              signal(SIGXFSZ, SIG_IGN);
              return child();
            }),
            2);
  EXPECT_EQ(text(), line_of(0, 1) + line_of(1, 1));
  append(some_record(2, 1));
  EXPECT_EQ(database().load().records.size(), 3u);
}

TEST_F(DatabaseFile, limit_leaves_a_torn_line_as_it_was) {
  fs::create_directories(database().file().parent_path());
  write_file(database().file(), "{\"torn");
  EXPECT_EQ(in_child([&] { return append_below_limit(database(), 50); }), 0);
  EXPECT_EQ(text(), "{\"torn");
}

TEST_F(DatabaseFile, rewrite_that_does_not_fit_changes_nothing) {
  append(some_record(1, 1));
  const std::string before = text();
  const auto work = [&] {
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return diagnostic_of([&] {
             database().rewrite([](std::string_view) { return std::string(5000, 'x'); });
           }).code == "E870"
               ? 0
               : 1;
  };
  EXPECT_EQ(in_child(work), 0);
  EXPECT_EQ(text(), before);
  const fs::directory_iterator files(database().file().parent_path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "no half of a file is left";
}

TEST_F(DatabaseFile, folder_that_cannot_be_made_is_named) {
  write_file(folder() / "data", "a file");
  const auto failure = database().append(some_record(1, 1));
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->message.find("records.jsonl': Not a directory"), std::string::npos)
      << failure->message;
}

// ---- several processes

int append_many(const Database& database, int first, int count) {
  for (int n = first; n < first + count; ++n) {
    if (database.append(some_record(n, 1))) return 1;
  }
  return 0;
}

std::set<std::string> numbers_of(const Contents& contents) {
  std::set<std::string> configs;
  for (const Record& record : contents.records) configs.insert(record.config);
  return configs;
}

TEST_F(DatabaseFile, two_processes_append_and_no_line_is_lost) {
  const pid_t one = started([&] { return append_many(database(), 0, 1000); });
  const pid_t two = started([&] { return append_many(database(), 1000, 1000); });
  EXPECT_EQ(waited(one), 0);
  EXPECT_EQ(waited(two), 0);
  const Contents contents = database().load();
  EXPECT_EQ(contents.records.size(), 2000u);
  EXPECT_EQ(numbers_of(contents).size(), 2000u);
  EXPECT_EQ(contents.unreadable, 0);
}

TEST_F(DatabaseFile, rewriting_loses_no_line_that_is_appended_meanwhile) {
  append(some_record(-1, 1));
  const pid_t writer = started([&] { return append_many(database(), 0, 500); });
  for (int n = 0; n < 50; ++n) {
    prune(database(), {.keep = 100'000});
    database().rewrite([](std::string_view old) { return "\n" + std::string(old); });
  }
  EXPECT_EQ(waited(writer), 0);
  EXPECT_EQ(numbers_of(database().load()).size(), 501u);
  EXPECT_EQ(database().load().unreadable, 0);
}

TEST_F(DatabaseFile, killed_writer_leaves_at_most_one_torn_line) {
  int64_t rounds_with_records = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t writer = started([&] { return append_many(database(), 1000 * round, 100'000); });
    usleep(2000 + 1000 * round);
    kill(writer, SIGKILL);
    EXPECT_EQ(waited(writer), 128 + SIGKILL);
    const size_t before = database().load().records.size();
    append(some_record(-round - 1, 1));
    const Contents contents = database().load();
    EXPECT_EQ(contents.records.size(), before + 1) << "the lock of the dead is free";
    EXPECT_LE(contents.unreadable, round + 1);
    rounds_with_records += before > 0 ? 1 : 0;
  }
  EXPECT_GT(rounds_with_records, 0);
}

// ---- merging

TEST_F(DatabaseFile, merge_adds_what_is_new_and_keeps_what_it_does_not_know) {
  append(some_record(1, 1));
  write_file(database().file(), text() + "{\"torn");
  std::string newer = print(some_record(9, 1)), extended = print(some_record(2, 2));
  newer.replace(newer.find(":1"), 2, ":2");
  extended.insert(1, "\"future\":[1,2],");
  write_file(folder() / "a", line_of(1, 1) + extended + "\n" + newer + "\nrubbish\n");
  write_file(folder() / "b", extended + "\n" + line_of(3, 3));
  const Merged merged = merge(database(), {folder() / "a", folder() / "b"});
  EXPECT_EQ(merged.added, 3);
  EXPECT_EQ(merged.known, 2);
  EXPECT_EQ(merged.unreadable, 1);
  EXPECT_EQ(text(), line_of(1, 1) + "{\"torn\n" + extended + "\n" + newer + "\n" + line_of(3, 3));
  EXPECT_EQ(merge(database(), {folder() / "a"}).added, 0);
  EXPECT_EQ(lines_of(database().load()),
            line_of(1, 1) + extended + "\n" + line_of(3, 3) + newer + "\n");
}

TEST_F(DatabaseFile, merge_needs_its_files) {
  EXPECT_EQ(diagnostic_of([&] { merge(database(), {folder() / "none"}); }).code, "E001");
}

TEST_F(DatabaseFile, rewrite_follows_a_link_and_keeps_permissions) {
  append(some_record(1, 1));
  fs::permissions(database().file(), fs::perms::owner_read | fs::perms::owner_write);
  const fs::path link = folder() / "link";
  fs::create_symlink(database().file(), link);
  prune(Database(link), {.keep = 0});
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text(), "");
  EXPECT_EQ(fs::status(database().file()).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

// ---- where it is

TEST(FileOfUser, is_in_the_folder_for_data) {
  const auto kept = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string data = kept("XDG_DATA_HOME"), home = kept("HOME");
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(Database::file_of_user(), "/data/mdh/records.jsonl");
  setenv("XDG_DATA_HOME", "", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(Database::file_of_user(), "/home/me/.local/share/mdh/records.jsonl");
  unsetenv("HOME");
  EXPECT_EQ(Database::file_of_user(), "");
  setenv("XDG_DATA_HOME", data.c_str(), 1);
  setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace mdh::tune::database_test
