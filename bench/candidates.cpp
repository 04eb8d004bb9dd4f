#include "bench/candidates.h"

#include <algorithm>

#include "bench/configs.h"
#include "mdh/driver/devices.h"
#include "mdh/driver/executable.h"
#include "mdh/runtime/host/build.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

using runtime::Built;
using runtime::host::Compiler;

// ---- mdh

Candidate of_config(const Instantiated& at, const machine::Machine& machine,
                    const tuning::ChosenConfig& chosen, int threads) {
  const driver::Target& target = driver::usual_target();
  const auto executable = std::make_shared<driver::Executable>(
      driver::compile(at.program, machine, chosen.config, target));
  const kernel::Module& module = executable->module();
  Candidate candidate{.name = "mdh", .kind = PeerKind::mdh, .about = describe(chosen)};
  candidate.library = executable->kernel().file();
  kernel::for_each_launch(module.steps, [&](const kernel::Launch& launch, auto) {
    candidate.functions.push_back(launch.function);
  });
  candidate.workspace_bytes = module.workspace();
  candidate.threads = std::clamp(threads, 1, module.threads());
  candidate.keeps = executable;
  return candidate;
}

/// What tuning has found, else the default configuration.
Candidate tuned_candidate(const Instantiated& at, const std::vector<tune::Record>& records,
                          int threads) {
  const tuning::Selection best =
      tuning::select_config(at.program, {.target = &driver::usual_target()}, records, threads);
  Candidate candidate = of_config(at, best.machine, best.chosen, threads);
  if (!tuning::is_measured(best.chosen.source)) candidate.about += ", no tuning record";
  for (const std::string& why : best.skipped) candidate.about += "; " + why;
  return candidate;
}

/// A configuration that is not valid here is no reason to stop: the default one is measured.
Candidate mdh_candidate(const Workload& workload, const Instantiated& at,
                        const CandidateOptions& options) {
  const driver::Target& target = driver::usual_target();
  std::string refusal;
  try {
    if (options.records) return tuned_candidate(at, *options.records, options.threads);
    if (const auto known = known_config(workload, options.configs)) {
      const machine::Machine machine = known->config.machine.empty()
                                           ? driver::machine_of(target, "")
                                           : machine::load_machine(known->config.machine);
      return of_config(at, machine, *known, options.threads);
    }
  } catch (const Error& e) {
    refusal =
        fmt::format(" (its own was refused: {} [{}])", e.diagnostic().message, e.diagnostic().code);
  }
  const machine::Machine machine = driver::machine_of(target, "");
  Candidate candidate = of_config(
      at, machine, tuning::default_choice(at.program, machine, options.threads), options.threads);
  candidate.about += refusal;
  return candidate;
}

// ---- peers

/// The instruction set that is proven for gcc is right for g++, too.
std::vector<std::string> flags_of(const PeerCode& code, const runtime::Cache& cache) {
  if (code.compiler != "g++") return code.flags;
  std::vector<std::string> flags =
      runtime::host::compiler_for(kernel::Module{.compiler = "gcc"}, cache).flags;
  flags.erase(flags.begin());  // -O3, which comes anyway
  flags.insert(flags.end(), code.flags.begin(), code.flags.end());
  return flags;
}

Compiler compiler_of(const PeerCode& code) {
  const runtime::Cache cache = runtime::Cache::of_user();
  kernel::Module module;
  module.compiler = code.compiler;
  module.flags = flags_of(code, cache);
  Compiler compiler = runtime::host::compiler_for(module, cache);
  if (code.compiler == "g++") compiler.flags.emplace_back("-xc++");
  return compiler;
}

/// Why a source was not compiled, in a few words.
std::string reason_of(const PeerCode& code, const std::string& complaint) {
  if (!code.headers.empty() && complaint.find(code.headers) != std::string::npos &&
      complaint.find("No such file") != std::string::npos) {
    return fmt::format("not installed ({})", code.headers);
  }
  const size_t at = complaint.find("error: ");
  return "not compiled: " + (at == std::string::npos
                                 ? complaint
                                 : complaint.substr(at, complaint.find('\n', at) - at));
}

/// A peer and its source on the way to a candidate.
struct Draft {
  Candidate candidate;
  PeerCode code;
  Compiler compiler;
};

Draft drafted(const PeerSource& source, int threads) {
  const PeerCode& code = source.code;
  Draft draft{{.name = source.name, .kind = source.kind}, code, {}};
  draft.candidate.functions = {"run"};
  draft.candidate.threads = threads;
  draft.candidate.pool = code.pool;
  draft.candidate.absence = code.absence;
  if (!code.absence.empty()) return draft;
  try {
    draft.compiler = compiler_of(code);
    draft.candidate.about = fmt::format("{} {}", code.compiler, join(draft.compiler.flags, " "));
  } catch (const Error& e) {
    draft.candidate.absence = e.diagnostic().code == "E604"
                                  ? fmt::format("not installed ({})", code.compiler)
                                  : e.diagnostic().message;
  }
  return draft;
}

void compile(std::vector<Draft>& drafts) {
  std::vector<runtime::host::Unit> units;
  std::vector<Draft*> open;
  for (Draft& draft : drafts) {
    if (!draft.candidate.absence.empty()) continue;
    units.push_back({draft.code.source, draft.code.contract, draft.compiler});
    open.push_back(&draft);
  }
  const std::vector<Built> built = runtime::host::build_units(units, {});
  for (size_t n = 0; n < open.size(); ++n) {
    Candidate& candidate = open[n]->candidate;
    if (built[n].object) {
      candidate.library = built[n].object->path;
      candidate.keeps = built[n].object->folder;
    } else {
      candidate.absence = reason_of(open[n]->code, built[n].failure.text);
    }
  }
}

}  // namespace

std::vector<Candidate> compile_peers(const std::vector<PeerSource>& sources, int threads) {
  std::vector<Draft> drafts;
  for (const PeerSource& source : sources) drafts.push_back(drafted(source, threads));
  compile(drafts);
  std::vector<Candidate> candidates;
  for (const Draft& draft : drafts) candidates.push_back(draft.candidate);
  return candidates;
}

std::vector<Candidate> make_candidates(const Workload& workload, const Instantiated& at,
                                       const CandidateOptions& options) {
  std::vector<PeerSource> sources;
  for (const Peer& peer : options.peers) {
    if (const std::optional<PeerCode> code = peer.code(workload, at)) {
      sources.push_back({peer.name, peer.kind, *code});
    }
  }
  for (const auto& [name, file] : options.user_files) {
    const PeerCode code{with_sizes(read_file(file), workload, at), "gcc", {"-ffast-math"}};
    sources.push_back({name, PeerKind::user, code});
  }
  const std::vector<Candidate> peers = compile_peers(sources, options.threads);
  std::vector<Candidate> all = {mdh_candidate(workload, at, options)};
  all.insert(all.end(), peers.begin(), peers.end());
  return all;
}

}  // namespace mdh::bench
