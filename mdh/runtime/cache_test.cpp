#include "mdh/runtime/cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "mdh/runtime/testing.h"
#include "mdh/support/testing.h"

namespace mdh::runtime::cache_test {
namespace {

namespace fs = std::filesystem;

std::string key(const std::string& text) { return cache_key({text}); }

fs::path file_of(const Cache& cache, const std::string& text) {
  return cache.folder() / (key(text) + ".sealed");
}

/// Makes an entry look as if it had been used `minutes` ago.
void age(const Cache& cache, const std::string& text, int minutes) {
  fs::last_write_time(file_of(cache, text),
                      fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& file : fs::directory_iterator(folder)) {
    names.push_back(file.path().filename().string());
  }
  return names;
}

// ---- keys

TEST(CacheKey, is_32_digits_and_depends_on_every_part_and_its_borders) {
  EXPECT_EQ(cache_key({"a", "b"}).size(), 32u);
  EXPECT_EQ(cache_key({"a", "b"}).find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(cache_key({"a", "b"}), cache_key({"a", "b"}));
  EXPECT_NE(cache_key({"a", "b"}), cache_key({"ab"}));
  EXPECT_NE(cache_key({"a", "b"}), cache_key({"b", "a"}));
  EXPECT_NE(cache_key({"a", "b"}), cache_key({"a", "b", ""}));
  EXPECT_NE(cache_key({"1:a"}), cache_key({"a"}));
  EXPECT_NE(cache_key({"a"}).substr(0, 16), cache_key({"a"}).substr(16)) << "two halves";
}

// ---- store and find

TEST(Cache, what_is_stored_is_found) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path() / "a" / "b");
  EXPECT_FALSE(cache.read(key("x")));
  for (const std::string& content :
       {std::string(), std::string("text"), std::string(100000, '\0')}) {
    ASSERT_TRUE(cache.store(key("x"), content));
    EXPECT_EQ(cache.read(key("x")), content);
    EXPECT_EQ(read_file(file_of(cache, "x")).substr(0, content.size()), content);
  }
  EXPECT_EQ(names_in(cache.folder()).size(), 1u) << "no temporary file is left";
  EXPECT_FALSE(cache.read(key("y")));
}

TEST(Cache, forgotten_entry_is_gone) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path());
  cache.store(key("x"), "1");
  cache.forget(key("x"));
  cache.forget(key("x"));
  EXPECT_FALSE(cache.read(key("x")));
}

TEST(Cache, entry_with_any_bit_changed_is_no_entry_and_is_removed) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path());
  const fs::path path = file_of(cache, "x");
  cache.store(key("x"), "some content");
  const std::string intact = read_file(path);
  for (size_t n = 0; n < intact.size(); ++n) {
    std::string damaged = intact;
    damaged[n] = static_cast<char>(damaged[n] ^ 1);
    write_file(path, damaged);
    EXPECT_FALSE(cache.read(key("x"))) << "byte " << n;
    EXPECT_FALSE(fs::exists(path));
    write_file(path, intact.substr(0, n));
    EXPECT_FALSE(cache.read(key("x"))) << "cut off at " << n;
  }
  cache.store(key("x"), "new");
  EXPECT_EQ(cache.read(key("x")), "new");
}

TEST(Cache, link_and_folder_are_no_entries) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path() / "cache"), other(folder.path() / "other");
  const fs::path real = file_of(other, "x");
  other.store(key("x"), "1");
  fs::create_directories(cache.folder());
  fs::create_symlink(real, cache.folder() / real.filename());
  EXPECT_FALSE(cache.read(key("x")));
  fs::remove(cache.folder() / real.filename());
  fs::create_directories(cache.folder() / real.filename());
  EXPECT_FALSE(cache.read(key("x")));
  EXPECT_FALSE(cache.store(key("x"), "2")) << "a folder cannot be replaced";
}

// ---- what never fails

TEST(Cache, switched_off_keeps_nothing) {
  const Cache cache;
  EXPECT_FALSE(cache.enabled());
  EXPECT_FALSE(cache.store(key("x"), "1"));
  EXPECT_FALSE(cache.read(key("x")));
  cache.forget(key("x"));
  EXPECT_EQ(cache.use().files + cache.clear().files, 0);
}

