#include "mdh/runtime/host/build.h"

#include <map>

#include "mdh/runtime/host/isa.h"
#include "mdh/runtime/process.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::runtime::host {
namespace {

/// Flags such as -march=native mean another thing on another CPU, so the CPU is part of the key.
std::string key_of(const Unit& unit, const std::string& fingerprint) {
  const std::vector<std::string> command =
      command_line(unit.compiler, unit.contract, "kernels.c", "kernels.so");
  return cache_key(
      {"object of mdh", MDH_VERSION, fingerprint, join(command, "\n"), cpu_model(), unit.source});
}

std::vector<std::string> keys_of(const std::vector<Unit>& units) {
  std::map<std::string, std::string> fingerprints;
  std::vector<std::string> keys;
  for (const Unit& unit : units) {
    std::string& fingerprint = fingerprints[unit.compiler.path];
    if (fingerprint.empty()) fingerprint = identify(unit.compiler.path).fingerprint;
    keys.push_back(key_of(unit, fingerprint));
  }
  return keys;
}

std::string object_in(const TemporaryDirectory& folder) { return folder.path() / "kernels.so"; }

Job job_of(const Unit& unit, const TemporaryDirectory& folder) {
  const std::string source = folder.path() / "kernels.c";
  write_file(source, unit.source);
  return {command_line(unit.compiler, unit.contract, source, object_in(folder)), folder.path()};
}

BuildFailure failure_of(const Exit& exit, const Compiler& compiler, double seconds) {
  using Kind = BuildFailure::Kind;
  if (exit.timed_out) {
    return {Kind::timed_out, fmt::format("{} took longer than {} s", compiler.path, seconds)};
  }
  if (exit.status < 0) return {Kind::not_started, compiler.path + " cannot be started"};
  const std::string said = exit.output.substr(0, exit.output.find_last_not_of('\n') + 1);
  if (!said.empty()) return {Kind::refused, said};
  return {Kind::refused,
          exit.status > 128 ? fmt::format("{} ended by signal {}", compiler.path, exit.status - 128)
                            : fmt::format("{} ended with exit code {}, without a word",
                                          compiler.path, exit.status)};
}

/// What the compiler made, if it did: some claim success and leave nothing.
void keep(const std::string& key, const Object& object, const Cache& cache) {
  std::error_code failure;
  if (cache.enabled() && std::filesystem::exists(object.path, failure)) {
    cache.store(key, read_file(object.path));
  }
}

}  // namespace

Unit unit_of(const std::vector<kernel::Module>& modules, const Compiler& compiler) {
  Unit unit{.compiler = compiler};
  for (const kernel::Module& module : modules) {
    unit.source += module.source + "\n";
    unit.contract = unit.contract && module.contract_allowed;
  }
  return unit;
}

std::vector<Built> build_units(const std::vector<Unit>& units, const BuildLimits& options) {
  const std::vector<std::string> keys = keys_of(units);
  std::vector<Built> results(units.size());
  std::vector<Object> objects;  // to be: every unit has a folder
  std::vector<size_t> open;     // units to compile
  std::vector<Job> jobs;
  for (size_t n = 0; n < units.size(); ++n) {
    const auto folder = std::make_shared<const TemporaryDirectory>();
    objects.push_back({.path = object_in(*folder), .folder = folder});
    const auto found = options.renew ? std::nullopt : options.cache.read(keys[n]);
    if (found) {
      write_file(objects[n].path, *found);
      objects[n].from_cache = true;
      results[n].object = objects[n];
    } else {
      open.push_back(n);
      jobs.push_back(job_of(units[n], *folder));
    }
  }
  const std::vector<Exit> exits = run_programs(jobs, options.of_compilers());
  for (size_t k = 0; k < open.size(); ++k) {
    const size_t n = open[k];
    if (exits[k].status == 0) {
      keep(keys[n], objects[n], options.cache);
      results[n].object = objects[n];
    } else {
      results[n].failure = failure_of(exits[k], units[n].compiler, options.seconds);
    }
  }
  return results;
}

namespace {

/// Modules of one group that go into one unit, by their places.
struct Share {
  size_t group;
  std::vector<size_t> modules;
};

std::vector<Share> shares_of(const ModuleGroups& groups) {
  std::vector<Share> shares;
  for (size_t g = 0; g < groups.size(); ++g) {
    std::map<std::pair<std::string, std::vector<std::string>>, size_t> by_choice;
    for (size_t m = 0; m < groups[g].size(); ++m) {
      const kernel::Module& module = groups[g][m];
      const auto [found, is_new] =
          by_choice.emplace(std::pair(module.compiler, module.flags), shares.size());
      if (is_new) shares.push_back({g, {}});
      shares[found->second].modules.push_back(m);
    }
  }
  return shares;
}

std::vector<Share> one_by_one(const std::vector<Share>& shares) {
  std::vector<Share> singles;
  for (const Share& share : shares) {
    for (const size_t m : share.modules) singles.push_back({share.group, {m}});
  }
  return singles;
}

/// Compilers by what modules ask for.
class Compilers {
 public:
  explicit Compilers(const Cache& cache) : cache_(cache) {}

  const Compiler& of(const kernel::Module& module) {
    const auto choice = std::pair(module.compiler, module.flags);
    const auto found = known_.find(choice);
    return found != known_.end()
               ? found->second
               : known_.emplace(choice, compiler_for(module, cache_)).first->second;
  }

 private:
  const Cache& cache_;
  std::map<std::pair<std::string, std::vector<std::string>>, Compiler> known_;
};

/// A share whose compiler is missing fails, the others do not.
std::vector<Built> build_shares(const ModuleGroups& groups, const std::vector<Share>& shares,
                                const BuildLimits& options) {
  Compilers compilers(options.cache);
  std::vector<Built> results(shares.size());
  std::vector<Unit> units;
  std::vector<size_t> share_of;  // by unit
  for (size_t n = 0; n < shares.size(); ++n) {
    std::vector<kernel::Module> modules;
    for (const size_t m : shares[n].modules) modules.push_back(groups[shares[n].group][m]);
    try {
      units.push_back(unit_of(modules, compilers.of(modules.front())));
      share_of.push_back(n);
    } catch (const Error& e) {
      results[n].failure = {BuildFailure::Kind::not_started, e.what()};
    }
  }
  const std::vector<Built> built = build_units(units, options);
  for (size_t u = 0; u < units.size(); ++u) results[share_of[u]] = built[u];
  return results;
}

}  // namespace

std::vector<std::vector<Built>> build_groups(const ModuleGroups& groups,
                                             const BuildLimits& options) {
  std::vector<std::vector<Built>> results;
  for (const auto& group : groups) results.emplace_back(group.size());
  std::vector<Share> open = shares_of(groups), failed;
  const auto build_open = [&] {
    const std::vector<Built> built = build_shares(groups, open, options);
    for (size_t n = 0; n < open.size(); ++n) {
      for (const size_t m : open[n].modules) results[open[n].group][m] = built[n];
      if (!built[n].object && open[n].modules.size() > 1) failed.push_back(open[n]);
    }
  };
  build_open();
  open = one_by_one(failed);
  build_open();
  return results;
}

}  // namespace mdh::runtime::host
