#include "tools/mdh/tune_page.h"

#include <algorithm>
#include <cctype>

#include "mdh/driver/devices.h"
#include "mdh/driver/rates.h"
#include "mdh/report/tuning_page.h"
#include "mdh/support/text.h"
#include "mdh/tuning/model_choice.h"

namespace mdh::tool {
namespace {

std::string quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-+=.,:/@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The problem in the words of the user, without what only the search needs.
std::vector<std::string> run_words(const Request& request) {
  std::vector<std::string> words = {"mdh", "run", request.program};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--size", request.size);
  add("--type", request.type);
  for (const std::string& constant : request.set) add("--set", constant);
  if (request.target != Request().target) add("--target", request.target);
  add("--machine", request.machine);
  if (request.threads > 0) add("--threads", std::to_string(request.threads));
  return words;
}

std::vector<std::string> choices_of(const TuneVerbOptions& verb) {
  std::vector<std::string> words;
  if (verb.restricted == "all") words.emplace_back("--restricted");
  if (!verb.restricted.empty() && verb.restricted != "all") {
    words.push_back("--restricted=" + verb.restricted);
  }
  for (const std::string& lock : verb.locks) words.insert(words.end(), {"--lock", lock});
  return words;
}

}  // namespace

std::string command_line(const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  for (const std::string& word : words) texts.push_back(quoted(word));
  return join(texts, " ");
}

std::string tune_page(const Request& request, const TuneVerbOptions& verb, const Problem& problem,
                      const tuning::TuneReport& report, Recorded recorded) {
  report::TuningPage page{
      .program = problem.program,
      .sizes = problem.size_values,
      .types = problem.types,
      .machine = problem.machine,
      .hardware = driver::identity_of(*problem.target, request.target),
      .is_estimated = tuning::has_cost_model(*problem.target, problem.machine),
      .rates = driver::rates_on(*problem.target, request.target, problem.machine, problem.threads),
      .threads = problem.threads,
      .when = tune::now_utc(),
      .version = MDH_VERSION,
      .budget = verb.budget,
      .technique = verb.technique,
      .seed = request.seed,
      .report = report};
  if (!choices_of(verb).empty()) page.choices = {command_line(choices_of(verb))};
  if (report.best) {
    page.report.best->config = with_origin(report.best->config, problem, problem.machine.name);
  }
  std::vector<std::string> words = run_words(request);
  words.insert(words.end(), {"--config", "best.json"});
  page.command_of_file = command_line(words);
  words.resize(words.size() - 2);
  if (!request.records.empty()) words.insert(words.end(), {"--records", request.records});
  if (recorded == Recorded::yes) page.command = command_line(words);
  return html(page);
}

}  // namespace mdh::tool
