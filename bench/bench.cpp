#include "bench/bench.h"

#include "bench/child.h"
#include "mdh/driver/stages.h"
#include "mdh/support/cores.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

constexpr int usual_rounds = 11, quick_rounds = 3;

std::vector<std::pair<std::string, std::string>> user_files(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const std::string& text : texts) {
    const size_t equal = text.find('=');
    if (equal == std::string::npos || equal == 0) {
      user_error("E844", {}, fmt::format("--peer-file: cannot read '{}'", text),
                 "write --peer-file NAME=F.c");
    }
    files.emplace_back(text.substr(0, equal), text.substr(equal + 1));
  }
  return files;
}

MeasureOptions effort(const BenchOptions& options) {
  MeasureOptions measure;
  measure.rounds = options.rounds > 0 ? options.rounds
                   : options.quick    ? quick_rounds
                                      : usual_rounds;
  measure.turn_seconds = options.quick ? 0.02 : 0.05;
  measure.repeats = options.quick ? 1 : measure.rounds;
  measure.runner = find_runner();
  return measure;
}

}  // namespace

Report run(const BenchOptions& options) {
  const std::vector<Workload> workloads = select(find_suite(options.suite), options.workloads);
  CandidateOptions competitors{.peers = select_peers(options.peers),
                               .user_files = user_files(options.peer_files),
                               .configs = options.configs,
                               .records = options.records};
  competitors.threads = options.threads > 0 ? options.threads : available_cores();
  MeasureOptions measuring = effort(options);
  Report report{.suite = options.suite, .machine = this_machine(), .version = options.version};
  report.threads = competitors.threads;
  report.rounds = measuring.rounds;
  for (const Workload& workload : workloads) {
    const auto say = [&](const std::string& what) {
      options.progress(fmt::format("{}: {}", workload.title, what));
    };
    measuring.progress = say;
    say("compiling");
    const Instantiated at = instantiate(workload);
    report.results.push_back(
        measure(workload, at, make_candidates(workload, at, competitors), measuring));
  }
  return report;
}

std::string list(const std::string& suite) {
  std::vector<std::vector<std::string>> rows;
  for (const Workload& workload : find_suite(suite).workloads) {
    std::vector<std::string> sizes;
    for (const auto& [name, value] : instantiate(workload).sizes) {
      sizes.push_back(fmt::format("{}={}", name, value));
    }
    rows.push_back({workload.name, workload.program, join(sizes, " ")});
  }
  std::string text = "workloads of suite " + suite + ":\n" + indent(aligned(rows, Align::left), 2);
  rows.clear();
  for (const Peer& peer : peers()) rows.push_back({peer.name, peer.summary});
  text += "peers:\n" + indent(aligned(rows, Align::left), 2);
  rows.clear();
  for (const Suite& one : suites()) rows.push_back({one.name, one.summary});
  return text + "suites:\n" + indent(aligned(rows, Align::left), 2);
}

}  // namespace mdh::bench
