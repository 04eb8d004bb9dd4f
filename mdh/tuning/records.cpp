#include "mdh/tuning/records.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "mdh/calibration/machine_identity.h"
#include "mdh/driver/devices.h"
#include "mdh/passes/lower/lower.h"
#include "mdh/runtime/host/compiler.h"
#include "mdh/support/cores.h"
#include "mdh/support/files.h"
#include "mdh/tune/database.h"
#include "mdh/tuning/fallback.h"
#include "mdh/tuning/model_choice.h"
#include "mdh/tuning/neighbour_choice.h"
#include "mdh/tuning/shipped.h"

namespace mdh::tuning {
namespace {

/// The machine that a stored configuration is for. Numbers of a device are never stored.
machine::Machine machine_for(const ll::Config& config, const Site& where) {
  if (where.machine != nullptr) return *where.machine;
  const bool is_usual = config.machine.empty() || config.machine == where.target->machine;
  return is_usual ? driver::machine_of(*where.target, where.device)
                  : driver::machine_named(config.machine, *where.target, where.device);
}

RecordedConfig translated(const hl::Program& program, const Site& where, const ConfigNames& names,
                          const tune::Record& record) {
  RecordedConfig result{
      renamed(ll::parse_config(record.config, "<record>"), reversed(names)), {}, record};
  if (!record.decides) {
    result.config.code.edge.clear();
    result.config.code.combine.clear();
  }
  result.machine = machine_for(result.config, where);
  result.config.program = program.name;
  result.config.sizes.clear();
  result.config.types.clear();
  return result;
}

/// Throws what is wrong with it.
void check(const hl::Program& program, const RecordedConfig& recorded, const Site& where) {
  passes::lower(program, recorded.machine, recorded.config);
  const std::string& compiler = recorded.config.code.kernel.compiler;
  if (where.target->obeys.compiler && !compiler.empty()) runtime::host::find_compiler(compiler);
}

/// Those that can be read.
std::vector<RecordedConfig> all_translated(const hl::Program& program, const Site& where,
                                           const ConfigNames& names,
                                           const std::vector<tune::Record>& records) {
  std::vector<RecordedConfig> all;
  for (const tune::Record& record : records) {
    try {
      all.push_back(translated(program, where, names, record));
    } catch (const Error& e) {
      if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    }
  }
  return all;
}

/// The first few of them that can be read.
std::vector<RecordedConfig> first_translated(const hl::Program& program, const Site& where,
                                             const RecordKey& key,
                                             const std::vector<tune::Record>& records,
                                             size_t count) {
  std::vector<RecordedConfig> found = all_translated(program, where, key.names, records);
  if (found.size() > count)
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(count), found.end());
  return found;
}

bool is_usable(const hl::Program& program, const RecordedConfig& recorded, const Site& where) {
  try {
    check(program, recorded, where);
    return true;
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) throw;
    return false;
  }
}

std::string complaint_about(const tune::Record& record, const Diagnostic& d) {
  return fmt::format("the {} ({}) is not used: {} [{}]",
                     is_shipped(record) ? "tuned configuration" : "record", describe(record),
                     d.message, d.code);
}

/// Each costs the compiler a second when it is compared with the model's choice.
constexpr size_t most_rivals = 2;

/// Configurations of the same program at other sizes.
std::vector<ll::Config> starts_for(const hl::Program& program, const Site& where,
                                   const std::vector<tune::Record>& records) {
  std::vector<ll::Config> starts;
  if (records.empty()) return starts;
  for (RecordedConfig& near : neighbours(program, where, records, 4)) {
    starts.push_back(std::move(near.config));
  }
  return starts;
}

/// The records of a file that is named, else of the one beside the program: that one is no reason
/// to stop.
std::vector<tune::Record> shipped_with(const hl::Program& program, const Site& where,
                                       const std::string& named) {
  const std::string file = named.empty() ? tuned_file_of(program) : named;
  if (file.empty()) return {};
  try {
    return shipped_configs(program, where, tune::parse_tuned(read_file(file), file), file).records;
  } catch (const Error&) {
    if (!named.empty()) throw;
    return {};
  }
}

}  // namespace

RecordKey record_key(const hl::Program& program, const Site& where) {
  const CanonicalProgram canonical = canonical_program(program);
  const tune::MachineIdentity machine =
      where.hardware ? *where.hardware : driver::identity_of(*where.target, where.device);
  return {{canonical.text, canonical.sizes, canonical.types, machine, where.target->name},
          canonical.names};
}

