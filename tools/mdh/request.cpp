#include "tools/mdh/request.h"
#include "mdh/support/cores.h"

#include <cstdio>
#include <filesystem>

#include "mdh/driver/devices.h"
#include "mdh/driver/low_level.h"
#include "mdh/hl/parse.h"
#include "mdh/scalar/parse.h"
#include "mdh/scalar/resolve.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "mdh/tuning/model_choice.h"
#include "mdh/tuning/neighbour_choice.h"
#include "tools/mdh/say.h"
#include "tools/mdh/tuned.h"

namespace mdh::tool {
namespace {

using Kind = hl::Parameter::Kind;

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const examples::Entry& entry : examples::catalogue()) names.push_back(entry.name);
  return names;
}

hl::Program generic_program(const Request& request, const examples::Entry* entry) {
  if (entry) return entry->generic();
  if (is_file_name(request.program)) return hl::parse(read_file(request.program), request.program);
  user_error("E801", {}, fmt::format("unknown program '{}'", request.program),
             suggestion(request.program, catalogue_names()) +
                 " (a file of your own ends in .mdh; 'mdh list' shows the catalogue)");
}

int64_t size_value(const std::string& text) {
  long long value = 0;
  if (!to_integer(text, value)) {
    user_error("E802", {}, fmt::format("--size: '{}' is not an integer", text),
               "write --size 7,13 or --size I=7,K=13");
  }
  return value;
}

std::map<std::string, int64_t> sizes_of(const Request& request, const hl::Program& p,
                                        const examples::Entry* entry) {
  if (entry) {
    const auto known = entry->sizes.find(request.size);
    if (known != entry->sizes.end()) return hl::sizes_by_dimension(p, known->second);
  }
  if (request.size.rfind("paper", 0) == 0) {
    std::vector<std::string> names;
    if (entry) {
      for (const auto& [name, values] : entry->sizes) names.push_back(name);
    }
    user_error("E803", {}, fmt::format("'{}' has no sizes called '{}'", p.name, request.size),
               names.empty() ? "give numbers" : "known: " + join(names, ", "));
  }
  std::map<std::string, int64_t> by_name;
  std::vector<int64_t> by_position;
  for (const std::string& word : split(request.size, ',')) {
    const size_t equal = word.find('=');
    if (equal == std::string::npos) {
      by_position.push_back(size_value(word));
    } else {
      by_name[word.substr(0, equal)] = size_value(word.substr(equal + 1));
    }
  }
  if (by_position.empty()) return by_name;
  if (!by_name.empty()) {
    user_error("E804", {}, "--size mixes names and positions",
               "write --size 7,13 or --size I=7,K=13");
  }
  return hl::sizes_by_dimension(p, by_position);
}

scalar::Scalar type_named(const std::string& name) {
  return scalar_of(scalar::resolve_type(name, {}, {}));
}

std::map<std::string, scalar::Scalar> types_of(const Request& request, const hl::Program& p) {
  std::map<std::string, scalar::Scalar> types;
  if (request.type.empty()) return types;
  const size_t equal = request.type.find('=');
  if (equal != std::string::npos) {
    types[request.type.substr(0, equal)] = type_named(request.type.substr(equal + 1));
    return types;
  }
  for (const hl::Parameter& parameter : p.parameters) {
    if (parameter.kind == Kind::type) types[parameter.symbol.name] = type_named(request.type);
  }
  if (types.empty()) {
    user_error("E805", {}, fmt::format("program '{}' has no type parameter", p.name),
               "leave --type out");
  }
  return types;
}

std::map<std::string, scalar::Expr> constants_of(const Request& request) {
  std::map<std::string, scalar::Expr> values;
  for (const std::string& text : request.set) {
    const size_t equal = text.find('=');
    if (equal == std::string::npos) {
      user_error("E806", {}, fmt::format("--set: cannot read '{}'", text), "write --set c=0.5");
    }
    values.insert_or_assign(text.substr(0, equal),
                            scalar::parse_expression(text.substr(equal + 1), "--set"));
  }
  return values;
}

/// Words that stand for configurations which are made anew.
const char* const usual_config = "default";
const char* const model_config = "model";

bool is_made_anew(const Request& request) {
  return request.config == usual_config || request.config == model_config;
}

