// Random triples through all evaluators and back ends, for as long as one likes.
//
//   campaign --from 1 --count 200 --on evaluators|openmp|address|thread|opencl [--save FOLDER]
//            [--write FOLDER]
//
// Prints one JSON object: cases, refused, failures with their seeds, and how often each rule of the
// planner was made use of. A case that fails is shrunk and saved. Exit code 1 if there is one, 3 if
// this machine lacks what the place needs.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "mdh/hl/print.h"
#include "mdh/machine/machine_json.h"
#include "mdh/passes/lower.h"
#include "mdh/passes/plan.h"
#include "mdh/runtime/opencl/device.h"
#include "tests/campaign/backends.h"
#include "tests/campaign/coverage.h"
#include "tests/campaign/shrink.h"

namespace mdh::test {
namespace {

struct Options {
  uint64_t from = 1;
  uint64_t count = 100;
  std::string on = "openmp";
  std::string save;
  std::string write;
  size_t batch = 20;
};

/// A rule that no case makes use of is counted, too: with 0.
struct Summary {
  Summary() {
    for (const std::string& rule : rule_names()) rules[rule] = 0;
  }
  int cases = 0, refused = 0;
  RuleCounts rules;
  nlohmann::json failures = nlohmann::json::array();
};

std::string target_of(const Options& options) {
  return options.on == "opencl" ? "opencl" : "openmp";
}

std::vector<std::string> run_batch(const std::vector<Prepared>& batch, const Options& options) {
  if (options.on == "address") return run_sanitized(batch, address_sanitizer());
  if (options.on == "thread") return run_sanitized(batch, thread_sanitizer());
  if (options.on == "opencl") return run_on_opencl(batch);
  if (options.on == "evaluators") {
    std::vector<std::string> complaints;
    for (const Prepared& one : batch) complaints.push_back(run_evaluators(one.triple, one.seed));
    return complaints;
  }
  runtime::host::Compiler compiler = runtime::host::find_compiler();
  compiler.flags = {"-O1"};
  return run_on_openmp(batch, compiler);
}

/// The same as for one of many; what goes wrong before it runs is a failure, too.
std::string judge(const Triple& triple, uint64_t seed, const Options& options) {
  try {
    const auto one = prepare(triple, seed, target_of(options));
    return one ? run_batch({*one}, options).front() : "";
  } catch (const Error& e) {
    return e.diagnostic().message;
  }
}

/// Seeds mean something else as soon as a generator changes; files do not.
std::filesystem::path write_files(const Triple& triple, uint64_t seed, const std::string& parent) {
  const std::filesystem::path folder = std::filesystem::path(parent) / fmt::format("seed_{}", seed);
  std::filesystem::create_directories(folder);
  write_file(folder / "program.mdh", hl::print(triple.program));
  write_file(folder / "machine.json", machine::print(triple.machine));
  write_file(folder / "config.json", ll::print(triple.config));
  return folder;
}

void save(const Triple& triple, uint64_t seed, const std::string& complaint,
          const Options& options) {
  write_file(write_files(triple, seed, options.save) / "complaint.txt",
             fmt::format("on {}: {}\n", options.on, complaint));
}

void fail(const Triple& triple, uint64_t seed, const std::string& complaint, const Options& options,
          Summary& summary) {
  summary.failures.push_back({{"seed", seed}, {"complaint", complaint.substr(0, 2000)}});
  if (options.save.empty()) return;
  const Triple smallest = shrunk(
      triple, [&](const Triple& candidate) { return !judge(candidate, seed, options).empty(); });
  save(smallest, seed, judge(smallest, seed, options), options);
}

void flush(std::vector<Prepared>& batch, const Options& options, Summary& summary) {
  if (batch.empty()) return;
  std::vector<std::string> complaints;
  try {
    complaints = run_batch(batch, options);
  } catch (const Error&) {
    for (const Prepared& one : batch) complaints.push_back(judge(one.triple, one.seed, options));
  }
  for (size_t n = 0; n < batch.size(); ++n) {
    ++summary.cases;
    const Prepared& one = batch[n];
    for (const std::string& rule :
         rules_of(one.low, passes::plan(one.low, one.triple.machine, one.triple.config.code))) {
      ++summary.rules[rule];
    }
    if (!complaints[n].empty()) fail(one.triple, one.seed, complaints[n], options, summary);
  }
  batch.clear();
}

/// What this machine lacks to run cases there; nothing if it has all.
std::string missing_for(const std::string& place) {
  if (place == "address" && address_sanitizer().compiler.empty()) {
    return "no gcc with the address sanitizer (apt-get install gcc)";
  }
  if (place == "thread" && thread_sanitizer().compiler.empty()) {
    return "no clang with the thread sanitizer and libarcher (apt-get install clang libomp-dev)";
  }
  if (place != "opencl") return "";
  try {
    runtime::opencl::find_device("opencl");
    return "";
  } catch (const Error& e) {
    return e.diagnostic().message;
  }
}

Summary run(const Options& options) {
  Summary summary;
  std::vector<Prepared> batch;
  for (uint64_t seed = options.from; seed < options.from + options.count; ++seed) {
    const Triple triple = make_triple(seed);
    if (!options.write.empty()) write_files(triple, seed, options.write);
    try {
      auto one = prepare(triple, seed, target_of(options));
      if (one) {
        batch.push_back(std::move(*one));
      } else {
        ++summary.refused;
      }
    } catch (const Error& e) {
      fail(triple, seed, e.diagnostic().message, options, summary);
    }
    if (batch.size() == options.batch) flush(batch, options, summary);
  }
  flush(batch, options, summary);
  return summary;
}

}  // namespace
}  // namespace mdh::test

int main(int argc, char** argv) {
  mdh::test::Options options;
  CLI::App app("Random triples through all evaluators and back ends");
  app.add_option("--from", options.from, "the first seed");
  app.add_option("--count", options.count, "how many");
  app.add_option("--on", options.on, "evaluators, openmp, address, thread or opencl")
      ->check(CLI::IsMember({"evaluators", "openmp", "address", "thread", "opencl"}));
  app.add_option("--save", options.save, "a folder for cases that fail");
  app.add_option("--write", options.write, "a folder for all cases, as drawn");
  app.add_option("--batch", options.batch, "kernels that are compiled together");
  CLI11_PARSE(app, argc, argv);
  if (const std::string lacks = mdh::test::missing_for(options.on); !lacks.empty()) {
    fmt::print(stderr, "campaign: SKIP {}: {}\n", options.on, lacks);
    return 3;
  }
  const mdh::test::Summary summary = mdh::test::run(options);
  nlohmann::json out{{"on", options.on},           {"from", options.from},
                     {"count", options.count},     {"cases", summary.cases},
                     {"refused", summary.refused}, {"failures", summary.failures},
                     {"rules", summary.rules}};
  fmt::print("{}\n", out.dump());
  return summary.failures.empty() ? 0 : 1;
}