tune::Record new_record(const hl::Program& program, const machine::Machine& machine,
                        const ll::Config& config, const Site& where) {
  const RecordKey key = record_key(program, where);
  ll::Config stored = renamed(config, key.names);
  stored.program = program.name;  // for people
  stored.machine = machine.name;
  stored.sizes.clear();
  stored.types.clear();
  tune::Record record;
  record.when = tune::now_utc();
  record.program = key.problem.program;
  record.sizes = key.problem.sizes;
  record.types = key.problem.types;
  record.machine = key.problem.machine;
  record.target = key.problem.target;
  record.config = nlohmann::ordered_json::parse(ll::print(stored)).dump();  // as it is read back
  record.version = MDH_VERSION;
  record.decides = true;
  return record;
}

BestConfig best_config(const hl::Program& program, const Site& where,
                       const std::vector<tune::Record>& records) {
  BestConfig result;
  if (records.empty()) return result;
  const RecordKey key = record_key(program, where);
  for (const tune::Record& record : tune::best_records(records, key.problem)) {
    try {
      RecordedConfig recorded = translated(program, where, key.names, record);
      check(program, recorded, where);
      result.found = std::move(recorded);
      return result;
    } catch (const Error& e) {
      if (e.diagnostic().kind == DiagnosticKind::internal) throw;
      result.skipped.push_back(complaint_about(record, e.diagnostic()));
    }
  }
  return result;
}

KnownConfigs known_configs(const hl::Program& program, const Site& where,
                           const std::vector<tune::Record>& records) {
  if (records.empty()) return {};
  const RecordKey key = record_key(program, where);
  const auto in_our_names = [&](const std::vector<tune::Record>& some) {
    return all_translated(program, where, key.names, some);
  };
  std::vector<tune::Record> proven = tune::best_records(records, key.problem);
  std::erase_if(proven, tune::is_loaded);  // those are worth another try
  KnownConfigs known{in_our_names(proven),
                     in_our_names(tune::failed_records(records, key.problem))};
  const auto first = std::find_if(
      known.proven.begin(), known.proven.end(),
      [&](const RecordedConfig& recorded) { return is_usable(program, recorded, where); });
  known.proven.erase(known.proven.begin(), first);
  return known;
}

std::vector<RecordedConfig> neighbours(const hl::Program& program, const Site& where,
                                       const std::vector<tune::Record>& records, size_t count) {
  const RecordKey key = record_key(program, where);
  return first_translated(program, where, key,
                          tune::neighbours(records, key.problem, records.size()), count);
}

std::vector<RecordedConfig> similar(const hl::Program& program, const Site& where,
                                    const std::vector<tune::Record>& records, size_t count) {
  const RecordKey key = record_key(program, where);
  return first_translated(program, where, key, tune::similar(records, key.problem, records.size()),
                          count);
}

Selection select_config(const hl::Program& program, const Site& where,
                        const std::vector<tune::Record>& records, int cores,
                        WithoutRecord otherwise) {
  BestConfig best = best_config(program, where, records);
  if (best.found) {
    const tune::Record& record = best.found->record;
    const ConfigSource source = is_shipped(record) ? ConfigSource::tuned : ConfigSource::record;
    return {{std::move(best.found->config), source, describe(record)},
            std::move(best.found->machine),
            std::move(best.skipped),
            {}};
  }
  const machine::Machine machine = machine_for({}, where);
  Selection selection{otherwise == WithoutRecord::model
                          ? untuned_choice(program, *where.target, where.device, machine, cores)
                          : default_choice(program, machine, cores),
                      machine,
                      std::move(best.skipped),
                      {}};
  if (selection.chosen.source == ConfigSource::model) {
    selection.rivals = rivals_of(selection.chosen.config, program, machine, cores,
                                 starts_for(program, where, records), most_rivals);
  }
  return selection;
}

driver::Executable compile_tuned(const hl::Program& program, const driver::Target& target,
                                 const std::string& device, const std::string& tuned_file) {
  const Site here{.target = &target, .device = device};
  std::vector<tune::Record> records = tune::Database(tune::Database::file_of_user()).load().records;
  for (tune::Record& record : shipped_with(program, here, tuned_file)) {
    records.push_back(std::move(record));
  }
  for (int failed = 1;; ++failed) {
    Selection selection = select_config(program, here, records, available_cores());
    if (!selection.rivals.empty()) {
      selection.chosen = measured_choice(program, selection,
                                         {.target = &target,
                                          .device = device,
                                          .machine = selection.machine,
                                          .threads = available_cores()});
    }
    try {
      return compile(program, selection.machine, selection.chosen.config, target, device);
    } catch (const Error& e) {
      const bool may_give_way =
          is_measured(selection.chosen.source) && is_failure_of_kernel(e.diagnostic());
      if (!may_give_way) throw;
      records = without_best(program, here, std::move(records), e.diagnostic()).records;
      if (failed == most_failed_records) records.clear();
    }
  }
}

std::string describe(const tune::Record& record) {
  return fmt::format("{:.4g} us, {}", record.time_us.median,
                     is_shipped(record) ? record.origin : record.when);
}

}  // namespace mdh::tuning
