#include "tools/mdh/tune_search.h"

#include <csignal>
#include <cstdio>
#include <filesystem>

#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tools/mdh/say.h"
#include "tools/mdh/tune_progress.h"
#include "tools/mdh/tuned.h"

namespace mdh::tool {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

struct Budget {
  double seconds = 60;
  size_t evaluations = 0;
};

/// "60s", "3m", or a number of evaluations.
Budget budget_of(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const bool fits = !text.empty() && number > 0 && number < 1e9;
  if (fits && unit == "s") return {number, 0};
  if (fits && unit == "m") return {60 * number, 0};
  if (fits && unit.empty() && number == static_cast<double>(static_cast<size_t>(number))) {
    return {1e9, static_cast<size_t>(number)};
  }
  user_error("E001", {}, fmt::format("'{}' is no budget", text),
             "write 60s, 3m, or a number of evaluations such as 200");
}

tuning::Site site_of(const Request& request, const Problem& problem) {
  return {.target = problem.target, .device = request.target, .machine = &problem.machine};
}

tuning::Trial trial_of(const tuning::RecordedConfig& recorded) {
  const tune::Record& record = recorded.record;
  const tune::RecordTime& time = record.time_us;
  return {.config = recorded.config,
          .outcome = record.outcome,
          .reason = record.reason,
          .timing = {time.median, time.mean, time.ci99, static_cast<int>(time.n), record.load},
          .verified = record.verified,
          .final_result = record.final_result};
}

/// Takes over what earlier searches found out about this problem and about its neighbours.
void learn(const Problem& problem, const tuning::Site& where,
           const std::vector<tune::Record>& records, tuning::TuneOptions& options) {
  constexpr size_t best_few = 8;
  const tuning::KnownConfigs known = known_configs(problem.program, where, records);
  for (const tuning::RecordedConfig& recorded : known.proven) {
    options.known.push_back(trial_of(recorded));
    if (options.starts.size() < best_few) options.starts.push_back(recorded.config);
  }
  for (const tuning::RecordedConfig& recorded : known.failed) {
    options.known.push_back(trial_of(recorded));
  }
  for (const tuning::RecordedConfig& near : neighbours(problem.program, where, records, 4)) {
    options.starts.push_back(near.config);
  }
}

/// Others measured these, or nobody: they are places to begin at, and none that is known. The best
/// one for this very problem is what runs without tuning here; true if there is one.
bool learn_from_others(const Request& request, const Problem& problem, const tuning::Site& where,
                       tuning::TuneOptions& options) {
  constexpr size_t shipped_few = 8, seeded_few = 4;
  const tuning::ShippedConfigs shipped = shipped_configs_of(request, problem.program, where);
  if (!request.quiet) {
    for (const std::string& note : shipped.notes) say("mdh: note: {}\n", note);
  }
  const auto begin_at = [&](const std::vector<tune::Record>& records, size_t most) -> size_t {
    if (records.empty()) return 0;
    const size_t before = options.starts.size();
    for (const tuning::RecordedConfig& one : similar(problem.program, where, records, most)) {
      options.starts.push_back(one.config);
    }
    return options.starts.size() - before;
  };
  const size_t of_program = begin_at(shipped.records, shipped_few);
  const size_t of_mdh = begin_at(tuning::seeds_for(problem.program, where), seeded_few);
  if (of_program + of_mdh > 0 && !request.quiet) {
    say("mdh: beginning also at configurations that came with the program ({}) and with mdh ({})\n",
        of_program, of_mdh);
  }
  tuning::BestConfig best = best_config(problem.program, where, shipped.records);
  if (!best.found) return false;
  options.untuned = std::move(best.found->config);
  return true;
}

/// One record per trial. A file that cannot be written is said once and does not end the search;
/// there may be room for later records again.
class Recorder {
 public:
  Recorder(const Request& request, const Problem& problem, const tuning::Site& where,
           std::vector<tune::Record>& records)
      : request_(request),
        problem_(problem),
        where_(where),
        records_(records),
        file_(request.no_records ? "" : records_file(request)) {}

  void operator()(const tuning::Trial& trial) {
    tune::Record record = new_record(problem_.program, problem_.machine, trial.config, where_);
    record.outcome = trial.outcome;
    record.reason = trial.reason;
    record.verified = trial.verified;
    record.compiler = join(flags_of(trial), " ");
    record.seed = request_.seed;
    record.time_us = {trial.timing.median_us, trial.timing.mean_us, trial.timing.ci99_us,
                      trial.timing.count};
    record.load = trial.timing.load;
    record.final_result = trial.final_result;
    records_.push_back(record);
    if (file_.empty()) return;
    const std::optional<Diagnostic> failure = tune::Database(file_).append(record);
    if (!failure) ++written_;
    if (failure && lost_++ == 0) {
      say("\nmdh: note: results are not recorded: {}\n", failure->message);
    }
  }

