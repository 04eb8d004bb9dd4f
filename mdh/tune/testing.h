// For tests: records to fill databases with.
#pragma once

#include <string>

#include <fmt/format.h>

#include "mdh/tune/record.h"

namespace mdh::tune {

inline MachineIdentity some_machine() {
  return {"ARM", "0xd40", 2, "neon", {{"L1", 65536}, {"L2", 1048576}}};
}

/// A proven record of some program, N1 = 8; configurations differ by a number.
inline Record some_record(int config, double median, const std::string& when = "2026-01-01") {
  Record record;
  record.when = when;
  record.program = "mdh 1\nprogram p = ...\n";
  record.sizes = {{"N1", 8}};
  record.types = {{"out1", "f32"}};
  record.machine = some_machine();
  record.target = "openmp";
  record.config = fmt::format("{{\"number\":{}}}", config);
  record.time_us = {median, median, 0.1, 30};
  record.verified = "full";
  record.compiler = "gcc 12";
  record.version = "0.1.0";
  record.seed = 7;
  return record;
}

}  // namespace mdh::tune
