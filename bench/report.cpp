#include "bench/report.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "bench/machine_json.h"
#include "bench/statistics.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

using nlohmann::ordered_json;

const Measured& mdh_of(const Result& result) { return result.candidates.front(); }

const Measured* find(const Result& result, const std::string& name) {
  for (const Measured& candidate : result.candidates) {
    if (candidate.candidate.name == name) return &candidate;
  }
  return nullptr;
}

/// Operations or bytes per nanosecond are billions per second.
double rate_of(const Measured& candidate, double amount) {
  const double us = median(candidate.round_us);
  return us > 0 ? amount / us * 1e-3 : 0;
}

std::string rate_text(const Result& result) {
  const Measured& mdh = mdh_of(result);
  if (mdh.standing == Standing::wrong) return "wrong";
  if (mdh.round_us.empty()) return "failed";
  const bool gflops = result.workload.rate == Rate::gflops;
  return fmt::format("{:.1f} {}", rate_of(mdh, gflops ? result.operations : result.bytes),
                     gflops ? "GFLOP/s" : "GB/s");
}

std::string cell(const Result& result, const std::string& peer, const Measured* best) {
  const Measured* candidate = find(result, peer);
  if (candidate == nullptr) return "-";
  if (candidate->standing != Standing::measured) return to_string(candidate->standing);
  const double value = ratio(result, *candidate);
  return value > 0 ? fmt::format("{:.2f}{}", value, candidate == best ? "*" : "") : "-";
}

