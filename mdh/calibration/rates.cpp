#include "mdh/calibration/rates.h"

#include <algorithm>
#include <mutex>

#include "mdh/calibration/grid_calibration.h"
#include "mdh/calibration/machine_identity.h"
#include "mdh/calibration/stored.h"
#include "mdh/support/cores.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::calibration {
namespace {

const machine::Machine& host_machine() { return machine::find_machine("host"); }

/// Teams that are larger than the machine are no faster.
int threads_for(int cores) { return std::clamp(cores, 1, available_cores()); }

/// What the description says counts; what it leaves open stays.
model::Rates described(model::Rates rates, const machine::Machine& machine, int cores) {
  model::describe_by(machine, rates);
  rates.cores = std::max(1, cores);
  return rates;
}

model::Rates rates_in(const std::string& file) {
  const std::string text = read_file(file);
  if (const std::optional<Calibration> found = parse_calibration(text)) return found->rates;
  if (parse_grid_calibration(text)) return {};  // about a device: this machine is typical
  user_error("E884", {}, fmt::format("MDH_RATES: '{}' holds no rates of a machine", file),
             "name a file that 'mdh doctor --measure' has written, or write MDH_RATES=typical");
}

std::filesystem::path file_for(int threads) { return calibration_file(host_identity(), threads); }

/// Where it cannot be stored, it is measured once in a process.
Calibration calibration_of_host(int threads) {
  static std::mutex mutex;
  static std::map<std::string, Calibration> known;  // by file
  const std::filesystem::path file = file_for(threads);
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(file.string() + std::to_string(threads));
  if (found != known.end()) return found->second;
  return known[file.string() + std::to_string(threads)] = load_or_measure(file, threads);
}

}  // namespace

bool may_be_host(const machine::Machine& machine) {
  const machine::Machine& host = host_machine();
  int teams = 0;
  for (const machine::Layer& layer : machine.layers) {
    if (layer.kind == machine::LayerKind::cores) ++teams;
  }
  const auto differs = [&](const std::string& name) {
    const machine::Region* mine = machine.find_region(name);
    const machine::Region* other = host.find_region(name);
    return mine && mine->capacity && other && other->capacity && mine->capacity != other->capacity;
  };
  const bool other_vectors = machine.vectors.bytes > 0 && machine.vectors != host.vectors;
  const bool is_device = machine.regions.empty() || machine.regions.front().is_explicit;
  const std::vector<model::MemoryRate> memories = model::Rates{}.memories;
  return teams == 1 && !is_device && !other_vectors &&
         std::none_of(memories.begin(), memories.end(),
                      [&](const model::MemoryRate& m) { return differs(m.name); });
}

model::Rates rates_of(const machine::Machine& machine, int cores) {
  const std::string set = setting_of_rates();
  if (!set.empty() && set != "typical") return described(rates_in(set), machine, cores);
  const bool measures = set.empty() && may_be_host(machine);
  return described(measures ? calibration_of_host(threads_for(cores)).rates
                            : model::typical_rates(host_machine(), cores),
                   machine, cores);
}

KnownRates known_rates(int cores) {
  const std::string set = setting_of_rates();
  if (!set.empty() && set != "typical") {
    return {described(rates_in(set), host_machine(), cores), "file " + set, {}};
  }
  if (set.empty()) {
    const int threads = threads_for(cores);
    if (auto stored = load_calibration(file_for(threads), threads)) {
      return {stored->rates, "measured " + stored->when, stored->typical};
    }
  }
  const std::string source = set.empty() ? "typical, not measured yet" : "typical";
  return {model::typical_rates(host_machine(), cores), source, {}};
}

FreshRates measure_rates(int cores) {
  const int threads = threads_for(cores);
  FreshRates fresh{calibrate(threads), file_for(threads).string()};
  fresh.stored = store(fresh.calibration, fresh.file);
  return fresh;
}

std::string describe(const model::Rates& r) {
  std::vector<std::string> reads;
  for (size_t n = 1; n < r.memories.size(); ++n) {
    reads.push_back(fmt::format("{} {:.3g}", r.memories[n].name, r.memories[n].rate));
  }
  return fmt::format(
      "vectors of {} bytes: operation {:.3g} ns, latency {:.3g} ns, load {:.3g} ns\n"
      "instruction {:.3g} ns; an element: gathered {:.3g} ns, copied {:.3g} ns\n"
      "a core reads {} GB/s; {} together: {:.3g} GB/s\n"
      "page miss {:.3g} ns, barrier {:.0f} ns, launch {:.0f} ns\n",
      r.vector_bytes, r.operation, r.latency, r.load, r.instruction, r.gathered, r.copied,
      join(reads, ", "), r.cores, r.memory_of_all, r.page_miss, r.barrier, r.launch);
}

}  // namespace mdh::calibration
