#include "mdh/runtime/worker/server.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <vector>

#include "mdh/runtime/load.h"
#include "mdh/runtime/runtimes.h"
#include "mdh/runtime/worker/message.h"
#include "mdh/runtime/worker/private_copies.h"
#include "mdh/runtime/worker/shared_buffers.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime {
namespace {

// ---- last words

/// A signal handler reaches nothing but global data.
volatile int last_words_socket = -1;

/// Tells the parent what it cannot see from outside, and lets the signal do its work.
void report_crash(int signal, siginfo_t* info, void* /*context*/) {
  CrashNote note;
  note.signal = signal;
  note.error = errno;
  note.address = info->si_code > 0 ? reinterpret_cast<uint64_t>(info->si_addr) : 0;
  send(last_words_socket, &note, sizeof(note), MSG_NOSIGNAL);
  raise(signal);
}

void report_crashes_to(int socket) {
  last_words_socket = socket;
  // Of its own, because a stack that overflowed has no room for a handler.
  static std::array<char, 65536> stack;
  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = report_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    sigaction(signal, &action, nullptr);
  }
}

// ---- work

/// A worker never outlives its parent, whatever ends that and whatever the worker is busy with. A
/// parent that is gone already has closed the socket.
void die_with_the_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

/// Ctrl-C reaches all processes of a terminal, and the parent decides what it means: a candidate
/// that is interrupted has not crashed.
void leave_interrupts_to_the_parent() { std::signal(SIGINT, SIG_IGN); }

/// Where the memory of the machine is full, a candidate goes first and not who tries it.
void volunteer_for_the_end() { std::ofstream("/proc/self/oom_score_adj") << 1000; }

/// The parent keeps the time. This is for a worker whose parent is stopped.
void set_alarm(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(std::ceil(seconds));
  setitimer(ITIMER_REAL, &timer, nullptr);
}

/// Before a kernel is loaded: OpenMP may confine this thread to one of them.
int cores_of_this_process() {
  static const int cores = [] {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
  }();
  return cores;
}

/// A device says in its own words that it has not enough memory.
bool is_about_memory(const Diagnostic& d) { return d.code == "E603" || d.code == "E616"; }

/// What says that a file is still the same one.
struct FileMark {
  std::string path;
  uint64_t number = 0;
  int64_t seconds = 0, nanoseconds = 0, bytes = 0;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

FileMark mark_of(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return {.path = path};
  return {path, about.st_ino, about.st_mtim.tv_sec, about.st_mtim.tv_nsec, about.st_size};
}

/// What the worker keeps from request to request, because it takes long to make: devices, the last
/// few kernels, and the copies of buffers whose inputs stay.
class Workshop {
 public:
  /// After a failure nobody knows what the copies hold.
  Outcome compute(const WorkRequest& request, const SharedBuffers& shared) {
    try {
      return computed(request, shared);
    } catch (...) {
      copies_ = nullptr;
      throw;
    }
  }

  bool is_lost(const WorkRequest& request) const {
    const auto known = devices_.find(request.device);
    return known != devices_.end() && known->second && known->second->is_lost();
  }

 private:
  Outcome computed(const WorkRequest& request, const SharedBuffers& shared) {
    const Device& device = device_of(request);
    // The buffers come first: what then does not fit is what this kernel needs besides them.
    if (const std::string missing = make_buffers(request, shared, device); !missing.empty()) {
      return {WorkStatus::no_room, missing, {}};
    }
    const LoadedKernel& kernel = kernel_of(request, device);
    Outcome outcome;
    errno = 0;  // what a crash reports is the kernel's own
    const RunOn on{.buffers = copies_->handles(), .threads = request.threads};
    if (request.measure) {
      outcome.timing =
          measure_with_load(kernel.stopwatch(on, request.measure->caches), *request.measure);
      // More threads than cores wait for each other.
      if (request.threads > cores_of_this_process()) outcome.timing.load = 0;
    } else {
      kernel.run(on);
    }
    if (request.wants_outputs) {
      if (has_spoilt_inputs(request, shared, device, kernel, outcome)) {
        copies_ = nullptr;  // the next kernel is not to blame
        return {WorkStatus::crash, "wrote to its inputs", {}};
      }
      copies_->store_outputs(shared);
    }
    if (!request.inputs_stay) copies_ = nullptr;
    return outcome;
  }

