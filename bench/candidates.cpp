#include "bench/candidates.h"

#include <algorithm>
#include <filesystem>

#include "bench/machine.h"
#include "bench/texts.h"
#include "mdh/driver/decomposition.h"
#include "mdh/driver/devices.h"
#include "mdh/driver/executable.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

using runtime::host::Built;
using runtime::host::Compiler;

// ---- mdh

/// The configuration of a workload and where it comes from; nothing if there is none.
std::optional<driver::ChosenConfig> known_config(const Workload& workload,
                                                 const std::string& folder) {
  const std::string name = workload.name + ".json";
  if (!folder.empty()) {
    const std::string file = std::filesystem::path(folder) / name;
    if (!std::filesystem::exists(file)) return std::nullopt;
    const std::optional<ll::Config> config = driver::read_config(file);
    if (config) return driver::ChosenConfig{*config, "file " + file};
    return std::nullopt;
  }
  const std::string path = fmt::format("bench/configs/{}/{}", machine_class(), name);
  const auto text = texts().find(path);
  if (text == texts().end()) return std::nullopt;
  const TemporaryDirectory scratch;
  write_file(scratch.path() / name, text->second);
  return driver::ChosenConfig{*driver::read_config(scratch.path() / name), "file " + path};
}

Candidate of_config(const Instantiated& at, const machine::Machine& machine,
                    const driver::ChosenConfig& chosen, int threads) {
  const driver::Target& target = driver::find_target("openmp");
  const auto executable = std::make_shared<driver::Executable>(
      driver::compile(at.program, machine, chosen.config, target));
  const kernel::Module& module = executable->module();
  Candidate candidate{.name = "mdh", .kind = PeerKind::mdh, .about = chosen.source};
  candidate.library = executable->library();
  kernel::for_each_launch(module.steps, [&](const kernel::Launch& launch, auto) {
    candidate.functions.push_back(launch.function);
  });
  candidate.workspace_bytes = module.workspace();
  candidate.threads = std::clamp(threads, 1, module.threads());
  candidate.keeps = executable;
  return candidate;
}

/// A configuration that is not valid here is no reason to stop: the default one is measured.
Candidate mdh_candidate(const Workload& workload, const Instantiated& at,
                        const CandidateOptions& options) {
  const driver::Target& target = driver::find_target("openmp");
  std::string refusal;
  try {
    if (const auto known = known_config(workload, options.configs)) {
      const machine::Machine machine = known->config.machine.empty()
                                           ? driver::machine_of(target, "")
                                           : machine::load_machine(known->config.machine);
      return of_config(at, machine,
                       driver::choose_config(at.program, machine, &known->config,
                                             known->source.substr(5), options.threads),
                       options.threads);
    }
  } catch (const Error& e) {
    refusal =
        fmt::format(" (its own was refused: {} [{}])", e.diagnostic().message, e.diagnostic().code);
  }
  const machine::Machine machine = driver::machine_of(target, "");
  driver::ChosenConfig chosen =
      driver::choose_config(at.program, machine, nullptr, "", options.threads);
  chosen.source += refusal;
  return of_config(at, machine, chosen, options.threads);
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

Candidate compiled(const std::string& name, PeerKind kind, const PeerCode& code, int threads) {
  Candidate candidate{.name = name, .kind = kind};
  candidate.functions = {"run"};
  candidate.threads = threads;
  try {
    const Compiler compiler = compiler_of(code);
    candidate.about = fmt::format("{} {}", code.compiler, join(compiler.flags, " "));
    const Built built =
        runtime::host::build_units({{code.source, code.contract, compiler}}, {}).front();
    if (built.object) {
      candidate.library = built.object->path;
      candidate.keeps = built.object->folder;
    } else {
      candidate.absence = reason_of(code, built.failure.text);
    }
  } catch (const Error& e) {
    candidate.absence = e.diagnostic().code == "E604"
                            ? fmt::format("not installed ({})", code.compiler)
                            : e.diagnostic().message;
  }
  return candidate;
}

}  // namespace

std::vector<Candidate> make_candidates(const Workload& workload, const Instantiated& at,
                                       const CandidateOptions& options) {
  std::vector<Candidate> all = {mdh_candidate(workload, at, options)};
  for (const Peer& peer : options.peers) {
    if (const std::optional<PeerCode> code = peer.code(workload, at)) {
      all.push_back(compiled(peer.name, peer.kind, *code, options.threads));
    }
  }
  for (const auto& [name, file] : options.user_files) {
    const PeerCode code{with_sizes(read_file(file), workload, at), "gcc", {"-ffast-math"}};
    all.push_back(compiled(name, PeerKind::user, code, options.threads));
  }
  return all;
}

}  // namespace mdh::bench
