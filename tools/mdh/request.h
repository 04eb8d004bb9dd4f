// What the user asked for, and what it means: options to programs, machines and configurations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "examples/catalogue.h"
#include "mdh/tuning/candidates.h"
#include "mdh/tuning/fallback.h"
#include "mdh/tuning/shipped.h"

namespace mdh::tool {

/// The options that several verbs share, as typed.
struct Request {
  std::string program;           // a catalogue name or a .mdh file
  std::string size;              // "7,13" or "I=7,K=13" or "paper"
  std::string type;              // "f32" or "T=f32"
  std::vector<std::string> set;  // "c=0.5"
  std::string target = "openmp";
  std::string machine;  // empty: the configuration's, else the target's
  std::string config;   // a file; empty: none
  std::string records;  // a file of tuning records; empty: the user's
  bool no_records = false;
  std::string tuned;           // a file of tuned configurations; empty: the one beside the program
  bool no_tuned = false;       // not even that
  bool require_tuned = false;  // refuse to run without a record
  int threads = 0;             // 0: all cores
  uint64_t seed = 1;
  bool quiet = false;
  bool may_be_open = false;      // sizes that are written * need no value
  bool needs_config = true;      // if not, no time is spent on choosing one
  bool may_lack_device = false;  // the usual machine of the target will do
  bool may_measure = false;      // code may run in order to choose
  bool same_bits = false;        // the choice does not depend on the number of threads
};

/// Everything resolved and verified.
struct Problem {
  const examples::Entry* entry = nullptr;  // if it is from the catalogue
  examples::Instance instance;             // meaningful with an entry
  hl::Program program;                     // concrete, but for open sizes
  std::string sizes;                       // "I=7 K=13", for people
  std::vector<std::pair<std::string, int64_t>> size_values;
  std::vector<std::pair<std::string, std::string>> types;
  const driver::Target* target = nullptr;
  machine::Machine machine;
  tuning::ChosenConfig config;
  int threads = 1;
  std::vector<tune::Record> records;  // that the configuration was chosen from
  int failed_records = 0;             // those that were tried in vain
  std::vector<std::string> notes;     // said so far about records that are not used
};

Problem resolve(const Request& request);

/// A program that is no name of the catalogue.
bool is_file_name(const std::string& program);

/// Says which decisions about code the target does not obey, if there are any.
void note_unused(const Problem& problem, const Request& request);

/// The same of verbs that run nothing: only for a target that was asked for, because the usual one
/// stands in for others there.
void note_unused_if_named(const Problem& problem, const Request& request);

/// The kernel of the best record failed: chooses anew, without that record.
void take_next_config(const Request& request, Problem& problem, const Diagnostic& failure);

/// How configurations of the problem are tried. Both must outlive it.
tuning::CandidateOptions candidates_of(const Request& request, const Problem& problem);

/// The records that the request names, else those of the user. A file that is named must be there.
tune::Contents load_records(const Request& request);
std::string records_file(const Request& request);

/// No record: an error that says which program and sizes, and what there is.
[[noreturn]] void no_record(const Request& request, const Problem& problem,
                            const std::vector<tune::Record>& records,
                            const std::vector<std::string>& skipped);

/// A configuration that says what it is for.
ll::Config with_origin(ll::Config config, const Problem& problem, const std::string& machine);

}  // namespace mdh::tool
