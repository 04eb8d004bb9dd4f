#include "bench/measure.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "bench/child.h"
#include "bench/load.h"
#include "bench/statistics.h"
#include "mdh/driver/data.h"
#include "mdh/hl/analysis.h"

namespace mdh::bench {
namespace {

using driver::Memory;
using scalar::Array;

/// Programs with more points are checked by samples: there are many candidates.
constexpr int64_t full_limit = int64_t{1} << 20;

/// A candidate with its process.
struct Entrant {
  Measured* measured;
  std::unique_ptr<Child> child;
  int calls = 0;  // in one turn
};

std::vector<bool> outputs_of(const hl::Program& program) {
  std::vector<bool> is_output(program.outputs.size(), true);
  is_output.resize(program.outputs.size() + program.inputs.size(), false);
  return is_output;
}

// ---- verification

std::vector<size_t> bytes_of_elements(const hl::Program& program) {
  std::vector<size_t> bytes;
  for (const hl::BufferView& view : program.outputs) {
    bytes.push_back(static_cast<size_t>(scalar::bytes_of(view.type)));
  }
  return bytes;
}

/// Makes Memory::run_poisoned look for elements that stay as they were, not for bits that differ
/// between two runs: a library need not combine in the same order twice. What the second run
/// wrote is replaced by what the first one did.
class TwoRuns {
 public:
  TwoRuns(Child& child, const Memory& memory, const hl::Program& program)
      : child_(child), memory_(memory), widths_(bytes_of_elements(program)) {}

  void operator()(std::span<void* const> buffers) {
    const std::vector<std::vector<char>> before = copied(buffers);
    child_.compute();
    if (first_.empty()) {
      first_ = copied(buffers);
      return;
    }
    for (size_t b = 0; b < widths_.size(); ++b) {
      auto* now = static_cast<char*>(buffers[b]);
      for (size_t at = 0; at < before[b].size(); at += widths_[b]) {
        if (std::memcmp(now + at, &before[b][at], widths_[b]) == 0) continue;
        std::memcpy(now + at, &first_[b][at], widths_[b]);
      }
    }
  }

 private:
  std::vector<std::vector<char>> copied(std::span<void* const> buffers) const {
    std::vector<std::vector<char>> all;
    for (size_t b = 0; b < widths_.size(); ++b) {
      const auto* from = static_cast<const char*>(buffers[b]);
      all.emplace_back(from, from + memory_.shared().bytes()[b]);
    }
    return all;
  }

