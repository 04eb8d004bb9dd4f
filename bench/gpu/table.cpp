#include "bench/gpu/table.h"

#include <algorithm>
#include <map>

#include "bench/statistics.h"
#include "mdh/support/text.h"

namespace mdh::bench::gpu {
namespace {

using runtime::Caches;
using Rows = std::vector<std::vector<std::string>>;

std::string us_text(double us) {
  return us <= 0 ? "-" : us < 10 ? fmt::format("{:.2f}", us) : fmt::format("{:.1f}", us);
}

std::string time_text(const Entry& entry, Caches caches) {
  const std::vector<double>& times = entry.times(caches);
  if (!times.empty()) return us_text(median(times)) + (entry.is_makeshift() ? "*" : "");
  return entry.standing == Standing::measured ? "-" : to_string(entry.standing);
}

/// Over all elements, or (~) over those that were verified.
std::string deviation_text(const Entry& entry) {
  if (entry.standing != Standing::measured) return "-";
  if (entry.deviation) return fmt::format("{:.1e}", *entry.deviation);
  return fmt::format("~{:.1e}", entry.sampled_deviation);
}

bool is_measured(const std::vector<Row>& rows, Caches caches) {
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return std::any_of(row.entries.begin(), row.entries.end(),
                       [&](const Entry& entry) { return !entry.times(caches).empty(); });
  });
}

bool has_makeshift(const std::vector<Row>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) {
    return std::any_of(row.entries.begin(), row.entries.end(), [](const Entry& entry) {
      return entry.is_makeshift() && entry.standing == Standing::measured;
    });
  });
}

/// All candidates, in the order in which they appear.
std::vector<std::string> names_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    for (const Entry& entry : row.entries) {
      if (std::find(names.begin(), names.end(), entry.name) == names.end()) {
        names.push_back(entry.name);
      }
    }
  }
  return names;
}

const Entry* find(const Row& row, const std::string& name) {
  for (const Entry& entry : row.entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::string comparison(const std::vector<Row>& rows, Caches caches) {
  Rows cells = {
      {"workload", "mdh us", "best peer", "us", "peer / mdh", "deviation", "of the peer"}};
  for (const Row& row : rows) {
    const Entry& mdh = row.entries.front();
    std::vector<std::string> line = {row.title, time_text(mdh, caches)};
    const Entry* best = best_peer(row, caches);
    if (best != nullptr) {
      line.insert(line.end(), {best->name, time_text(*best, caches),
                               fmt::format("{:.2f}", ratio(row, *best, caches))});
    } else {
      line.insert(line.end(), {"-", "-", "-"});
    }
    line.push_back(deviation_text(mdh));
    line.push_back(best != nullptr ? deviation_text(*best) : "-");
    cells.push_back(line);
  }
  std::string text = aligned(cells, Align::right);
  if (const double mean = mean_over_best_peers(rows, caches); mean > 0) {
    text += fmt::format("geometric mean over the best peers: {:.2f}\n", mean);
  }
  return text;
}

std::string all_times(const std::vector<Row>& rows, Caches caches) {
  const std::vector<std::string> names = names_of(rows);
  Rows cells = {{"us"}};
  cells[0].insert(cells[0].end(), names.begin(), names.end());
  for (const Row& row : rows) {
    std::vector<std::string> line = {row.title};
    for (const std::string& name : names) {
      const Entry* entry = find(row, name);
      line.push_back(entry != nullptr ? time_text(*entry, caches) : "-");
    }
    cells.push_back(line);
  }
  return aligned(cells, Align::right);
}

/// What the user should know about a candidate.
std::string note_of(const Entry& entry) {
  const bool is_mdh = entry.kind == PeerKind::mdh || entry.kind == PeerKind::other_target;
  if (entry.standing == Standing::wrong) return "wrong result: " + entry.note;
  if (entry.standing != Standing::measured) {
    return entry.note.empty() ? to_string(entry.standing) : entry.note;
  }
  std::string text = is_mdh || entry.note.empty() ? entry.about : entry.note;
  if (!entry.is_exact && entry.kind == PeerKind::library) text += "; rounds on whole numbers";
  return text;
}

/// Notes that many workloads share are printed once.
std::string notes(const std::vector<Row>& rows) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> workloads;
  for (const Row& row : rows) {
    for (const Entry& entry : row.entries) {
      const std::string note = fmt::format("{}: {}", entry.name, note_of(entry));
      if (workloads.count(note) == 0) order.push_back(note);
      workloads[note].push_back(row.name);
    }
  }
  std::string text;
  for (const std::string& note : order) {
    const std::vector<std::string>& at = workloads.at(note);
    text += at.size() == rows.size() ? note + "\n" : fmt::format("{} ({})\n", note, join(at, ", "));
  }
  return text;
}

std::string head(const Recording& recording) {
  return fmt::format("mdh {}, {}, {} ({}), {}; {} rounds\n", recording.version, recording.date,
                     recording.device, recording.driver, recording.host, recording.rounds);
}

}  // namespace

double ratio(const Row& row, const Entry& entry, Caches caches) {
  const std::vector<double>& ours = row.entries.front().times(caches);
  const std::vector<double>& theirs = entry.times(caches);
  return theirs.empty() || theirs.size() != ours.size() ? 0 : median_ratio(theirs, ours);
}

const Entry* best_peer(const Row& row, Caches caches) {
  const Entry* best = nullptr;
  for (const Entry& entry : row.entries) {
    const double value = ratio(row, entry, caches);
    const bool is_ranked = entry.kind == PeerKind::library || entry.kind == PeerKind::plain;
    if (!is_ranked || entry.standing != Standing::measured || value <= 0) continue;
    if (best == nullptr || value < ratio(row, *best, caches)) best = &entry;
  }
  return best;
}

double mean_over_best_peers(const std::vector<Row>& rows, Caches caches) {
  std::vector<double> ratios;
  for (const Row& row : rows) {
    const Entry* best = best_peer(row, caches);
    if (best != nullptr) ratios.push_back(ratio(row, *best, caches));
  }
  return geometric_mean(ratios);
}

std::string to_table(const std::vector<Recording>& recordings) {
  const std::vector<Row> rows = rows_of(recordings);
  std::string text;
  for (const Recording& recording : recordings) text += head(recording);
  for (const Caches caches : {Caches::warm, Caches::cold}) {
    if (!is_measured(rows, caches)) continue;
    text += caches == Caches::warm ? "\nwarm caches\n" : "\ncold caches\n";
    text += comparison(rows, caches) + "\n" + all_times(rows, caches);
  }
  text +=
      "\npeer / mdh: time of the peer / time of mdh; deviation: the largest one from a result in "
      "f64,\nwith ~ of samples only\n";
  if (has_makeshift(rows)) {
    text += "*: the default, because the configuration for this workload was refused\n";
  }
  text += "\n";
  return text + notes(rows);
}

}  // namespace mdh::bench::gpu
