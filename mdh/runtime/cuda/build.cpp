#include "mdh/runtime/cuda/build.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "mdh/kernel/refused.h"
#include "mdh/runtime/build_log.h"
#include "mdh/runtime/cuda/limits.h"
#include "mdh/runtime/cuda/resources.h"
#include "mdh/runtime/process.h"
#include "mdh/runtime/worker/worker.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::runtime::cuda {
namespace {

/// One module on its way.
struct Task {
  std::string source;
  Compiler compiler;
  CompileOptions options;
};

/// Compilers by what modules ask for: looking for one takes a while.
class CudaCompilers {
 public:
  explicit CudaCompilers(const Device& device) : device_(device) {}

  const Compiler& of(const kernel::Module& module) {
    const auto found = known_.find(module.compiler);
    return found != known_.end()
               ? found->second
               : known_.emplace(module.compiler, compiler_for(module, device_)).first->second;
  }

 private:
  const Device& device_;
  std::map<std::string, Compiler> known_;
};

Task task_of(const kernel::Module& module, const Device& device, CudaCompilers& compilers,
             bool tells_needs = false) {
  internal_check(module.language == "cuda", "'{}' is printed in {}, not in cuda", module.name,
                 module.language);
  Task task{.source = module.source, .compiler = compilers.of(module)};
  task.options = {.arch = arch_for(device, task.compiler),
                  .contract = module.contract_allowed,
                  .tells_needs = tells_needs,
                  .flags = module.flags};
  return task;
}

std::string cubin_in(const TemporaryDirectory& folder) { return folder.path() / "kernels.cubin"; }

/// What the compiler tells changes nothing of what it makes.
std::string key_of(const Task& task) {
  CompileOptions options = task.options;
  options.tells_needs = false;
  return cache_key({"cubin of mdh", MDH_VERSION, task.compiler.fingerprint,
                    join(words_of(options), "\n"), task.source});
}

/// What it told is kept beside the object.
std::string key_of_log(const Task& task) { return cache_key({"log of mdh", key_of(task)}); }

std::string name_of(const Compiler& compiler) {
  return compiler.nvrtc ? fmt::format("NVRTC ({})", compiler.path) : compiler.path;
}

BuildFailure failure_of(const Exit& exit, const Compiler& compiler, double seconds) {
  using Kind = BuildFailure::Kind;
  if (exit.timed_out) {
    return {Kind::timed_out, fmt::format("{} took longer than {} s", name_of(compiler), seconds)};
  }
  if (exit.status < 0) return {Kind::not_started, name_of(compiler) + " cannot be started"};
  const std::string said = exit.output.substr(0, exit.output.find_last_not_of('\n') + 1);
  if (!said.empty()) return {Kind::refused, said};
  return {Kind::refused,
          exit.status > 128
              ? fmt::format("error: {} ended by signal {}", name_of(compiler), exit.status - 128)
              : fmt::format("error: {} ended with exit code {}, without a word", name_of(compiler),
                            exit.status)};
}

/// What compiling in this process amounts to.
Exit run_here(const Task& task, const std::string& object) {
  const NvrtcOutcome outcome = compile(*task.compiler.nvrtc, task.source, words_of(task.options));
  if (outcome.is_compiled) write_file(object, outcome.object);
  return {.status = outcome.is_compiled ? 0 : 1, .output = outcome.log};
}

/// Runs all compilers: what became of each, with what it printed.
std::vector<Exit> run_compilers(const std::vector<Task>& tasks, const std::vector<Object>& objects,
                                const BuildLimits& limits) {
  const std::string worker = find_worker();
  std::vector<Exit> exits(tasks.size());
  std::vector<Job> jobs;
  std::vector<size_t> task_of_job;
  for (size_t n = 0; n < tasks.size(); ++n) {
    if (tasks[n].compiler.nvrtc && worker.empty()) {
      exits[n] = run_here(tasks[n], objects[n].path);
      continue;
    }
    const std::string source = objects[n].folder->path() / "kernels.cu";
    write_file(source, tasks[n].source);
    jobs.push_back(
        {command_line(tasks[n].compiler, tasks[n].options, worker, source, objects[n].path),
         objects[n].folder->path()});
    task_of_job.push_back(n);
  }
  const std::vector<Exit> ended = run_programs(jobs, limits.of_compilers());
  for (size_t k = 0; k < jobs.size(); ++k) exits[task_of_job[k]] = ended[k];
  return exits;
}

Object new_object() {
  const auto folder = std::make_shared<const TemporaryDirectory>();
  return {.path = cubin_in(*folder), .folder = folder};
}

std::optional<Built> kept(const Task& task, const BuildLimits& limits) {
  const auto found = limits.renew ? std::nullopt : limits.cache.read(key_of(task));
  if (!found) return std::nullopt;
  const bool asks = task.options.tells_needs && !task.options.arch.is_ptx;
  const auto log = asks ? limits.cache.read(key_of_log(task)) : std::nullopt;
  if (asks && !log) return std::nullopt;  // nobody has asked before
  Object object = new_object();
  write_file(object.path, *found);
  object.from_cache = true;
  object.is_source = task.options.arch.is_ptx;
  Built built{.object = object, .failure = {}};
  if (log) built.needs = resources_in_log(*log);
  return built;
}

/// Compilers may claim success and leave nothing.
Built finished(const Task& task, const Object& object, const Exit& exit,
               const BuildLimits& limits) {
  std::error_code failure;
  const bool is_there = std::filesystem::exists(object.path, failure);
  if (exit.status != 0 || !is_there) {
    return {.object = std::nullopt, .failure = failure_of(exit, task.compiler, limits.seconds)};
  }
  if (limits.cache.enabled()) limits.cache.store(key_of(task), read_file(object.path));
  Built built{.object = object, .failure = {}};
  if (task.options.tells_needs) {
    built.needs = resources_in_log(exit.output);
    if (limits.cache.enabled()) limits.cache.store(key_of_log(task), exit.output);
  }
  built.object->is_source =
      task.options.arch.is_ptx;  // the driver compiles that where it is loaded
  return built;
}

std::vector<Built> build_tasks(const std::vector<Task>& tasks, const BuildLimits& limits) {
  std::vector<Built> results(tasks.size());
  std::vector<Task> open;
  std::vector<Object> objects;
  std::vector<size_t> places;
  for (size_t n = 0; n < tasks.size(); ++n) {
    if (auto known = kept(tasks[n], limits)) {
      results[n] = std::move(*known);
      continue;
    }
    open.push_back(tasks[n]);
    objects.push_back(new_object());
    places.push_back(n);
  }
  const std::vector<Exit> exits = run_compilers(open, objects, limits);
  for (size_t k = 0; k < open.size(); ++k) {
    results[places[k]] = finished(open[k], objects[k], exits[k], limits);
  }
  return results;
}

[[noreturn]] void refused(const Task& task, const BuildFailure& failure) {
  if (failure.kind == BuildFailure::Kind::timed_out) {
    missing("E607", "compiling a kernel took too long: " + failure.text,
            "unroll less, or use smaller tiles in registers");
  }
  throw kernel::Refused(fmt::format("{} refused the printed source:\n{}\n{}",
                                    name_of(task.compiler), failure.text,
                                    offending_lines(task.source, failure.text)));
}

/// What can be made of a module that failed. Flags that are at fault are the user's: without them,
/// the same compiler takes the source.
Object without_flags(Task task, const BuildFailure& failure, Purpose purpose,
                     const BuildLimits& limits) {
  const bool is_refused = failure.kind == BuildFailure::Kind::refused;
  if (task.options.flags.empty() || !is_refused) refused(task, failure);
  const std::string flags = join(task.options.flags, " ");
  task.options.flags.clear();
  const Built plain = build_tasks({task}, limits).front();
  if (!plain.object) refused(task, failure);
  if (purpose == Purpose::checks) return *plain.object;
  user_error("E605", {},
             fmt::format("{} refused a kernel with the flags '{}' of the configuration:\n{}",
                         name_of(task.compiler), flags, failure.text),
             "it compiles without them: take them out");
}

}  // namespace