  /// Where an earlier kernel may have done it, this one runs again on inputs that are as they should
  /// be.
  bool has_spoilt_inputs(const WorkRequest& request, const SharedBuffers& shared,
                         const Device& device, const LoadedKernel& kernel, Outcome& outcome) {
    using Inputs = PrivateCopies::Inputs;
    Inputs inputs = copies_->inputs_now(shared);
    if (request.compares_all_inputs && copies_->are_inputs_spoilt(shared)) {
      inputs = Inputs::spoilt_before;
    }
    if (inputs != Inputs::spoilt_before) return inputs == Inputs::spoilt;
    outcome.has_renewed_inputs = true;
    copies_ = nullptr;
    prepare(request, shared, device);
    kernel.run({.buffers = copies_->handles(), .threads = request.threads});
    return copies_->are_inputs_spoilt(shared);
  }

  const Device& device_of(const WorkRequest& request) {
    auto& device = devices_[request.device];
    if (!device) device = open_device(request.device);
    const std::string model = model_of(*device);
    if (request.model.empty() || model == request.model) return *device;
    missing("E651",
            fmt::format("'{}' is {} there instead of {}", request.device, model, request.model));
  }

  struct Kept {
    std::string device;
    FileMark mark;
    std::shared_ptr<const LoadedKernel> kernel;

    bool is_for(const Device& on, const FileMark& file, const kernel::Module& module) const {
      const kernel::Module& known = kernel->module();
      return device == on.name() && mark == file && known.steps == module.steps &&
             known.arguments.size() == module.arguments.size() &&
             known.workspace() == module.workspace() &&
             known.parts_on_cores == module.parts_on_cores;
    }
  };

  /// A kernel and its twin run in turn, and a driver may compile for seconds.
  const LoadedKernel& kernel_of(const WorkRequest& request, const Device& device) {
    const FileMark mark = mark_of(request.library);
    const kernel::Module module = module_of(request);
    const auto known = std::find_if(kernels_.begin(), kernels_.end(), [&](const Kept& kept) {
      return kept.is_for(device, mark, module);
    });
    if (known != kernels_.end()) {
      std::rotate(known, known + 1, kernels_.end());
    } else {
      make_room_for(module);
      kernels_.push_back({device.name(), mark, device.load_object(module, request.library)});
    }
    return *kernels_.back().kernel;
  }

  /// The one that was used last is the last one.
  void make_room_for(const kernel::Module& module) {
    int64_t bytes = module.workspace();
    for (const Kept& kept : kernels_) bytes += kept.kernel->workspace_bytes();
    while (!kernels_.empty() && (kernels_.size() >= most_kernels || bytes > most_workspace)) {
      bytes -= kernels_.front().kernel->workspace_bytes();
      kernels_.erase(kernels_.begin());
    }
  }

  static constexpr size_t most_kernels = 4;
  static constexpr int64_t most_workspace = int64_t{64} << 20;  // bytes

  /// What memory is missing, in words; nothing if the buffers are there. Kernels that are kept make
  /// room for them.
  std::string make_buffers(const WorkRequest& request, const SharedBuffers& shared,
                           const Device& device) {
    const std::string missing = try_to_prepare(request, shared, device);
    if (missing.empty() || kernels_.empty()) return missing;
    kernels_.clear();
    return try_to_prepare(request, shared, device);
  }

  std::string try_to_prepare(const WorkRequest& request, const SharedBuffers& shared,
                             const Device& device) {
    try {
      prepare(request, shared, device);
      return {};
    } catch (const std::bad_alloc&) {
      return "no memory for its buffers";
    } catch (const Error& e) {
      if (device.is_lost() || !is_about_memory(e.diagnostic())) throw;
      return e.diagnostic().message;
    }
  }

