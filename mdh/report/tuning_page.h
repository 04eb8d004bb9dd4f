// A tuning run as a page: what was asked for, how the search went, what the best configuration
// does and what limits it. One file of HTML that loads nothing and runs no script.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mdh/hl/program.h"
#include "mdh/machine/machine.h"
#include "mdh/model/rates.h"
#include "mdh/tune/record.h"
#include "mdh/tuning/tuner.h"

namespace mdh::report {

struct TuningPage {
  hl::Program program;  // concrete
  std::vector<std::pair<std::string, int64_t>> sizes;
  std::vector<std::pair<std::string, std::string>> types;
  machine::Machine machine;
  tune::MachineIdentity hardware;
  bool is_estimated = true;  // there is a model of the machine; else neither estimates nor roofs
  model::Rates rates;        // that estimates are made with
  int threads = 1;
  std::string when;
  std::string version;  // of mdh
  std::string budget;
  std::string technique;
  uint64_t seed = 1;
  std::vector<std::string> choices;  // what else the user decided: "--restricted"
  tuning::TuneReport report;
  std::string command;          // runs the program with the best configuration, if it is recorded
  std::string command_of_file;  // the same with a configuration file
};

std::string html(const TuningPage& page);

}  // namespace mdh::report
