// A configuration, and where it came from.
#pragma once

#include <string>

#include "mdh/ll/config.h"

namespace mdh::tuning {

/// Where a configuration came from; said on stderr and in reports.
enum class ConfigSource { file, record, tuned, neighbour, model, usual };

/// What was measured for exactly this problem, here or elsewhere.
inline bool is_measured(ConfigSource source) {
  return source == ConfigSource::record || source == ConfigSource::tuned;
}

/// "file", "record", "tuned", "neighbour", "model", "default".
const std::string& to_string(ConfigSource source);

struct ChosenConfig {
  ll::Config config;
  ConfigSource source = ConfigSource::usual;
  /// The name of the file; time and date of the record, or place in the file of tuned
  /// configurations; the measured or estimated time.
  std::string detail;
};

/// "file NAME", "record (DETAIL)", "tuned (DETAIL)", "neighbour (DETAIL)", "model (DETAIL)", "default".
std::string describe(const ChosenConfig& chosen);

/// The default configuration for the program on the machine.
ChosenConfig default_choice(const hl::Program& program, const machine::Machine& machine, int cores);

}  // namespace mdh::tuning
