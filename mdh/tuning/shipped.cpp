#include "mdh/tuning/shipped.h"

#include <algorithm>
#include <filesystem>

namespace mdh::tuning {
namespace {

namespace fs = std::filesystem;

bool is_here(const tune::Record& record, const tune::TuningProblem& problem) {
  return record.target == problem.target && is_same(record.machine, problem.machine);
}

/// Why entries are of no use here, counted.
struct Strangers {
  size_t other_programs = 0, other_machines = 0, other_targets = 0;

  void count(const tune::TunedEntry& entry, bool is_of_program,
             const tune::TuningProblem& problem) {
    if (!is_of_program) {
      ++other_programs;
    } else if (entry.record.target != problem.target) {
      ++other_targets;
    } else {
      ++other_machines;
    }
  }

  std::string text() const {
    std::vector<std::string> parts;
    const auto add = [&](size_t count, const char* what) {
      if (count > 0) parts.push_back(fmt::format("{} for {}", count, what));
    };
    add(other_programs, "other programs, types or constants");
    add(other_targets, "other targets");
    add(other_machines, "other machines");
    return fmt::format("{}", fmt::join(parts, ", "));
  }
};

/// The same problem of a program with another text.
bool is_outdated(const tune::TunedEntry& entry, const tune::TuningProblem& problem) {
  return is_here(entry.record, problem) && entry.record.sizes == problem.sizes &&
         entry.record.types == problem.types;
}

/// As records of this user, which compete by their times alone.
std::vector<tune::Record> competitors(const tune::TunedFile& file, const std::string& program) {
  std::vector<tune::Record> records;
  for (const tune::TunedEntry& entry : file.entries) {
    auto record = tune::record_for(entry, program);
    if (!record) continue;
    record->origin.clear();
    records.push_back(std::move(*record));
  }
  return records;
}

/// The entry takes the place of all others for the same problem.
Shipment put(tune::TunedEntry entry, tune::TunedFile& file) {
  const auto is_rival = [&](const tune::TunedEntry& other) {
    return is_same_problem(entry, other);
  };
  const auto known =
      std::find_if(file.entries.begin(), file.entries.end(), [&](const tune::TunedEntry& other) {
        return is_rival(other) && is_proven(other.record) &&
               other.record.config == entry.record.config;
      });
  Shipment result{.kind = Shipment::Kind::kept};
  if (known != file.entries.end()) {
    entry = *known;
  } else {
    const bool is_new = std::none_of(file.entries.begin(), file.entries.end(), is_rival);
    result.kind = is_new ? Shipment::Kind::added : Shipment::Kind::replaced;
  }
  result.record = entry.record;
  std::erase_if(file.entries, is_rival);
  file.entries.push_back(std::move(entry));
  return result;
}

}  // namespace

std::string tuned_file_of(const hl::Program& program) {
  if (program.where.file == nullptr || !program.where.file->ends_with(".mdh")) return {};
  const std::string tuned = *program.where.file + ".tuned";
  std::error_code ignored;
  const bool are_there = fs::exists(*program.where.file, ignored) && fs::exists(tuned, ignored);
  return are_there ? tuned : "";
}

ShippedConfigs shipped_configs(const hl::Program& program, const Site& where,
                               const tune::TunedFile& file, const std::string& name) {
  ShippedConfigs result;
  for (const tune::TunedDamage& damage : file.damaged) result.notes.push_back(damage.complaint);
  if (file.entries.empty()) return result;
  const RecordKey key = record_key(program, where);
  Strangers strangers;
  std::vector<const tune::TunedEntry*> outdated;
  bool is_any_here = false, is_exact = false;
  for (const tune::TunedEntry& entry : file.entries) {
    auto record = tune::record_for(entry, key.problem.program);
    if (record && is_here(*record, key.problem)) {
      is_any_here = true;
      is_exact = is_exact || record->sizes == key.problem.sizes;
    } else {
      strangers.count(entry, record.has_value(), key.problem);
    }
    if (!record && is_outdated(entry, key.problem)) outdated.push_back(&entry);
    if (record) result.records.push_back(std::move(*record));
  }
  if (is_exact) return result;
  for (const tune::TunedEntry* entry : outdated) {
    result.notes.push_back(fmt::format(
        "{}: the entry is not used: it is for another version of the program, or other constants",
        entry->record.origin));
  }
  if (!is_any_here && outdated.empty()) {
    result.notes.push_back(fmt::format("{}: no entry is for this program, machine and target: {}",
                                       name, strangers.text()));
  }
  return result;
}

std::optional<Shipment> ship(const hl::Program& program, const Site& where,
                             std::vector<tune::Record> records, const std::string& file) {
  if (!best_config(program, where, records).found) return std::nullopt;  // makes no empty file
  const RecordKey key = record_key(program, where);
  std::optional<Shipment> result;
  tune::rewrite_tuned(file, [&](tune::TunedFile& contents) {
    std::vector<tune::Record> all = competitors(contents, key.problem.program);
    std::move(records.begin(), records.end(), std::back_inserter(all));
    const BestConfig best = best_config(program, where, all);
    if (!best.found) return;
    result = put(tune::entry_of(best.found->record, program.name), contents);
  });
  return result;
}

const std::vector<tune::TunedEntry>& seeds() {
  static const std::vector<tune::TunedEntry> all = [] {
    std::vector<tune::TunedEntry> entries;
    for (const auto& [name, text] : seed_texts()) {
      tune::TunedFile file = tune::parse_tuned(text, name);
      internal_check(file.damaged.empty(), "a file of seeds is damaged: {}", name);
      std::move(file.entries.begin(), file.entries.end(), std::back_inserter(entries));
    }
    return entries;
  }();
  return all;
}

std::vector<tune::Record> seeds_for(const hl::Program& program, const Site& where) {
  const std::string text = record_key(program, where).problem.program;
  std::vector<tune::Record> records;
  for (const tune::TunedEntry& entry : seeds()) {
    if (auto record = tune::record_for(entry, text)) records.push_back(std::move(*record));
  }
  return records;
}

}  // namespace mdh::tuning
