#include <csignal>
#include <cstdio>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "mdh/driver/tuner.h"
#include "mdh/hl/analysis.h"
#include "mdh/support/text.h"
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

driver::Site site_of(const Request& request, const Problem& problem) {
  return {.target = problem.target, .device = request.target, .machine = &problem.machine};
}

/// What earlier searches found out about this problem.
std::vector<driver::Trial> known_trials(const Problem& problem, const driver::Site& where,
                                        const std::vector<tune::Record>& records) {
  const driver::RecordKey key = record_key(problem.program, where);
  std::vector<driver::Trial> known;
  for (const tune::Record& record : best_records(records, key.problem)) {
    const driver::BestConfig one = best_config(problem.program, where, {record});
    if (!one.found) continue;
    driver::Trial trial{.config = one.found->config, .verified = record.verified};
    trial.timing = {record.time_us.median, record.time_us.mean, record.time_us.ci99,
                    static_cast<int>(record.time_us.n)};
    known.push_back(trial);
  }
  return known;
}

/// One record per trial. A file that cannot be written is said once and does not end the search.
class Recorder {
 public:
  Recorder(const Request& request, const Problem& problem, const driver::Site& where)
      : request_(request), problem_(problem), where_(where), file_(records_file(request)) {}

  void operator()(const driver::Trial& trial) {
    if (file_.empty() || failed_ || request_.no_records) return;
    tune::Record record = new_record(problem_.program, problem_.machine, trial.config, where_);
    record.outcome = trial.outcome;
    record.reason = trial.reason;
    record.verified = trial.verified;
    record.compiler = join(flags_of(trial), " ");
    record.seed = request_.seed;
    record.time_us = {trial.timing.median_us, trial.timing.mean_us, trial.timing.ci99_us,
                      trial.timing.count};
    if (const auto failure = tune::Database(file_).append(record)) {
      failed_ = true;
      fmt::print(stderr, "\nmdh: note: results are not recorded: {}\n", failure->message);
    }
  }

  const std::string& file() const { return file_; }
  bool failed() const { return failed_; }

 private:
  static std::vector<std::string> flags_of(const driver::Trial& trial) {
    std::vector<std::string> words = {trial.config.code.kernel.compiler};
    for (const std::string& flag : trial.config.code.kernel.flags) words.push_back(flag);
    return words;
  }

  const Request& request_;
  const Problem& problem_;
  const driver::Site& where_;
  std::string file_;
  bool failed_ = false;
};

driver::TuneOptions options_of(const Request& request, const Problem& problem,
                               const TuneVerbOptions& verb) {
  driver::TuneOptions options;
  options.candidates.target = problem.target;
  options.candidates.machine = problem.machine;
  options.candidates.threads = problem.threads;
  options.candidates.seed = request.seed;
  if (problem.entry && problem.entry->inputs) {
    options.candidates.inputs = [&] {
      return problem.entry->inputs(problem.instance, problem.program, request.seed);
    };
  }
  const Budget budget = budget_of(verb.budget);
  options.seconds = budget.seconds;
  options.evaluations = budget.evaluations;
  options.technique = verb.technique;
  options.seed = request.seed;
  options.restricted = verb.restricted;
  options.locks = verb.locks;
  options.interrupted = [] { return asked_to_stop != 0; };
  return options;
}

double rate(double amount, const driver::Trial& trial) {
  return amount / (trial.timing.median_us * 1e3);
}

void print_json(const Problem& problem, const driver::TuneReport& report) {
  nlohmann::ordered_json out;
  out["schema"] = "mdh_tune 1";
  out["program"] = problem.program.name;
  out["evaluations"] = report.trials.size();
  out["failures"] = report.failures;
  out["stopped_by"] = report.stopped_by;
  if (report.first) out["first_us"] = report.first->timing.median_us;
  out["best_us"] = report.best->timing.median_us;
  out["verified"] = report.best->verified;
  out["config"] = nlohmann::ordered_json::parse(
      ll::print(with_origin(report.best->config, problem, problem.machine.name)));
  fmt::print("{}\n", out.dump());
}

void print_text(const Problem& problem, const driver::TuneReport& report, const Recorder& records) {
  const driver::Trial& best = *report.best;
  std::vector<std::string> failures;
  for (const auto& [kind, count] : report.failures) {
    failures.push_back(fmt::format("{} {}", count, kind));
  }
  fmt::print("program     {} {}\n", problem.program.name, problem.sizes);
  fmt::print("tried       {} configurations{}\n", report.trials.size(),
             failures.empty() ? "" : ", failed: " + join(failures, ", "));
  fmt::print("best        {:.4g} us, {:.4g} GFLOP/s, {:.4g} GB/s, verified: {}\n",
             best.timing.median_us,
             rate(static_cast<double>(hl::operations(problem.program)), best),
             rate(static_cast<double>(hl::bytes(problem.program)), best), best.verified);
  if (report.first) {
    fmt::print("gain        {:.2f} over the first choice ({:.4g} us)\n",
               report.first->timing.median_us / best.timing.median_us,
               report.first->timing.median_us);
  }
  if (!records.file().empty() && !records.failed()) fmt::print("recorded    {}\n", records.file());
}

}  // namespace

int tune(const Request& request, const TuneVerbOptions& verb) {
  Request asked = request;
  asked.no_records = true;  // the search looks into them itself
  asked.needs_config = false;
  const Problem problem = resolve(asked);
  if (problem.target->name != "openmp") {
    unsupported("E883", {}, fmt::format("tuning for target '{}'", problem.target->name),
                "mdh tune works for --target openmp");
  }
  driver::TuneOptions options = options_of(request, problem, verb);
  const driver::Site where = site_of(request, problem);
  // The first search makes the file.
  const bool none = request.no_records || !std::filesystem::exists(records_file(request));
  const tune::Contents contents = none ? tune::Contents{} : load_records(request);
  options.known = known_trials(problem, where, contents.records);
  for (const driver::Trial& trial : options.known) options.starts.push_back(trial.config);
  for (const driver::RecordedConfig& near :
       neighbours(problem.program, where, contents.records, 4)) {
    options.starts.push_back(near.config);
  }
  Recorder record(request, problem, where);
  const StopOnInterrupt stop;
  driver::TuneReport report;
  {
    TuneProgressBar bar(options, request.quiet);
    report = driver::tune(problem.program, options,
                          [&](const driver::Trial& trial, const driver::TuneProgress& progress) {
                            record(trial);
                            bar.show(progress);
                          });
  }
  if (!report.best) {
    throw Error({.kind = DiagnosticKind::no_candidate,
                 .code = "E880",
                 .message = "no configuration works",
                 .hint = "mdh records list says why each of them failed"});
  }
  verb.json ? print_json(problem, report) : print_text(problem, report, record);
  return asked_to_stop != 0 ? 130 : 0;
}

}  // namespace mdh::tool
