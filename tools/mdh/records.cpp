#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "mdh/tune/t4.h"
#include "tools/mdh/say.h"
#include "tools/mdh/tune_sizes.h"
#include "tools/mdh/tuned.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

/// "N1=7 N2=13"
std::string sizes_text(const tune::Record& record) {
  std::vector<std::string> sizes;
  for (const auto& [name, value] : record.sizes) sizes.push_back(fmt::format("{}={}", name, value));
  return join(sizes, " ");
}

/// The types of the buffers, each once.
std::string types_text(const tune::Record& record) {
  std::vector<std::string> types;
  for (const auto& [buffer, type] : record.types) {
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  }
  return join(types, ",");
}

/// What the program was called when it was measured.
std::string name_text(const tune::Record& record) {
  const auto config = nlohmann::json::parse(record.config, nullptr, false);
  const auto name = config.find("program");
  const bool is_named = name != config.end() && name->is_string();
  return is_named ? name->get<std::string>() : "-";
}

std::vector<std::string> row_of(const tune::Record& record) {
  const bool has_time = is_proven(record);
  return {name_text(record),
          key_of(record),
          sizes_text(record),
          types_text(record),
          fmt::format("{}, {} cores, {}", record.machine.model, record.machine.cores,
                      record.machine.isa),
          record.target,
          to_string(record.outcome),
          has_time ? fmt::format("{:.4g}", record.time_us.median) : "-",
          record.verified,
          record.when};
}

std::string counted(int64_t count, const char* what = "record") {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void note_unreadable(int64_t count, const std::string& file, const char* what = "line") {
  if (count > 0) say("mdh: note: {} of '{}' cannot be read\n", counted(count, what), file);
}

/// `what` happened to all others.
void note_newer(const tune::Contents& contents, const char* what) {
  if (contents.newer.empty()) return;
  say("mdh: note: {} of a later version of mdh are not {}\n",
      counted(static_cast<int64_t>(contents.newer.size())), what);
}

/// The file to change.
tune::Database database_of(const Request& request) {
  const std::string file = records_file(request);
  if (!file.empty()) return tune::Database(file);
  user_error("E001", {}, "there is no file for tuning records", "set HOME, or give --records F");
}

}  // namespace

int list_records(const Request& request, ListAs form) {
  const tune::Contents contents = load_records(request);
  note_unreadable(contents.unreadable, records_file(request));
  note_newer(contents, "shown");
  if (form == ListAs::lines) {
    for (const tune::Record& record : contents.records) fmt::print("{}\n", print(record));
    return 0;
  }
  std::vector<std::vector<std::string>> rows = {{"program", "key", "sizes", "types", "machine",
                                                 "target", "outcome", "us", "verified", "when"}};
  for (const tune::Record& record : contents.records) rows.push_back(row_of(record));
  fmt::print("{}", aligned(rows, Align::left));
  return 0;
}

int best_record(const Request& given, ListAs form) {
  Request request = given;
  request.may_be_open = true;
  request.no_records = true;  // it chooses by itself
  request.needs_config = false;
  const Problem problem = resolve(request);
  const tune::Contents contents = load_records(request);
  const tuning::Site site{.target = problem.target,
                          .device = request.target,
                          .machine = request.machine.empty() ? nullptr : &problem.machine};
  const tuning::BestConfig best = tuning::best_config(problem.program, site, contents.records);
  if (!best.found) no_record(request, problem, contents.records, best.skipped);
  for (const std::string& why : best.skipped) {
    if (!request.quiet) say("mdh: note: {}\n", why);
  }
  if (!request.quiet) say("mdh: record: {}\n", tuning::describe(best.found->record));
  if (form == ListAs::lines) {
    fmt::print("{}\n", print(best.found->record));
  } else {
    fmt::print("{}", print(with_origin(best.found->config, problem, best.found->machine.name)));
  }
  return 0;
}

int prune_records(const Request& request, const tune::PruneRules& rules) {
  const tune::Database database = database_of(request);
  const tune::Pruned pruned = tune::prune(database, rules);
  fmt::print("kept: {}, removed: {}", counted(pruned.kept), pruned.removed);
  if (pruned.unreadable > 0) fmt::print(" and {}", counted(pruned.unreadable, "unreadable line"));
  fmt::print("\n");
  return 0;
}

int merge_records(const Request& request, const std::vector<std::string>& files) {
  const tune::Merged merged = tune::merge(database_of(request), {files.begin(), files.end()});
  fmt::print("added: {}, known: {}\n", counted(merged.added), merged.known);
  note_unreadable(merged.unreadable, join(files, "', '"));
  return 0;
}

int import_records(const Request& request, const std::string& file) {
  const std::string text = read_file(file);
  if (text.starts_with("{\"mdh_tuned\"")) {
    user_error("E874", {},
               fmt::format("'{}' is not read: it has tuned configurations, and no records", file),
               "use it where it is: --tuned " + file);
  }
  const tune::Contents contents =
      tune::is_t4(text) ? tune::from_t4(text, file) : tune::parse_records(text);
  if (contents.records.empty() && contents.newer.empty() && contents.unreadable > 0) {
    user_error("E874", {},
               fmt::format("'{}' is not read: of its {}, none is a record of mdh", file,
                           counted(contents.unreadable, tune::is_t4(text) ? "result" : "line")),
               "what the parameters of other tuners mean is not known");
  }
  const tune::Merged merged = tune::merge(database_of(request), contents);
  fmt::print("added: {}, known: {}\n", counted(merged.added), merged.known);
  note_unreadable(merged.unreadable, file, tune::is_t4(text) ? "result" : "line");
  return 0;
}

int export_records(const Request& request, const std::string& file, ExportAs form) {
  const tune::Contents contents = load_records(request);
  const std::string lines = tune::lines_of(contents);
  if (form == ExportAs::t4) {
    write_file(file, tune::to_t4(contents.records));
    fmt::print("exported: {}\n", counted(static_cast<int64_t>(contents.records.size())));
    note_newer(contents, "exported");
  } else {
    write_file(file, lines);
    fmt::print("exported: {}\n", counted(std::count(lines.begin(), lines.end(), '\n')));
  }
  note_unreadable(contents.unreadable, records_file(request));
  return 0;
}

int ship_records(const Request& given, const std::string& sizes) {
  require_shippable(given);
  Request request = given;
  request.needs_config = false;
  const std::vector<Request> requests =
      sizes.empty() ? std::vector<Request>{request} : requests_for(request, sizes);
  const std::vector<tune::Record> records = load_records(request).records;
  for (Request one : requests) {
    one.no_records = one.no_tuned = true;  // nothing is chosen from them
    one.tuned.clear();
    const Problem problem = resolve(one);
    const tuning::Site site{.target = problem.target,
                            .device = one.target,
                            .machine = one.machine.empty() ? nullptr : &problem.machine};
    const std::string shipped = ship_best(request, problem.program, site, records);
    if (shipped.empty()) no_record(one, problem, records, {});
    fmt::print("{} {}: {}\n", problem.program.name, problem.sizes, shipped);
  }
  return 0;
}

}  // namespace mdh::tool
