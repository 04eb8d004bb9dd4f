#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "mdh/hl/analysis.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "mdh/tuning/tuner.h"
#include "tools/mdh/say.h"
#include "tools/mdh/tune_page.h"
#include "tools/mdh/tune_progress.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

/// Ctrl-C ends the search, not the program: the best so far is kept. A second one ends all.
class StopOnInterrupt {
 public:
  StopOnInterrupt() {
    asked_to_stop = 0;
    previous_ = std::signal(SIGINT, [](int) {
      asked_to_stop = 1;
      std::signal(SIGINT, SIG_DFL);
    });
  }
  ~StopOnInterrupt() { std::signal(SIGINT, previous_); }
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

 private:
  void (*previous_)(int);
};

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

/// One record per trial. A file that cannot be written is said once and does not end the search;
/// there may be room for later records again.
class Recorder {
 public:
  Recorder(const Request& request, const Problem& problem, const tuning::Site& where)
      : request_(request),
        problem_(problem),
        where_(where),
        file_(request.no_records ? "" : records_file(request)) {}

  void operator()(const tuning::Trial& trial) {
    if (file_.empty()) return;
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

  bool has_recorded() const { return written_ > 0; }

 private:
  static std::vector<std::string> flags_of(const tuning::Trial& trial) {
    std::vector<std::string> words = {trial.config.code.kernel.compiler};
    for (const std::string& flag : trial.config.code.kernel.flags) words.push_back(flag);
    return words;
  }

  const Request& request_;
  const Problem& problem_;
  const tuning::Site& where_;
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
  options.interrupted = [] { return asked_to_stop != 0; };
  return options;
}

double rate(double amount, const tuning::Trial& trial) {
  return amount / (trial.timing.median_us * 1e3);
}

/// The line that says what is wrong: compilers begin with where it is.
std::string gist(const std::string& reason) {
  const std::vector<std::string> lines = split(reason, '\n');
  for (const std::string& line : lines) {
    if (line.find("error") != std::string::npos) return line;
  }
  return lines.empty() ? "" : lines.front();
}

[[noreturn]] void nothing_works(const tuning::TuneReport& report) {
  Diagnostic d{.kind = DiagnosticKind::no_candidate, .code = "E880"};
  d.message = "no configuration works";
  for (const auto& [kind, count] : report.failures) {
    const auto first = std::find_if(
        report.trials.begin(), report.trials.end(),
        [&name = kind](const tuning::Trial& trial) { return to_string(trial.outcome) == name; });
    d.notes.push_back(fmt::format("{} {}, the first: {}", count, kind, gist(first->reason)));
  }
  d.hint =
      "'mdh doctor' says whether the compiler works; 'mdh records list --json' has all reasons";
  throw Error(d);
}

void print_json(const Problem& problem, const tuning::TuneReport& report, const Recorder& records) {
  nlohmann::ordered_json out;
  out["schema"] = "mdh_tune 1";
  out["program"] = problem.program.name;
  out["evaluations"] = report.trials.size();
  out["failures"] = report.failures;
  const tuning::Screening& screening = report.screening;
  out["screening"] = {{"candidates", screening.candidates},
                      {"asking_s", screening.asking},
                      {"compiling_s", screening.compiling},
                      {"measuring_s", screening.measuring}};
  out["recorded"] = records.written();
  out["stopped_by"] = report.stopped_by;
  out["loaded"] = report.loaded;
  if (report.gain) {
    out["gain"] = *report.gain;
    out["untuned_us"] = report.untuned->timing.median_us;
  } else {
    out["no_gain_because"] = report.no_gain_because;
  }
  out["best_us"] = report.best->timing.median_us;
  out["best_was_known"] = report.best_was_known;
  out["verified"] = report.best->verified;
  out["config"] = nlohmann::ordered_json::parse(
      ll::print(with_origin(report.best->config, problem, problem.machine.name)));
  fmt::print("{}\n", out.dump());
}

/// Only a final compares with what would run without tuning.
void print_gain(const tuning::TuneReport& report) {
  if (!report.gain) {
    fmt::print("gain        not known: {}\n", report.no_gain_because);
    return;
  }
  const std::string about = *report.gain == 1 ? ", which nothing beat" : "";
  fmt::print("gain        {:.2f} over the untuned choice ({:.4g} us){}\n", *report.gain,
             report.untuned->timing.median_us, about);
}

void print_text(const Problem& problem, const tuning::TuneReport& report, const Recorder& records) {
  const tuning::Trial& best = *report.best;
  std::vector<std::string> failures;
  for (const auto& [kind, count] : report.failures) {
    failures.push_back(fmt::format("{} {}", count, kind));
  }
  fmt::print("program     {} {}\n", problem.program.name, problem.sizes);
  fmt::print("tried       {} configurations{}\n", report.trials.size(),
             failures.empty() ? "" : ", failed: " + join(failures, ", "));
  fmt::print("best        {:.4g} us, {:.4g} GFLOP/s, {:.4g} GB/s, verified: {}{}\n",
             best.timing.median_us,
             rate(static_cast<double>(hl::operations(problem.program)), best),
             rate(static_cast<double>(hl::bytes(problem.program)), best), best.verified,
             report.best_was_known ? ", known before" : "");
  print_gain(report);
  if (report.loaded > 0) {
    fmt::print("load        {} times were taken while other programs used the cores\n",
               report.loaded);
  }
  const tuning::Screening& s = report.screening;
  if (s.candidates > 0) {
    fmt::print(
        "screened    {}, {:.3g} a second: {:.2g} s asking, {:.2g} s compiling, {:.2g} s "
        "measuring\n",
        s.candidates, static_cast<double>(s.candidates) / s.seconds(), s.asking, s.compiling,
        s.measuring);
  }
  if (!records.summary().empty()) fmt::print("recorded    {}\n", records.summary());
}

/// What came of it: on stdout, and as a page, also if nothing works.
void show_report(const Request& request, const TuneVerbOptions& verb, const Problem& problem,
                 const tuning::TuneReport& report, const Recorder& records) {
  if (report.best) {
    verb.json ? print_json(problem, report, records) : print_text(problem, report, records);
  }
  if (verb.report.empty()) return;
  write_file(verb.report, tune_page(request, verb, problem, report,
                                    records.has_recorded() ? Recorded::yes : Recorded::no));
  if (report.best && !verb.json) fmt::print("report      {}\n", verb.report);
}

}  // namespace