/// A configuration file says for which sizes and machine it was made, a schedule does not.
std::optional<ll::Config> config_of(const Request& request) {
  if (request.config.empty() || is_made_anew(request)) return std::nullopt;
  return driver::read_config(request.config);
}

ll::Config schedule_of(const Request& request, const Problem& problem) {
  return driver::read_schedule(request.config, problem.program, problem.machine);
}

/// What the options say, then what the configuration was made for, then the program's defaults.
hl::Bindings bindings_of(const Request& request, const hl::Program& p, const examples::Entry* entry,
                         const std::optional<ll::Config>& config) {
  hl::Bindings bindings;
  if (!request.size.empty()) bindings.sizes = sizes_of(request, p, entry);
  bindings.types = types_of(request, p);
  bindings.values = constants_of(request);
  if (config) {
    bindings.sizes.insert(config->sizes.begin(), config->sizes.end());
    for (const auto& [name, type] : config->types)
      bindings.types.try_emplace(name, type_named(type));
  }
  return bindings;
}

/// The element type of a catalogue entry: its type parameter's value, or the only one it has.
scalar::Scalar element_type(const examples::Entry& entry, const hl::Program& p,
                            const hl::Bindings& bindings) {
  for (const hl::Parameter& parameter : p.parameters) {
    if (parameter.kind != Kind::type) continue;
    const auto bound = bindings.types.find(parameter.symbol.name);
    return bound == bindings.types.end() ? scalar_of(parameter.type) : bound->second;
  }
  return entry.types.front();
}

void check_type(const examples::Entry& entry, scalar::Scalar type) {
  std::vector<std::string> names;
  for (const scalar::Scalar known : entry.types) {
    if (known == type) return;
    names.push_back(to_string(known));
  }
  unsupported("E807", {}, fmt::format("'{}' with element type {}", entry.name, to_string(type)),
              "its types are " + join(names, ", "));
}

void describe(Problem& problem, const hl::Program& generic, const hl::Bindings& bindings) {
  for (const hl::Parameter& parameter : generic.parameters) {
    const std::string& name = parameter.symbol.name;
    if (parameter.kind == Kind::type) {
      const auto bound = bindings.types.find(name);
      problem.types.emplace_back(name, bound == bindings.types.end() ? to_string(parameter.type)
                                                                     : to_string(bound->second));
    }
    if (parameter.kind != Kind::size) continue;
    const auto bound = bindings.sizes.find(name);
    std::optional<int64_t> value;
    if (bound != bindings.sizes.end()) value = bound->second;
    if (!value && parameter.value) value = constant(*parameter.value);
    if (value) problem.size_values.emplace_back(name, *value);
  }
  std::vector<std::string> texts;
  for (const auto& [name, value] : problem.size_values)
    texts.push_back(fmt::format("{}={}", name, value));
  problem.sizes = join(texts, " ");
}

/// A configuration file, or a schedule.
void take_config(const Request& request, std::optional<ll::Config> config, Problem& problem) {
  const std::string from_config = config ? config->machine : "";
  const std::string named = request.machine.empty() ? from_config : request.machine;
  problem.machine = named.empty() ? driver::machine_of(*problem.target, request.target)
                                  : driver::machine_named(named, *problem.target, request.target);
  if (!config) config = schedule_of(request, problem);
  problem.config = {*config, tuning::ConfigSource::file, request.config};
}

void make_config(const Request& request, Problem& problem) {
  problem.machine = request.machine.empty()
                        ? driver::machine_of(*problem.target, request.target)
                        : driver::machine_named(request.machine, *problem.target, request.target);
  const int cores = request.same_bits ? available_cores() : problem.threads;
  if (request.config == usual_config) {
    problem.config = tuning::default_choice(problem.program, problem.machine, cores);
    return;
  }
  const auto chosen = tuning::model_choice(problem.program, *problem.target, request.target,
                                           problem.machine, cores);
  if (!chosen) {
    unsupported("E814", {},
                fmt::format("a choice by estimates for '{}' on machine '{}'", problem.program.name,
                            problem.machine.name),
                "--config default");
  }
  problem.config = *chosen;
}