std::vector<Built> build_modules(std::span<const kernel::Module> modules, const Device& device,
                                 const BuildLimits& limits) {
  CudaCompilers compilers(device);
  std::vector<Built> results(modules.size());
  std::vector<Task> tasks;
  std::vector<size_t> places;
  for (size_t n = 0; n < modules.size(); ++n) {
    try {
      check_launches(modules[n], device);
      tasks.push_back(task_of(modules[n], device, compilers, limits.tells_needs));
      places.push_back(n);
    } catch (const Error& e) {
      if (e.diagnostic().kind != DiagnosticKind::user) throw;
      results[n].failure = {.text = e.what()};
    }
  }
  const std::vector<Built> built = build_tasks(tasks, limits);
  for (size_t k = 0; k < places.size(); ++k) results[places[k]] = built[k];
  return results;
}

namespace {

/// Those that are compiled alike, as one source each: a compiler takes longer to begin than for
/// many small kernels.
struct Units {
  std::vector<Task> all;
  std::vector<size_t> of;  // the number of each task's
};

Units units_of(const std::vector<Task>& tasks) {
  Units units;
  std::map<std::string, size_t> known;  // by how it is compiled
  for (const Task& task : tasks) {
    const std::string how = task.compiler.path + "\n" + join(words_of(task.options), "\n");
    const auto [found, is_new] = known.emplace(how, units.all.size());
    units.of.push_back(found->second);
    if (is_new) {
      units.all.push_back(task);
    } else {
      units.all[found->second].source += task.source;
    }
  }
  return units;
}

/// Where one fails, all of its unit do.
std::vector<Built> build_as_units(const std::vector<Task>& tasks, const BuildLimits& limits) {
  const Units units = units_of(tasks);
  const std::vector<Built> built = build_tasks(units.all, limits);
  std::vector<Built> results;
  for (const size_t unit : units.of) results.push_back(built[unit]);
  return results;
}

/// Whatever fails as a unit is built alone, so that only those fail that have to.
std::vector<Built> build_for_checks(const std::vector<Task>& tasks, const BuildLimits& limits) {
  std::vector<Built> results = build_as_units(tasks, limits);
  std::vector<Task> failed;
  for (size_t n = 0; n < tasks.size(); ++n) {
    if (!results[n].object) failed.push_back(tasks[n]);
  }
  const std::vector<Built> alone = build_tasks(failed, limits);
  auto next = alone.begin();
  for (Built& result : results) {
    if (!result.object) result = *next++;
  }
  return results;
}

}  // namespace

