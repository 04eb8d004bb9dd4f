#include <cstdio>

#include "mdh/calibration/rates.h"
#include "mdh/driver/run.h"
#include "mdh/support/cores.h"
#include "mdh/support/text.h"
#include "tools/mdh/say.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

/// Compiles and runs a small reduction over two threads.
void try_out(const driver::Target& target) {
  const hl::Program program = examples::find_entry("dot")->build({scalar::Scalar::f32, {100}});
  const machine::Machine& machine = machine::find_machine(target.machine);
  driver::RunOptions options;
  options.target = &target;
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
  if (!target.obeys.compiler) return "ok";
  const std::string compiler = runtime::host::find_compiler().path;
  try_out(target);
  return compiler + ", ok";
}

std::string rates_text(const std::string& source, const model::Rates& rates,
                       const std::vector<std::string>& typical) {
  std::string lines = calibration::describe(rates);
  for (const std::string& name : typical) lines += "typical is " + name + "\n";
  std::string text = source;
  for (const std::string& line : split(lines, '\n')) {
    if (!line.empty()) text += "\n  " + line;
  }
  return text;
}

/// What costs are estimated with.
std::string rates_state(Rates wanted) {
  const int cores = available_cores();
  if (wanted == Rates::known) {
    const calibration::KnownRates known = calibration::known_rates(cores);
    return rates_text(known.source, known.rates, known.typical);
  }
  const calibration::FreshRates fresh = calibration::measure_rates(cores);
  const std::string place = fresh.stored ? "stored in '" + fresh.file + "'"
                                         : "not stored, '" + fresh.file + "' cannot be written";
  return rates_text("measured just now, " + place, fresh.calibration.rates,
                    fresh.calibration.typical);
}

}  // namespace

int doctor(Rates rates) {
  fmt::print("cores: {}\n", available_cores());
  int exit = report("worker", worker_state) ? 0 : 3;
  for (const driver::Target& target : driver::targets()) {
    if (!report("target " + target.name, [&] { return target_state(target); })) exit = 3;
  }
  for (const machine::Machine& m : machine::machines()) {
    fmt::print("machine {}: {}\n", m.name, m.summary);
  }
  if (!report("rates", [&] { return rates_state(rates); })) exit = 3;
  fmt::print("not built: target cuda (see docs/status.md)\n");
  return exit;
}

}  // namespace mdh::tool