/// Those of the user are no reason to stop if they cannot be read, or if the device that they would
/// be about is not there.
std::vector<tune::Record> usable_records(const Request& request, const Problem& problem) {
  if (request.no_records) return {};
  try {
    std::vector<tune::Record> records = load_records(request).records;
    if (!records.empty()) driver::identity_of(*problem.target, request.target);
    return records;
  } catch (const Error& e) {
    if (!request.records.empty() || request.require_tuned) throw;
    if (!request.quiet) say("mdh: note: no records: {}\n", e.diagnostic().message);
    return {};
  }
}

void say_once(const Request& request, Problem& problem, const std::string& note) {
  if (std::find(problem.notes.begin(), problem.notes.end(), note) != problem.notes.end()) return;
  problem.notes.push_back(note);
  if (!request.quiet) say("mdh: note: {}\n", note);
}

/// The records to choose from, and those that came with the program.
std::vector<tune::Record> all_records(const Request& request, Problem& problem) {
  if (problem.target->print == nullptr) return {};
  std::vector<tune::Record> records = usable_records(request, problem);
  const tuning::ShippedConfigs shipped = shipped_configs_of(
      request, problem.program, {.target = problem.target, .device = request.target});
  for (const std::string& note : shipped.notes) say_once(request, problem, note);
  records.insert(records.end(), shipped.records.begin(), shipped.records.end());
  return records;
}

/// What the model chose, or what was the best for a neighbouring size.
tuning::ChosenConfig fastest_of(const tuning::Selection& selection, const Request& request,
                                const Problem& problem) {
  const tuning::CandidateOptions options = candidates_of(request, problem);
  const auto known = tuning::remembered_choice(problem.program, selection, options);
  if (known || !request.may_measure) return known.value_or(selection.chosen);
  if (!request.quiet) {
    say("mdh: comparing the model's choice with the best one of a neighbouring size ...\n");
  }
  return tuning::measured_choice(problem.program, selection, options);
}

/// The best of the records, else what the model chooses, else the default.
void select_config(const Request& request, Problem& problem) {
  std::optional<machine::Machine> machine;
  if (!request.machine.empty()) {
    machine = driver::machine_named(request.machine, *problem.target, request.target);
  }
  const tuning::Site site{
      .target = problem.target, .device = request.target, .machine = machine ? &*machine : nullptr};
  // Where estimates and a compiler may have to choose, that takes seconds.
  const bool takes_time = request.needs_config && problem.target->facts.lockstep > 1;
  if (takes_time && !request.may_lack_device && !request.quiet) {
    say("mdh: looking for a configuration ...\n");
  }
  tuning::Selection selection = tuning::select_config(
      problem.program, site, problem.records,
      request.same_bits ? available_cores() : problem.threads,
      request.needs_config && !request.require_tuned ? tuning::WithoutRecord::model
                                                     : tuning::WithoutRecord::usual);
  if (request.require_tuned && !tuning::is_measured(selection.chosen.source)) {
    std::vector<std::string> why = problem.notes;
    why.insert(why.end(), selection.skipped.begin(), selection.skipped.end());
    no_record(request, problem, problem.records, why);
  }
  for (const std::string& why : selection.skipped) say_once(request, problem, why);
  problem.machine = selection.machine;
  problem.config =
      selection.rivals.empty() ? selection.chosen : fastest_of(selection, request, problem);
}

/// A device gives its numbers to the machine that is configured for. Text can be made without it,
/// for the machine as it is described; then there are no records, either.
Request without_missing_device(const Request& given, const driver::Target& target,
                               const std::optional<ll::Config>& config) {
  const bool is_named = !given.machine.empty() || (config && !config->machine.empty());
  if (!given.may_lack_device || is_named) return given;
  try {
    driver::machine_of(target, given.target);
    return given;
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    Request request = given;
    request.machine = target.machine;
    request.no_records = true;
    request.tuned.clear();
    if (!request.quiet && request.needs_config) {
      say("mdh: note: {}; machine '{}' is as described, not as a device is\n",
          e.diagnostic().message, target.machine);
    }
    return request;
  }
}

}  // namespace

bool is_file_name(const std::string& program) {
  return program.find('/') != std::string::npos || program.ends_with(".mdh");
}