TEST(Cache, folder_that_cannot_be_made_keeps_nothing) {
  const TemporaryDirectory folder;
  write_file(folder.path() / "file", "");
  for (const fs::path& path : {fs::path("/proc/nothing"), folder.path() / "file" / "below"}) {
    const Cache cache(path);
    EXPECT_FALSE(cache.store(key("x"), "1"));
    EXPECT_FALSE(cache.read(key("x")));
    EXPECT_EQ(cache.clear().files, 0);
  }
}

/// In a process of its own, because root, who may write everywhere, has to become somebody else.
TEST(Cache, folder_that_is_read_only_still_gives_what_it_has) {
  const TemporaryDirectory folder;
  fs::permissions(folder.path(), fs::perms::all);
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && setuid(nobody) != 0) _exit(1);
    const Cache cache(folder.path() / "cache");
    if (!cache.store(key("x"), "1")) _exit(2);
    fs::permissions(cache.folder(), fs::perms::owner_read | fs::perms::owner_exec);
    if (cache.store(key("y"), "2")) _exit(3);
    if (cache.read(key("x")) != "1") _exit(4);
    if (cache.clear().files != 0) _exit(5);
    fs::permissions(cache.folder(), fs::perms::owner_all);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Cache, entries_of_others_are_not_believed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const TemporaryDirectory folder;
  const Cache cache(folder.path());
  cache.store(key("x"), "1");
  ASSERT_EQ(chown(file_of(cache, "x").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(cache.read(key("x")));
}

TEST(Cache, full_disk_keeps_nothing_and_leaves_nothing) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path());
  // A limit on the size of files is the disk that is full.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const bool kept = cache.store(key("x"), std::string(5000, 'x'));
    _exit(kept ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

// ---- the limit

TEST(Cache, least_recently_used_entries_make_room) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path(), 500);
  const std::string content(100, 'x');
  for (const std::string name : {"a", "b", "c"}) cache.store(key(name), content);
  age(cache, "a", 1);
  age(cache, "b", 3);
  age(cache, "c", 2);
  EXPECT_TRUE(cache.read(key("b"))) << "and so it is the one used last";
  cache.store(key("d"), content);
  EXPECT_FALSE(cache.read(key("c")));
  EXPECT_TRUE(cache.read(key("a")));
  EXPECT_TRUE(cache.read(key("b")));
  EXPECT_TRUE(cache.read(key("d")));
  EXPECT_LE(cache.use().bytes, 500);
}

TEST(Cache, what_is_larger_than_the_limit_is_not_kept) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path(), 500);
  cache.store(key("a"), "1");
  EXPECT_FALSE(cache.store(key("b"), std::string(500, 'x')));
  EXPECT_TRUE(cache.read(key("a")));
}

TEST(Cache, many_small_entries_stay_near_the_limit) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path(), 20000);
  for (int n = 0; n < 1000; ++n) cache.store(key(std::to_string(n)), std::string(100, 'x'));
  EXPECT_LE(cache.use().bytes, 40000);
  EXPECT_GE(cache.use().bytes, 10000);
}

TEST(Cache, what_a_dead_process_left_is_removed_in_time) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path(), 500);
  const std::string old = key("x") + ".AAAAAA.part", young = key("y") + ".BBBBBB.part";
  write_file(folder.path() / old, "half");
  write_file(folder.path() / young, "half");
  fs::last_write_time(folder.path() / old,
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache.store(key("a"), std::string(100, 'x'));
  EXPECT_FALSE(fs::exists(folder.path() / old));
  EXPECT_TRUE(fs::exists(folder.path() / young)) << "it may be being written";
}

// ---- clear

