#include <cstdio>

#include "mdh/calibration/grid_rates.h"
#include "mdh/calibration/rates.h"
#include "mdh/driver/devices.h"
#include "mdh/driver/try_out.h"
#include "mdh/support/cores.h"
#include "mdh/support/text.h"
#include "tools/mdh/say.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

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

/// As mdh run does, in a worker if there is one; that there is none was said before.
std::optional<runtime::Worker> worker_for_tries() {
  try {
    if (runtime::find_worker().empty()) return std::nullopt;
    return std::optional<runtime::Worker>(std::in_place);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Targets without a device are optional; what is there has to work. The host is always there.
bool report_target(const driver::Target& target, runtime::Worker* worker) {
  if (target.runtime == nullptr) return report("target " + target.name, [] { return "ok"; });
  const std::vector<std::string> devices = driver::devices_of(target);
  if (devices.empty()) {
    fmt::print("target {}: no device: {}\n", target.name, driver::why_no_device(target));
    return true;
  }
  bool all_work = true;
  for (const std::string& device : devices) {
    all_work &= report("target " + device,
                       [&] { return driver::try_out(target, device, worker) + ", ok"; });
  }
  return all_work;
}

std::string indented(const std::string& first, const std::string& lines) {
  std::string text = first;
  for (const std::string& line : split(lines, '\n')) {
    if (!line.empty()) text += "\n  " + line;
  }
  return text;
}

std::string lines_of(const std::vector<std::string>& typical) {
  std::string lines;
  for (const std::string& name : typical) lines += "typical is " + name + "\n";
  return lines;
}

/// What costs are estimated with.
std::string rates_state(Rates wanted) {
  const int cores = available_cores();
  if (wanted == Rates::known) {
    const calibration::KnownRates known = calibration::known_rates(cores);
    return indented(known.source, calibration::describe(known.rates) + lines_of(known.typical));
  }
  const calibration::FreshRates fresh = calibration::measure_rates(cores);
  const std::string place = fresh.stored ? "stored in '" + fresh.file + "'"
                                         : "not stored, '" + fresh.file + "' cannot be written";
  return indented("measured just now, " + place, calibration::describe(fresh.calibration.rates) +
                                                     lines_of(fresh.calibration.typical));
}

/// The same of a device whose threads run in warps.
std::string device_rates_state(const runtime::Device& device, Rates wanted) {
  if (wanted == Rates::known) {
    const auto known = calibration::known_grid_rates(*device.identity());
    return indented(known.source, calibration::describe(known.rates) + lines_of(known.typical));
  }
  const auto fresh = calibration::measure_grid_rates(device);
  const std::string place = fresh.stored ? "stored in '" + fresh.file + "'"
                                         : "not stored, '" + fresh.file + "' cannot be written";
  return indented("measured just now, " + place,
                  calibration::describe(fresh.calibration) +
                      lines_of(calibration::not_believed(fresh.calibration)));
}

/// Of those that can be measured.
bool report_device_rates(Rates wanted) {
  bool all_work = true;
  for (const driver::Target& target : driver::targets()) {
    if (target.runtime == nullptr) continue;
    for (const std::string& name : driver::devices_of(target)) {
      const auto device = target.runtime->open(name);
      if (!calibration::may_be_calibrated(*device)) continue;
      all_work &= report("rates of " + name, [&] { return device_rates_state(*device, wanted); });
    }
  }
  return all_work;
}

}  // namespace

int doctor(Rates rates) {
  fmt::print("cores: {}\n", available_cores());
  int exit = report("worker", worker_state) ? 0 : 3;
  std::optional<runtime::Worker> worker = worker_for_tries();
  for (const driver::Target& target : driver::targets()) {
    if (!report_target(target, worker ? &*worker : nullptr)) exit = 3;
  }
  for (const machine::Machine& m : machine::machines()) {
    fmt::print("machine {}: {}\n", m.name, m.summary);
  }
  if (!report("rates", [&] { return rates_state(rates); })) exit = 3;
  if (!report_device_rates(rates)) exit = 3;
  return exit;
}

}  // namespace mdh::tool
