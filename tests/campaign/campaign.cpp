// Random triples through all evaluators and back ends, for as long as one likes.
//
//   campaign --from 1 --count 200 --on evaluators|openmp|address|thread|opencl|cuda|emulation
//            [--save FOLDER] [--write FOLDER] [--only RULE]...
//   campaign --cases FOLDER --on ...
//   campaign --catalogue 30 --on ...
//
// With --cases, the triples are those that --save and --write leave in folders, not drawn ones:
// seeds mean something else as soon as a generator changes, files do not. On openmp every compiler
// and all flags that `mdh run` may take have their share of the seeds. On emulation the code of every
// target that it takes runs, one after the other. With --only, triples that make use of none of these
// rules are left out: rare ones would take days otherwise.
//
// Prints one JSON object: cases, refused, those of a folder that could not be read, left out by
// --only, failures with their seeds, and how often each rule of the planner was made use of. A case
// that fails is shrunk and saved. Exit code 1 if there is one, 3 if this machine lacks what the place
// needs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "mdh/passes/lower/lower.h"
#include "mdh/passes/plan/plan.h"
#include "mdh/runtime/cuda/runtime.h"
#include "mdh/runtime/opencl/testing_device.h"
#include "tests/campaign/backends.h"
#include "tests/campaign/cases.h"
#include "tests/campaign/catalogue_triples.h"
#include "tests/campaign/coverage.h"
#include "tests/campaign/registers.h"
#include "tests/campaign/shrink.h"
#include "tests/emulation/device.h"

