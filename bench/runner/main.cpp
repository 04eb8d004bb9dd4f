// mdh-bench-runner: the process of one candidate. It keeps library and buffers loaded, blocks on a
// socket while it is not its turn, and answers each line with one line:
//
//   compute   outputs as the parent left them, one run, outputs back to the parent   -> ok
//   load      takes the parent's inputs again                                       -> ok
//   time N    N runs                                                                 -> ok T1 T2 ...
//
// times in microseconds. First of all it says "ok" and what the candidate tells about itself, or
// "absent" and why. Before every answer its threads have come to rest.
#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/runner/talk.h"
#include "mdh/runtime/host/runtime.h"
#include "mdh/runtime/worker/private_copies.h"
#include "mdh/runtime/worker/shared_buffers.h"
#include "mdh/support/text.h"

namespace {

using Function = void (*)(void**, char*, long);
using Clock = std::chrono::steady_clock;

using mdh::bench::answer;
using mdh::bench::bytes_of;
using mdh::bench::memory_of_parent;
using mdh::bench::receive;

struct Call {
  void* library = nullptr;
  std::vector<Function> functions;
  std::vector<bool> is_output;
  char* workspace = nullptr;
  long threads = 1;
  std::string absence;

  void operator()(std::vector<void*>& buffers) const {
    for (const Function function : functions) function(buffers.data(), workspace, threads);
  }

  template <class F>
  F find(const char* name) const {
    return reinterpret_cast<F>(dlsym(library, name));
  }
};

Call open_call(char** words) {
  Call call;
  call.library = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
  if (call.library == nullptr) {
    call.absence = dlerror();
    return call;
  }
  for (const std::string& name : mdh::split(words[2], ',')) {
    call.functions.push_back(call.find<Function>(name.c_str()));
    if (call.functions.back() == nullptr) call.absence = "has no function " + name;
  }
  call.threads = std::atol(words[3]);
  const size_t bytes = (std::strtoull(words[4], nullptr, 10) + 64) / 64 * 64;
  call.workspace = static_cast<char*>(std::aligned_alloc(64, bytes));
  const auto open = call.find<const char* (*)(long)>("open_peer");
  const char* complaint = open != nullptr ? open(call.threads) : nullptr;
  if (complaint != nullptr) call.absence = complaint;
  return call;
}

class Buffers {
 public:
  Buffers(const Call& call, const std::vector<int64_t>& bytes)
      : call_(call),
        shared_(memory_of_parent, bytes),
        own_(*mdh::runtime::host::runtime().open(""), shared_, call.is_output),
        pointers_(own_.handles().begin(), own_.handles().end()) {
    tell("load_peer");
  }

  void take(bool outputs) {
    for (size_t n = 0; n < pointers_.size(); ++n) {
      if (call_.is_output[n] != outputs) continue;
      std::memcpy(pointers_[n], shared_.pointers()[n], static_cast<size_t>(shared_.bytes()[n]));
    }
    if (!outputs) tell("load_peer");
  }

  void compute() {
    take(true);
    call_(pointers_);
    tell("store_peer");
    own_.store_outputs(shared_);
  }

  std::string time(int calls) {
    std::string text = "ok";
    for (int n = 0; n < calls; ++n) {
      const auto begin = Clock::now();
      call_(pointers_);
      const std::chrono::duration<double, std::micro> spent = Clock::now() - begin;
      text += " " + std::to_string(spent.count());
    }
    return text;
  }

 private:
  void tell(const char* function) {
    const auto hear = call_.find<void (*)(void**)>(function);
    if (hear != nullptr) hear(pointers_.data());
  }

  const Call& call_;
  mdh::runtime::SharedBuffers shared_;
  mdh::runtime::PrivateCopies own_;
  std::vector<void*> pointers_;
};

void serve(Buffers& buffers) {
  std::string line;
  while (receive(line)) {
    std::string text = "ok";
    if (line == "compute") buffers.compute();
    if (line == "load") buffers.take(false);
    if (line.rfind("time ", 0) == 0) text = buffers.time(std::atoi(line.c_str() + 5));
    answer(text);
  }
}

}  // namespace

int main(int count, char** words) {
  if (!mdh::bench::is_started_by_mdh(count, 6, "mdh-bench-runner")) return 2;
  Call call = open_call(words);
  if (!call.absence.empty()) {
    answer("absent " + call.absence);
    return 0;
  }
  const std::vector<int64_t> bytes = bytes_of(words[5], call.is_output);
  try {
    Buffers buffers(call, bytes);
    const auto about = call.find<const char* (*)()>("about");
    answer(std::string("ok ") + (about != nullptr ? about() : ""));
    serve(buffers);
  } catch (const std::exception& e) {
    answer("absent " + mdh::split(e.what(), '\n').front());
  }
  return 0;
}
