#include "mdh/runtime/worker/worker.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "mdh/runtime/process.h"
#include "mdh/support/cores.h"
#include "mdh/support/diagnostic.h"

extern char** environ;

namespace mdh::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int socket_of_worker = 3;

/// As here, but each thread has a core of its own unless the user says otherwise.
class WorkerEnvironment {
 public:
  WorkerEnvironment() {
    for (const auto& [name, value] : openmp_binding()) more_.push_back(name + "=" + value);
    // Threads that wait for the next run take cores from compilers: 200 ms, if nobody says less.
    if (std::getenv("KMP_BLOCKTIME") == nullptr) more_.emplace_back("KMP_BLOCKTIME=20");
    for (char** entry = environ; *entry != nullptr; ++entry) all_.push_back(*entry);
    for (std::string& entry : more_) all_.push_back(entry.data());
    all_.push_back(nullptr);
  }

  char** data() { return all_.data(); }

 private:
  std::vector<std::string> more_;
  std::vector<char*> all_;
};

/// What is printed by the worker goes to stderr: stdout belongs to the results of the parent.
pid_t spawn(const std::string& program, int64_t memory_limit, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, socket_of_worker);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  std::string name = program, memory = std::to_string(memory_limit);
  char* arguments[] = {name.data(), memory.data(), nullptr};
  pid_t child = 0;
  const CoresOfStart for_the_child;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments,
                                 WorkerEnvironment().data());
  posix_spawn_file_actions_destroy(&actions);
  return failed == 0 ? child : 0;
}

std::string signal_text(int signal) {
  const char* words = strsignal(signal);
  return fmt::format("signal {} ({})", signal, words == nullptr ? "unknown" : words);
}

Outcome outcome_of_signal(int signal, const std::optional<CrashNote>& note) {
  std::string reason = "crashed with " + signal_text(signal);
  if (note && note->error == ENOMEM) {
    return {WorkStatus::out_of_memory, "ran out of memory and then " + reason, {}};
  }
  if (signal == SIGALRM) return {WorkStatus::timeout, "took too long", {}};
  if (signal == SIGKILL)
    reason = "was killed, from outside or because the machine's memory is full";
  if (note && (signal == SIGSEGV || signal == SIGBUS)) {
    reason += fmt::format(" at address {:#x}", note->address);
  }
  return {WorkStatus::crash, reason, {}};
}

}  // namespace

std::string find_worker() {
  if (const char* named = std::getenv("MDH_WORKER")) {
    const std::string program = find_program(named);
    if (!program.empty()) return program;
    missing("E608", fmt::format("the program '{}' named by MDH_WORKER was not found", named),
            "it is called mdh-worker and is built together with mdh");
  }
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  return failure ? "" : find_program((self.parent_path() / "mdh-worker").string());
}

void require_success(const Outcome& outcome) {
  const std::string what = "the compiled kernel " + outcome.reason;
  switch (outcome.status) {
    case WorkStatus::ok:
      return;
    case WorkStatus::timeout:
      user_error("E618", {}, what, "allow more time with --time-limit, or use a smaller size");
    case WorkStatus::out_of_memory:
      missing("E619", "the compiled kernel cannot run: " + outcome.reason, "use a smaller size");
    case WorkStatus::no_room:
      missing("E619", "there is no room for the buffers of the program: " + outcome.reason,
              "use a smaller size, or end other programs that use the same memory");
    case WorkStatus::no_device:
      missing("E651", "a process of its own cannot use the device: " + outcome.reason,
              outcome.hint.empty() ? "variables such as OCL_ICD_FILENAMES decide about drivers; "
                                     "'mdh run --in-process' needs no other process"
                                   : outcome.hint);
    case WorkStatus::error:
      internal_failure(false, "the compiled kernel cannot run: " + outcome.reason);
    case WorkStatus::crash:
    case WorkStatus::exit:
      throw Error({DiagnosticKind::internal,
                   "E609",
                   {},
                   what,
                   {},
                   "this is a bug of mdh or of the compiler; please report it with the command "
                   "that led here"});
  }
}

Worker::Worker(WorkerOptions options) : options_(std::move(options)) {
  if (options_.program.empty()) options_.program = find_worker();
  if (options_.program.empty()) {
    missing("E608", "the program mdh-worker was not found beside this one",
            "set MDH_WORKER to its path, or run in this process");
  }
}

/// A worker that does nothing ends by itself when its socket is closed.
Worker::~Worker() {
  if (process_ > 0) end(1);
}

bool Worker::start() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  process_ = spawn(options_.program, options_.memory_limit, ends[1]);
  close(ends[1]);
  socket_ = ends[0];
  if (process_ > 0) return true;
  close(socket_);
  return false;
}