namespace mdh::test {
namespace {

struct Options {
  uint64_t from = 1;
  uint64_t count = 100;
  std::string on = "openmp";
  std::string save;
  std::string write;
  std::string cases;
  std::vector<std::string> only;
  size_t batch = 20;
  int catalogue = 0;
};

/// A rule that no case makes use of is counted, too: with 0.
struct Summary {
  Summary() {
    for (const std::string& rule : rule_names()) rules[rule] = 0;
  }
  int cases = 0, refused = 0, left_out = 0;  // by --only
  RegisterCount registers;
  RuleCounts rules;
  nlohmann::json failures = nlohmann::json::array();
  nlohmann::json unread = nlohmann::json::array();  // refused cases of a folder, and why
};

/// Those whose code runs there: the emulation takes that of several.
std::vector<std::string> targets_of(const Options& options) {
  static const std::vector<std::string> emulated = emulated_targets();
  if (options.on == "emulation") return emulated;
  return {options.on == "opencl" || options.on == "cuda" ? options.on : "openmp"};
}

const runtime::Device& cuda_device() {
  static const std::shared_ptr<const runtime::Device> device = runtime::cuda::runtime().open("");
  return *device;
}

/// A seed is always compiled in the same way.
std::vector<std::string> run_by_turns(const std::vector<Prepared>& batch) {
  static const std::vector<runtime::host::Compiler> compilers = compilers_of_run();
  std::vector<std::string> complaints(batch.size());
  for (size_t turn = 0; turn < compilers.size(); ++turn) {
    std::vector<Prepared> mine;
    std::vector<size_t> places;
    for (size_t n = 0; n < batch.size(); ++n) {
      if (batch[n].seed % compilers.size() != turn) continue;
      mine.push_back(batch[n]);
      places.push_back(n);
    }
    if (mine.empty()) continue;
    const std::vector<std::string> found = run_on_openmp(mine, compilers[turn]);
    for (size_t n = 0; n < mine.size(); ++n) complaints[places[n]] = found[n];
  }
  return complaints;
}

std::vector<std::string> run_batch(const std::vector<Prepared>& batch, const Options& options) {
  if (options.on == "address") return run_sanitized(batch, address_sanitizer());
  if (options.on == "thread") return run_sanitized(batch, thread_sanitizer());
  if (options.on == "opencl") return run_on_opencl(batch);
  if (options.on == "cuda") return run_on(cuda_device(), batch);
  if (options.on == "emulation") return run_on(*emulation::device(), batch);
  if (options.on == "evaluators") {
    std::vector<std::string> complaints;
    for (const Prepared& one : batch) complaints.push_back(run_evaluators(one.triple, one.seed));
    return complaints;
  }
  return run_by_turns(batch);
}

/// The machine of a triple is drawn; the device that runs it may have less of everything.
bool is_too_small(const Diagnostic& d) { return d.code == "E615"; }

/// The same as for one of many; what goes wrong before it runs is a failure, too. Nothing if the
/// device cannot run it.
std::optional<std::string> judge(const Triple& triple, uint64_t seed, const Options& options) {
  try {
    for (const std::string& target : targets_of(options)) {
      const auto one = prepare(triple, seed, target);
      const std::string complaint = one ? run_batch({*one}, options).front() : "";
      if (!complaint.empty()) return complaint;
    }
    return "";
  } catch (const Error& e) {
    if (is_too_small(e.diagnostic())) return {};
    return e.diagnostic().message;
  }
}

void save(const Triple& triple, uint64_t seed, const std::string& complaint,
          const Options& options) {
  write_file(write_case(triple, seed, options.save) + "/complaint.txt",
             fmt::format("on {}: {}\n", options.on, complaint));
}

void fail(const Triple& triple, uint64_t seed, const std::string& complaint, const Options& options,
          Summary& summary) {
  summary.failures.push_back({{"seed", seed}, {"complaint", complaint.substr(0, 2000)}});
  if (options.save.empty()) return;
  const auto complaint_of = [&](const Triple& candidate) {
    return judge(candidate, seed, options).value_or("");
  };
  const Triple smallest =
      shrunk(triple, [&](const Triple& candidate) { return !complaint_of(candidate).empty(); });
  save(smallest, seed, complaint_of(smallest), options);
}

std::vector<std::string> rules_used_by(const Prepared& one) {
  return rules_of(one.low, passes::plan(one.low, one.triple.machine));
}

/// Whether it makes use of a rule that was asked for.
bool is_wanted(const Prepared& one, const std::vector<std::string>& only) {
  if (only.empty()) return true;
  const std::vector<std::string> rules = rules_used_by(one);
  return std::any_of(rules.begin(), rules.end(), [&](const std::string& rule) {
    return std::find(only.begin(), only.end(), rule) != only.end();
  });
}

void flush(std::vector<Prepared>& batch, const Options& options, Summary& summary) {
  if (batch.empty()) return;
  std::vector<std::optional<std::string>> complaints;
  try {
    for (std::string& complaint : run_batch(batch, options)) {
      complaints.emplace_back(std::move(complaint));
    }
  } catch (const Error&) {
    for (const Prepared& one : batch) complaints.push_back(judge(one.triple, one.seed, options));
  }
  for (size_t n = 0; n < batch.size(); ++n) {
    ++(complaints[n] ? summary.cases : summary.refused);
    if (!complaints[n]) continue;
    const Prepared& one = batch[n];
    for (const std::string& rule : rules_used_by(one)) ++summary.rules[rule];
    const RegisterCount registers = registers_of(one);
    summary.registers.meant += registers.meant;
    summary.registers.kept += registers.kept;
    if (!complaints[n]->empty()) fail(one.triple, one.seed, *complaints[n], options, summary);
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
  if (place == "emulation") return emulation::missing_here();
  try {
    if (place == "opencl") runtime::opencl::device_of_tests();
    if (place == "cuda") cuda_device();
    return "";
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    return e.diagnostic().message;
  }
}

/// Cases outlive the rules that programs keep: one that is refused today is no reason to stop.
std::optional<Case> readable(const std::string& folder, Summary& summary) {
  try {
    return read_case(folder);
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::internal) {
      summary.failures.push_back({{"case", folder}, {"complaint", e.diagnostic().message}});
      return {};
    }
    ++summary.refused;
    summary.unread.push_back(
        {{"case", folder}, {"code", e.diagnostic().code}, {"complaint", e.diagnostic().message}});
    return {};
  }
}

/// The triples to run, with their seeds.
void for_each_triple(const Options& options, Summary& summary,
                     const std::function<void(uint64_t seed, const Triple&)>& visit) {
  if (!options.cases.empty()) {
    for (const std::string& folder : folders_of_cases(options.cases)) {
      if (const auto one = readable(folder, summary)) visit(one->seed, one->triple);
    }
    return;
  }
  for (uint64_t seed = options.from; seed < options.from + options.count; ++seed) {
    visit(seed, make_triple(seed));
  }
}

void add(uint64_t seed, const Triple& triple, const std::string& target, const Options& options,
         std::vector<Prepared>& batch, Summary& summary) {
  try {
    auto one = prepare(triple, seed, target);
    if (!one) {
      ++summary.refused;
    } else if (is_wanted(*one, options.only)) {
      batch.push_back(std::move(*one));
    } else {
      ++summary.left_out;
    }
  } catch (const Error& e) {
    fail(triple, seed, e.diagnostic().message, options, summary);
  }
  if (batch.size() == options.batch) flush(batch, options, summary);
}

/// The catalogue instead of triples that are drawn whole.
Summary run_catalogue(const Options& options) {
  Summary summary;
  for (const std::string& target : targets_of(options)) {
    for (const examples::Entry& entry : examples::catalogue()) {
      std::vector<Prepared> all = prepared_of(entry, target, options.catalogue, options.from);
      summary.left_out += static_cast<int>(
          std::erase_if(all, [&](const Prepared& one) { return !is_wanted(one, options.only); }));
      for (size_t from = 0; from < all.size(); from += options.batch) {
        std::vector<Prepared> batch(all.begin() + from,
                                    all.begin() + std::min(all.size(), from + options.batch));
        flush(batch, options, summary);
      }
    }
  }
  return summary;
}

Summary run(const Options& options) {
  if (options.catalogue > 0) return run_catalogue(options);
  Summary summary;
  for (const std::string& target : targets_of(options)) {
    std::vector<Prepared> batch;
    for_each_triple(options, summary, [&](uint64_t seed, const Triple& triple) {
      if (!options.write.empty()) write_case(triple, seed, options.write);
      add(seed, triple, target, options, batch, summary);
    });
    flush(batch, options, summary);
  }
  return summary;
}

}  // namespace
}  // namespace mdh::test