/// All candidates but mdh: in the order of the table of peers, then those of the user.
std::vector<std::string> peer_names(const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const Peer& peer : peers()) names.push_back(peer.name);
  std::set<std::string> present;
  for (const Result& result : results) {
    for (const Measured& candidate : result.candidates) {
      const std::string& name = candidate.candidate.name;
      if (candidate.candidate.kind == PeerKind::mdh) continue;
      present.insert(name);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  const auto is_absent = [&](const std::string& name) { return present.count(name) == 0; };
  names.erase(std::remove_if(names.begin(), names.end(), is_absent), names.end());
  return names;
}

std::string head(const Report& report) {
  const MachineReport& machine = report.machine;
  std::string text =
      fmt::format("suite {}, mdh {}, {}\n", report.suite, report.version, machine.date);
  text += fmt::format("{}, {} cores, {}, {}; {} threads, {} rounds\n", machine.cpu, machine.cores,
                      machine.kind, machine.system, report.threads, report.rounds);
  for (const std::string& compiler : machine.compilers) text += compiler + "\n";
  return text;
}

/// Notes that many workloads share are printed once.
class Notes {
 public:
  void add(const std::string& text, const std::string& workload) {
    if (workloads_.count(text) == 0) order_.push_back(text);
    workloads_[text].push_back(workload);
  }

  std::string text(size_t all) const {
    std::string result;
    for (const std::string& note : order_) {
      const std::vector<std::string>& at = workloads_.at(note);
      result += at.size() == all ? note + "\n" : fmt::format("{} ({})\n", note, join(at, ", "));
    }
    return result;
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<std::string>> workloads_;
};

void add_notes(const Result& result, Notes& notes) {
  const std::string& workload = result.workload.name;
  for (const Measured& candidate : result.candidates) {
    const std::string what = candidate.standing == Standing::wrong ? "wrong result: " : "";
    const std::string& about = candidate.note.empty() || candidate.candidate.kind == PeerKind::mdh
                                   ? candidate.candidate.about
                                   : candidate.note;
    const bool bad = candidate.standing != Standing::measured && !candidate.note.empty();
    notes.add(fmt::format("{}: {}{}", candidate.candidate.name, what, bad ? candidate.note : about),
              workload);
  }
}

/// One line about all of them: what counts is that they must not be trusted.
std::string disturbance(const std::vector<Result>& results) {
  int disturbed = 0, repeated = 0;
  double foreign = 0;
  for (const Result& result : results) {
    disturbed += result.disturbed;
    repeated += result.repeated;
    foreign = std::max(foreign, result.foreign);
  }
  if (disturbed == 0) return {};
  return fmt::format(
      "do not trust rows with !: others used up to {:.0f} % of the machine; {} rounds were "
      "repeated, {} count nevertheless\n",
      100 * foreign, repeated, disturbed);
}

ordered_json json_of(const Result& result, const Measured& candidate) {
  ordered_json out;
  out["name"] = candidate.candidate.name;
  out["standing"] = to_string(candidate.standing);
  out["about"] = candidate.candidate.about;
  out["note"] = candidate.note;
  out["threads"] = candidate.candidate.threads;
  if (candidate.round_us.empty()) return out;
  out["verified"] = to_string(candidate.verification.coverage);
  out["exact_on_whole_numbers"] = candidate.verification.exact;
  out["max_error"] = candidate.verification.max_error;
  out["time_us"] = median(candidate.round_us);
  out["gflops"] = rate_of(candidate, result.operations);
  out["gbs"] = rate_of(candidate, result.bytes);
  if (const double value = ratio(result, candidate); value > 0) out["ratio"] = value;
  out["round_us"] = candidate.round_us;
  return out;
}

ordered_json json_of(const Result& result) {
  ordered_json out;
  out["name"] = result.workload.name;
  out["title"] = result.workload.title;
  out["program"] = result.workload.program;
  out["sizes"] = ordered_json::object();
  for (const auto& [name, value] : result.sizes) out["sizes"][name] = value;
  out["operations"] = result.operations;
  out["bytes"] = result.bytes;
  out["repeated_rounds"] = result.repeated;
  out["disturbed_rounds"] = result.disturbed;
  out["foreign_share"] = result.foreign;
  const Measured* best = best_peer(result);
  out["best_peer"] = best != nullptr ? ordered_json(best->candidate.name) : ordered_json();
  out["candidates"] = ordered_json::array();
  for (const Measured& candidate : result.candidates) {
    out["candidates"].push_back(json_of(result, candidate));
  }
  return out;
}

}  // namespace

double ratio(const Result& result, const Measured& candidate) {
  const std::vector<double>& ours = mdh_of(result).round_us;
  if (candidate.round_us.empty() || candidate.round_us.size() != ours.size()) return 0;
  return median_ratio(candidate.round_us, ours);
}

const Measured* best_peer(const Result& result) {
  const Measured* best = nullptr;
  for (const Measured& candidate : result.candidates) {
    const PeerKind kind = candidate.candidate.kind;
    const bool is_ranked = kind == PeerKind::library || kind == PeerKind::plain;
    const double value = ratio(result, candidate);
    if (!is_ranked || candidate.standing != Standing::measured || value <= 0) continue;
    if (best == nullptr || value < ratio(result, *best)) best = &candidate;
  }
  return best;
}

double mean_over_best_peers(const std::vector<Result>& results) {
  std::vector<double> ratios;
  for (const Result& result : results) {
    const Measured* best = best_peer(result);
    if (best != nullptr) ratios.push_back(ratio(result, *best));
  }
  return geometric_mean(ratios);
}

std::string to_table(const Report& report) {
  const std::vector<std::string> names = peer_names(report.results);
  std::vector<std::vector<std::string>> rows = {{"workload", "mdh"}};
  rows[0].insert(rows[0].end(), names.begin(), names.end());
  Notes notes;
  for (const Result& result : report.results) {
    const std::string mark = result.disturbed > 0 ? " !" : "";
    std::vector<std::string> row = {result.workload.title + mark, rate_text(result)};
    const Measured* best = best_peer(result);
    for (const std::string& name : names) row.push_back(cell(result, name, best));
    rows.push_back(row);
    add_notes(result, notes);
  }
  std::string text = head(report) + "\n" + aligned(rows, Align::right);
  if (const double mean = mean_over_best_peers(report.results); mean > 0) {
    text += fmt::format("\ngeometric mean over the best peers: {:.2f}\n", mean);
  }
  text +=
      "\ntime of the peer / time of mdh; * best peer (prototypes and your own files are not "
      "ranked)\n" +
      disturbance(report.results) + "\n";
  return text + notes.text(report.results.size());
}

std::string to_json(const Report& report) {
  ordered_json out;
  out["schema"] = "mdh_bench 1";
  out["suite"] = report.suite;
  out["version"] = report.version;
  out["date"] = report.machine.date;
  out["machine"] = json_of(report.machine);
  out["compilers"] = report.machine.compilers;
  out["threads"] = report.threads;
  out["rounds"] = report.rounds;
  out["geometric_mean_over_best_peers"] = mean_over_best_peers(report.results);
  out["workloads"] = ordered_json::array();
  for (const Result& result : report.results) out["workloads"].push_back(json_of(result));
  return out.dump(1) + "\n";
}

}  // namespace mdh::bench
