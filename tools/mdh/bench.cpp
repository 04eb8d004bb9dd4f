#include "bench/bench.h"

#include <cstdio>

#include "bench/compile.h"
#include "mdh/support/files.h"
#include "tools/mdh/say.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {

namespace {

/// Instead of a folder of configurations; ./tuned is a folder.
const std::string tuned = "tuned";

void check_records(const bench::BenchOptions& asked, const BenchVerbOptions& verb) {
  if (asked.suite == "compile" && asked.configs == tuned) {
    user_error("E847", {}, "'mdh bench compile' has no configurations 'tuned'",
               "it varies one of a folder: --configs FOLDER");
  }
  if (!verb.records.empty() && asked.configs != tuned) {
    user_error("E847", {}, "--records is for configurations that were tuned",
               "add --configs tuned");
  }
}

int bench_compile(const bench::BenchOptions& asked, const BenchVerbOptions& verb) {
  bench::CompileOptions options{.configs = asked.configs, .version = asked.version};
  if (asked.quick) options.rounds = 3;
  if (asked.rounds > 0) options.rounds = asked.rounds;
  if (!asked.workloads.empty()) options.workload = asked.workloads.front();
  if (!verb.quiet) {
    options.progress = [](const std::string& what) { say("mdh: {}\n", what); };
  }
  const bench::CompileReport report = bench::measure_compilation(options);
  if (!verb.json.empty()) write_file(verb.json, bench::to_json(report));
  fmt::print("{}", bench::to_table(report));
  return 0;
}

}  // namespace

int bench(const bench::BenchOptions& asked, const BenchVerbOptions& verb) {
  check_records(asked, verb);
  if (asked.suite == "compile") return bench_compile(asked, verb);
  if (verb.list) {
    fmt::print("{}", bench::list(asked.suite));
    return 0;
  }
  bench::BenchOptions options = asked;
  if (asked.configs == tuned) options.records = load_records({.records = verb.records}).records;
  if (!verb.quiet) {
    options.progress = [](const std::string& what) { say("mdh: {}\n", what); };
  }
  const bench::Report report = bench::run(options);
  if (!verb.json.empty()) write_file(verb.json, bench::to_json(report));
  fmt::print("{}", bench::to_table(report));
  for (const bench::Result& result : report.results) {
    const bench::Measured& mdh = result.candidates.front();
    if (mdh.standing == bench::Standing::measured) continue;
    throw Error({DiagnosticKind::wrong_result,
                 "E845",
                 {},
                 fmt::format("{}: mdh itself was not measured: {}", result.workload.name, mdh.note),
                 {},
                 "please report this as a bug, with its configuration"});
  }
  return 0;
}

}  // namespace mdh::tool
