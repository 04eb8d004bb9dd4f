#include "bench/gpu/peers.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <nlohmann/json.hpp>

#include "bench/child.h"
#include "bench/texts.h"
#include "mdh/runtime/cuda/places.h"
#include "mdh/runtime/process.h"
#include "mdh/runtime/worker/message.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"
#include "mdh/support/text.h"

namespace mdh::bench::gpu {
namespace {

std::string text_of(const GpuPeer& peer) {
  return peer.kind == PeerKind::user ? read_file(peer.file)
                                     : texts().at("bench/peers/" + peer.file);
}

/// The runner loads the library and calls it on the device.
std::vector<std::string> runner_command(const std::string& library, const std::string& device) {
  const runtime::WorkRequest request{.version = MDH_VERSION, .device = device, .library = library};
  return {find_runner("mdh-bench-gpu-runner"), to_text(request)};
}

// ---- C++

std::vector<Candidate> compiled_cpp(const std::vector<GpuPeer>& peers, const Workload& workload,
                                    const Instantiated& at, const std::string& device) {
  std::vector<PeerSource> sources;
  for (const GpuPeer& peer : peers) {
    sources.push_back({peer.name,
                       peer.kind,
                       {.source = with_sizes(text_of(peer), workload, at),
                        .compiler = "g++",
                        .flags = {"-std=gnu++17", "-O1"}}});
  }
  std::vector<Candidate> candidates = compile_peers(sources, 1);
  for (Candidate& candidate : candidates) {
    if (candidate.absence.empty()) candidate.command = runner_command(candidate.library, device);
  }
  return candidates;
}

// ---- CUDA

/// Why nvcc did not compile, in a line.
std::string complaint_of(const runtime::Exit& exit) {
  const size_t at = exit.output.find("error");
  if (exit.status < 0 || at == std::string::npos) {
    return fmt::format("nvcc ended with exit code {}", exit.status);
  }
  return exit.output.substr(at, exit.output.find('\n', at) - at);
}

std::vector<std::string> nvcc_flags(const GpuPeer& peer, const std::string& arch) {
  std::vector<std::string> flags = {"-std=c++17", "-O3",        "-arch=" + arch,
                                    "-shared",    "-Xcompiler", "-fPIC"};
  flags.insert(flags.end(), peer.flags.begin(), peer.flags.end());
  return flags;
}

/// CUB takes half a minute to compile, so what was compiled is kept.
void compile_cuda(const std::string& source, const std::vector<std::string>& flags,
                  const std::string& device, Candidate& candidate) {
  const std::string nvcc = runtime::cuda::find_nvcc();
  if (nvcc.empty()) {
    candidate.absence = "not compiled: there is no nvcc";
    return;
  }
  const auto folder = std::make_shared<const TemporaryDirectory>();
  const std::string file = folder->path() / "peer.cu", object = folder->path() / "peer.so";
  std::vector<std::string> command = {nvcc};
  command.insert(command.end(), flags.begin(), flags.end());
  const runtime::Cache cache = runtime::Cache::of_user();
  const std::string key =
      runtime::cache_key({"peer on a GPU", MDH_VERSION, join(command, " "), source});
  if (const auto known = cache.read(key)) {
    write_file(object, *known);
  } else {
    write_file(file, source);
    std::vector<std::string> words = command;
    words.insert(words.end(), {"-o", object, file});
    const runtime::Exit exit = runtime::run_program(words, folder->path(), 300);
    if (exit.status != 0) {
      candidate.absence = "not compiled: " + complaint_of(exit);
      return;
    }
    cache.store(key, read_file(object));
  }
  candidate.library = object;
  candidate.about = join(command, " ");
  candidate.command = runner_command(object, device);
  candidate.keeps = folder;
}

// ---- Python

std::string sizes_in_json(const Instantiated& at) {
  nlohmann::json sizes = nlohmann::json::object();
  for (const auto& [name, value] : at.sizes) sizes[name] = value;
  return sizes.dump();
}

/// MDH_PYTHON, or the first one on PATH.
std::string find_python() {
  const char* named = std::getenv("MDH_PYTHON");
  return runtime::find_program(named == nullptr ? "python3" : named);
}

/// PyTorch and JAX see the device that was chosen as their first one.
void prepare_python(const GpuPeer& peer, const Workload& workload, const Instantiated& at,
                    const std::string& device, Candidate& candidate) {
  const std::string python = find_python();
  if (python.empty()) {
    candidate.absence = "not installed: there is no python3";
    return;
  }
  if (device != "cuda:0") {
    candidate.absence = "only computes on the first device";
    return;
  }
  const auto folder = std::make_shared<const TemporaryDirectory>();
  const std::string script = folder->path() / "gpu.py";
  write_file(script, text_of(peer));
  candidate.command = {python, script, peer.name, workload.program, sizes_in_json(at)};
  candidate.about = "python3 " + peer.file;
  candidate.keeps = folder;
}

bool is_in_cpp(const GpuPeer& peer) { return peer.written == Written::cpp; }

}  // namespace

const std::vector<GpuPeer>& peers() {
  const std::set<std::string> convolutions = {"conv2d", "mcc", "mcc_strided"};
  const std::set<std::string> stated = {
      "matmul",   "matmul_t", "bmatmul",     "matvec",      "dot",   "conv2d",
      "jacobi3d", "mcc",      "mcc_strided", "mcc_capsule", "ccsdt", "mbbs",
      "scan",     "reduce",   "reduce_max",  "reduce2",     "histo"};
  static const std::vector<GpuPeer> all = {
      {"cublas",
       "cuBLAS: its routines, gemmEx and cuBLASLt, the fastest of all",
       Written::cpp,
       "cublas.cpp",
       {"matmul", "matmul_t", "bmatmul", "matvec", "dot"}},
      {"cudnn", "cuDNN: both layouts and all algorithms, the fastest of all", Written::cpp,
       "cudnn.cpp", convolutions},
      {"cub",
       "CUB: reductions, prefix sums, histograms",
       Written::cuda,
       "cub.cu",
       {"scan", "reduce", "reduce_max", "reduce2", "histo"}},
      {"torch", "PyTorch, eager", Written::python, "gpu.py", stated},
      {"inductor", "PyTorch, torch.compile with max-autotune", Written::python, "gpu.py", stated},
      {"jax", "JAX, jit", Written::python, "gpu.py", stated, Cold::no},
      {"plain",
       "plain CUDA, kernels written by hand: record linkage, Mandelbrot",
       Written::cuda,
       "plain.cu",
       {"prl", "mandelbrot"},
       Cold::yes,
       PeerKind::plain,
       {"-fmad=false"}},  // rounding decides
  };
  return all;
}

std::vector<GpuPeer> select_peers(const std::vector<std::string>& names) {
  if (names.empty()) return peers();
  std::vector<std::string> known;
  for (const GpuPeer& peer : peers()) known.push_back(peer.name);
  std::vector<GpuPeer> chosen;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      user_error("E842", {}, fmt::format("unknown peer '{}' on GPUs", name),
                 suggestion(name, known));
    }
    chosen.push_back(peers()[static_cast<size_t>(found - known.begin())]);
  }
  return chosen;
}

