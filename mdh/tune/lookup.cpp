#include "mdh/tune/lookup.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace mdh::tune {
namespace {

using Positions = std::vector<size_t>;

/// Everything but sizes and machine, whose comparisons are not those of texts.
bool is_alike(const Record& record, const TuningProblem& problem) {
  return record.target == problem.target && record.types == problem.types &&
         record.program == problem.program && is_same(record.machine, problem.machine);
}

TuningProblem problem_of(const Record& record) {
  return {record.program, record.sizes, record.types, record.machine, record.target};
}

Positions positions_of(const std::vector<Record>& records, const TuningProblem& problem) {
  Positions mine;
  for (size_t n = 0; n < records.size(); ++n) {
    if (records[n].sizes == problem.sizes && is_alike(records[n], problem)) mine.push_back(n);
  }
  return mine;
}

/// Both have times, and other programs spoilt that of the first alone.
bool is_worse_known(const Record& record, const Record& than) {
  return is_proven(record) && is_proven(than) && is_loaded(record) && !is_loaded(than);
}

/// Of the same configuration. What was measured here counts, whenever it was.
bool replaces(const Record& newer, const Record& older) {
  if (is_worse_known(newer, older)) return false;
  if (is_worse_known(older, newer)) return true;
  if (is_shipped(newer) != is_shipped(older)) return is_shipped(older);
  return older.when <= newer.when;
}

/// Of the records at these positions the latest of each configuration.
Positions latest(const std::vector<Record>& records, const Positions& positions) {
  std::map<std::string_view, size_t> by_config;
  for (const size_t n : positions) {
    const auto [known, is_new] = by_config.try_emplace(records[n].config, n);
    if (!is_new && replaces(records[n], records[known->second])) known->second = n;
  }
  Positions result;
  for (const auto& [config, n] : by_config) result.push_back(n);
  return result;
}

/// Of many that ran once or twice the fastest had luck: a time of a search that was not measured
/// further counts a tenth more.
double believed(const RecordTime& time) { return time.n < 3 ? 1.1 * time.median : time.median; }

/// Times of different hours compare badly, and the fastest of many had luck. What won a final was
/// faster than the others at the same time, the untuned choice among them. What was measured here
/// comes before what was measured elsewhere.
auto rank(const Record& record) {
  return std::tuple(is_loaded(record), is_shipped(record), record.final_result != FinalResult::won,
                    believed(record.time_us));
}

/// The proven ones of them, the best first.
Positions ranked(const std::vector<Record>& records, const Positions& positions) {
  Positions result = latest(records, positions);
  std::erase_if(result, [&](size_t n) { return !is_proven(records[n]); });
  std::sort(result.begin(), result.end(), [&](size_t a, size_t b) {
    const auto left = rank(records[a]), right = rank(records[b]);
    return left != right ? left < right : a < b;
  });
  return result;
}

/// Nothing if they are not the sizes of one program.
std::optional<double> distance(const std::map<std::string, int64_t>& a,
                               const std::map<std::string, int64_t>& b) {
  if (a.size() != b.size()) return std::nullopt;
  double sum = 0;
  for (const auto& [name, size] : a) {
    const auto other = b.find(name);
    if (other == b.end() || size < 1 || other->second < 1) return std::nullopt;
    const double step = std::log(static_cast<double>(size) / static_cast<double>(other->second));
    sum += step * step;
  }
  return std::sqrt(sum);
}

/// How little one machine says about another.
int strangeness(const MachineIdentity& a, const MachineIdentity& b) {
  if (is_same(a, b)) return 0;
  if (a.model == b.model) return 1;
  return a.isa == b.isa ? 2 : 3;
}

/// Positions by problem, in the order in which the problems come.
std::vector<Positions> grouped(const std::vector<Record>& records) {
  std::vector<Positions> groups;
  std::multimap<std::string_view, size_t> by_program;
  for (size_t n = 0; n < records.size(); ++n) {
    const auto [begin, end] = by_program.equal_range(records[n].program);
    const auto group = std::find_if(begin, end, [&](const auto& one) {
      const Record& first = records[groups[one.second].front()];
      return first.sizes == records[n].sizes && is_alike(records[n], problem_of(first));
    });
    if (group == end) {
      by_program.emplace(records[n].program, groups.size());
      groups.push_back({n});
    } else {
      groups[group->second].push_back(n);
    }
  }
  return groups;
}

}  // namespace