/// True if the process ended while nobody looked; then nothing is left of it.
bool Worker::is_gone() {
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) == 0) return false;
  close(socket_);
  process_ = 0;
  return true;
}

/// Waits some seconds for the end of the process, then enforces it. How it ended, if that is known.
std::optional<int> Worker::end(double patience) {
  close(socket_);
  const pid_t process = std::exchange(process_, 0);
  const auto begin = Clock::now();
  bool killed = false;
  int status = 0;
  while (true) {
    const pid_t found = waitpid(process, &status, killed ? 0 : WNOHANG);
    if (found == process) return status;
    if (found < 0 && errno != EINTR) return std::nullopt;
    if (std::chrono::duration<double>(Clock::now() - begin).count() >= patience && !killed) {
      kill(process, SIGKILL);
      killed = true;
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
}

/// The outcome of a run that was the end of the process.
Outcome Worker::buried(const std::optional<CrashNote>& note) {
  const std::optional<int> status = end(2);
  last_words_ = note.has_value();
  if (!status) return {WorkStatus::crash, "ended, and how is not known", {}};
  if (WIFSIGNALED(*status)) return outcome_of_signal(WTERMSIG(*status), note);
  return {WorkStatus::exit,
          fmt::format("ended the process with exit code {}", WEXITSTATUS(*status)),
          {}};
}

Outcome Worker::await(double time_limit) {
  const auto begin = Clock::now();
  std::optional<CrashNote> note;
  while (true) {
    const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
    const double left = time_limit > 0 ? std::max(time_limit - spent, 0.0) : -1;
    std::string text;
    int descriptor = -1;
    const Receipt receipt = receive_message(socket_, left, text, descriptor);
    if (descriptor >= 0) close(descriptor);
    if (receipt == Receipt::timeout) {
      end(0);
      return {WorkStatus::timeout, fmt::format("did not finish within {:.3g} s", time_limit), {}};
    }
    if (receipt == Receipt::closed) return buried(note);
    if (const auto outcome = outcome_from(text)) {
      if (outcome->is_last) {
        end(2);
        last_words_ = true;
      }
      return *outcome;
    }
    note = crash_from(text);
    if (note) continue;
    end(0);
    return {WorkStatus::error, "sent a message that means nothing", {}};
  }
}

/// A worker may have died since the last run; then a new one gets the message.
bool Worker::deliver(const WorkRequest& request, const SharedBuffers& buffers) {
  const std::string text = to_text(request);
  for (int attempt = 0; attempt < 2; ++attempt) {
    const bool is_running = process_ > 0 && !is_gone();
    if (!is_running && !start()) return false;
    if (send_message(socket_, text, buffers.descriptor())) return true;
    end(0);
  }
  return false;
}

Outcome Worker::run(const kernel::Module& module, const std::string& library,
                    const SharedBuffers& buffers, const WorkOptions& options) {
  WorkRequest request{
      .version = MDH_VERSION,
      .device = options.device,
      .model = options.model,
      .library = library,
      .steps = module.steps,
      .bytes = buffers.bytes(),
      .workspace_bytes = module.workspace(),
      .zeroed_bytes = module.zeroed_bytes,
      .parts_on_cores = module.parts_on_cores,
      .threads = options.threads,
      .time_limit = options.time_limit > 0 ? options.time_limit : options_.time_limit,
      .measure = options.measure,
      .inputs_stay = options.inputs_stay,
      .wants_outputs = options.wants_outputs,
      .filled = options.filled,
      .compares_all_inputs = options.compares_all_inputs};
  internal_check(module.arguments.size() == buffers.bytes().size(), "{} buffers for {} arguments",
                 buffers.bytes().size(), module.arguments.size());
  for (const kernel::Argument& a : module.arguments) request.is_output.push_back(a.is_output);
  const bool is_fresh = process_ == 0;
  const Outcome outcome = attempt(request, buffers);
  // An earlier kernel may have spoilt the memory of the process without being noticed. A crash
  // counts if it also happens in a process that nobody has used before.
  const bool is_doubtful = outcome.status == WorkStatus::crash && last_words_ && !is_fresh;
  // It may also have kept memory for itself.
  const bool is_full = outcome.status == WorkStatus::no_room && !is_fresh;
  if (is_full && process_ > 0) end(1);
  return is_doubtful || is_full ? attempt(request, buffers) : outcome;
}

Outcome Worker::attempt(const WorkRequest& request, const SharedBuffers& buffers) {
  if (deliver(request, buffers)) return await(request.time_limit);
  return {WorkStatus::error,
          fmt::format("'{}' cannot be started, or does not listen", options_.program),
          {}};
}

}  // namespace mdh::runtime