GpuPeer peer_of_user(const std::string& text) {
  const size_t equal = text.find('=');
  const std::string file = equal == std::string::npos ? "" : text.substr(equal + 1);
  const bool is_cuda = file.ends_with(".cu");
  if (equal == 0 || !(is_cuda || file.ends_with(".cpp"))) {
    user_error("E844", {}, fmt::format("--peer-file: cannot read '{}'", text),
               "write --peer-file NAME=F.cpp or NAME=F.cu");
  }
  return {.name = text.substr(0, equal),
          .written = is_cuda ? Written::cuda : Written::cpp,
          .file = file,
          .kind = PeerKind::user};
}

bool computes(const GpuPeer& peer, const Workload& workload) {
  if (peer.kind == PeerKind::user) return true;
  const bool is_contraction = workload.program.starts_with("ccsdt_");
  return peer.programs.count(is_contraction ? "ccsdt" : workload.program) > 0;
}

std::vector<Candidate> peer_candidates(const std::vector<GpuPeer>& peers, const Workload& workload,
                                       const Instantiated& at, const std::string& device,
                                       const std::string& arch) {
  std::vector<GpuPeer> able, in_cpp;
  for (const GpuPeer& peer : peers) {
    if (computes(peer, workload)) able.push_back(peer);
  }
  std::copy_if(able.begin(), able.end(), std::back_inserter(in_cpp), is_in_cpp);
  const std::vector<Candidate> compiled = compiled_cpp(in_cpp, workload, at, device);
  auto next = compiled.begin();
  std::vector<Candidate> all;
  for (const GpuPeer& peer : able) {
    Candidate candidate{.name = peer.name, .kind = peer.kind};
    if (is_in_cpp(peer)) candidate = *next++;
    if (peer.written == Written::cuda) {
      const std::string source = with_sizes(text_of(peer), workload, at);
      compile_cuda(source, nvcc_flags(peer, arch), device, candidate);
    }
    if (peer.written == Written::python) prepare_python(peer, workload, at, device, candidate);
    candidate.has_cold_caches = peer.cold == Cold::yes;
    all.push_back(candidate);
  }
  return all;
}

}  // namespace mdh::bench::gpu
