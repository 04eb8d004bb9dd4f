#include "tests/frozen/sources.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "examples/catalogue.h"
#include "mdh/driver/stages.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/print.h"
#include "mdh/ll/print.h"
#include "mdh/machine/machine_json.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/files.h"
#include "mdh/support/hash.h"
#include "mdh/support/text.h"

namespace mdh::test {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t random_triples = 2000;
constexpr int cores = 4;  // of default configurations

void add_catalogue(std::vector<FrozenCase>& cases) {
  for (const examples::Entry& entry : examples::catalogue()) {
    for (const scalar::Scalar type : entry.types) {
      for (const char* machine : {"cpu", "gpu_nowarp"}) {
        const auto make = [&entry, type, machine] {
          const machine::Machine on = machine::find_machine(machine);
          hl::Program program = entry.build(usual_instance(entry, type));
          ll::Config config = ll::default_config(program, on, cores);
          return Triple{std::move(program), on, std::move(config)};
        };
        cases.push_back(
            {fmt::format("catalogue/{}/{}/{}", entry.name, to_string(type), machine), make});
      }
    }
  }
}

void add_stored(std::vector<FrozenCase>& cases) {
  const fs::path root = MDH_SOURCE_DIR;
  std::vector<std::string> files;
  for (const char* folder : {"tests/golden", "bench/configs"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    const std::string name = fs::relative(file, root).string();
    cases.push_back({"stored/" + name, [file] { return stored_triple(file); }});
  }
}

std::string print_steps(const std::vector<kernel::Step>& steps) {
  std::string text;
  for (const kernel::Step& step : steps) {
    if (const auto* launch = std::get_if<kernel::Launch>(&step.is)) {
      text += fmt::format("launch {} [{}] [{}]\n", launch->function, fmt::join(launch->groups, " "),
                          fmt::join(launch->items, " "));
    } else {
      const auto& repeat = std::get<kernel::Repeat>(step.is);
      text += fmt::format("repeat {} {{\n{}}}\n", repeat.count, print_steps(repeat.body));
    }
  }
  return text;
}

std::string print_arguments(const kernel::Module& module) {
  std::string text;
  for (const kernel::Argument& a : module.arguments) {
    text += fmt::format("argument {} {} of {} bytes [{}] {} in place of [{}]\n", a.name, a.type,
                        a.bytes_per_element, fmt::join(a.extents, " "),
                        a.is_output ? "output" : "input", fmt::join(a.in_place, " "));
  }
  return text;
}

std::string print_module(const kernel::Module& m) {
  return fmt::format(
      "{}{}language {}\nworkspace {} + {} per core\nparts on cores {}\ncontract {}\ncompiler "
      "'{}'\nflags [{}]\n{}",
      print_steps(m.steps), print_arguments(m), m.language, m.workspace_bytes,
      m.workspace_bytes_per_core, m.parts_on_cores, m.contract_allowed, m.compiler,
      join(m.flags, " "), m.source);
}

}  // namespace

examples::Instance usual_instance(const examples::Entry& entry, scalar::Scalar type) {
  if (entry.sizes.empty()) {
    return {type, std::vector<int64_t>(entry.generic().dimensions.size(), 37)};
  }
  const auto& [name, sizes] = *entry.sizes.begin();
  return {type, sizes, entry.settings_of(name)};
}

Triple stored_triple(const std::string& file) {
  ll::Config config = ll::parse_config(read_file(file), file);
  const examples::Entry* entry = examples::find_entry(config.program);
  internal_check(entry != nullptr, "{}: no program '{}'", file, config.program);
  hl::Bindings bindings{.sizes = config.sizes};
  for (const auto& [name, type] : config.types) {
    bindings.types[name] = scalar_of(scalar::resolve_type(type, {}, {}));
  }
  hl::Program program = hl::instantiate(entry->generic(), bindings);
  const machine::Machine machine = machine::find_machine(config.machine);
  return {std::move(program), machine, std::move(config)};
}

std::vector<FrozenCase> frozen_cases() {
  std::vector<FrozenCase> cases;
  add_catalogue(cases);
  add_stored(cases);
  for (uint64_t seed = 1; seed <= random_triples; ++seed) {
    cases.push_back({fmt::format("seed/{}", seed), [seed] { return make_triple(seed); }});
  }
  return cases;
}

const FrozenCase* find_case(const std::vector<FrozenCase>& cases, const std::string& name) {
  const auto found = std::find_if(cases.begin(), cases.end(),
                                  [&](const FrozenCase& one) { return one.name == name; });
  return found == cases.end() ? nullptr : &*found;
}

std::string text_of(const Triple& triple) {
  return hl::print(triple.program) + machine::print(triple.machine) + ll::print(triple.config);
}

std::string printed(const Triple& triple, const std::string& target) {
  try {
    return print_module(driver::lower_all(triple.program, triple.machine, triple.config,
                                          driver::find_target(target), "frozen")
                            .module);
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return fmt::format("refused: {}\n", e.diagnostic().code);
  }
}

FrozenLine frozen_line(const FrozenCase& one) {
  const Triple triple = one.make();
  return {one.name, hash_name(text_of(triple)), hash_name(printed(triple, "openmp")),
          hash_name(printed(triple, "opencl"))};
}

std::string print(const FrozenLine& line) {
  return fmt::format("{} {} {} {}\n", line.triple, line.openmp, line.opencl, line.name);
}

std::vector<FrozenLine> read_frozen(const std::string& text) {
  std::vector<FrozenLine> lines;
  std::istringstream in(text);
  for (FrozenLine line; in >> line.triple >> line.openmp >> line.opencl >> line.name;) {
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> changes(const std::vector<FrozenLine>& before,
                                 const std::vector<FrozenLine>& after) {
  std::map<std::string, FrozenLine> old;
  for (const FrozenLine& line : before) old[line.name] = line;
  std::vector<std::string> found;
  for (const FrozenLine& line : after) {
    const auto was = old.find(line.name);
    if (was == old.end()) {
      found.push_back(line.name + ": is not frozen");
    } else if (was->second.triple != line.triple) {
      found.push_back(line.name + ": is another case");
    } else {
      if (was->second.openmp != line.openmp) found.push_back(line.name + ": other openmp");
      if (was->second.opencl != line.opencl) found.push_back(line.name + ": other opencl");
    }
    old.erase(line.name);
  }
  for (const auto& [name, line] : old) found.push_back(name + ": is gone");
  return found;
}

}  // namespace mdh::test
