#include "mdh/driver/run.h"

#include <cstdio>

#include <nlohmann/json.hpp>

#include "mdh/driver/data.h"
#include "mdh/hl/laws/laws.h"
#include "mdh/support/text.h"
#include "tools/mdh/data_files.h"
#include "tools/mdh/progress.h"
#include "tools/mdh/say.h"
#include "tools/mdh/verbs.h"

namespace mdh::tool {
namespace {

/// The plain loop of the catalogue knows its own constants only.
bool has_plain_loop(const Problem& problem, const Request& request) {
  return problem.entry != nullptr && request.set.empty();
}

driver::RunOptions options_of(const Problem& problem, const Request& request,
                              const RunVerbOptions& verb) {
  driver::RunOptions options;
  options.target = problem.target;
  options.device = request.target;
  options.machine = problem.machine;
  options.config = problem.config.config;
  if (problem.config.source == tuning::ConfigSource::model) {
    options.otherwise = [&] {
      return tuning::default_choice(problem.program, problem.machine, problem.threads).config;
    };
  }
  options.threads = problem.threads;
  options.seed = request.seed;
  options.compare = verb.compare;
  options.caches = verb.caches == "cold" ? runtime::Caches::cold : runtime::Caches::warm;
  options.inputs = [&] {
    const bool made = problem.entry && problem.entry->inputs;
    std::vector<scalar::Array> inputs =
        made ? problem.entry->inputs(problem.instance, problem.program, request.seed)
             : driver::random_inputs(problem.program, request.seed);
    read_inputs(problem.program, verb.inputs, inputs);
    return inputs;
  };
  if (has_plain_loop(problem, request)) {
    options.plain = [&problem](std::span<void* const> buffers) {
      problem.entry->plain(problem.instance, buffers);
    };
  }
  return options;
}

std::string coverage_text(const driver::Verification& v) {
  if (v.coverage == driver::Coverage::none) return "none (this is the reference)";
  std::vector<std::string> checks;
  const auto add = [&](const std::string& name, const driver::Check& check) {
    std::string text = name + " " + to_string(check.coverage);
    if (!check.note.empty()) text += fmt::format(" ({})", check.note);
    checks.push_back(text);
  };
  add("twin", v.twin);
  add("few whole numbers", v.thinned);
  add("random numbers", v.random);
  return fmt::format("{} ({})", to_string(v.coverage), join(checks, ", "));
}

nlohmann::ordered_json check_json(const driver::Check& check) {
  nlohmann::ordered_json out{{"coverage", to_string(check.coverage)}, {"runs", check.runs}};
  if (!check.note.empty()) out["note"] = check.note;
  return out;
}

void print_json(const Problem& problem, const driver::RunReport& report) {
  nlohmann::ordered_json out;
  out["schema"] = "mdh_run 1";
  out["program"] = problem.program.name;
  out["sizes"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : problem.size_values) out["sizes"][name] = value;
  out["types"] = nlohmann::ordered_json::object();
  for (const auto& [name, type] : problem.types) out["types"][name] = type;
  out["target"] = problem.target->name;
  out["machine"] = problem.machine.name;
  out["config_source"] = to_string(problem.config.source);
  out["threads"] = problem.threads;
  out["verified"] = to_string(report.verification.coverage);
  out["max_error"] = report.verification.max_error;
  out["bound"] = report.verification.bound;
  out["checks"] = {{"twin", check_json(report.verification.twin)},
                   {"few_whole_numbers", check_json(report.verification.thinned)},
                   {"random_numbers", check_json(report.verification.random)}};
  out["weakness"] = report.verification.weakness;
  out["time_us"] = {{"median", report.timing.median_us},
                    {"mean", report.timing.mean_us},
                    {"ci99", report.timing.ci99_us},
                    {"n", report.timing.count}};
  out["caches"] = report.caches == runtime::Caches::cold ? "cold" : "warm";
  if (!report.device.empty()) {
    out["device"] = {{"name", report.device}, {"model", report.device_model}};
    out["host_us"] = report.timing.host_us;
  }
  out["load"] = report.timing.load;
  out["gflops"] = report.gflops;
  out["gbs"] = report.gbs;
  if (report.plain_ratio > 0) out["plain_ratio"] = report.plain_ratio;
  fmt::print("{}\n", out.dump());
}

void print_text(const Problem& problem, const driver::RunReport& report) {
  const runtime::Timing& t = report.timing;
  fmt::print("{} {}\n", problem.program.name, problem.sizes);
  fmt::print("verified: {}, max error {:.3g} (allowed {:.3g})\n",
             coverage_text(report.verification), report.verification.max_error,
             report.verification.bound);
  fmt::print(
      "time: {:.3f} us (median of {}{}; mean {:.3f} +- {:.3f}), {:.3f} GFLOP/s, {:.3f} GB/s\n",
      t.median_us, t.count, report.caches == runtime::Caches::cold ? " with cold caches" : "",
      t.mean_us, t.ci99_us, report.gflops, report.gbs);
  if (!report.device.empty()) {
    fmt::print("device: {} ({}); host: {:.3f} us for a run with its launches\n",
               report.device_model, report.device, t.host_us);
  }
  if (report.plain_ratio > 0) {
    fmt::print("plain loop (one thread, -O3, baseline instruction set) / mdh: {:.2f}\n",
               report.plain_ratio);
  }
}

/// Compiled code runs in a worker, if there is one: whatever it does, mdh can say so.
std::optional<runtime::Worker> worker_for(const Problem& problem, const RunVerbOptions& verb) {
  if (verb.in_process || !problem.target->runtime || !problem.target->runtime->has_worker) {
    return std::nullopt;
  }
  const std::string program = runtime::find_worker();
  if (program.empty()) return std::nullopt;
  return std::optional<runtime::Worker>(
      std::in_place, runtime::WorkerOptions{.time_limit = verb.time_limit, .program = program});
}

/// driver::run announces each of its steps.
driver::RunReport run_with_progress(const Problem& problem, const Request& request,
                                    const RunVerbOptions& verb) {
  driver::RunOptions options = options_of(problem, request, verb);
  std::optional<runtime::Worker> worker = worker_for(problem, verb);
  options.worker = worker ? &*worker : nullptr;
  const int steps = options.target->print == nullptr ? 2 : options.compare ? 7 : 6;
  Progress progress(steps, request.quiet);
  options.progress = [&](const std::string& what) { progress.step(what); };
  options.share = [&](double done) { progress.share(done); };
  if (!request.quiet) options.note = [](const std::string& text) { say("mdh: note: {}\n", text); };
  return driver::run(problem.program, options);
}

/// Everything that is generated combines in an order that does not depend on the number of cores,
/// but for atomics.
void check_deterministic(const ll::Config& config) {
  for (const auto& [level, how] : config.code.combine) {
    if (how != ll::Combination::atomic) continue;
    user_error("E812", {},
               fmt::format("--deterministic: code.combine.{} is atomic, so that results depend on "
                           "which core comes first",
                           to_string(level)),
               "choose team_tree, partials_kernel or last_core there");
  }
}

void say_configuration(const Problem& problem, const Request& request) {
  if (request.quiet) return;
  say("mdh: target {}, machine {}, configuration: {}, threads {}\n", problem.target->name,
      problem.machine.name, describe(problem.config), problem.threads);
}

/// A record that does not work here, whose flags the compiler does not know or whose kernel fails,
/// gives way to the next best.
driver::RunReport run_what_works(Problem& problem, const Request& request,
                                 const RunVerbOptions& verb) {
  for (;;) {
    try {
      return run_with_progress(problem, request, verb);
    } catch (const Error& e) {
      const bool may_give_way = tuning::is_measured(problem.config.source) &&
                                tuning::is_failure_of_kernel(e.diagnostic());
      if (!may_give_way) throw;
      take_next_config(request, problem, e.diagnostic());
      if (verb.deterministic) check_deterministic(problem.config.config);
      say_configuration(problem, request);
    }
  }
}

}  // namespace

int run(const Request& request, const RunVerbOptions& verb) {
  Request asked = request;
  asked.may_measure = true;
  asked.same_bits = verb.deterministic;
  Problem problem = resolve(asked);
  if (verb.deterministic) check_deterministic(problem.config.config);
  if (verb.compare && !has_plain_loop(problem, request)) {
    user_error("E808", {}, "--compare needs a program of the catalogue, without --set",
               "only they come with a plain loop, which has constants of its own");
  }
  if (verb.compare && problem.target->print == nullptr) {
    user_error("E808", {}, "--compare needs a target that is compiled", "use --target openmp");
  }
  check_files(problem.program, verb.inputs, verb.outputs);
  say_configuration(problem, request);
  note_unused(problem, request);
  const driver::RunReport report = run_what_works(problem, request, verb);
  if (!report.verification.right) {
    // An operator that breaks its laws on these data is to blame, not mdh.
    hl::check_laws_on(problem.program, options_of(problem, request, verb).inputs());
    if (!report.verification.failed_on.empty()) {
      hl::check_laws_on(problem.program, report.verification.failed_on);
    }
    throw Error({DiagnosticKind::wrong_result,
                 "E809",
                 {},
                 fmt::format("wrong result: {}", report.verification.complaint),
                 {},
                 "no time is reported for a wrong result; please report this as a bug"});
  }
  if (report.is_loaded() && !request.quiet) {
    say("mdh: note: other programs used the cores meanwhile, for {:.0f} % of the time\n",
        100 * report.timing.load);
  }
  write_outputs(problem.program, verb.outputs, report.outputs);
  verb.json ? print_json(problem, report) : print_text(problem, report);
  return 0;
}

}  // namespace mdh::tool
