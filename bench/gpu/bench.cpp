#include "bench/gpu/bench.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>

#include "bench/child.h"
#include "bench/gpu/candidates.h"
#include "bench/gpu/peers.h"
#include "bench/machine.h"
#include "mdh/driver/devices.h"
#include "mdh/runtime/cuda/device.h"
#include "mdh/runtime/cuda/runtime.h"
#include "mdh/runtime/opencl/runtime.h"
#include "mdh/support/cores.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::bench::gpu {
namespace {

constexpr int usual_rounds = 11, quick_rounds = 3;

/// Those of the suite, or any that are named.
std::vector<Workload> workloads_of(const GpuOptions& options) {
  if (options.workloads.empty()) return find_suite("gpu").workloads;
  std::vector<Workload> chosen;
  for (const std::string& name : options.workloads) chosen.push_back(find_workload(name));
  return chosen;
}

MeasureOptions effort(const GpuOptions& options, const Workload& workload) {
  MeasureOptions measure;
  measure.rounds = options.rounds > 0 ? options.rounds
                   : options.quick    ? quick_rounds
                                      : usual_rounds;
  measure.turn_seconds = options.quick ? 0.01 : 0.03;
  measure.most_calls = options.quick ? 10 : 30;  // each may be many calls in a graph
  measure.time_limit = 300;                      // libraries compile and search in their first turn
  measure.watch = Watch::nothing;
  measure.exactness = Exactness::wished;
  measure.caches = options.caches;
  measure.precise = [&workload, &options](const driver::Memory& memory) -> std::optional<Precise> {
    try {
      return Precise::of(workload, memory, available_cores());
    } catch (const Error& e) {  // then deviations are those of samples
      options.progress(fmt::format("no result in f64: {}", e.diagnostic().message));
      return std::nullopt;
    }
  };
  return measure;
}

// ---- where mdh computes

/// mdh on the GPU, and perhaps once more by another way to the same GPU.
struct Places {
  MdhOptions cuda;
  std::optional<MdhOptions> opencl;
  std::string no_opencl;  // why there is none, if it was asked for
};

/// What was asked for: "cuda:1", and nothing where it was not.
struct Asked {
  std::string cuda, opencl;
};

Asked asked_targets(const std::vector<std::string>& targets) {
  Asked asked;
  for (const std::string& name : targets) {
    const runtime::Runtime* reached = driver::find_target(name).runtime;
    if (reached == &runtime::cuda::runtime()) {
      asked.cuda = name;
    } else if (reached == &runtime::opencl::runtime()) {
      asked.opencl = name;
    } else {
      user_error("E851", {}, fmt::format("'mdh bench gpu' has no target '{}'", name),
                 "write cuda, cuda:N, or cuda,opencl for a second row of mdh");
    }
  }
  return asked;
}

/// The OpenCL device that is the same GPU: the one that is named, or the first of the same model.
std::string opencl_device(const std::string& named, const std::string& model) {
  const runtime::Runtime& opencl = runtime::opencl::runtime();
  if (named.find(':') != std::string::npos) return opencl.open(named)->name();
  const size_t count = opencl.list().size();
  for (size_t n = 0; n < count; ++n) {
    const auto device = opencl.open(fmt::format("{}:{}", opencl.name, n));
    if (model_of(*device) == model) return device->name();
  }
  missing("E851", fmt::format("OpenCL has no device '{}'", model),
          "name one with --target cuda,opencl:N; 'mdh devices' lists them");
}

MdhOptions mdh_on(const std::string& device, const GpuOptions& options) {
  MdhOptions mdh{.target = &driver::find_target(device), .device = device};
  mdh.configs = options.configs;
  mdh.records = options.records;
  return mdh;
}

runtime::cuda::Device cuda_device(const std::string& named) {
  const std::string& usual = runtime::cuda::runtime().name;
  const runtime::cuda::Device device = runtime::cuda::find_device(named.empty() ? usual : named);
  if (device.is_there) return device;
  missing("E642", "there is no CUDA device, only a description of one (MDH_CUDA_ARCH)",
          "tables are made of recordings without a device: mdh bench gpu --from FILE");
}

Places places_of(const GpuOptions& options) {
  const Asked asked = asked_targets(options.targets);
  const runtime::cuda::Device device = cuda_device(asked.cuda);
  Places places{.cuda = mdh_on(fmt::format("cuda:{}", device.number), options)};
  places.cuda.machines = to_string(device.arch);
  if (asked.opencl.empty()) return places;
  try {
    places.opencl = mdh_on(opencl_device(asked.opencl, device.name), options);
    places.opencl->machines = places.cuda.machines;
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::missing) throw;
    places.no_opencl = e.diagnostic().message;
  }
  return places;
}

/// Without a compiler nothing can be measured; what else goes wrong costs one workload.
Candidate cuda_candidate(const Workload& workload, const Instantiated& at, const Places& places) {
  try {
    return mdh_candidate(workload, at, places.cuda);
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::missing) throw;
    Candidate candidate{.name = "mdh", .kind = PeerKind::mdh};
    candidate.absence = split(e.diagnostic().message, '\n').front();
    return candidate;
  }
}

