// A configuration, and where it came from.
#pragma once

#include <string>

#include "mdh/ll/config.h"

namespace mdh::tuning {

/// Where a configuration came from; said on stderr and in reports.
enum class ConfigSource { file, record, neighbour, model, usual };

/// "file", "record", "neighbour", "model", "default".
const std::string& to_string(ConfigSource source);

struct ChosenConfig {
  ll::Config config;
  ConfigSource source = ConfigSource::usual;
  /// The name of the file; time and date of the record; the measured or estimated time.
  std::string detail;
};

/// "file NAME", "record (DETAIL)", "neighbour (DETAIL)", "model (DETAIL)", "default".
std::string describe(const ChosenConfig& chosen);

/// The default configuration for the program on the machine.
ChosenConfig default_choice(const hl::Program& program, const machine::Machine& machine, int cores);

}  // namespace mdh::tuning
