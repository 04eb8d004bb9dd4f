// mdh-worker: runs compiled kernels for another process, which starts it and speaks to it over the
// socket that it finds open. Its only argument limits its address space, in bytes.
//
//   mdh-worker --nvrtc LIBRARY SOURCE OBJECT OPTION...
//
// compiles CUDA: a library cannot be interrupted, a process can.
#include <sys/prctl.h>
#include <sys/socket.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "mdh/runtime/cuda/nvrtc.h"
#include "mdh/runtime/worker/server.h"
#include "mdh/support/text.h"

namespace {

constexpr int inherited_socket = 3;

bool is_started_by_mdh(int count, char** words, long long& memory) {
  int type = 0;
  socklen_t size = sizeof(type);
  return count == 2 && mdh::to_integer(words[1], memory) &&
         getsockopt(inherited_socket, SOL_SOCKET, SO_TYPE, &type, &size) == 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    const bool compiles = count > 2 && std::string_view(words[1]) == "--nvrtc";
    if (compiles) {
      // Nobody else would end it where it takes for ever.
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      return mdh::runtime::cuda::compile_as_program({words + 2, words + count});
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mdh-worker: %s\n", e.what());
    return 70;
  }
  long long memory = 0;
  if (!is_started_by_mdh(count, words, memory)) {
    std::fputs("mdh-worker is started by mdh, to run compiled code; see 'mdh run --help'\n",
               stderr);
    return 2;
  }
  // Threads of gcc's OpenMP fall asleep between two calls of a small kernel, and waking them takes
  // longer than the kernel: they look out for work for some milliseconds before they do. What the
  // user says comes first.
  setenv("GOMP_SPINCOUNT", "20000000", 0);
  try {
    mdh::runtime::limit_memory(memory);
    mdh::runtime::serve(inherited_socket);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mdh-worker: %s\n", e.what());
    return 70;
  }
  return 0;
}