int tune(const Request& request, const TuneVerbOptions& verb) {
  Request asked = request;
  asked.no_records = true;  // the search looks into them itself
  asked.needs_config = false;
  const Problem problem = resolve(asked);
  if (!problem.target->runtime || !problem.target->runtime->has_worker) {
    unsupported("E883", {}, fmt::format("tuning for target '{}'", problem.target->name),
                "name a target that is compiled, such as --target " + driver::usual_target().name);
  }
  tuning::TuneOptions options = options_of(request, problem, verb);
  if (!verb.report.empty()) require_writable(verb.report);
  const tuning::Site where = site_of(request, problem);
  learn(problem, where, earlier_records(request), options);
  Recorder record(request, problem, where);
  const StopOnInterrupt stop;
  tuning::TuneReport report;
  {
    TuneProgressBar bar(options, request.quiet);
    report = tuning::tune(problem.program, options,
                          [&](const tuning::Trial& trial, const tuning::TuneProgress& progress) {
                            record(trial);
                            bar.warn_of_load(trial);
                            bar.show(progress);
                          });
  }
  if (report.stopped_by == "nothing compiles" && !request.quiet) {
    say("mdh: note: the search ended early: nothing compiles: {}\n",
        gist(report.trials.back().reason));
  }
  show_report(request, verb, problem, report, record);
  if (!report.best && asked_to_stop != 0) {
    say("mdh: note: interrupted before a configuration worked\n");
    return 130;
  }
  if (!report.best) nothing_works(report);
  return asked_to_stop != 0 ? 130 : 0;
}

}  // namespace mdh::tool