Candidate opencl_candidate(const Workload& workload, const Instantiated& at, const Places& places) {
  Candidate candidate;
  try {
    if (places.opencl) candidate = mdh_candidate(workload, at, *places.opencl);
    candidate.absence = places.no_opencl;
  } catch (const Error& e) {
    candidate.absence = split(e.diagnostic().message, '\n').front();
  }
  candidate.name = "mdh opencl";
  candidate.kind = PeerKind::other_target;
  return candidate;
}

/// A row of mdh without tuning, beside the one that counts.
Candidate also_candidate(const std::string& choice, const Instantiated& at, const Places& places) {
  Candidate candidate;
  try {
    candidate = untuned_candidate(choice, at, places.cuda);
  } catch (const Error& e) {
    candidate.absence = split(e.diagnostic().message, '\n').front();
  }
  candidate.name = "mdh " + choice;
  candidate.kind = PeerKind::other_target;
  return candidate;
}

std::vector<Candidate> candidates_of(const Workload& workload, const Instantiated& at,
                                     const Places& places, const std::vector<std::string>& also,
                                     const std::vector<GpuPeer>& peers) {
  std::vector<Candidate> all = {cuda_candidate(workload, at, places)};
  for (const std::string& choice : also) all.push_back(also_candidate(choice, at, places));
  if (places.opencl || !places.no_opencl.empty()) {
    all.push_back(opencl_candidate(workload, at, places));
  }
  const std::vector<Candidate> others =
      peer_candidates(peers, workload, at, places.cuda.device, places.cuda.machines);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

Recording opened(const GpuOptions& options, const Places& places) {
  const tune::MachineIdentity identity =
      driver::identity_of(*places.cuda.target, places.cuda.device);
  const MachineReport host = this_machine();
  Recording recording{.version = options.version, .date = host.date, .command = options.command};
  recording.device = identity.model;
  recording.driver = identity.isa;
  recording.host = fmt::format("{}, {} cores", host.cpu, host.cores);
  return recording;
}

/// A workload whose candidates are compiled and wait in their processes.
struct Ready {
  std::unique_ptr<const Instantiated> at;
  Contest contest;
};

/// Takes seconds, in which the device has nothing to do: libraries start, kernels are compiled. So
/// the next workload gets ready while one is verified.
Ready ready(const Workload& workload, const Places& places, const GpuOptions& options,
            const std::vector<GpuPeer>& peers) {
  auto at = std::make_unique<const Instantiated>(instantiate(workload));
  const std::vector<Candidate> candidates =
      candidates_of(workload, *at, places, options.also, peers);
  Contest contest(workload, *at, candidates, effort(options, workload));
  return {std::move(at), std::move(contest)};
}

bool is_done(const std::future<Ready>& one) {
  return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

Recording run(const GpuOptions& options) {
  const std::vector<Workload> workloads = workloads_of(options);
  std::vector<GpuPeer> chosen = select_peers(options.peers);
  for (const std::string& text : options.peer_files) chosen.push_back(peer_of_user(text));
  const Places places = places_of(options);
  Recording recording = opened(options, places);
  const auto begin = [&](size_t n) -> std::future<Ready> {
    if (n == workloads.size()) return {};
    return std::async(std::launch::async,
                      [&, n] { return ready(workloads[n], places, options, chosen); });
  };
  std::future<Ready> next = begin(0);
  for (size_t n = 0; n < workloads.size(); ++n) {
    const auto say = [&](const std::string& what) {
      options.progress(fmt::format("{}: {}", workloads[n].title, what));
    };
    say("compiling");
    Ready now = next.get();
    next = begin(n + 1);
    MeasureOptions measuring = effort(options, workloads[n]);
    measuring.progress = say;
    measuring.quiet = [&] {
      if (!next.valid() || is_done(next)) return;
      say("waiting until the next one is ready");
      next.wait();
    };
    recording.rounds = measuring.rounds;
    recording.rows.push_back(row_of(now.contest.measure(measuring)));
    options.keep(recording);
  }
  return recording;
}

std::string list() {
  std::vector<std::vector<std::string>> rows;
  for (const Workload& workload : find_suite("gpu").workloads) {
    std::vector<std::string> sizes;
    for (const auto& [name, value] : instantiate(workload).sizes) {
      sizes.push_back(fmt::format("{}={}", name, value));
    }
    rows.push_back({workload.name, workload.program, join(sizes, " ")});
  }
  std::string text = "workloads of suite gpu:\n" + indent(aligned(rows, Align::left), 2);
  rows.clear();
  for (const GpuPeer& peer : peers()) rows.push_back({peer.name, peer.summary});
  return text + "peers:\n" + indent(aligned(rows, Align::left), 2) +
         "workloads of other suites can be named as well: mdh bench cpu --list\n";
}

}  // namespace mdh::bench::gpu
