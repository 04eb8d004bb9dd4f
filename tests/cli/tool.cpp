#include "tests/cli/tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

extern char** environ;

namespace mdh::test {

Started::Started(const std::vector<std::string>& words, Group group) : name_(words[0]) {
  const std::string out = scratch_.path() / "out", err = scratch_.path() / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), flags, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (group == Group::own) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const int failed =
      posix_spawnp(&process_, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  internal_check(failed == 0, "'{}' cannot be started", name_);
}

Started::~Started() {
  if (process_ == 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

Outcome Started::wait() {
  int status = 0;
  const pid_t process = std::exchange(process_, 0);
  internal_check(waitpid(process, &status, 0) == process, "'{}' got lost", name_);
  const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {exit, read_file(scratch_.path() / "out"), read_file(scratch_.path() / "err")};
}

Outcome run_command(const std::vector<std::string>& words) {
  return Started(words, Started::Group::same).wait();
}

Outcome mdh(const std::vector<std::string>& words) {
  std::vector<std::string> all = {MDH_TOOL};
  all.insert(all.end(), words.begin(), words.end());
  return run_command(all);
}

Outcome mdh(const std::string& line) { return mdh(split(line, ' ')); }

std::string describe(const Outcome& outcome) {
  return fmt::format("exit {}\n-- stdout\n{}-- stderr\n{}", outcome.exit, outcome.out, outcome.err);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace mdh::test
