// Configurations that travel with a program: NAME.mdh.tuned beside NAME.mdh (mdh/tune/tuned_file.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mdh/tune/tuned_file.h"
#include "mdh/tuning/records.h"

namespace mdh::tuning {

/// The file beside the one that the program was read from; empty if one of the two is not there.
std::string tuned_file_of(const hl::Program& program);

struct ShippedConfigs {
  std::vector<tune::Record> records;  // of the program, for any sizes, machine and target
  std::vector<std::string> notes;     // what is not used and why, with its place
};

/// What a file says about the program.
ShippedConfigs shipped_configs(const hl::Program& program, const Site& where,
                               const tune::TunedFile& file, const std::string& name);

/// What became of the entry for a program, its sizes, machine and target.
struct Shipment {
  enum class Kind { added, replaced, kept };
  Kind kind = Kind::added;
  tune::Record record;  // what the file has now
};

/// Writes the best valid one of the records into the file, unless what is there is better by the
/// rules for records (mdh/tune/lookup.h), or the same configuration. Nothing if no record is valid.
std::optional<Shipment> ship(const hl::Program& program, const Site& where,
                             std::vector<tune::Record> records, const std::string& file);

/// Configurations without times that come with mdh (the folder `records` of its sources): places
/// to begin a search at.
const std::vector<tune::TunedEntry>& seeds();

/// Those for the program.
std::vector<tune::Record> seeds_for(const hl::Program& program, const Site& where);

/// The texts of the files that they are from, by name.
const std::vector<std::pair<std::string, std::string>>& seed_texts();

}  // namespace mdh::tuning