  Child& child_;
  const Memory& memory_;
  std::vector<size_t> widths_;
  std::vector<std::vector<char>> first_;
};

/// Compares what a candidate computes from the inputs in memory with the definition.
driver::Verification verify(const hl::Program& program, const std::vector<Array>& inputs,
                            Memory& memory, Child& child, const driver::VerifyOptions& how) {
  child.load();
  TwoRuns kernel(child, memory, program);
  const std::vector<Array> outputs =
      memory.run_poisoned([&](std::span<void* const> buffers) { kernel(buffers); });
  if (!child.is_usable()) return {};
  driver::Verification result = driver::verify_outputs(program, inputs, outputs, how);
  for (size_t b = 0; b < outputs.size() && result.right; ++b) {
    const auto written = std::count(outputs[b].defined.begin(), outputs[b].defined.end(), 1);
    const auto expected = scalar::volume(hl::result_sizes(program)) *
                          static_cast<int64_t>(program.outputs[b].accesses.size());
    if (written == expected) continue;
    result.right = false;
    result.complaint = fmt::format("{} elements of output '{}' were written, expected {}", written,
                                   program.outputs[b].symbol.name, expected);
  }
  return result;
}

void put_inputs(const hl::Program& program, const std::vector<Array>& inputs, Memory& memory) {
  for (size_t n = 0; n < inputs.size(); ++n) {
    copy_to_memory(inputs[n], memory.pointers()[program.outputs.size() + n]);
  }
}

void judge(Entrant& entrant, const driver::Verification& verification, const std::string& where) {
  Measured& measured = *entrant.measured;
  if (!entrant.child->is_usable()) {
    measured.standing = Standing::failed;
    measured.note = entrant.child->failure();
    return;
  }
  const bool exact = measured.verification.exact;
  measured.verification = verification;
  measured.verification.exact = exact;
  if (verification.right) return;
  measured.standing = Standing::wrong;
  measured.note = where + verification.complaint;
}

bool takes_part(const Entrant& entrant) {
  return entrant.measured->standing == Standing::measured && entrant.child->is_usable();
}

/// Bounds for any order of combination are weak for long sums, so results are exact first, on
/// whole numbers, where nothing rounds; then within bounds, on the numbers that are measured.
void verify_all(const hl::Program& program, const std::vector<Array>& inputs, Memory& memory,
                std::vector<Entrant>& entrants, const MeasureOptions& options) {
  if (driver::is_exact_on_whole_numbers(program)) {
    const std::vector<Array> whole = driver::whole_inputs(program, options.seed);
    put_inputs(program, whole, memory);
    for (Entrant& entrant : entrants) {
      const driver::Verification verification =
          verify(program, whole, memory, *entrant.child,
                 {.seed = options.seed, .whole = true, .limit = full_limit});
      entrant.measured->verification.exact = verification.right;
      judge(entrant, verification, "on whole numbers, ");
    }
    put_inputs(program, inputs, memory);
  }
  for (Entrant& entrant : entrants) {
    if (!takes_part(entrant)) continue;
    judge(entrant,
          verify(program, inputs, memory, *entrant.child,
                 {.depth = driver::sequential_depth(program),
                  .seed = options.seed,
                  .limit = full_limit}),
          "");
  }
}

// ---- rounds

/// The median without the first run, which finds the caches as another candidate left them.
double turn_us(std::vector<double> times) {
  if (times.size() > 1) times.erase(times.begin());
  return median(times);
}

void choose_calls(Entrant& entrant, double turn_seconds) {
  const double one = turn_us(entrant.child->time(3)) * 1e-6;
  const double wanted = one > 0 ? turn_seconds / one : 1;
  entrant.calls = 1 + static_cast<int>(std::clamp(wanted, 3.0, 1000.0));
}

struct Round {
  std::vector<double> times;
  Load load;
};

Round run_round(std::vector<Entrant>& entrants) {
  std::vector<pid_t> processes;
  for (const Entrant& entrant : entrants) processes.push_back(entrant.child->process());
  const LoadMeter meter(processes);
  Round round;
  double idle = 0;
  for (Entrant& entrant : entrants) {
    std::vector<double> before;
    for (const pid_t process : processes) before.push_back(cpu_seconds(process));
    round.times.push_back(turn_us(entrant.child->time(entrant.calls)));
    for (size_t n = 0; n < processes.size(); ++n) {
      if (processes[n] != entrant.child->process()) idle += cpu_seconds(processes[n]) - before[n];
    }
  }
  round.load = meter.since(idle);
  return round;
}

/// Those that failed meanwhile; true if there are some.
bool drop_failed(std::vector<Entrant>& entrants) {
  for (Entrant& entrant : entrants) {
    if (entrant.child->is_usable()) continue;
    entrant.measured->standing = Standing::failed;
    entrant.measured->note = entrant.child->failure();
    entrant.measured->round_us.clear();
  }
  const auto failed = [](const Entrant& entrant) { return !takes_part(entrant); };
  const auto kept = std::remove_if(entrants.begin(), entrants.end(), failed);
  const bool some = kept != entrants.end();
  entrants.erase(kept, entrants.end());
  return some;
}

void run_rounds(std::vector<Entrant>& entrants, const MeasureOptions& options, Result& result) {
  for (int done = 0; done < options.rounds && !entrants.empty();) {
    const Round round = run_round(entrants);
    if (drop_failed(entrants)) continue;
    const bool disturbed = is_disturbed(round.load);
    if (disturbed && result.repeated < options.repeats) {
      ++result.repeated;
      options.progress(fmt::format("round {} repeated: others use {:.0f} % of the machine",
                                   done + 1, 100 * foreign_share(round.load)));
      continue;
    }
    result.disturbed += disturbed ? 1 : 0;
    if (disturbed) result.foreign = std::max(result.foreign, foreign_share(round.load));
    for (size_t n = 0; n < entrants.size(); ++n) {
      entrants[n].measured->round_us.push_back(round.times[n]);
    }
    ++done;
  }
}

std::vector<Entrant> start(std::vector<Measured>& all, const Memory& memory,
                           const hl::Program& program, const MeasureOptions& options) {
  std::vector<Entrant> entrants;
  for (Measured& measured : all) {
    measured.note = measured.candidate.absence;
    if (!measured.note.empty()) continue;
    auto child = std::make_unique<Child>(options.runner, measured.candidate, memory,
                                         outputs_of(program), options.time_limit);
    measured.standing = !child->absence().empty()   ? Standing::absent
                        : !child->failure().empty() ? Standing::failed
                                                    : Standing::measured;
    measured.note = child->absence() + child->failure();
    if (!child->is_usable()) continue;
    measured.note = child->about();
    entrants.push_back({&measured, std::move(child)});
  }
  return entrants;
}

}  // namespace

Result measure(const Workload& workload, const Instantiated& at,
               const std::vector<Candidate>& candidates, const MeasureOptions& options) {
  Result result{.workload = workload, .sizes = at.sizes};
  result.operations = static_cast<double>(hl::operations(at.program));
  result.bytes = static_cast<double>(hl::bytes(at.program));
  for (const Candidate& candidate : candidates) result.candidates.push_back({candidate});
  const std::vector<Array> inputs = at.entry->inputs
                                        ? at.entry->inputs(at.instance, at.program, options.seed)
                                        : driver::random_inputs(at.program, options.seed);
  Memory memory(at.program, inputs, Memory::Place::shared);
  std::vector<Entrant> entrants = start(result.candidates, memory, at.program, options);
  options.progress("verifying");
  verify_all(at.program, inputs, memory, entrants, options);
  drop_failed(entrants);
  if (result.candidates.front().standing != Standing::measured) return result;
  options.progress("measuring");
  for (Entrant& entrant : entrants) choose_calls(entrant, options.turn_seconds);
  run_rounds(entrants, options, result);
  return result;
}

}  // namespace mdh::bench
