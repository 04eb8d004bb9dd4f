#include "mdh/support/files.h"
#include "tools/mdh/say.h"
#include "tools/mdh/tune_output.h"
#include "tools/mdh/tune_page.h"
#include "tools/mdh/tune_sizes.h"
#include "tools/mdh/tuned.h"

namespace mdh::tool {
namespace {

/// What came of it: on stdout, and as a page, also if nothing works.
void show_report(const Request& request, const TuneVerbOptions& verb, const Problem& problem,
                 const SearchOutcome& outcome) {
  const tuning::TuneReport& report = outcome.report;
  if (report.best && verb.json) fmt::print("{}\n", json_of(problem, outcome).dump());
  if (report.best && !verb.json) print_text(problem, outcome);
  if (verb.report.empty()) return;
  write_file(verb.report, tune_page(request, verb, problem, report,
                                    outcome.recorded > 0 ? Recorded::yes : Recorded::no));
  if (report.best && !verb.json) fmt::print("report      {}\n", verb.report);
}

}  // namespace

int tune(const Request& request, const TuneVerbOptions& options) {
  if (options.ship) require_shippable(request);
  if (!options.sizes.empty()) return tune_sizes(request, options);
  const Problem problem = problem_to_tune(request);
  if (!options.report.empty()) require_writable(options.report);
  std::vector<tune::Record> records = earlier_records(request);
  const StopOnInterrupt stop;
  const SearchOutcome outcome = search(request, options, problem, records);
  show_report(request, options, problem, outcome);
  const bool is_interrupted = StopOnInterrupt::is_asked_to_stop();
  if (!outcome.report.best && is_interrupted) {
    say("mdh: note: interrupted before a configuration worked\n");
    return 130;
  }
  if (!outcome.report.best) throw Error(nothing_works(outcome.report));
  return is_interrupted ? 130 : 0;
}

}  // namespace mdh::tool
