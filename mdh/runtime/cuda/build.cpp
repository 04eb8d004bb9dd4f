#include "mdh/runtime/cuda/build.h"

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

Task task_of(const kernel::Module& module, const Device& device, CudaCompilers& compilers) {
  internal_check(module.language == "cuda", "'{}' is printed in {}, not in cuda", module.name,
                 module.language);
  Task task{.source = module.source, .compiler = compilers.of(module)};
  task.options = {.arch = arch_for(device, task.compiler),
                  .contract = module.contract_allowed,
                  .flags = module.flags};
  return task;
}

std::string cubin_in(const TemporaryDirectory& folder) { return folder.path() / "kernels.cubin"; }

std::string key_of(const Task& task) {
  return cache_key({"cubin of mdh", MDH_VERSION, task.compiler.fingerprint,
                    join(words_of(task.options), "\n"), task.source});
}

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
  const std::vector<Exit> ended = run_programs(jobs, limits.processes(), limits.seconds);
  for (size_t k = 0; k < jobs.size(); ++k) exits[task_of_job[k]] = ended[k];
  return exits;
}

Object new_object() {
  const auto folder = std::make_shared<const TemporaryDirectory>();
  return {.path = cubin_in(*folder), .folder = folder};
}

std::optional<Object> kept_object(const Task& task, const BuildLimits& limits) {
  const auto found = limits.renew ? std::nullopt : limits.cache.read(key_of(task));
  if (!found) return std::nullopt;
  Object object = new_object();
  write_file(object.path, *found);
  object.from_cache = true;
  return object;
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
  return {.object = object, .failure = {}};
}

std::vector<Built> build_tasks(const std::vector<Task>& tasks, const BuildLimits& limits) {
  std::vector<Built> results(tasks.size());
  std::vector<Task> open;
  std::vector<Object> objects;
  std::vector<size_t> places;
  for (size_t n = 0; n < tasks.size(); ++n) {
    results[n].object = kept_object(tasks[n], limits);
    if (results[n].object) continue;
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
      tasks.push_back(task_of(modules[n], device, compilers));
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
/// many small kernels. Where one fails, all of its unit do.
std::vector<Built> build_as_units(const std::vector<Task>& tasks, const BuildLimits& limits) {
  std::map<std::string, size_t> unit_of;  // by how it is compiled
  std::vector<Task> units;
  std::vector<size_t> places;
  for (const Task& task : tasks) {
    const std::string how = task.compiler.path + "\n" + join(words_of(task.options), "\n");
    const auto [found, is_new] = unit_of.emplace(how, units.size());
    places.push_back(found->second);
    if (is_new) {
      units.push_back(task);
    } else {
      units[found->second].source += task.source;
    }
  }
  const std::vector<Built> built = build_tasks(units, limits);
  std::vector<Built> results;
  for (const size_t unit : places) results.push_back(built[unit]);
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

std::vector<Resources> compiled_needs(const kernel::Module& module, const Device& device) {
  CudaCompilers compilers(device);
  Task task = task_of(module, device, compilers);
  task.options.tells_needs = true;
  const Object object = new_object();
  const BuildLimits limits{.cache = Cache()};
  const Exit exit = run_compilers({task}, {object}, limits).front();
  const Built built = finished(task, object, exit, limits);
  if (!built.object) refused(task, built.failure);
  return resources_in_log(exit.output);
}

}  // namespace mdh::runtime::cuda
