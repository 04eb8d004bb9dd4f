#include "bench/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "mdh/driver/stages.h"
#include "mdh/support/cores.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

extern char** environ;

namespace mdh::bench {
namespace {

constexpr int socket_of_child = 3, memory_of_child = 4;

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Pools may spin within a turn, as they do for their users; clang's would spin for a fifth of a
/// second after it.
Variables variables_for(const Candidate& candidate) {
  const std::string threads = std::to_string(candidate.threads);
  Variables all = {{"OMP_NUM_THREADS", threads},
                   {"OPENBLAS_NUM_THREADS", threads},
                   {"BLIS_NUM_THREADS", threads},
                   {"OMP_DYNAMIC", "false"},
                   {"KMP_BLOCKTIME", "5"}};
  const Variables places = places_for(candidate);
  all.insert(all.end(), places.begin(), places.end());
  return all;
}

/// The user's environment, but for the number of threads and their places.
std::vector<std::string> environment_for(const Candidate& candidate) {
  const Variables ours = variables_for(candidate);
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name = split(*entry, '=').front();
    const bool is_ours = std::any_of(ours.begin(), ours.end(),
                                     [&](const auto& variable) { return variable.first == name; });
    if (!is_ours) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : ours) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// The first word is the program.
pid_t spawn(std::vector<std::string> words, const Candidate& candidate, int socket, int memory) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, socket_of_child);
  posix_spawn_file_actions_adddup2(&actions, memory, memory_of_child);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  std::vector<std::string> variables = environment_for(candidate);
  pid_t child = 0;
  const CoresOfStart for_the_child;
  const int failed = posix_spawn(&child, words[0].c_str(), &actions, nullptr,
                                 pointers_to(words).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : 0;
}

/// A copy far above those that the child expects: dup2 must not overwrite what it needs next.
int out_of_the_way(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 16); }

std::string described(const driver::Memory& memory, const std::vector<bool>& is_output) {
  std::vector<std::string> words;
  for (size_t n = 0; n < is_output.size(); ++n) {
    words.push_back(fmt::format("{}{}", is_output[n] ? 'o' : 'i', memory.shared().bytes()[n]));
  }
  return join(words, ",");
}

std::vector<std::string> command_of(const std::string& runner, const Candidate& candidate) {
  if (!candidate.command.empty()) return candidate.command;
  return {runner, candidate.library, join(candidate.functions, ","),
          std::to_string(candidate.threads), std::to_string(candidate.workspace_bytes)};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> places_for(const Candidate& candidate) {
  const bool has_room = candidate.threads > 1 && candidate.threads <= available_cores();
  if (candidate.pool != Pool::openmp || !has_room) return {};
  return openmp_binding();
}

std::string find_runner(const std::string& program) {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  const std::filesystem::path file = self.parent_path() / program;
  if (failure || !std::filesystem::exists(file)) {
    missing("E843", fmt::format("the program {} was not found beside this one", program),
            "it is built together with mdh");
  }
  return file;
}

Child::Child(const std::string& runner, const Candidate& candidate, const driver::Memory& memory,
             std::vector<bool> is_output, double time_limit)
    : time_limit_(time_limit) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    failure_ = "no socket for its process";
    return;
  }
  socket_ = ends[0];
  const int socket = out_of_the_way(ends[1]);
  const int shared = out_of_the_way(memory.shared().descriptor());
  std::vector<std::string> words = command_of(runner, candidate);
  words.push_back(described(memory, is_output));
  process_ = spawn(words, candidate, socket, shared);
  for (const int descriptor : {ends[1], socket, shared}) close(descriptor);
  if (process_ == 0) failure_ = "its process cannot be started";
}

void Child::greet() {
  if (process_ != 0) about_ = receive();
}

Child::~Child() {
  if (socket_ >= 0) close(socket_);
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Child::bury(const std::string& reason) {
  failure_ = reason;
  if (reason.empty()) {  // it ended by itself
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    failure_ = WIFSIGNALED(status) ? fmt::format("crashed with signal {} ({})", WTERMSIG(status),
                                                 strsignal(WTERMSIG(status)))
                                   : fmt::format("ended with exit code {}", WEXITSTATUS(status));
  }
}

/// One line, without its first word.
std::string Child::receive() {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(time_limit_);
  std::string line;
  while (line.empty() || line.back() != '\n') {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd descriptor{socket_, POLLIN, 0};
    if (left.count() <= 0 || poll(&descriptor, 1, static_cast<int>(left.count())) <= 0) {
      bury(fmt::format("did not finish within {} s", time_limit_));
      return {};
    }
    char chunk[4096];
    const ssize_t count = recv(socket_, chunk, sizeof(chunk), 0);
    if (count <= 0) {
      bury({});
      return {};
    }
    line.append(chunk, static_cast<size_t>(count));
  }
  line.pop_back();
  const size_t blank = line.find(' ');
  const std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
  if (line.starts_with("absent")) absence_ = rest;
  if (line.starts_with("failed")) failure_ = rest;
  return rest;
}

std::string Child::ask(const std::string& command) {
  if (!is_usable()) return {};
  const std::string line = command + "\n";
  if (send(socket_, line.data(), line.size(), MSG_NOSIGNAL) < 0) bury({});
  return is_usable() ? receive() : std::string();
}

void Child::load() {
  const std::string about = ask("load");
  if (is_usable() && !about.empty()) about_ = about;
}

void Child::compute() { ask("compute"); }

std::vector<double> Child::time(int calls, runtime::Caches caches) {
  const std::string how = caches == runtime::Caches::cold ? " cold" : "";
  std::istringstream words(ask(fmt::format("time {}{}", calls, how)));
  std::vector<double> times;
  if (!is_usable()) return times;
  for (double microseconds = 0; words >> microseconds;) times.push_back(microseconds);
  return times;
}

}  // namespace mdh::bench
