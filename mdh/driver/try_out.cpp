#include "mdh/driver/try_out.h"

#include "mdh/driver/devices.h"
#include "mdh/driver/run.h"
#include "mdh/hl/parse.h"
#include "mdh/runtime/host/compiler.h"

namespace mdh::driver {
namespace {

constexpr int cores = 2;

/// Parts meet in it on cores of every kind.
hl::Program small_dot() {
  return hl::parse(
      "mdh 1\nprogram dot = out_view( s: f32 = [] ) * md_hom( i: 100 by pw(add) ) { s = x * y; }"
      " * inp_view( x: f32 = [i]; y: f32 = [i] )");
}

}  // namespace

std::string try_out(const Target& target, const std::string& device, runtime::Worker* worker) {
  const std::string on = target.obeys.compiler ? runtime::host::find_compiler().path
                                               : identity_of(target, device).model;
  const hl::Program program = small_dot();
  RunOptions options;
  options.target = &target;
  options.device = device;
  options.machine = machine_of(target, device);
  options.config = ll::default_config(program, options.machine, cores);
  options.threads = cores;
  options.worker = worker;
  const RunReport report = run(program, options);
  if (!report.verification.right) {
    missing("E629",
            fmt::format("{} computes a small dot product wrongly: {}", on,
                        report.verification.complaint),
            "its compiler or driver is broken, or mdh is: use another device, and report this");
  }
  return on;
}

std::vector<std::string> devices_of(const Target& target) {
  std::vector<std::string> names;
  const size_t count = target.runtime == nullptr ? 0 : target.runtime->list().size();
  for (size_t n = 0; n < count; ++n) {
    names.push_back(n == 0 ? target.name : fmt::format("{}:{}", target.name, n));
  }
  return names;
}

}  // namespace mdh::driver
