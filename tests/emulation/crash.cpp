#include "tests/emulation/crash.h"

#include <csetjmp>
#include <csignal>
#include <mutex>
#include <vector>

namespace mdh::emulation {
namespace {

constexpr int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};

/// Where the thread goes on after a crash, while it runs a fiber.
struct Escape {
  sigjmp_buf place;
  const void* fault = nullptr;
  bool is_open = false;
};
thread_local Escape escape;

struct sigaction before[std::size(caught)];

extern "C" void mdh_emulation_crashed(int signal, siginfo_t* info, void*) {
  if (!escape.is_open) {  // not a kernel: what would have happened without us
    for (size_t n = 0; n < std::size(caught); ++n) {
      if (caught[n] == signal) sigaction(signal, &before[n], nullptr);
    }
    return;
  }
  escape.fault = info->si_addr;
  siglongjmp(escape.place, 1);
}

std::mutex mutex;
int guards = 0;

/// The handler needs a stack of its own where that of a fiber is full.
stack_t use_signal_stack() {
  thread_local std::vector<char> memory(size_t{1} << 16);
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  stack_t before{};
  sigaltstack(&stack, &before);
  return before;
}

}  // namespace

CrashGuard::CrashGuard() : stack_before_(use_signal_stack()) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (guards++ > 0) return;
  struct sigaction action {};
  action.sa_sigaction = mdh_emulation_crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (size_t n = 0; n < std::size(caught); ++n) sigaction(caught[n], &action, &before[n]);
}

CrashGuard::~CrashGuard() {
  sigaltstack(&stack_before_, nullptr);
  const std::lock_guard<std::mutex> lock(mutex);
  if (--guards > 0) return;
  for (size_t n = 0; n < std::size(caught); ++n) sigaction(caught[n], &before[n], nullptr);
}

bool resumed_without_crash(Fiber& fiber, const void** fault) {
  // No mask of signals is saved, which would call the kernel each time: the handler blocks none.
  if (sigsetjmp(escape.place, 0) != 0) {
    escape.is_open = false;
    *fault = escape.fault;
    return false;
  }
  escape.is_open = true;
  fiber.resume();
  escape.is_open = false;
  return true;
}

}  // namespace mdh::emulation
