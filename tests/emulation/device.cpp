#include "tests/emulation/device.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/host/float_mode.h"
#include "mdh/runtime/host/memory.h"
#include "mdh/scalar/type.h"
#include "mdh/support/text.h"
#include "tests/emulation/execution.h"
#include "tests/emulation/library.h"
#include "tests/emulation/source.h"

namespace mdh::emulation {
namespace {

using runtime::LoadedKernels;

constexpr Order orders[] = {Order::forwards, Order::backwards, Order::shuffled};

std::string name_of(Order order) {
  switch (order) {
    case Order::forwards:
      return "forwards";
    case Order::backwards:
      return "backwards";
    case Order::shuffled:
      return "in random order";
  }
  return "";
}

[[noreturn]] void wrong(const std::string& text) {
  throw Error({DiagnosticKind::wrong_result, "", {}, "emulation: " + text, {}, ""});
}

std::string line_in(const std::string& source, size_t number) {
  const std::vector<std::string> lines = split(source, '\n');
  if (number > lines.size()) return "";
  const std::string& line = lines[number - 1];
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

class EmulatedKernel : public runtime::LoadedKernel {
 public:
  EmulatedKernel(kernel::Module module, std::shared_ptr<const Library> library)
      : module_(std::move(module)), library_(std::move(library)) {}

  const kernel::Module& module() const override { return module_; }

  void run(const runtime::RunOn& on) const override {
    internal_check(on.stream == nullptr, "the emulation has no streams");
    run_in_all_orders(on.buffers, static_cast<char*>(on.workspace));
  }

  void call(std::span<void* const> buffers, int) const override {
    run_in_all_orders(buffers, nullptr);
  }

  runtime::Timing time(std::span<void* const> buffers, int threads,
                       const runtime::TimingLimits& limits) const override {
    return runtime::measure([&] { call(buffers, threads); }, limits);
  }

  std::vector<runtime::Resources> resources() const override {
    std::vector<runtime::Resources> all;
    kernel::for_each_written_launch(module_.steps, [&](const kernel::Launch& launch, size_t) {
      all.push_back({.function = launch.function,
                     .local_bytes = launch.local_bytes,
                     .items_per_group = Watch::most_items});
    });
    return all;
  }

  std::string file() const override { return library_->path(); }

 private:
  using Memory = std::vector<std::vector<char>>;

  /// What is computed does not depend on the order; the caller gets that of one order after the
  /// other, call by call.
  void run_in_all_orders(std::span<void* const> buffers, char* workspace) const {
    const runtime::host::UsualFloatMode usual;
    const uint64_t call = calls_++;
    std::vector<Memory> results;
    std::vector<char> space, first_space;
    std::vector<char> zeroed;  // runs begin with what those before them have left
    if (workspace != nullptr) space.assign(workspace, workspace + module_.workspace());
    for (const Order order : orders) {
      std::vector<char> mine = space;
      results.push_back(copied(buffers));
      run_once(pointers_to(results.back(), buffers), workspace == nullptr ? nullptr : mine.data(),
               {.order = order,
                .seed = call + 1,
                .poison = call % 2 == 0 ? 0xa5 : 0x5a,
                .zeroed = &zeroed});
      if (order == Order::forwards) first_space = mine;
    }
    for (size_t n = 1; n < results.size(); ++n) compare(results[0], results[n], orders[n]);
    const Memory& given = results[call % results.size()];
    for (size_t n = 0; n < buffers.size(); ++n) {
      if (module_.arguments[n].is_output) {
        std::memcpy(buffers[n], given[n].data(), given[n].size());
      }
    }
    if (workspace != nullptr) std::memcpy(workspace, first_space.data(), first_space.size());
  }

  Memory copied(std::span<void* const> buffers) const {
    Memory memory;
    for (size_t n = 0; n < module_.arguments.size(); ++n) {
      const auto* begin = static_cast<const char*>(buffers[n]);
      memory.emplace_back(begin, begin + module_.arguments[n].bytes());
    }
    return memory;
  }

  /// What is the same memory for the caller is the same for the kernel.
  std::vector<void*> pointers_to(Memory& memory, std::span<void* const> buffers) const {
    std::vector<void*> pointers;
    for (size_t n = 0; n < memory.size(); ++n) {
      const auto first = static_cast<size_t>(std::find(buffers.begin(), buffers.end(), buffers[n]) -
                                             buffers.begin());
      pointers.push_back(memory[first].data());
    }
    return pointers;
  }

  void run_once(std::span<void* const> pointers, char* workspace, const Manner& manner) const {
    std::optional<Finding> found;
    {
      Execution execution(*library_, module_, manner);
      found = execution.run(pointers, workspace);
    }
    if (found) tell(*found, manner);
  }

  [[noreturn]] void tell(const Finding& found, const Manner& manner) const {
    const size_t line = library_->line_of(found.code);
    const std::string where =
        line == 0 ? "" : fmt::format(", line {}: {}", line, line_in(module_.source, line));
    wrong(fmt::format("{} (kernel '{}', items {}{})", found.text, found.kernel,
                      name_of(manner.order), where));
  }

  /// Records may have bytes between their fields that mean nothing. Floats that groups combine as
  /// they come are rounded differently.
  void compare(const Memory& one, const Memory& other, Order order) const {
    for (size_t n = 0; n < one.size(); ++n) {
      const kernel::Argument& a = module_.arguments[n];
      const auto type = scalar::find_scalar(a.type);
      if (!a.is_output || !type) continue;
      if (module_.combines_in_any_order && scalar::is_floating(*type)) continue;
      const auto differs = std::mismatch(one[n].begin(), one[n].end(), other[n].begin()).first;
      if (differs == one[n].end()) continue;
      wrong(fmt::format("order: element {} of '{}' of '{}' is another one if items run {}",
                        (differs - one[n].begin()) / std::max(1, a.bytes_per_element), a.name,
                        module_.name, name_of(order)));
    }
  }

  kernel::Module module_;
  std::shared_ptr<const Library> library_;
  mutable std::atomic<uint64_t> calls_ = 0;
};

/// Modules of one language are one unit.
LoadedKernels loaded(std::span<const kernel::Module> modules) {
  std::map<std::string, std::vector<kernel::Module>> by_language;
  for (const kernel::Module& module : modules) by_language[module.language].push_back(module);
  std::map<std::string, std::shared_ptr<const Library>> libraries;
  for (const auto& [language, some] : by_language) libraries[language] = compiled(some);
  LoadedKernels kernels;
  for (const kernel::Module& module : modules) {
    kernels.push_back(std::make_shared<EmulatedKernel>(module, libraries[module.language]));
  }
  return kernels;
}

/// What a build leaves is the object itself, which lives as long as its folder does.
runtime::Built built(const kernel::Module& module) {
  try {
    const std::shared_ptr<const Library> library = compiled({&module, 1});
    const auto folder = std::make_shared<const TemporaryDirectory>();
    const std::string path = (folder->path() / "kernels.so").string();
    write_file(path, read_file(library->path()));
    return {.object = runtime::Object{.path = path, .folder = folder}, .failure = {}};
  } catch (const kernel::Refused& e) {
    return {.object = std::nullopt, .failure = {.text = e.diagnostic().message}};
  }
}

class EmulatedDevice : public runtime::Device {
 public:
  std::string name() const override { return "emulation"; }

  runtime::Accuracy accuracy() const override { return {}; }

  std::optional<MachineIdentity> identity() const override {
    return MachineIdentity{"mdh", "emulation", 1, "", {}};
  }

  std::optional<runtime::GridNumbers> grid() const override {
    return runtime::GridNumbers{.groups_at_once = 4,
                                .items_per_group = 1024,
                                .local_bytes = 48 << 10,
                                .global_bytes = int64_t{1} << 30,
                                .groups_of_cluster = 8};
  }

  bool takes(const std::string& language) const override { return understands(language); }

  std::vector<std::vector<runtime::Built>> build(const runtime::ModuleGroups& groups,
                                                 const runtime::BuildLimits&) const override {
    std::vector<std::vector<runtime::Built>> results;
    for (const std::vector<kernel::Module>& group : groups) {
      results.emplace_back();
      for (const kernel::Module& module : group) results.back().push_back(built(module));
    }
    return results;
  }

  std::shared_ptr<const runtime::LoadedKernel> load_object(const kernel::Module& module,
                                                           const std::string& path) const override {
    return std::make_shared<EmulatedKernel>(module, std::make_shared<const Library>(path));
  }

  /// Kernels get copies of it, with gaps around them.
  std::shared_ptr<const runtime::DeviceMemory> allocate(int64_t bytes,
                                                        const std::string& what) const override {
    try {
      return std::make_shared<runtime::host::GuardedMemory>(bytes);
    } catch (const std::bad_alloc&) {
      missing("E603", fmt::format("no memory for {} of {} bytes", what, bytes),
              "use a smaller size");
    }
  }

 private:
  LoadedKernels load_for(runtime::Purpose, std::span<const kernel::Module> modules) const override {
    return loaded(modules);
  }
};

}  // namespace

std::shared_ptr<const runtime::Device> device() { return std::make_shared<EmulatedDevice>(); }

std::string missing_here() {
  for (const Language& language : languages()) {
    if (find_compiler(language.name).empty()) {
      return fmt::format("no gcc for {} (apt-get install g++)", language.compiled);
    }
  }
  return "";
}

}  // namespace mdh::emulation