  void prepare(const WorkRequest& request, const SharedBuffers& shared, const Device& device) {
    const bool known =
        copies_ && request.inputs_stay && copies_->are_of(device, shared, request.is_output);
    if (known) {
      if (request.wants_outputs && !request.filled) copies_->fetch_outputs(shared);
    } else {
      copies_ = nullptr;  // before there are others
      copies_ = std::make_unique<PrivateCopies>(device, shared, request.is_output);
      if (request.inputs_stay) copies_->protect_inputs();
    }
    if (request.filled) copies_->fill_outputs(*request.filled);
  }

  std::map<std::string, std::shared_ptr<const Device>> devices_;
  std::vector<Kept> kernels_;
  std::unique_ptr<PrivateCopies> copies_;
};

/// What is missing besides memory is no fault of the kernel: a driver may show other devices here than
/// in the process that asks, or none.
WorkStatus status_of(const Diagnostic& d) {
  if (is_about_memory(d)) return WorkStatus::out_of_memory;
  static const std::set<std::string> about_devices = {
      "E610", "E611", "E612", "E613", "E614", "E641", "E642", "E643", "E644", "E647", "E651"};
  return about_devices.contains(d.code) ? WorkStatus::no_device : WorkStatus::error;
}

/// Buffers of the parent, as far as there is room to see them.
struct Seen {
  std::unique_ptr<const SharedBuffers> buffers;
  std::string missing;  // where there is none
};

Seen shared_buffers(int descriptor, const std::vector<int64_t>& bytes) {
  try {
    return {std::make_unique<const SharedBuffers>(descriptor, bytes), {}};
  } catch (const Error& e) {
    if (!is_about_memory(e.diagnostic())) throw;
    return {nullptr, e.diagnostic().message};
  }
}

Outcome outcome_of(const std::string& text, int descriptor, Workshop& workshop) {
  const std::optional<WorkRequest> request = request_from(text);
  if (!request || request->version != MDH_VERSION || descriptor < 0) {
    if (descriptor >= 0) close(descriptor);
    return {
        WorkStatus::error, "the worker is not of the same version as mdh (" MDH_VERSION ")", {}};
  }
  try {
    const auto shared = shared_buffers(descriptor, request->bytes);
    if (!shared.buffers) return {WorkStatus::no_room, shared.missing, {}};
    if (request->time_limit > 0) set_alarm(request->time_limit + 2);
    return workshop.compute(*request, *shared.buffers);
  } catch (const std::bad_alloc&) {
    return {WorkStatus::out_of_memory, "no memory for what the kernel needs", {}};
  } catch (const Error& e) {
    if (!workshop.is_lost(*request)) {
      const Diagnostic& d = e.diagnostic();
      return {status_of(d), d.message, {}, false, d.hint};
    }
    return {WorkStatus::crash, "broke its device: " + e.diagnostic().message, {}, true};
  }
}

}  // namespace

void limit_memory(int64_t bytes) {
  if (bytes <= 0) return;
  const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  setrlimit(RLIMIT_AS, &limit);
}

void serve(int socket) {
  const rlimit no_core{0, 0};  // crashes are expected here; nobody wants their images
  setrlimit(RLIMIT_CORE, &no_core);
  die_with_the_parent();
  leave_interrupts_to_the_parent();
  volunteer_for_the_end();
  report_crashes_to(socket);
  cores_of_this_process();
  std::string text;
  int descriptor = -1;
  Workshop workshop;
  while (receive_message(socket, -1, text, descriptor) == Receipt::message) {
    Outcome outcome = outcome_of(text, descriptor, workshop);
    set_alarm(0);
    send_message(socket, to_text(outcome));
    if (outcome.is_last) _exit(0);  // a broken driver has nothing to tidy up
  }
}

}  // namespace mdh::runtime
