#include "mdh/runtime/host/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/alignment.h"
#include "mdh/runtime/host/float_mode.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::runtime::host {
namespace {

constexpr size_t alignment = 64;

/// The OpenMP runtime keeps threads waiting for work: it must stay loaded when the kernels that
/// brought it in are gone.
void pin_openmp_runtime(void* library) {
  void* symbol = dlsym(library, "omp_get_num_threads");
  Dl_info info;
  if (symbol != nullptr && dladdr(symbol, &info) != 0) {
    dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

std::shared_ptr<void> open_library(const std::string& path) {
  const UsualFloatMode usual;  // start-up code of the library may change it
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    missing("E602", fmt::format("a compiled kernel cannot be loaded: {}", dlerror()),
            "is the OpenMP runtime library installed?");
  }
  pin_openmp_runtime(handle);
  return {handle, [](void* library) { dlclose(library); }};
}

std::shared_ptr<char[]> aligned_memory(int64_t bytes) {
  const size_t rounded = (static_cast<size_t>(bytes) + alignment - 1) / alignment * alignment;
  auto* memory = static_cast<char*>(std::aligned_alloc(alignment, std::max(rounded, alignment)));
  if (memory == nullptr) {
    missing("E603", fmt::format("no memory for a workspace of {} bytes", bytes),
            "use fewer parts on cores, or a smaller size");
  }
  // New memory is often zero by chance. Kernels must not rely on that, so that tests should not be
  // able to, either.
  std::memset(memory, 0xDB, static_cast<size_t>(bytes));
  return {memory, [](char* block) { std::free(block); }};
}

[[noreturn]] void not_built(const Unit& unit, const BuildFailure& failure) {
  if (failure.kind == BuildFailure::Kind::timed_out) {
    missing("E607", "compiling a kernel took too long: " + failure.text,
            "unroll less, or use smaller tiles in registers");
  }
  throw kernel::Refused(
      fmt::format("{} refused the printed source:\n{}", unit.compiler.path, failure.text));
}

Object build_one(const Unit& unit, const BuildLimits& options) {
  const Built built = build_units({unit}, options).front();
  if (!built.object) not_built(unit, built.failure);
  return *built.object;
}

/// An object of the cache that the loader does not like is compiled anew.
std::vector<Kernel> kernels_in(const Object& object, std::span<const kernel::Module> modules,
                               const Unit& unit, BuildLimits options) {
  std::vector<Kernel> kernels;
  try {
    for (const kernel::Module& module : modules) kernels.emplace_back(module, object);
  } catch (const Error&) {
    if (!object.from_cache) throw;
    options.renew = true;
    return kernels_in(build_one(unit, options), modules, unit, options);
  }
  return kernels;
}

std::vector<Kernel> load_unit(std::span<const kernel::Module> modules, const Unit& unit,
                              const BuildLimits& options) {
  return kernels_in(build_one(unit, options), modules, unit, options);
}

/// The line that says what is wrong; compilers begin with where it is.
std::string first_complaint(const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    const size_t at = line.find("error: ");
    if (at != std::string::npos) return line.substr(at + std::string("error: ").size());
  }
  return text.substr(0, text.find('\n'));
}

/// Flags that are at fault are the user's: without them, the same compiler takes the source.
void blame_flags(const kernel::Module& module, const std::string& path, const std::string& said,
                 const BuildLimits& options) {
  if (module.flags.empty()) return;
  kernel::Module plain = module;
  plain.flags.clear();
  const Unit unit = unit_of({plain}, compiler_for(plain, options.cache));
  if (!build_units({unit}, options).front().object) return;
  user_error("E605", {},
             fmt::format("{} refused a kernel with the flags '{}' of the configuration:\n{}", path,
                         join(module.flags, " "), said),
             "it compiles without them: take them out");
}

}  // namespace

Kernel::Kernel(const kernel::Module& module, const Object& object)
    : module_(module),
      object_(object),
      library_(open_library(object.path)),
      workspaces_(std::make_shared<Pool<Workspace>>(
          [bytes = module.workspace()] { return aligned_memory(bytes); })) {
  kernel::for_each_launch(module.steps, [&](const kernel::Launch& launch, auto) {
    void* entry = dlsym(library_.get(), launch.function.c_str());
    internal_check(entry != nullptr, "the compiled library lacks '{}'", launch.function);
    entries_.push_back(reinterpret_cast<Kernel::Entry>(entry));
  });
}

std::vector<Kernel> load(std::span<const kernel::Module> modules, const Compiler& compiler,
                         const BuildLimits& options) {
  return load_unit(modules, unit_of({modules.begin(), modules.end()}, compiler), options);
}

namespace {

/// By the first of the other compilers that takes the source; nothing if none does. Without flags
/// of the configuration, which only its compiler may know.
std::vector<Kernel> load_by_others(std::span<const kernel::Module> modules,
                                   const std::string& refused, const BuildLimits& options,
                                   std::string& taken_by) {
  for (const std::string& path : find_compilers()) {
    if (path == refused) continue;
    try {
      taken_by = path;
      return load(modules, compiler_at(path, options.cache), options);
    } catch (const kernel::Refused&) {
      continue;
    }
  }
  return {};
}

}  // namespace

std::vector<Kernel> load_by_any(std::span<const kernel::Module> modules, const Compiler& first,
                                const BuildLimits& options) {
  try {
    return load(modules, first, options);
  } catch (const kernel::Refused&) {
    std::string taken_by;
    std::vector<Kernel> kernels = load_by_others(modules, first.path, options, taken_by);
    if (kernels.empty()) throw;
    return kernels;
  }
}

Kernel load(const kernel::Module& module, const BuildLimits& options) {
  const Compiler compiler = compiler_for(module, options.cache);
  const Unit unit = unit_of({module}, compiler);
  const Built built = build_units({unit}, options).front();
  if (built.object) return kernels_in(*built.object, {&module, 1}, unit, options).front();
  if (built.failure.kind != BuildFailure::Kind::refused) not_built(unit, built.failure);
  blame_flags(module, compiler.path, built.failure.text, options);
  std::string taken_by;
  std::vector<Kernel> kernels = load_by_others({&module, 1}, compiler.path, options, taken_by);
  if (kernels.empty()) not_built(unit, built.failure);
  kernels.front().remark_ =
      fmt::format("{} refused the printed source ({}), {} compiled it; please report this",
                  compiler.path, first_complaint(built.failure.text), taken_by);
  return kernels.front();
}

void Kernel::operator()(std::span<void* const> buffers, int threads) const {
  const Pool<Workspace>::Loan workspace(*workspaces_);
  (*this)(buffers, workspace->get(), threads);
}

void Kernel::operator()(std::span<void* const> buffers, char* workspace, int threads) const {
  internal_check(buffers.size() == module_.arguments.size(), "{} buffers for {} arguments",
                 buffers.size(), module_.arguments.size());
  require_aligned(module_.arguments, buffers);
  std::vector<void*> pointers(buffers.begin(), buffers.end());
  const long granted = std::clamp<long>(threads, 1, module_.threads());
  const UsualFloatMode usual;
  for (const Entry entry : entries_) entry(pointers.data(), workspace, granted);
}

}  // namespace mdh::runtime::host
