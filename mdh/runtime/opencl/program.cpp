#include "mdh/runtime/opencl/program.h"

#include "mdh/kernel/refused.h"
#include "mdh/runtime/build_log.h"
#include "mdh/runtime/opencl/source.h"
#include "mdh/support/diagnostic.h"

namespace mdh::runtime::opencl {
namespace {

/// PoCL 3 gets some kernels wrong that have barriers in nested loops; without optimisation, and on
/// other drivers, the same kernels are right. PoCL 5 ends the process without optimisation.
bool optimises_wrongly(const Device& device) {
  return device.platform == "Portable Computing Language" && device.driver.starts_with("3.");
}

std::string options_for(const Device& device) {
  std::string options = "-cl-std=CL1.2 -w";
  if (optimises_wrongly(device)) options += " -cl-opt-disable";
  if (device.has_exact_fp32_division) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

Owned<cl_program> create(const std::string& source, const Context::Handles& on) {
  const char* text = source.c_str();
  const size_t length = source.size();
  cl_int status = CL_SUCCESS;
  cl_program program =
      on.api.create_program_with_source(on.context.get(), 1, &text, &length, &status);
  return owned(program, on.api.release_program, status, "clCreateProgramWithSource");
}

std::string log_of(cl_program program, const Context::Handles& on) {
  size_t bytes = 0;
  on.api.get_program_build_info(program, on.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  on.api.get_program_build_info(program, on.id, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  log.resize(log.find_last_not_of(std::string("\0\n ", 3)) + 1);
  return log;
}

}  // namespace

Owned<cl_program> build(std::span<const kernel::Module> modules, const Context::Handles& on) {
  const std::string source = source_of(modules);
  Owned<cl_program> program = create(source, on);
  const cl_int status = on.api.build_program(program.get(), 1, &on.id,
                                             options_for(on.device).c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    const std::string log = log_of(program.get(), on);
    throw kernel::Refused(fmt::format("{} ({}) refused the printed source ({}):\n{}\n{}",
                                      on.device.name, on.device.platform, status_name(status), log,
                                      offending_lines(source, log)));
  }
  return program;
}

}  // namespace mdh::runtime::opencl