int main(int argc, char** argv) {
  mdh::test::Options options;
  CLI::App app("Random triples through all evaluators and back ends");
  app.add_option("--from", options.from, "the first seed");
  app.add_option("--count", options.count, "how many");
  app.add_option("--on", options.on,
                 "evaluators, openmp, address, thread, opencl, cuda or emulation")
      ->check(CLI::IsMember(
          {"evaluators", "openmp", "address", "thread", "opencl", "cuda", "emulation"}));
  app.add_option("--save", options.save, "a folder for cases that fail");
  app.add_option("--only", options.only, "triples that make use of one of these rules")
      ->check(CLI::IsMember(mdh::test::rule_names()));
  app.add_option("--write", options.write, "a folder for all cases, as drawn");
  app.add_option("--cases", options.cases, "a folder of cases to run instead of seeds")
      ->check(CLI::ExistingDirectory);
  app.add_option("--catalogue", options.catalogue,
                 "all programs of the catalogue instead, and so many configurations for each type");
  app.add_option("--batch", options.batch, "kernels that are compiled together")
      ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  if (const std::string lacks = mdh::test::missing_for(options.on); !lacks.empty()) {
    fmt::print(stderr, "campaign: SKIP {}: {}\n", options.on, lacks);
    return 3;
  }
  const mdh::test::Summary summary = mdh::test::run(options);
  nlohmann::json out{{"on", options.on},
                     {"from", options.from},
                     {"count", options.count},
                     {"cases", summary.cases},
                     {"refused", summary.refused},
                     {"left_out", summary.left_out},
                     {"failures", summary.failures},
                     {"unread", summary.unread},
                     {"rules", summary.rules}};
  out["registers"] = {{"meant", summary.registers.meant}, {"kept", summary.registers.kept}};
  if (options.on == "opencl") {
    out["device"] = mdh::runtime::opencl::summary(mdh::runtime::opencl::device_of_tests());
  }
  if (options.on == "cuda") {
    const auto& device = mdh::test::cuda_device();
    out["device"] = fmt::format("{}  {}", device.name(), device.identity()->model);
  }
  fmt::print("{}\n", out.dump());
  return summary.failures.empty() ? 0 : 1;
}
