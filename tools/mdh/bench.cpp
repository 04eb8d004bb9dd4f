#include "bench/bench.h"

#include <cstdio>

#include "bench/compile.h"
#include "bench/model.h"
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

struct GivenOption {
  std::string name;
  bool given;
  std::string suite = {};  // that has it
};

std::vector<GivenOption> options_of_model(const ModelVerbOptions& model) {
  return {{"--program", model.program.has_value(), "model"},
          {"--size", model.size.has_value(), "model"},
          {"--count", model.count.has_value(), "model"},
          {"--seed", model.seed.has_value(), "model"},
          {"--again", model.again.has_value(), "model"},
          {"--measure", model.measure, "model"}};
}

std::vector<GivenOption> options_of_gpu(const GpuVerbOptions& gpu) {
  return {{"--target", !gpu.targets.empty(), "gpu"},
          {"--caches", gpu.caches.has_value(), "gpu"},
          {"--also", !gpu.also.empty(), "gpu"},
          {"--from", !gpu.from.empty(), "gpu"}};
}

void check_model_options(const ModelVerbOptions& model) {
  if (model.again && (model.count || model.seed)) {
    user_error("E848", {}, "--again draws no configurations: it has no --count and no --seed",
               "leave them out; the file has its own");
  }
  if (model.measure && !model.again) {
    user_error("E848", {}, "--measure is for the configurations of a file", "add --again FILE");
  }
}

/// Those that only suites with workloads have.
std::vector<GivenOption> options_of_workloads(const bench::BenchOptions& asked,
                                              const BenchVerbOptions& verb) {
  return {{"--list", verb.list},
          {"--workloads", !asked.workloads.empty()},
          {"--peers", !asked.peers.empty()},
          {"--peer-file", !asked.peer_files.empty()},
          {"--configs", !asked.configs.empty()},
          {"--records", !verb.records.empty()},
          {"--rounds", asked.rounds > 0},
          {"--quick", asked.quick}};
}

/// Those that the suite does not have.
std::vector<GivenOption> foreign_options(const bench::BenchOptions& asked,
                                         const BenchVerbOptions& verb) {
  std::vector<GivenOption> all;
  const auto add = [&](const std::vector<GivenOption>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  if (asked.suite != "model") add(options_of_model(verb.model));
  if (asked.suite != "gpu") add(options_of_gpu(verb.gpu));
  if (asked.suite == "model") add(options_of_workloads(asked, verb));
  if (asked.suite == "gpu") add({{"--threads", asked.threads > 0, "cpu"}});
  return all;
}

void check_options(const bench::BenchOptions& asked, const BenchVerbOptions& verb) {
  if (asked.suite == "model") check_model_options(verb.model);
  for (const GivenOption& option : foreign_options(asked, verb)) {
    if (!option.given) continue;
    user_error("E848", {},
               fmt::format("'mdh bench {}' has no option '{}'", asked.suite, option.name),
               option.suite.empty()
                   ? "it has --program, --size, --count, --seed, --again, --measure and --threads"
                   : fmt::format("it is for 'mdh bench {}'", option.suite));
  }
  if (verb.gpu.from.empty()) return;
  std::vector<GivenOption> measuring = options_of_workloads(asked, verb);
  measuring.push_back({"--also", !verb.gpu.also.empty()});
  measuring.push_back({"--target", !verb.gpu.targets.empty()});
  measuring.push_back({"--caches", verb.gpu.caches.has_value()});
  for (const GivenOption& option : measuring) {
    if (!option.given) continue;
    user_error("E848", {}, fmt::format("--from measures nothing: it has no {}", option.name),
               "leave it out");
  }
}

Request model_request(const bench::BenchOptions& asked, const ModelVerbOptions& verb) {
  Request request;
  request.program = verb.program.value_or("matmul");
  request.size = verb.size.value_or(request.program == "matmul" ? "512,512,512" : "");
  request.seed = verb.seed.value_or(request.seed);
  request.threads = asked.threads;
  request.no_records = true;  // all configurations are drawn
  request.needs_config = false;
  return request;
}

[[noreturn]] void nothing_measured() {
  throw Error({DiagnosticKind::no_candidate,
               "E880",
               {},
               "no configuration works",
               {},
               "'mdh doctor' says whether the compiler works; --json has all reasons"});
}

int bench_model(const bench::BenchOptions& asked, const BenchVerbOptions& verb) {
  const Request request = model_request(asked, verb.model);
  const Problem problem = resolve(request);
  bench::ModelOptions options{.program = problem.program,
                              .sizes = problem.sizes,
                              .candidates = candidates_of(request, problem)};
  options.count = verb.model.count.value_or(options.count);
  options.seed = request.seed;
  options.version = asked.version;
  if (!verb.quiet) {
    options.progress = [](const std::string& what) { say("mdh: {}\n", what); };
  }
  if (!verb.json.empty()) require_writable(verb.json);
  const auto measured_or_read = [&] {
    if (!verb.model.again) return bench::measure_model(options);
    return verb.model.measure ? bench::measured_again(*verb.model.again, options)
                              : bench::estimated_again(*verb.model.again, options);
  };
  const bench::ModelReport report = measured_or_read();
  if (!verb.json.empty()) write_file(verb.json, bench::to_json(report));
  fmt::print("{}", bench::to_table(report));
  if (bench::measured_count(report) == 0) nothing_measured();
  return 0;
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
  check_options(asked, verb);
  check_records(asked, verb);
  if (asked.suite == "model") return bench_model(asked, verb);
  if (asked.suite == "compile") return bench_compile(asked, verb);
  if (asked.suite == "gpu") return bench_gpu(asked, verb);
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
