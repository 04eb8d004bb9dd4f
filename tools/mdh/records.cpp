#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "mdh/support/files.h"
#include "mdh/support/text.h"
#include "tools/mdh/say.h"
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

void note_unreadable(int64_t lines, const std::string& file) {
  if (lines == 0) return;
  say("mdh: note: {} {} of '{}' cannot be read\n", lines, lines == 1 ? "line" : "lines", file);
}

std::string counted(int64_t count, const char* what = "record") {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
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
  if (!contents.newer.empty()) {
    say("mdh: note: {} of a later version of mdh are not shown\n",
        counted(static_cast<int64_t>(contents.newer.size())));
  }
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

int export_records(const Request& request, const std::string& file) {
  const tune::Contents contents = load_records(request);
  const std::string lines = tune::lines_of(contents);
  write_file(file, lines);
  fmt::print("exported: {}\n", counted(std::count(lines.begin(), lines.end(), '\n')));
  note_unreadable(contents.unreadable, records_file(request));
  return 0;
}

}  // namespace mdh::tool
