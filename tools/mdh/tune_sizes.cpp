#include "tools/mdh/tune_sizes.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tools/mdh/say.h"
#include "tools/mdh/tune_output.h"

namespace mdh::tool {
namespace {

Location at(const std::string& file, int line) {
  return {std::make_shared<const std::string>(file), line, 1};
}

std::string without_blanks_and_comment(std::string line) {
  line = line.substr(0, line.find('#'));
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
  return line;
}

/// What came of one of the sizes.
struct SizeOutcome {
  std::string sizes;
  bool is_done = false;  // false: it was interrupted before its turn
  SearchOutcome search;
};

std::string best_text(const SizeOutcome& one) {
  if (!one.is_done) return "not tried";
  const auto& best = one.search.report.best;
  return best ? fmt::format("{:.4g}", best->timing.median_us) : "nothing works";
}

std::string gain_text(const SizeOutcome& one) {
  const auto& gain = one.search.report.gain;
  return one.is_done && gain ? fmt::format("{:.2f}", *gain) : "-";
}

void print_table(const std::string& program, const std::vector<SizeOutcome>& outcomes) {
  std::vector<std::vector<std::string>> rows = {
      {"sizes of " + program, "tried", "best us", "gain", "verified", "shipped"}};
  for (const SizeOutcome& one : outcomes) {
    const tuning::TuneReport& report = one.search.report;
    rows.push_back({one.sizes, fmt::format("{}", report.trials.size()), best_text(one),
                    gain_text(one), report.best ? report.best->verified : "-",
                    one.search.shipped.empty() ? "-" : one.search.shipped});
  }
  fmt::print("{}", aligned(rows, Align::left));
}

/// Says at once what cannot be said in the table.
void note_failure(const SizeOutcome& one) {
  if (one.search.report.best || StopOnInterrupt::is_asked_to_stop()) return;
  const Diagnostic d = nothing_works(one.search.report);
  say("mdh: note: {}: {} [{}]\n", one.sizes, d.message, d.code);
  for (const std::string& note : d.notes) say("note: {}\n", note);
}

nlohmann::ordered_json json_of(const Problem& problem, const SizeOutcome& one) {
  const bool works = one.search.report.best.has_value();
  nlohmann::ordered_json out{
      {"sizes", std::map(problem.size_values.begin(), problem.size_values.end())},
      {"outcome", works         ? "ok"
                  : one.is_done ? "nothing works"
                                : "not tried"}};
  if (works) out["search"] = json_of(problem, one.search);
  return out;
}

int exit_code_of(const std::vector<SizeOutcome>& outcomes) {
  if (StopOnInterrupt::is_asked_to_stop()) return 130;
  const bool all_work = std::all_of(outcomes.begin(), outcomes.end(), [](const SizeOutcome& one) {
    return one.search.report.best.has_value();
  });
  return all_work ? 0 : exit_code(DiagnosticKind::no_candidate);
}

}  // namespace

std::vector<SizesLine> read_sizes(const std::string& file) {
  std::vector<SizesLine> sizes;
  int number = 0;
  for (const std::string& line : split(read_file(file), '\n')) {
    ++number;
    const std::string size = without_blanks_and_comment(line);
    if (size.empty()) continue;
    for (const SizesLine& other : sizes) {
      if (other.size != size) continue;
      user_error("E873", at(file, number), fmt::format("line {} has these sizes, too", other.line),
                 "leave one of the two out");
    }
    sizes.push_back({number, size});
  }
  if (sizes.empty()) {
    user_error("E873", at(file, 1), "the file has no sizes",
               "write a line for each, as for --size: I=7,K=13 or 7,13; # begins a comment");
  }
  return sizes;
}

std::vector<Request> requests_for(const Request& request, const std::string& file) {
  std::vector<Request> requests;
  for (const SizesLine& line : read_sizes(file)) {
    Request one = request;
    one.size = line.size;
    try {
      problem_to_tune(one);
    } catch (const Error& e) {
      Diagnostic d = e.diagnostic();
      if (d.kind != DiagnosticKind::user) throw;
      if (d.where.known()) d.notes.push_back("said about " + to_string(d.where));
      d.where = at(file, line.line);
      throw Error(d);
    }
    requests.push_back(std::move(one));
  }
  return requests;
}

int tune_sizes(const Request& request, const TuneVerbOptions& verb) {
  const std::vector<Request> requests = requests_for(request, verb.sizes);
  std::vector<tune::Record> records = earlier_records(request);
  std::vector<SizeOutcome> outcomes;
  nlohmann::ordered_json reports = nlohmann::ordered_json::array();
  std::string program;
  const StopOnInterrupt stop;
  for (const Request& one : requests) {
    const Problem problem = problem_to_tune(one);
    program = problem.program.name;
    SizeOutcome outcome{.sizes = problem.sizes};
    if (!StopOnInterrupt::is_asked_to_stop()) {
      if (!request.quiet) {
        say("mdh: {} {} ({} of {})\n", program, problem.sizes, outcomes.size() + 1,
            requests.size());
      }
      outcome.search = search(one, verb, problem, records);
      outcome.is_done = true;
      note_failure(outcome);
    }
    reports.push_back(json_of(problem, outcome));
    outcomes.push_back(std::move(outcome));
  }
  if (verb.json) {
    fmt::print("{}\n",
               nlohmann::ordered_json{{"schema", "mdh_tune_sizes 1"}, {"sizes", reports}}.dump());
  } else {
    print_table(program, outcomes);
  }
  return exit_code_of(outcomes);
}

}  // namespace mdh::tool
