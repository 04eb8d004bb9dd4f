#include "bench/measure.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "bench/child.h"
#include "bench/load.h"
#include "bench/statistics.h"
#include "mdh/driver/data.h"
#include "mdh/hl/analysis.h"

namespace mdh::bench {

/// A candidate with its process.
struct Entrant {
  Measured* measured;
  std::unique_ptr<Child> child;
  std::map<runtime::Caches, int> calls = {};  // in one turn; none if it cannot be timed so
};

namespace {

using driver::Memory;
using runtime::Caches;
using scalar::Array;

std::vector<bool> outputs_of(const hl::Program& program) {
  std::vector<bool> is_output(program.outputs.size(), true);
  is_output.resize(program.outputs.size() + program.inputs.size(), false);
  return is_output;
}

bool takes_part(const Entrant& entrant) {
  return entrant.measured->standing == Standing::measured && entrant.child->is_usable();
}

// ---- inputs

bool multiplies(const hl::Program& program) {
  return std::any_of(
      program.dimensions.begin(), program.dimensions.end(), [](const hl::Dimension& d) {
        const std::vector<std::string>& operators = d.combine.operators;
        return std::find(operators.begin(), operators.end(), "mul") != operators.end();
      });
}

/// A product of many numbers is 0 as soon as one of them is, whatever the others are: there, zeros
/// become ones.
std::vector<Array> telling(const hl::Program& program, std::vector<Array> inputs) {
  if (!multiplies(program)) return inputs;
  for (Array& array : inputs) {
    const std::vector<scalar::Leaf> leaves = leaves_of(array.type);
    for (size_t n = 0; n < array.cells.size(); ++n) {
      const scalar::Scalar type = leaves[n % leaves.size()].type;
      if (array.cells[n] == scalar::from_integer(type, 0)) {
        array.cells[n] = scalar::from_integer(type, 1);
      }
    }
  }
  return inputs;
}

std::vector<Array> whole_inputs(const hl::Program& program, uint64_t seed) {
  return telling(program, driver::whole_inputs(program, seed));
}

std::vector<Array> measured_inputs(const Instantiated& at, uint64_t seed) {
  if (at.entry->inputs) return at.entry->inputs(at.instance, at.program, seed);
  return telling(at.program, driver::random_inputs(at.program, seed));
}

// ---- verification

/// False if the candidate is out.
bool judge(Entrant& entrant, const driver::Verification& verification, const std::string& where) {
  Measured& measured = *entrant.measured;
  if (!entrant.child->is_usable()) {
    measured.standing = Standing::failed;
    measured.note = entrant.child->failure();
    return false;
  }
  const bool exact = measured.verification.exact || verification.exact;
  measured.verification = verification;
  measured.verification.exact = exact;
  if (verification.right) return true;
  measured.standing = Standing::wrong;
  measured.note = where + verification.complaint;
  return false;
}

/// mdh by the definition, the others by mdh; false if mdh is out, which ends everything.
bool verify_on(const std::vector<Array>& inputs, Verifier& verifier, Numbers numbers,
               const MeasureOptions& options, const std::optional<Precise>& precise,
               std::vector<Entrant>& entrants) {
  const std::string where = numbers == Numbers::whole ? "on whole numbers, " : "";
  verifier.take(inputs, numbers);
  for (Entrant& entrant : entrants) {
    const bool is_mdh = entrant.measured->candidate.kind == PeerKind::mdh;
    if (!takes_part(entrant)) continue;
    const driver::Verification verification =
        is_mdh ? verifier.by_definition(*entrant.child)
               : verifier.by_mdh(*entrant.child, options.exactness);
    if (!judge(entrant, verification, where) && is_mdh) return false;
    if (numbers == Numbers::any && precise && takes_part(entrant)) {
      entrant.measured->deviation = precise->deviation(verifier.outputs());
    }
  }
  return true;
}

/// Bounds for any order of combination are weak for long sums, so results are exact first, on
/// whole numbers, where nothing rounds; then within bounds, on the numbers that are measured.
void verify_all(const hl::Program& program, const std::vector<Array>& inputs, Memory& memory,
                const MeasureOptions& options, const std::optional<Precise>& precise,
                std::vector<Entrant>& entrants) {
  Verifier verifier(program, memory, options.seed);
  if (driver::is_exact_on_whole_numbers(program) &&
      !verify_on(whole_inputs(program, options.seed), verifier, Numbers::whole, options, precise,
                 entrants)) {
    return;
  }
  verify_on(inputs, verifier, Numbers::any, options, precise, entrants);
}

// ---- rounds

/// The median without the first run, which finds the caches as another candidate left them.
double turn_us(std::vector<double> times) {
  if (times.size() > 1) times.erase(times.begin());
  return median(times);
}

void choose_calls(Entrant& entrant, const MeasureOptions& options) {
  for (const Caches caches : options.caches) {
    if (caches == Caches::cold && !entrant.measured->candidate.has_cold_caches) continue;
    const double one = turn_us(entrant.child->time(3, caches)) * 1e-6;
    const double wanted = one > 0 ? options.turn_seconds / one : 1;
    entrant.calls[caches] = 1 + static_cast<int>(std::clamp(wanted, 3.0, options.most_calls));
  }
}

using Turn = std::map<Caches, double>;  // microseconds

Turn take_turn(Entrant& entrant) {
  Turn turn;
  for (const auto& [caches, calls] : entrant.calls) {
    turn[caches] = turn_us(entrant.child->time(calls, caches));
  }
  return turn;
}

struct Round {
  std::vector<Turn> turns;
  std::vector<double> idle;  // seconds of CPU that each candidate used in the turns of others
  Load load;
};

Round run_round(std::vector<Entrant>& entrants) {
  std::vector<pid_t> processes;
  for (const Entrant& entrant : entrants) processes.push_back(entrant.child->process());
  const LoadMeter meter(processes);
  Round round;
  round.idle.resize(entrants.size());
  for (Entrant& entrant : entrants) {
    std::vector<double> before;
    for (const pid_t process : processes) before.push_back(cpu_seconds(process));
    round.turns.push_back(take_turn(entrant));
    for (size_t n = 0; n < processes.size(); ++n) {
      if (processes[n] == entrant.child->process()) continue;
      round.idle[n] += cpu_seconds(processes[n]) - before[n];
    }
  }
  round.load = meter.since(std::accumulate(round.idle.begin(), round.idle.end(), 0.0));
  return round;
}

std::string cause_of(const Round& round, const std::vector<Entrant>& entrants) {
  if (foreign_share(round.load) > most_foreign) {
    return fmt::format("others use {:.0f} % of the machine", 100 * foreign_share(round.load));
  }
  const auto most = std::max_element(round.idle.begin(), round.idle.end());
  const Entrant& restless = entrants[static_cast<size_t>(most - round.idle.begin())];
  return fmt::format("{} used {:.3f} s while it was not its turn",
                     restless.measured->candidate.name, *most);
}

/// Those that failed meanwhile; true if there are some.
bool drop_failed(std::vector<Entrant>& entrants) {
  for (Entrant& entrant : entrants) {
    if (entrant.child->is_usable()) continue;
    entrant.measured->standing = Standing::failed;
    entrant.measured->note = entrant.child->failure();
    entrant.measured->round_us.clear();
    entrant.measured->cold_us.clear();
  }
  const auto failed = [](const Entrant& entrant) { return !takes_part(entrant); };
  const auto kept = std::remove_if(entrants.begin(), entrants.end(), failed);
  const bool some = kept != entrants.end();
  entrants.erase(kept, entrants.end());
  return some;
}

void add_turn(const Turn& turn, Measured& measured) {
  for (const auto& [caches, us] : turn) {
    (caches == Caches::cold ? measured.cold_us : measured.round_us).push_back(us);
  }
}

void run_rounds(std::vector<Entrant>& entrants, const MeasureOptions& options, Result& result) {
  for (int done = 0; done < options.rounds && !entrants.empty();) {
    const Round round = run_round(entrants);
    if (drop_failed(entrants)) continue;
    const bool disturbed = options.watch == Watch::cores && is_disturbed(round.load);
    if (disturbed && result.repeated < options.repeats) {
      ++result.repeated;
      options.progress(fmt::format("round {} repeated: {}", done + 1, cause_of(round, entrants)));
      continue;
    }
    result.disturbed += disturbed ? 1 : 0;
    if (disturbed) result.foreign = std::max(result.foreign, foreign_share(round.load));
    for (size_t n = 0; n < entrants.size(); ++n) {
      add_turn(round.turns[n], *entrants[n].measured);
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
    entrants.push_back(
        {&measured, std::make_unique<Child>(options.runner, measured.candidate, memory,
                                            outputs_of(program), options.time_limit)});
  }
  for (Entrant& entrant : entrants) {
    entrant.child->greet();
    const Child& child = *entrant.child;
    entrant.measured->standing = !child.absence().empty()   ? Standing::absent
                                 : !child.failure().empty() ? Standing::failed
                                                            : Standing::measured;
    entrant.measured->note = child.is_usable() ? child.about() : child.absence() + child.failure();
  }
  const auto is_out = [](const Entrant& entrant) { return !takes_part(entrant); };
  entrants.erase(std::remove_if(entrants.begin(), entrants.end(), is_out), entrants.end());
  return entrants;
}

}  // namespace

std::string to_string(Standing standing) {
  switch (standing) {
    case Standing::measured:
      return "measured";
    case Standing::absent:
      return "absent";
    case Standing::failed:
      return "failed";
    case Standing::wrong:
      return "wrong";
  }
  return "";
}

struct Contest::State {
  const Instantiated& at;
  Result result;
  std::vector<scalar::Array> inputs;
  driver::Memory memory;
  std::vector<Entrant> entrants = {};
};

Contest::Contest(const Workload& workload, const Instantiated& at,
                 const std::vector<Candidate>& candidates, const MeasureOptions& options) {
  Result result{.workload = workload, .sizes = at.sizes};
  result.operations = static_cast<double>(hl::operations(at.program));
  result.bytes = static_cast<double>(hl::bytes(at.program));
  for (const Candidate& candidate : candidates) result.candidates.push_back({candidate});
  std::vector<Array> inputs = measured_inputs(at, options.seed);
  Memory memory(at.program, inputs, Memory::Place::shared);
  state_ =
      std::make_unique<State>(State{at, std::move(result), std::move(inputs), std::move(memory)});
  state_->entrants = start(state_->result.candidates, state_->memory, at.program, options);
}

Contest::~Contest() = default;
Contest::Contest(Contest&&) noexcept = default;

Result Contest::measure(const MeasureOptions& options) {
  Result& result = state_->result;
  std::vector<Entrant>& entrants = state_->entrants;
  const Measured& mdh = result.candidates.front();
  if (mdh.standing != Standing::measured) return result;  // with which others are compared
  options.progress("verifying");
  std::optional<Precise> precise;
  if (options.precise) precise = options.precise(state_->memory);
  if (precise) result.largest = precise->largest();
  verify_all(state_->at.program, state_->inputs, state_->memory, options, precise, entrants);
  for (Entrant& entrant : entrants) {
    if (takes_part(entrant)) entrant.measured->note = entrant.child->about();
  }
  drop_failed(entrants);
  if (mdh.standing != Standing::measured) return result;
  options.quiet();
  options.progress("measuring");
  for (Entrant& entrant : entrants) choose_calls(entrant, options);
  drop_failed(entrants);
  run_rounds(entrants, options, result);
  return result;
}

Result measure(const Workload& workload, const Instantiated& at,
               const std::vector<Candidate>& candidates, const MeasureOptions& options) {
  return Contest(workload, at, candidates, options).measure(options);
}

}  // namespace mdh::bench
