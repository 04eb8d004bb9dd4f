// For tests: compiled kernels and what a worker makes of them.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "mdh/runtime/host/library.h"
#include "mdh/runtime/testing.h"
#include "mdh/runtime/worker/worker.h"

namespace mdh::runtime {

using kernel::Module;

inline WorkerOptions options() { return {.program = MDH_WORKER_FILE}; }

/// A compiled module and a buffer for it, with -1 in every element.
struct Work {
  Module module;
  Object object;
  SharedBuffers buffers;

  explicit Work(const Module& m)
      : module(m),
        object(*host::build_units({host::unit_of({m}, host::find_compiler())}, {}).front().object),
        buffers({m.arguments.at(0).bytes()}) {
    for (int64_t n = 0; n < m.arguments[0].elements(); ++n) values()[n] = -1;
  }
  explicit Work(const std::string& body) : Work(module_of("f", body)) {}

  long* values() const { return static_cast<long*>(buffers.pointers()[0]); }
  Outcome on(Worker& worker, const WorkOptions& how = {}) const {
    return worker.run(module, object.path, buffers, how);
  }
};

/// A good run works, with its result in the shared buffer.
inline void expect_usable(Worker& worker) {
  const Work good("out[0] = 42;");
  const Outcome outcome = good.on(worker);
  EXPECT_EQ(outcome.status, WorkStatus::ok) << outcome.reason;
  EXPECT_EQ(good.values()[0], 42);
}

inline bool has_children() {
  int status = 0;
  const pid_t found = waitpid(-1, &status, WNOHANG);
  return !(found < 0 && errno == ECHILD);
}

}  // namespace mdh::runtime
