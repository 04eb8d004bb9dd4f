#include "tests/cli/tool.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

extern char** environ;

namespace mdh::test {

Outcome run_command(const std::vector<std::string>& words) {
  const TemporaryDirectory scratch;
  const std::string out = scratch.path() / "out", err = scratch.path() / "err";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), flags, 0600);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  internal_check(failed == 0, "'{}' cannot be started", words[0]);
  int status = 0;
  internal_check(waitpid(child, &status, 0) == child, "'{}' got lost", words[0]);
  const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {exit, read_file(out), read_file(err)};
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
