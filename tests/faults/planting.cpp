#include "tests/faults/planting.h"

#include <algorithm>
#include <filesystem>

#include "mdh/driver/run.h"
#include "mdh/driver/verify/twin.h"
#include "mdh/hl/print.h"
#include "mdh/loop/print.h"
#include "mdh/machine/machine_json.h"
#include "mdh/runtime/opencl/testing_device.h"
#include "mdh/tuning/tuner.h"
#include "tests/faults/kernels.h"
#include "tests/faults/places.h"

namespace mdh::test {
namespace {

constexpr int most_subjects = 60, places_of_a_subject = 8;
constexpr uint64_t large_share = 13;  // one of so many seeds

/// By which fault a verdict is counted. Races on threads may or may not show: where groups of a
/// device wait for one another, they do.
bool is_fault(Verdict verdict, const Mutation& m) {
  switch (verdict) {
    case Verdict::different:
    case Verdict::undefined:
      return true;
    case Verdict::race:
      return m.kind == "barrier_missing";
    case Verdict::same:
    case Verdict::arbitrary:
    case Verdict::broken:
      return false;
  }
  return false;
}

/// What a target prints; nothing where it cannot print the mutant.
std::optional<std::string> source_of(const Subject& subject, const driver::Target& target) {
  try {
    const auto stages = stages_of(subject, target);
    return stages ? std::optional(stages->module.source) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// A subject with what is needed to judge its mutants.
class Judge {
 public:
  Judge(const Subject& subject, const driver::Target& target, const driver::Stages& stages)
      : subject_(subject), target_(target), stages_(stages) {}

  bool is_fault(const Mutation& m) {
    const driver::Target mutant = planted(target_, m);
    if (layer_of(m.kind) == Layer::text) return is_text_fault(m, mutant);
    const auto program = mutated(stages_.concrete, m);
    if (!program || *program == stages_.concrete) return false;
    if (!meaning_) meaning_.emplace(meaning_of(subject_, stages_));
    const bool of_loops = layer_of(m.kind) == Layer::loops;
    const Verdict verdict =
        of_loops ? meaning_->of_loops(*program) : meaning_->of_function(*program);
    if (!test::is_fault(verdict, m)) return false;
    const auto source = source_of(subject_, mutant);
    return source && *source != stages_.module.source;
  }

 private:
  /// Texts of functions with statements of their own have places that others do not have.
  bool is_text_fault(const Mutation& m, const driver::Target& mutant) {
    if (!is_plain(stages_.concrete.f) || !is_plain(stages_.concrete.combine)) return false;
    if (!mutated_text(stages_.module, m)) return false;
    const auto stages = stages_of(subject_, mutant);
    return stages && always_differ(subject_, stages_.module, stages->module);
  }

  const Subject& subject_;
  const driver::Target& target_;
  const driver::Stages& stages_;
  std::optional<Meaning> meaning_;
};

std::string kind_of(uint64_t seed, const PlantOptions& options) {
  if (!options.kind.empty()) return options.kind;
  std::vector<std::string> kinds;
  for (const Layer layer : {Layer::loops, Layer::function, Layer::text}) {
    for (const std::string& kind : kinds_of(layer)) {
      if (kind != "barrier_missing" || options.target == "opencl") kinds.push_back(kind);
    }
  }
  return kinds[seed % kinds.size()];
}

/// The point exists at the large size, too: the twins, which are exact, differ.
bool is_reached(const Subject& large, const driver::Stages& stages, const driver::Target& target,
                const Mutation& m) {
  Subject twin = large;
  twin.inputs = nullptr;
  twin.triple.program = driver::twin_views(stages.low.computation);
  return always_differ(twin, driver::twin_stages(stages, target).module,
                       driver::twin_stages(stages, planted(target, m)).module);
}

/// A term more or less, or another operand, at a single point.
std::optional<Fault> plant_large(uint64_t seed, const PlantOptions& options) {
  static const std::vector<std::string> kinds = {"term_missing", "term_doubled",
                                                 "input_elsewhere_once"};
  if (!options.kind.empty() && std::find(kinds.begin(), kinds.end(), options.kind) == kinds.end()) {
    return std::nullopt;
  }
  Random random(seed);
  const driver::Target& target = driver::find_target(options.target);
  Fault fault{.seed = seed, .target = options.target, .is_large = true};
  for (int attempt = 0; attempt < most_subjects; ++attempt) {
    Large pair = draw_large(options.target, random);
    fault.mutation = {options.kind.empty() ? random.pick(kinds) : options.kind, random.next() >> 8,
                      random.next() >> 8};
    const auto small = stages_of(pair.small, target), large = stages_of(pair.large, target);
    if (!small || !large) continue;
    const bool alike = sites_of(small->concrete).size() == sites_of(large->concrete).size();
    if (alike && Judge(pair.small, target, *small).is_fault(fault.mutation) &&
        is_reached(pair.large, *large, target, fault.mutation)) {
      fault.subject = std::move(pair.large);
      return fault;
    }
    ++fault.equivalent;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Fault> plant(uint64_t seed, const PlantOptions& options) {
  if (seed % large_share == 0) {
    if (auto fault = plant_large(seed, options)) return fault;
  }
  Random random(seed);
  const driver::Target& target = driver::find_target(options.target);
  Fault fault{.seed = seed, .target = options.target};
  fault.mutation.kind = kind_of(seed, options);
  for (int s = 0; s < most_subjects; ++s) {
    Subject subject = draw_subject(options.target, random);
    const auto stages = stages_of(subject, target);
    if (!stages) continue;
    Judge judge(subject, target, *stages);
    for (int n = 0; n < places_of_a_subject; ++n) {
      fault.mutation.place = random.next() >> 8;
      fault.mutation.detail = random.next() >> 8;
      if (judge.is_fault(fault.mutation)) {
        fault.subject = std::move(subject);
        return fault;
      }
      ++fault.equivalent;
    }
  }
  return std::nullopt;
}

std::string to_string(Fate fate) {
  static const std::vector<std::string> names = {"caught", "crashed", "escaped", "idle"};
  return names[static_cast<size_t>(fate)];
}

namespace {

driver::RunOptions options_of(const Subject& subject, const driver::Target& target, uint64_t seed) {
  driver::RunOptions options{.target = &target,
                             .machine = subject.triple.machine,
                             .config = subject.triple.config,
                             .threads = kernel_threads,
                             .seed = seed};
  options.inputs = subject.inputs;
  if (target.name == "openmp") options.worker = &common_worker();
  if (target.name == "opencl") {
    options.device = fmt::format("opencl:{}", runtime::opencl::device_of_tests().number);
  }
  return options;
}

}  // namespace

Outcome run_planted(const Fault& fault) {
  const driver::Target target = planted(driver::find_target(fault.target), fault.mutation);
  try {
    const driver::Verification v =
        driver::run(fault.subject.triple.program, options_of(fault.subject, target, fault.seed))
            .verification;
    return {v.right ? Fate::escaped : Fate::caught, v.complaint};
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::wrong_result) return {Fate::caught, e.what()};
    return {Fate::crashed, e.what()};
  }
}

Outcome tune_planted(const Fault& fault, size_t configurations) {
  const driver::Target& right = driver::find_target(fault.target);
  const driver::Target target = planted(right, fault.mutation);
  tuning::TuneOptions options{.seconds = 60, .evaluations = configurations, .seed = fault.seed};
  options.candidates.target = &target;
  options.candidates.machine = machine::find_machine("cpu");
  options.candidates.threads = kernel_threads;
  options.candidates.inputs = fault.subject.inputs;
  options.candidates.worker.program = MDH_WORKER_FILE;
  const tuning::TuneReport report =
      tuning::tune(fault.subject.triple.program, options, [](const auto&, const auto&) {});
  Outcome outcome{Fate::idle, ""};
  for (const tuning::Trial& trial : report.trials) {
    if (trial.outcome == tune::RecordOutcome::wrong) outcome = {Fate::caught, trial.reason};
  }
  for (const tuning::Trial& trial : report.trials) {
    // The others were only compared on one set of data, on which a term may be 0.
    const bool is_best = report.best && report.best->config == trial.config;
    if (!trial.is_good() || !is_best) continue;
    Subject tried = fault.subject;
    tried.triple.machine = options.candidates.machine;
    tried.triple.config = trial.config;
    const auto stages = stages_of(tried, right);
    if (stages && Judge(tried, right, *stages).is_fault(fault.mutation)) {
      return {Fate::escaped, "accepted with\n" + ll::print(trial.config)};
    }
  }
  return outcome;
}

Subject right_subject(uint64_t seed, const std::string& target) {
  if (seed % 2 == 0) {
    Random random(seed);
    return draw_subject(target, random);
  }
  Subject any;
  any.triple = make_triple(seed);
  any.name = any.triple.program.name;
  return any;
}

std::optional<std::string> run_right(const Subject& subject, const std::string& target,
                                     uint64_t seed) {
  const driver::Target& right = driver::find_target(target);
  if (!stages_of(subject, right)) return std::nullopt;
  try {
    const driver::Verification v =
        driver::run(subject.triple.program, options_of(subject, right, seed)).verification;
    return v.right ? "" : "refused: " + v.complaint;
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::unsupported) return std::nullopt;
    return e.what();
  }
}

nlohmann::json to_json(const Fault& fault) {
  return {{"seed", fault.seed},
          {"on", fault.target},
          {"program", fault.subject.name},
          {"type", scalar::to_string(fault.subject.type)},
          {"large", fault.is_large},
          {"kind", fault.mutation.kind},
          {"place", fault.mutation.place},
          {"way", fault.mutation.detail}};
}

std::string save(const Fault& fault, const Outcome& outcome, const std::string& folder) {
  const std::filesystem::path where =
      std::filesystem::path(folder) / fmt::format("{}_seed_{}", fault.target, fault.seed);
  std::filesystem::create_directories(where);
  const Triple& t = fault.subject.triple;
  const driver::Target& target = driver::find_target(fault.target);
  const driver::Target mutant = planted(target, fault.mutation);
  write_file(where / "program.mdh", hl::print(t.program));
  write_file(where / "machine.json", machine::print(t.machine));
  write_file(where / "config.json", ll::print(t.config));
  write_file(where / "fault.json", to_json(fault).dump(2) + "\n");
  write_file(where / "right.c", stages_of(fault.subject, target)->module.source);
  write_file(where / "wrong.c", stages_of(fault.subject, mutant)->module.source);
  write_file(where / "complaint.txt",
             fmt::format("{}: {}\n", to_string(outcome.fate), outcome.complaint));
  return where.string();
}

}  // namespace mdh::test
