#include <cstdio>

#include "mdh/driver/run.h"
#include "tools/mdh/say.h"
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

/// Prints one line; what is missing is told on stderr. False then.
bool report(const std::string& name, const std::function<std::string()>& state) {
  fmt::print("{}: ", name);
  std::fflush(stdout);
  try {
    fmt::print("{}\n", state());
    return true;
  } catch (const Error& e) {
    fmt::print("not usable\n");
    say("{}", render(e.diagnostic()));
    return false;
  }
}

std::string worker_state() {
  const std::string program = runtime::find_worker();
  return program.empty() ? "none; compiled code runs in the process of mdh" : program;
}

std::string target_state(const driver::Target& target) {
  if (target.name != "openmp") return "ok";
  const std::string compiler = runtime::host::find_compiler().path;
  try_openmp();
  return compiler + ", ok";
}

}  // namespace

int doctor() {
  fmt::print("cores: {}\n", driver::available_cores());
  int exit = report("worker", worker_state) ? 0 : 3;
  for (const driver::Target& target : driver::targets()) {
    if (!report("target " + target.name, [&] { return target_state(target); })) exit = 3;
  }
  for (const machine::Machine& m : machine::machines()) {
    fmt::print("machine {}: {}\n", m.name, m.summary);
  }
  fmt::print("not built: target cuda (see docs/status.md)\n");
  return exit;
}

}  // namespace mdh::tool