TEST(Cache, clear_removes_entries_and_nothing_else) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path());
  cache.store(key("a"), "1");
  cache.store(key("b"), "22");
  write_file(folder.path() / (key("c") + ".AAAAAA.part"), "333");
  for (const std::string name : {"thesis.tex", "x.sealed", "x.part"}) {
    write_file(folder.path() / name, "mine");
  }
  write_file(folder.path() / (key("d") + ".so"), "mine");
  const CacheUse use = cache.use(), removed = cache.clear();
  EXPECT_EQ(use.files, 3);
  EXPECT_EQ(removed.files, 3);
  EXPECT_EQ(removed.bytes, use.bytes);
  EXPECT_EQ(removed.bytes, 1 + 2 + 3 + 2 * 27);
  EXPECT_EQ(names_in(folder.path()).size(), 4u);
}

// ---- several at once

TEST(Cache, any_number_of_processes_share_a_folder) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path(), 30000);
  const auto content = [](int n) { return std::string(1000 + n, static_cast<char>('a' + n)); };
  std::vector<pid_t> children;
  for (int child = 0; child < 4; ++child) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    int wrong = 0;
    for (int round = 0; round < 300; ++round) {
      const int n = (round * 7 + child * 3) % 40;
      const auto found = cache.read(key(std::to_string(n)));
      if (found && *found != content(n)) ++wrong;
      if (!found) cache.store(key(std::to_string(n)), content(n));
      if (round == 150 && child == 0) cache.clear();
    }
    _exit(wrong);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(cache.use().bytes, 60000);
  for (const std::string& name : names_in(folder.path())) {
    EXPECT_EQ(name.find(".part"), std::string::npos) << name;
  }
}

TEST(Cache, threads_share_a_folder) {
  const TemporaryDirectory folder;
  const Cache cache(folder.path());
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        if (!cache.store(key("same"), std::string(5000, 's'))) ++wrong;
        if (cache.read(key("same")) != std::string(5000, 's')) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// ---- the user's

TEST(CacheOfUser, variables_name_the_folder) {
  const ScopedEnvironment home("HOME", "/home/me"), limit("MDH_CACHE_LIMIT", std::nullopt);
  {
    const ScopedEnvironment own("MDH_CACHE", "/own"), shared("XDG_CACHE_HOME", "/shared");
    EXPECT_EQ(Cache::of_user().folder(), "/own");
    EXPECT_EQ(Cache::of_user().limit(), int64_t{1} << 30);
  }
  const ScopedEnvironment own("MDH_CACHE", std::nullopt);
  {
    const ScopedEnvironment shared("XDG_CACHE_HOME", "/shared");
    EXPECT_EQ(Cache::of_user().folder(), "/shared/mdh");
  }
  const ScopedEnvironment shared("XDG_CACHE_HOME", std::nullopt);
  EXPECT_EQ(Cache::of_user().folder(), "/home/me/.cache/mdh");
  const ScopedEnvironment nobody("HOME", std::nullopt);
  EXPECT_FALSE(Cache::of_user().enabled());
}

TEST(CacheOfUser, can_be_switched_off) {
  const ScopedEnvironment own("MDH_CACHE", "off");
  EXPECT_FALSE(Cache::of_user().enabled());
}

TEST(CacheOfUser, limit_is_a_number_with_or_without_unit) {
  const auto limit_for = [](const std::string& text) {
    const ScopedEnvironment limit("MDH_CACHE_LIMIT", text);
    return Cache::of_user().limit();
  };
  EXPECT_EQ(limit_for("12345"), 12345);
  EXPECT_EQ(limit_for("0"), 0);
  EXPECT_EQ(limit_for("3K"), 3072);
  EXPECT_EQ(limit_for("500M"), 500 << 20);
  EXPECT_EQ(limit_for("2G"), int64_t{2} << 30);
  EXPECT_EQ(limit_for(""), Cache::default_limit);
  for (const std::string wrong : {"x", "G", "-1", "1T", "1.5G", "99999999999G"}) {
    const Diagnostic d = diagnostic_of([&] { limit_for(wrong); });
    EXPECT_EQ(d.code, "E606") << wrong;
    EXPECT_EQ(d.message, "MDH_CACHE_LIMIT: cannot read '" + wrong + "'");
    EXPECT_EQ(d.hint, "write a number of bytes, or one such as 500M or 2G");
  }
}

}  // namespace
}  // namespace mdh::runtime::cache_test
