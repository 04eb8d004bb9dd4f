#include "tests/property/samples.h"

#include <cmath>

#include "mdh/driver/memory.h"
#include "mdh/driver/stages.h"
#include "mdh/hl/analysis.h"
#include "mdh/hl/evaluate.h"
#include "mdh/runtime/host/library.h"
#include "mdh/runtime/opencl/kernel.h"
#include "mdh/runtime/opencl/testing_device.h"
#include "mdh/support/text.h"

namespace mdh::test {
namespace {

using scalar::Array;
using scalar::Scalar;
using scalar::Value;

/// The last dimension in lanes, two parts on cores, so that there are whole and border tiles.
ll::Config config_of(const Sample& sample) {
  ll::Config config{
      .program = sample.program.name, .machine = "cpu", .layers = {"COR", "L1", "SIMD"}};
  const std::vector<int64_t> sizes = hl::sizes(sample.program);
  const int64_t lanes = std::max<int64_t>(sample.lanes, 1), cores = 2;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::string name = sample.program.dimensions[d].symbol.name;
    const bool last = d + 1 == sizes.size();
    const int64_t inner = last ? lanes : 1;
    config.split[name] = {{"COR", cores}, {"L1", (sizes[d] + cores * inner - 1) / (cores * inner)}};
    config.order.push_back({"COR", name});
    if (last && lanes > 1) config.split[name].push_back({"SIMD", lanes});
  }
  for (const hl::Dimension& d : sample.program.dimensions) {
    config.order.push_back({"L1", d.symbol.name});
  }
  if (lanes > 1) config.order.push_back({"SIMD", sample.program.dimensions.back().symbol.name});
  return config;
}

bool agrees(Scalar type, Value a, Value b) {
  if (a == b) return true;
  return is_floating(type) && std::isnan(a.as_floating()) && std::isnan(b.as_floating());
}

}  // namespace

std::vector<Scalar> all_scalar_types() {
  std::vector<Scalar> types;
  for (const std::string& name : scalar::scalar_names()) {
    types.push_back(*scalar::find_scalar(name));
  }
  return types;
}

bool has_lanes(Scalar type) {
  return type != Scalar::boolean && type != Scalar::f16 && type != Scalar::bf16;
}

kernel::Module module_of(const Sample& sample, const std::string& target) {
  return driver::lower_all(sample.program, machine::find_machine("cpu"), config_of(sample),
                           driver::find_target(target), "run_" + sample.program.name)
      .module;
}

std::string difference(const Sample& sample, const std::vector<Array>& found) {
  const std::vector<Array> expected = hl::evaluate(sample.program, sample.inputs);
  for (size_t b = 0; b < expected.size(); ++b) {
    const Scalar type = scalar_of(expected[b].type);
    for (size_t n = 0; n < expected[b].cells.size(); ++n) {
      const Value wished = expected[b].cells[n], got = found[b].cells[n];
      if (found[b].defined[n] != 0 && agrees(type, wished, got)) continue;
      std::string text = fmt::format("element {} of y{} is {}, not {}; inputs", n, b,
                                     to_string(type, got), to_string(type, wished));
      for (const Array& input : sample.inputs) {
        if (input.cells.size() != expected[b].cells.size()) continue;
        text += " " + to_string(scalar_of(input.type), input.cells[n]);
      }
      return text;
    }
  }
  return "";
}

std::vector<tuning::CompilerChoice> all_compilers() {
  std::vector<tuning::CompilerChoice> all = {{}};
  for (const tuning::CompilerChoice& choice : tuning::compilers_here()) {
    const bool usual = choice.flags == std::vector<std::string>{"-O3"};  // the first one, again
    if (!usual) all.push_back(choice);
  }
  return all;
}

std::vector<std::string> differences_in_c(const std::vector<Sample>& samples,
                                          const tuning::CompilerChoice& choice) {
  std::vector<kernel::Module> modules;
  for (const Sample& sample : samples) {
    modules.push_back(module_of(sample, "openmp"));
    modules.back().compiler = choice.compiler;
    modules.back().flags = choice.flags;
  }
  const auto compiler = runtime::host::compiler_for(modules.front(), runtime::Cache::of_user());
  const auto kernels = runtime::host::load(modules, compiler);
  std::vector<std::string> differences;
  for (size_t n = 0; n < samples.size(); ++n) {
    driver::Memory memory(samples[n].program, samples[n].inputs);
    const auto outputs = memory.run_poisoned([&](auto buffers) { kernels[n](buffers, 2); });
    const std::string found = difference(samples[n], outputs);
    differences.push_back(found.empty()
                              ? ""
                              : fmt::format("{} {}: {}\n{}", compiler.path,
                                            join(compiler.flags, " "), found, modules[n].source));
  }
  return differences;
}

std::vector<std::string> differences_on(const runtime::Device& device,
                                        const std::vector<Sample>& samples,
                                        const std::string& target) {
  std::vector<kernel::Module> modules;
  for (const Sample& sample : samples) modules.push_back(module_of(sample, target));
  const runtime::LoadedKernels kernels = device.load(modules);
  std::vector<std::string> differences;
  for (size_t n = 0; n < samples.size(); ++n) {
    driver::Memory memory(samples[n].program, samples[n].inputs);
    const auto outputs = memory.run_poisoned([&](auto buffers) { kernels[n]->call(buffers, 1); });
    const std::string found = difference(samples[n], outputs);
    differences.push_back(found.empty() ? "" : found + "\n" + modules[n].source);
  }
  return differences;
}

std::optional<runtime::opencl::Context> opencl_context() {
  try {
    return runtime::opencl::Context(runtime::opencl::device_of_tests());
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    return std::nullopt;
  }
}

std::string difference_in_opencl(const Sample& sample, const runtime::opencl::Context& context,
                                 const std::string& before) {
  kernel::Module module = module_of(sample, "opencl");
  module.source = before + module.source;
  const auto kernel = runtime::opencl::load({&module, 1}, context).front();
  driver::Memory memory(sample.program, sample.inputs);
  const std::string found =
      difference(sample, memory.run_poisoned([&](auto buffers) { kernel(buffers); }));
  return found.empty() ? "" : found + "\n" + module.source;
}

}  // namespace mdh::test
