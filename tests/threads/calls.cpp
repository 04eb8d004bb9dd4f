// Many threads call one kernel. This program, the parts of mdh that load and call kernels, and the
// kernel itself are compiled with the thread sanitizer, which ends the program with a report where
// two threads touch one byte of memory without an order.
//
//   calls           each call has a workspace of its own: no report, all results right
//   calls --shared  calls share one workspace, on purpose: shows that the sanitizer would notice
//
// The kernel has no OpenMP in it: its runtime is not instrumented and would be reported.

#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "mdh/runtime/host/library.h"

namespace {

using namespace mdh;

constexpr long bytes = 512, calls = 300;
constexpr int threads = 8;

kernel::Module module_of() {
  kernel::Module module{.language = "c", .name = "noisy"};
  module.source = R"(
    void noisy(void **buffers, char *workspace, long threads) {
      long *out = buffers[0], same = 0;
      for (long n = 0; n < 512; ++n) workspace[n] = (char)out[0];
      for (long n = 0; n < 512; ++n) same += workspace[n] == (char)out[0];
      out[0] = same;
    })";
  module.steps = {{kernel::Launch{"noisy"}}};
  module.arguments = {{"out", "i64", 8, {1}, true}};
  module.workspace_bytes = bytes;
  module.compiler = MDH_TSAN_CC;
  module.flags = {"-O1", "-g", "-fsanitize=thread"};
  return module;
}

/// Some of the threads call the kernel, others a copy of it, with loops of their own or a copy that
/// they make for each call.
long wrong_results(const runtime::host::Kernel& kernel) {
  std::vector<long> wrong(threads, 0);
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (long n = 0; n < calls; ++n) {
        long out = t + 1;
        void* pointer = &out;
        if (t % 2 == 0) {
          kernel({&pointer, 1}, 1);
        } else {
          const runtime::host::Kernel copy = kernel;
          copy({&pointer, 1}, 1);
        }
        wrong[t] += out != bytes;
      }
    });
  }
  for (std::thread& thread : all) thread.join();
  long sum = 0;
  for (const long w : wrong) sum += w;
  return sum;
}

void share_one_workspace(const runtime::host::Kernel& kernel) {
  void* library = dlopen(kernel.path().c_str(), RTLD_NOW);
  const auto entry = reinterpret_cast<void (*)(void**, char*, long)>(dlsym(library, "noisy"));
  std::vector<char> workspace(bytes);
  const auto call = [&] {
    long out = 1;
    void* pointer = &out;
    for (long n = 0; n < calls; ++n) entry(&pointer, workspace.data(), 1);
  };
  std::thread one(call), two(call);
  one.join();
  two.join();
}

}  // namespace

int main(int argc, char** argv) {
  const runtime::host::Kernel kernel = runtime::host::load(module_of(), {.cache = {}});
  if (argc > 1 && std::string(argv[1]) == "--shared") {
    share_one_workspace(kernel);
    return 0;
  }
  const long wrong = wrong_results(kernel);
  std::printf("%ld of %ld results are wrong, %zu workspaces\n", wrong, threads * calls,
              kernel.workspaces());
  return wrong == 0 && kernel.workspaces() <= threads ? 0 : 1;
}