std::vector<Record> best_records(const std::vector<Record>& records, const TuningProblem& problem) {
  std::vector<Record> best;
  for (const size_t n : ranked(records, positions_of(records, problem))) {
    best.push_back(records[n]);
  }
  return best;
}

std::vector<Record> failed_records(const std::vector<Record>& records,
                                   const TuningProblem& problem) {
  std::vector<Record> failed;
  for (const size_t n : latest(records, positions_of(records, problem))) {
    const RecordOutcome outcome = records[n].outcome;
    if (outcome == RecordOutcome::crash || outcome == RecordOutcome::wrong ||
        outcome == RecordOutcome::spills) {
      failed.push_back(records[n]);
    }
  }
  return failed;
}

std::vector<Record> neighbours(const std::vector<Record>& records, const TuningProblem& problem,
                               size_t count) {
  std::map<std::map<std::string, int64_t>, Positions> by_sizes;
  for (size_t n = 0; n < records.size(); ++n) {
    if (records[n].sizes != problem.sizes && is_alike(records[n], problem)) {
      by_sizes[records[n].sizes].push_back(n);
    }
  }
  std::vector<std::pair<double, size_t>> found;
  for (const auto& [sizes, positions] : by_sizes) {
    const std::optional<double> far = distance(sizes, problem.sizes);
    const Positions best = far ? ranked(records, positions) : Positions();
    if (!best.empty()) found.emplace_back(*far, best.front());
  }
  std::sort(found.begin(), found.end());
  std::vector<Record> nearest;
  for (size_t n = 0; n < std::min(count, found.size()); ++n) {
    nearest.push_back(records[found[n].second]);
  }
  return nearest;
}

std::vector<Record> similar(const std::vector<Record>& records, const TuningProblem& problem,
                            size_t count) {
  std::vector<std::tuple<int, double, size_t>> found;
  for (size_t n = 0; n < records.size(); ++n) {
    const Record& record = records[n];
    const bool is_ours = record.program == problem.program && record.types == problem.types &&
                         record.target == problem.target && record.outcome == RecordOutcome::ok;
    const auto far = is_ours ? distance(record.sizes, problem.sizes) : std::nullopt;
    if (far) found.emplace_back(strangeness(record.machine, problem.machine), *far, n);
  }
  std::sort(found.begin(), found.end());
  std::vector<Record> nearest;
  for (const auto& [strange, far, n] : found) {
    const auto is_known = [&, &config = records[n].config](const Record& known) {
      return known.config == config;
    };
    if (nearest.size() == count) break;
    if (std::none_of(nearest.begin(), nearest.end(), is_known)) nearest.push_back(records[n]);
  }
  return nearest;
}

std::vector<Record> worth_keeping(const std::vector<Record>& records, const PruneRules& rules) {
  Positions kept;
  for (const Positions& group : grouped(records)) {
    Positions best = ranked(records, group);
    best.resize(std::min(best.size(), rules.keep));
    kept.insert(kept.end(), best.begin(), best.end());
    if (rules.failures == Failures::drop) continue;
    for (const size_t n : group) {
      if (!is_proven(records[n])) kept.push_back(n);
    }
  }
  std::sort(kept.begin(), kept.end());
  std::vector<Record> result;
  for (const size_t n : kept) result.push_back(records[n]);
  return result;
}

Pruned prune(const Database& database, const PruneRules& rules) {
  Pruned result;
  std::error_code ignored;
  if (!std::filesystem::exists(database.file(), ignored)) return result;
  database.rewrite([&](std::string_view old) {
    Contents contents = parse_records(old);
    result.unreadable = contents.unreadable;
    const auto before = static_cast<int64_t>(contents.records.size());
    contents.records = worth_keeping(contents.records, rules);
    result.kept = static_cast<int64_t>(contents.records.size());
    result.removed = before - result.kept;
    return lines_of(contents);
  });
  return result;
}

}  // namespace mdh::tune
