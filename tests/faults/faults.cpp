// Faults planted into kernels, and whether verification catches them.
//
//   faults [--from 1] [--count 100] [--on openmp|opencl] [--kind KIND] [--tune N] [--right N]
//          [--save FOLDER]
//
// Plants `count` faults, seed after seed, and runs each of them; so many of them are put into a
// search as well, on OpenMP. Then runs N kernels that are right. Prints one JSON object. Exit code
// 1 if a fault escapes or a right kernel is refused, 3 if this machine lacks the target.
#include <CLI/CLI.hpp>
#include <map>

#include "mdh/runtime/opencl/testing_device.h"
#include "tests/faults/planting.h"

namespace mdh::test {
namespace {

struct Options {
  uint64_t from = 1, count = 100, tunes = 0, right = 0;
  PlantOptions plant;
  std::string save;
};

struct Summary {
  uint64_t planted = 0, caught = 0, crashed = 0, none = 0, equivalent = 0, large = 0;
  uint64_t tuned = 0, tune_caught = 0, right = 0, unsupported = 0;
  std::map<std::string, uint64_t> kinds, programs, types;
  nlohmann::json escaped = nlohmann::json::array(), refused = nlohmann::json::array();

  bool is_good() const { return escaped.empty() && refused.empty(); }
};

void report(const Fault& fault, const Outcome& outcome, const std::string& by,
            const Options& options, Summary& summary) {
  nlohmann::json entry = to_json(fault);
  entry["by"] = by;
  if (!outcome.complaint.empty()) entry["complaint"] = outcome.complaint.substr(0, 1000);
  if (!options.save.empty()) entry["saved"] = save(fault, outcome, options.save);
  fmt::print(stderr, "faults: escaped {}\n", entry.dump());
  summary.escaped.push_back(std::move(entry));
}

void count(const Fault& fault, Summary& summary) {
  ++summary.planted;
  ++summary.kinds[fault.mutation.kind];
  ++summary.programs[fault.subject.name];
  ++summary.types[scalar::to_string(fault.subject.type)];
  if (fault.is_large) ++summary.large;
}

/// Mutants that do not even run are no proof of anything: they are not counted.
void plant_one(uint64_t seed, const Options& options, Summary& summary) {
  const auto fault = plant(seed, options.plant);
  if (!fault) {
    ++summary.none;
    return;
  }
  summary.equivalent += static_cast<uint64_t>(fault->equivalent);
  const Outcome outcome = run_planted(*fault);
  if (outcome.fate == Fate::crashed) {
    ++summary.crashed;
    fmt::print(stderr, "faults: crashed {} {}\n", to_json(*fault).dump(), outcome.complaint);
    return;
  }
  count(*fault, summary);
  if (outcome.fate == Fate::caught) ++summary.caught;
  if (outcome.fate == Fate::escaped) report(*fault, outcome, "run", options, summary);
  if (summary.tuned == options.tunes || fault->is_large) return;
  const Outcome tuned = tune_planted(*fault, 4);
  if (tuned.fate == Fate::idle) return;
  ++summary.tuned;
  if (tuned.fate == Fate::caught) ++summary.tune_caught;
  if (tuned.fate == Fate::escaped) report(*fault, tuned, "tune", options, summary);
}

void run_right_one(uint64_t seed, const Options& options, Summary& summary) {
  const Subject subject = right_subject(seed, options.plant.target);
  const auto refusal = run_right(subject, options.plant.target, seed);
  if (!refusal) {
    ++summary.unsupported;
    return;
  }
  ++summary.right;
  if (refusal->empty()) return;
  summary.refused.push_back({{"seed", seed}, {"program", subject.name}, {"complaint", *refusal}});
  fmt::print(stderr, "faults: refused {}\n", summary.refused.back().dump());
}

Summary run(const Options& options) {
  Summary summary;
  for (uint64_t seed = options.from; summary.planted < options.count; ++seed) {
    plant_one(seed, options, summary);
  }
  for (uint64_t seed = options.from; summary.right < options.right; ++seed) {
    run_right_one(seed, options, summary);
  }
  return summary;
}

nlohmann::json to_json(const Summary& s, const Options& options) {
  return {{"on", options.plant.target},
          {"from", options.from},
          {"planted", s.planted},
          {"caught", s.caught},
          {"crashed", s.crashed},
          {"large", s.large},
          {"no_fault_found", s.none},
          {"equivalent_draws", s.equivalent},
          {"tuned", s.tuned},
          {"tune_caught", s.tune_caught},
          {"right", s.right},
          {"unsupported", s.unsupported},
          {"escaped", s.escaped},
          {"refused", s.refused},
          {"kinds", s.kinds},
          {"programs", s.programs},
          {"types", s.types}};
}

std::string missing_for(const std::string& target) {
  if (target != "opencl") return "";
  try {
    runtime::opencl::device_of_tests();
    return "";
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    return e.diagnostic().message;
  }
}

}  // namespace
}  // namespace mdh::test

int main(int argc, char** argv) {
  using namespace mdh::test;
  Options options;
  CLI::App app("Faults planted into kernels, and whether verification catches them");
  app.add_option("--from", options.from, "the first seed");
  app.add_option("--count", options.count, "how many faults");
  app.add_option("--on", options.plant.target, "openmp or opencl")
      ->check(CLI::IsMember({"openmp", "opencl"}));
  app.add_option("--kind", options.plant.kind, "one kind of fault instead of all");
  app.add_option("--tune", options.tunes, "faults that a search meets, too");
  app.add_option("--right", options.right, "kernels that are right");
  app.add_option("--save", options.save, "a folder for faults that escape");
  CLI11_PARSE(app, argc, argv);
  if (const std::string lacks = missing_for(options.plant.target); !lacks.empty()) {
    fmt::print(stderr, "faults: SKIP {}: {}\n", options.plant.target, lacks);
    return 3;
  }
  try {
    if (!options.plant.kind.empty()) layer_of(options.plant.kind);
    const Summary summary = run(options);
    fmt::print("{}\n", to_json(summary, options).dump(2));
    return summary.is_good() ? 0 : 1;
  } catch (const mdh::Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 70;
  }
}