std::vector<Object> build_all(std::span<const kernel::Module> modules, const Device& device,
                              Purpose purpose, const BuildLimits& limits) {
  CudaCompilers compilers(device);
  std::vector<Task> tasks;
  for (const kernel::Module& module : modules) {
    check_launches(module, device);
    tasks.push_back(task_of(module, device, compilers));
  }
  const std::vector<Built> built =
      purpose == Purpose::checks ? build_for_checks(tasks, limits) : build_tasks(tasks, limits);
  std::vector<Object> objects;
  for (size_t n = 0; n < tasks.size(); ++n) {
    objects.push_back(built[n].object ? *built[n].object
                                      : without_flags(tasks[n], built[n].failure, purpose, limits));
  }
  return objects;
}

namespace {

/// What compilers say of all functions, by their names.
std::map<std::string, Resources> told_needs(std::vector<Task> tasks) {
  for (Task& task : tasks) {
    task.options.tells_needs = true;
    if (!task.options.arch.is_ptx) continue;
    unsupported("E649", {}, fmt::format("registers of code for {}", to_string(task.options.arch)),
                "the driver compiles it, and does not tell: MDH_CUDA_ARCH=sm_90 asks for one kind");
  }
  const Units units = units_of(tasks);
  std::vector<Object> objects;
  for (size_t n = 0; n < units.all.size(); ++n) objects.push_back(new_object());
  const BuildLimits limits{.cache = Cache()};  // what is kept says nothing any more
  const std::vector<Exit> exits = run_compilers(units.all, objects, limits);
  std::map<std::string, Resources> told;
  for (size_t n = 0; n < units.all.size(); ++n) {
    const Built built = finished(units.all[n], objects[n], exits[n], limits);
    if (!built.object) refused(units.all[n], built.failure);
    for (Resources& one : resources_in_log(exits[n].output)) told[one.function] = std::move(one);
  }
  return told;
}

/// Adds what launches ask for, which the compiler does not know.
void add_launch(const kernel::Launch& launch, const std::map<std::string, Resources>& told,
                std::vector<Resources>& all) {
  const auto known = told.find(launch.function);
  internal_check(known != told.end(), "the compiler does not mention '{}'", launch.function);
  auto entry = std::find_if(all.begin(), all.end(),
                            [&](const Resources& one) { return one.function == launch.function; });
  if (entry == all.end()) {
    all.push_back(known->second);
    entry = all.end() - 1;
    entry->items_per_group = 0;
  }
  const int64_t items = launch.items[0] * launch.items[1] * launch.items[2];
  const int64_t fixed = known->second.local_bytes.value_or(0);
  entry->items_per_group = std::max(*entry->items_per_group, items);
  entry->local_bytes = std::max(entry->local_bytes.value_or(0), fixed + launch.local_bytes);
}

}  // namespace

std::vector<std::vector<Resources>> compiled_needs(std::span<const kernel::Module> modules,
                                                   const Device& device) {
  CudaCompilers compilers(device);
  std::vector<Task> tasks;
  for (const kernel::Module& module : modules) tasks.push_back(task_of(module, device, compilers));
  const std::map<std::string, Resources> told = told_needs(std::move(tasks));
  std::vector<std::vector<Resources>> all;
  for (const kernel::Module& module : modules) {
    all.emplace_back();
    kernel::for_each_written_launch(module.steps, [&](const kernel::Launch& launch, size_t) {
      add_launch(launch, told, all.back());
    });
  }
  return all;
}

}  // namespace mdh::runtime::cuda
