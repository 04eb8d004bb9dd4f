#include "bench/compile.h"

#include <dlfcn.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include "bench/configs.h"
#include "mdh/driver/devices.h"
#include "mdh/driver/stages.h"
#include "mdh/runtime/host/build.h"
#include "mdh/runtime/process.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

using runtime::host::Compiler;
using Command = std::vector<std::string>;

constexpr size_t variant_count = 8;

// ---- variants

/// A dimension with a register tile, and the parts of its digit there.
struct Tile {
  std::string dimension;
  int64_t parts = 1;
};

/// The digit in registers, behind one that can make up for a change; -1 if there is none.
int register_digit(const std::vector<ll::Digit>& digits) {
  for (size_t n = 1; n < digits.size(); ++n) {
    if (digits[n].layer == "REG") return static_cast<int>(n);
  }
  return -1;
}

std::vector<Tile> tiles_of(const ll::Config& config) {
  std::vector<Tile> tiles;
  for (const auto& [dimension, digits] : config.split) {
    const int at = register_digit(digits);
    if (at > 0) tiles.push_back({dimension, digits[static_cast<size_t>(at)].parts});
  }
  return tiles;
}

/// Other register tiles; the layer around them covers what it covered.
ll::Config with_tiles(ll::Config config, const std::vector<Tile>& tiles) {
  for (const Tile& tile : tiles) {
    std::vector<ll::Digit>& digits = config.split.at(tile.dimension);
    const auto at = static_cast<size_t>(register_digit(digits));
    const int64_t covered = digits[at - 1].parts * digits[at].parts;
    digits[at].parts = tile.parts;
    digits[at - 1].parts = (covered + tile.parts - 1) / tile.parts;
  }
  config.code.kernel = {};  // compiler and flags are what is compared
  return config;
}

int64_t accumulators(const std::vector<Tile>& tiles) {
  return std::accumulate(tiles.begin(), tiles.end(), int64_t{1},
                         [](int64_t product, const Tile& tile) { return product * tile.parts; });
}

/// Tiles of at most as many accumulators as the given ones, which come first.
std::vector<std::vector<Tile>> smaller_tiles(const std::vector<Tile>& tiles) {
  std::vector<std::vector<Tile>> all;
  for (int64_t first = tiles[0].parts; first >= 1; --first) {
    for (int64_t second = tiles[1].parts; second <= 4 * tiles[1].parts; ++second) {
      std::vector<Tile> other = tiles;
      other[0].parts = first;
      other[1].parts = second;
      if (accumulators(other) <= accumulators(tiles)) all.push_back(other);
    }
  }
  return all;
}

std::string described(const std::vector<Tile>& tiles) {
  std::vector<std::string> words;
  for (const Tile& tile : tiles) words.push_back(fmt::format("{} {}", tile.dimension, tile.parts));
  return join(words, ", ");
}

struct Variant {
  std::string tiles;
  kernel::Module module;
};

/// Nothing if the configuration is not valid.
std::optional<kernel::Module> module_of(const Instantiated& at, const ll::Config& config,
                                        const std::string& name) {
  const driver::Target& target = driver::usual_target();
  try {
    const machine::Machine machine = config.machine.empty() ? driver::machine_of(target, "")
                                                            : machine::load_machine(config.machine);
    ll::validate(config, at.program, machine);
    return driver::lower_all(at.program, machine, config, target, name).module;
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return std::nullopt;
  }
}

[[noreturn]] void refuse(const std::string& workload, const std::string& why) {
  user_error("E846", {}, fmt::format("cannot vary a configuration of '{}': {}", workload, why),
             "--configs FOLDER, with a configuration that has register tiles in two dimensions");
}

std::vector<Variant> variants_of(const Workload& workload, const std::string& folder) {
  const std::optional<tuning::ChosenConfig> known = known_config(workload, folder);
  if (!known) refuse(workload.name, "there is none for this machine");
  const std::vector<Tile> tiles = tiles_of(known->config);
  if (tiles.size() < 2) refuse(workload.name, "it has no register tiles in two dimensions");
  const Instantiated at = instantiate(workload);
  std::vector<Variant> variants;
  for (const std::vector<Tile>& other : smaller_tiles(tiles)) {
    if (variants.size() == variant_count) break;
    const std::string name = fmt::format("variant{}", variants.size());
    const auto module = module_of(at, with_tiles(known->config, other), name);
    if (module) variants.push_back({described(other), *module});
  }
  if (variants.size() < variant_count) {
    refuse(workload.name, fmt::format("only {} register tiles are valid", variants.size()));
  }
  return variants;
}

// ---- ways

enum class Units { one_each, one_for_all };

/// `by_compiler` links as users do; a bare ld gets no start files and no libraries: whoever loads
/// the object has the OpenMP runtime.
enum class Linking { by_compiler, bare };

struct Plan {
  std::string name;
  std::string compiler;
  std::string optimisation;
  Units units = Units::one_for_all;
  Linking linking = Linking::bare;
};

