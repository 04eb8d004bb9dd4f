#include "bench/gpu/bench.h"

#include <cstdio>

#include "bench/gpu/table.h"
#include "mdh/support/files.h"
#include "tools/mdh/say.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

using runtime::Caches;

std::vector<Caches> caches_of(const GpuVerbOptions& verb) {
  const std::string asked = verb.caches.value_or("both");
  if (asked == "warm") return {Caches::warm};
  if (asked == "cold") return {Caches::cold};
  return {Caches::warm, Caches::cold};
}

int print_recordings(const std::vector<std::string>& files) {
  std::vector<bench::gpu::Recording> recordings;
  for (const std::string& file : files) {
    recordings.push_back(bench::gpu::recording_from(read_file(file), file));
  }
  fmt::print("{}", bench::gpu::to_table(recordings));
  return 0;
}

bench::gpu::GpuOptions options_of(const bench::BenchOptions& asked, const BenchVerbOptions& verb) {
  bench::gpu::GpuOptions options{.workloads = asked.workloads,
                                 .peers = asked.peers,
                                 .peer_files = asked.peer_files,
                                 .targets = verb.gpu.targets,
                                 .also = verb.gpu.also,
                                 .configs = asked.configs};
  if (asked.configs == "tuned") options.records = load_records({.records = verb.records}).records;
  options.caches = caches_of(verb.gpu);
  options.rounds = asked.rounds;
  options.quick = asked.quick;
  options.version = asked.version;
  options.command = verb.command;
  if (!verb.quiet) {
    options.progress = [](const std::string& what) { say("mdh: {}\n", what); };
  }
  if (!verb.json.empty()) {
    options.keep = [&verb](const bench::gpu::Recording& recording) {
      write_file(verb.json, to_json(recording));
    };
  }
  return options;
}

}  // namespace

int bench_gpu(const bench::BenchOptions& asked, const BenchVerbOptions& verb) {
  if (!verb.gpu.from.empty()) return print_recordings(verb.gpu.from);
  if (verb.list) {
    fmt::print("{}", bench::gpu::list());
    return 0;
  }
  if (!verb.json.empty()) require_writable(verb.json);
  const bench::gpu::Recording recording = bench::gpu::run(options_of(asked, verb));
  fmt::print("{}", bench::gpu::to_table({recording}));
  for (const bench::gpu::Row& row : recording.rows) {
    const bench::gpu::Entry& mdh = row.entries.front();
    if (mdh.standing == bench::Standing::measured) continue;
    throw Error({DiagnosticKind::wrong_result,
                 "E845",
                 {},
                 fmt::format("{}: mdh itself was not measured: {}", row.name, mdh.note),
                 {},
                 "please report this as a bug, with its configuration"});
  }
  return 0;
}

}  // namespace mdh::tool
