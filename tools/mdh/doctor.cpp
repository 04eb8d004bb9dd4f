#include <cstdio>

#include "mdh/driver/run.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

/// Compiles and runs a small reduction over two threads.
void try_openmp() {
  const hl::Program program = examples::find_entry("dot")->build({scalar::Scalar::f32, {100}});
  const machine::Machine& machine = machine::find_machine("cpu");
  driver::RunOptions options;
  options.target = &driver::find_target("openmp");
  options.machine = machine;
  options.config = ll::default_config(program, machine, 2);
  options.threads = 2;
  const driver::RunReport report = driver::run(program, options);
  internal_check(report.verification.right, "dot is wrong: {}", report.verification.complaint);
}

}  // namespace

int doctor() {
  fmt::print("cores: {}\n", driver::available_cores());
  int exit = 0;
  for (const driver::Target& target : driver::targets()) {
    fmt::print("target {}: ", target.name);
    std::fflush(stdout);
    try {
      if (target.name == "openmp") {
        fmt::print("{}, ", runtime::host::find_compiler().path);
        try_openmp();
      }
      fmt::print("ok\n");
    } catch (const Error& e) {
      fmt::print("not usable\n");
      fmt::print(stderr, "{}", render(e.diagnostic()));
      exit = 3;
    }
  }
  for (const machine::Machine& m : machine::machines()) {
    fmt::print("machine {}: {}\n", m.name, m.summary);
  }
  fmt::print("not built: targets opencl, cuda; tuning; benchmarks (see docs/status.md)\n");
  return exit;
}

}  // namespace mdh::tool