Problem resolve(const Request& given) {
  Problem problem;
  problem.entry = examples::find_entry(given.program);
  problem.target = &driver::find_target(given.target);
  const hl::Program generic = generic_program(given, problem.entry);
  const std::optional<ll::Config> config = config_of(given);
  const Request request = without_missing_device(given, *problem.target, config);
  hl::Bindings bindings = bindings_of(request, generic, problem.entry, config);
  if (problem.entry) {
    problem.instance.type = element_type(*problem.entry, generic, bindings);
    check_type(*problem.entry, problem.instance.type);
    const auto usual = problem.entry->constants(problem.instance.type);
    bindings.values.insert(usual.begin(), usual.end());
    problem.instance.settings = problem.entry->settings_of(request.size);
    for (const auto& [name, value] : problem.instance.settings) {
      bindings.values.try_emplace(name, scalar::integer(value));
    }
  }
  problem.program =
      request.may_be_open ? instantiate_open(generic, bindings) : instantiate(generic, bindings);
  for (const hl::Dimension& d : problem.program.dimensions) {
    problem.instance.sizes.push_back(constant(d.size).value_or(0));
  }
  describe(problem, generic, bindings);
  problem.threads = request.threads > 0 ? request.threads : available_cores();
  if (request.config.empty()) {
    problem.records = all_records(request, problem);
    select_config(request, problem);
  } else if (is_made_anew(request)) {
    make_config(request, problem);
  } else {
    take_config(request, config, problem);
  }
  return problem;
}

void take_next_config(const Request& request, Problem& problem, const Diagnostic& failure) {
  std::optional<machine::Machine> machine;
  if (!request.machine.empty()) {
    machine = driver::machine_named(request.machine, *problem.target, request.target);
  }
  tuning::Remaining rest = tuning::without_best(problem.program,
                                                {.target = problem.target,
                                                 .device = request.target,
                                                 .machine = machine ? &*machine : nullptr},
                                                std::move(problem.records), failure);
  problem.records = std::move(rest.records);
  if (++problem.failed_records == tuning::most_failed_records) problem.records.clear();
  say_once(request, problem, rest.note);
  select_config(request, problem);
}

tuning::CandidateOptions candidates_of(const Request& request, const Problem& problem) {
  tuning::CandidateOptions options{.target = problem.target,
                                   .device = request.target,
                                   .machine = problem.machine,
                                   .threads = problem.threads,
                                   .seed = request.seed};
  if (problem.entry && problem.entry->inputs) {
    options.inputs = [&] {
      return problem.entry->inputs(problem.instance, problem.program, request.seed);
    };
  }
  return options;
}

std::string records_file(const Request& request) {
  return request.records.empty() ? tune::Database::file_of_user().string() : request.records;
}

tune::Contents load_records(const Request& request) {
  const bool named = !request.records.empty();
  if (named && !std::filesystem::exists(request.records)) read_file(request.records);  // throws
  return tune::Database(records_file(request)).load();
}

void no_record(const Request& request, const Problem& problem,
               const std::vector<tune::Record>& records, const std::vector<std::string>& skipped) {
  Diagnostic d{DiagnosticKind::no_candidate, "E871"};
  d.message = fmt::format("no tuning record for '{}'{} with target {} on this machine",
                          problem.program.name, problem.sizes.empty() ? "" : " at " + problem.sizes,
                          request.target);
  const auto own = std::count_if(records.begin(), records.end(),
                                 [](const tune::Record& r) { return !is_shipped(r); });
  d.notes.push_back(
      fmt::format("{} record{} in '{}'", own, own == 1 ? "" : "s", records_file(request)));
  d.notes.insert(d.notes.end(), skipped.begin(), skipped.end());
  d.hint = "'mdh records list' shows what there is; --records names another file";
  throw Error(d);
}

ll::Config with_origin(ll::Config config, const Problem& problem, const std::string& machine) {
  config.program = problem.program.name;
  config.machine = machine;
  for (const auto& [name, value] : problem.size_values) config.sizes[name] = value;
  for (const auto& [name, type] : problem.types) config.types[name] = type;
  return config;
}

void note_unused(const Problem& problem, const Request& request) {
  if (request.quiet || problem.target->print == nullptr) return;
  const auto unused = driver::decisions_ignored_by(
      driver::target_on(*problem.target, request.target), problem.config.config, problem.machine);
  if (unused.empty()) return;
  say("mdh: note: no effect on the code of target {} yet: {}\n", problem.target->name,
      join(unused, ", "));
}

void note_unused_if_named(const Problem& problem, const Request& request) {
  if (problem.target != &driver::usual_target()) note_unused(problem, request);
}

}  // namespace mdh::tool