const std::vector<Plan>& plans() {
  static const std::vector<Plan> all = {
      {"gcc -O2, one each", "gcc", "-O2", Units::one_each, Linking::by_compiler},
      {"gcc -O2, all in one", "gcc", "-O2", Units::one_for_all, Linking::by_compiler},
      {"gcc -O1, all in one, bare ld", "gcc", "-O1"},
      {"clang -O1, all in one, bare ld", "clang", "-O1"},
  };
  return all;
}

Compiler compiler_of(const Plan& plan) {
  const runtime::Cache cache = runtime::Cache::of_user();
  Compiler compiler = runtime::host::compiler_for({.compiler = plan.compiler}, cache);
  compiler.flags.front() = plan.optimisation;
  return compiler;
}

/// From a source to a shared object.
std::vector<Command> commands(const Plan& plan, const runtime::host::Unit& unit,
                              const std::string& source, const std::string& object) {
  Command compile = runtime::host::command_line(unit.compiler, unit.contract, source, object);
  if (plan.linking == Linking::by_compiler) return {compile};
  const std::string part = object + ".o";
  std::replace(compile.begin(), compile.end(), std::string("-shared"), std::string("-c"));
  std::replace(compile.begin(), compile.end(), object, part);
  compile.pop_back();  // -lm
  return {compile, {"ld", "-shared", part, "-o", object}};
}

/// A way with its sources on disk.
struct Prepared {
  CompileWay way;
  std::vector<Command> commands;
  std::vector<std::string> objects;
  std::shared_ptr<const TemporaryDirectory> folder = std::make_shared<TemporaryDirectory>();
};

Prepared prepared(const Plan& plan, const std::vector<Variant>& variants) {
  Prepared result{.way = {.name = plan.name}};
  try {
    const Compiler compiler = compiler_of(plan);
    result.way.command = fmt::format("{} {}", plan.compiler, join(compiler.flags, " "));
    std::vector<std::vector<kernel::Module>> units(1);
    for (const Variant& variant : variants) {
      if (plan.units == Units::one_each && !units.back().empty()) units.emplace_back();
      units.back().push_back(variant.module);
    }
    for (const std::vector<kernel::Module>& modules : units) {
      const runtime::host::Unit unit = runtime::host::unit_of(modules, compiler);
      const std::string stem =
          result.folder->path() / fmt::format("kernels{}", result.objects.size());
      write_file(stem + ".c", unit.source);
      for (const Command& command : commands(plan, unit, stem + ".c", stem + ".so")) {
        result.commands.push_back(command);
      }
      result.objects.push_back(stem + ".so");
    }
  } catch (const Error& e) {
    result.way.absence = e.diagnostic().message;
  }
  return result;
}

double cpu_seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// One after the other; CPU seconds.
double compile(Prepared& work) {
  const double before = cpu_seconds_of_children();
  for (const Command& command : work.commands) {
    const runtime::Exit exit = runtime::run_program(command, work.folder->path());
    if (exit.status == 0) continue;
    work.way.absence = fmt::format("{}: {}", command.front(), split(exit.output, '\n').front());
    break;
  }
  return cpu_seconds_of_children() - before;
}

bool has_functions(void* library, const kernel::Module& module) {
  bool all = true;
  kernel::for_each_launch(module.steps, [&](const kernel::Launch& launch, auto) {
    all = all && dlsym(library, launch.function.c_str()) != nullptr;
  });
  return all;
}

/// All variants can be loaded from what was made.
bool is_complete(const Prepared& work, const std::vector<Variant>& variants) {
  size_t found = 0;
  for (const std::string& object : work.objects) {
    void* library = dlopen(object.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return false;
    for (const Variant& variant : variants) found += has_functions(library, variant.module) ? 1 : 0;
    dlclose(library);
  }
  return found == variants.size();
}

void run_rounds(std::vector<Prepared>& all, const std::vector<Variant>& variants,
                const CompileOptions& options) {
  for (int round = 0; round < options.rounds; ++round) {
    options.progress(fmt::format("round {} of {}", round + 1, options.rounds));
    for (Prepared& work : all) {
      if (!work.way.absence.empty()) continue;
      const double seconds = compile(work);
      if (!work.way.absence.empty()) continue;
      work.way.round_seconds.push_back(seconds / static_cast<double>(variants.size()));
      if (round == 0 && !is_complete(work, variants)) work.way.absence = "its object lacks kernels";
    }
  }
}

}  // namespace

CompileReport measure_compilation(const CompileOptions& options) {
  const std::vector<Variant> variants =
      variants_of(find_workload(options.workload), options.configs);
  CompileReport report{.workload = options.workload, .machine = this_machine()};
  report.version = options.version;
  for (const Variant& variant : variants) {
    report.variants.push_back(variant.tiles);
    report.source_bytes.push_back(variant.module.source.size());
  }
  std::vector<Prepared> all;
  for (const Plan& plan : plans()) all.push_back(prepared(plan, variants));
  run_rounds(all, variants, options);
  for (const Prepared& work : all) report.ways.push_back(work.way);
  return report;
}

}  // namespace mdh::bench