  size_t written() const { return written_; }

  /// "FILE", or how much of it is there; empty if nothing was to be written.
  std::string summary() const {
    if (file_.empty() || lost_ == 0) return file_;
    return fmt::format("{} of {} results, {}", written_, written_ + lost_, file_);
  }

 private:
  static std::vector<std::string> flags_of(const tuning::Trial& trial) {
    std::vector<std::string> words = {trial.config.code.kernel.compiler};
    for (const std::string& flag : trial.config.code.kernel.flags) words.push_back(flag);
    return words;
  }

  const Request& request_;
  const Problem& problem_;
  const tuning::Site& where_;
  std::vector<tune::Record>& records_;
  std::string file_;
  size_t written_ = 0;
  size_t lost_ = 0;
};

tuning::TuneOptions options_of(const Request& request, const Problem& problem,
                               const TuneVerbOptions& verb) {
  tuning::TuneOptions options;
  options.candidates = candidates_of(request, problem);
  const Budget budget = budget_of(verb.budget);
  options.seconds = budget.seconds;
  options.evaluations = budget.evaluations;
  options.technique = verb.technique;
  options.seed = request.seed;
  if (!verb.restricted.empty()) options.restricted = search::restrictions_from(verb.restricted);
  options.locks = verb.locks;
  options.interrupted = StopOnInterrupt::is_asked_to_stop;
  return options;
}

/// The user's file may be missing as yet: --ship makes it.
Request without_missing_file(const Request& given) {
  Request request = given;
  std::error_code ignored;
  if (!std::filesystem::exists(request.tuned, ignored)) {
    request.no_tuned = true;
    request.tuned.clear();
  }
  return request;
}

}  // namespace

StopOnInterrupt::StopOnInterrupt() {
  asked_to_stop = 0;
  previous_ = std::signal(SIGINT, [](int) {
    asked_to_stop = 1;
    std::signal(SIGINT, SIG_DFL);
  });
}

StopOnInterrupt::~StopOnInterrupt() { std::signal(SIGINT, previous_); }

bool StopOnInterrupt::is_asked_to_stop() { return asked_to_stop != 0; }

Problem problem_to_tune(const Request& request) {
  Request asked = request;
  asked.no_records = true;  // the search looks into them itself
  asked.no_tuned = true;
  asked.tuned.clear();
  asked.needs_config = false;
  Problem problem = resolve(asked);
  if (!problem.target->runtime || !problem.target->runtime->has_worker) {
    unsupported("E883", {}, fmt::format("tuning for target '{}'", problem.target->name),
                "name a target that is compiled, such as --target " + driver::usual_target().name);
  }
  return problem;
}

/// What earlier searches left. The first one makes the file; that of the user is no reason to stop
/// if it cannot be read.
std::vector<tune::Record> earlier_records(const Request& request) {
  std::error_code ignored;
  if (request.no_records || !std::filesystem::exists(records_file(request), ignored)) return {};
  try {
    return load_records(request).records;
  } catch (const Error& e) {
    if (!request.records.empty()) throw;
    if (!request.quiet) say("mdh: note: no records: {}\n", e.diagnostic().message);
    return {};
  }
}

SearchOutcome search(const Request& request, const TuneVerbOptions& verb, const Problem& problem,
                     std::vector<tune::Record>& records) {
  tuning::TuneOptions options = options_of(request, problem, verb);
  const tuning::Site where = site_of(request, problem);
  learn(problem, where, records, options);
  SearchOutcome outcome;
  outcome.is_over_shipped = learn_from_others(
      verb.ship && !request.tuned.empty() ? without_missing_file(request) : request, problem, where,
      options);
  Recorder record(request, problem, where, records);
  {
    TuneProgressBar bar(options, request.quiet);
    outcome.report =
        tuning::tune(problem.program, options,
                     [&](const tuning::Trial& trial, const tuning::TuneProgress& progress) {
                       record(trial);
                       bar.warn_of_load(trial);
                       bar.show(progress);
                     });
  }
  if (outcome.report.stopped_by == "nothing compiles" && !request.quiet) {
    say("mdh: note: the search ended early: nothing compiles: {}\n",
        gist(outcome.report.trials.back().reason));
  }
  outcome.recorded = record.written();
  outcome.records = record.summary();
  if (verb.ship && outcome.report.best) {
    outcome.shipped = ship_best(request, problem.program, where, records);
  }
  return outcome;
}

std::string gist(const std::string& reason) {
  const std::vector<std::string> lines = split(reason, '\n');
  for (const std::string& line : lines) {
    if (line.find("error") != std::string::npos) return line;
  }
  return lines.empty() ? "" : lines.front();
}

}  // namespace mdh::tool
