#include "bench/peers.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "bench/texts.h"
#include "bench/torch.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

using Definitions = std::vector<std::pair<std::string, std::string>>;

const std::vector<std::string> fast_math = {"-ffast-math"};

std::string upper_case(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::toupper(letter));
  return text;
}

bool is_contraction(const Workload& workload) { return workload.program.starts_with("ccsdt_"); }

bool is_one_of(const Workload& workload, const std::set<std::string>& programs) {
  return programs.count(workload.program) > 0;
}

/// "gdab" -> "((g * ND + d) * NA + a) * NB + b"
std::string offset_of(const std::string& indices) {
  std::string text(1, indices.front());
  for (size_t n = 1; n < indices.size(); ++n) {
    text = fmt::format("({}) * N{} + {}", text, static_cast<char>(std::toupper(indices[n])),
                       indices[n]);
  }
  return text;
}

/// The offsets of both tensors, from the name: ccsdt_gdab_efgc.
Definitions offsets_of(const Workload& workload) {
  if (!is_contraction(workload)) return {};
  const std::vector<std::string> words = split(workload.program, '_');
  return {{"LEFT_AT", "(" + offset_of(words[1]) + ")"},
          {"RIGHT_AT", "(" + offset_of(words[2]) + ")"}};
}

std::string definitions_of(const Workload& workload, const Instantiated& instantiated,
                           const Definitions& further) {
  const bool is_mcc = is_one_of(workload, {"mcc", "mcc_strided"});
  std::string text =
      fmt::format("#define PROGRAM_{}\n", is_mcc ? "MCC" : upper_case(workload.program));
  for (const auto& [name, value] : instantiated.sizes) {
    text += fmt::format("#define {} {}\n", name, value);
  }
  if (is_mcc || workload.program == "mcc_capsule") {
    for (const std::string stride : {"SH", "SW"}) {
      if (workload.settings.count(stride) == 0) text += fmt::format("#define {} 1\n", stride);
    }
  }
  for (const auto& [name, value] : further) text += fmt::format("#define {} {}\n", name, value);
  return text;
}

std::string text_of(const std::string& path) {
  const auto found = texts().find(path);
  internal_check(found != texts().end(), "no text '{}'", path);
  return found->second;
}

std::string source_of(const std::string& path, const Workload& workload,
                      const Instantiated& instantiated, const Definitions& definitions = {}) {
  return with_sizes(text_of(path), workload, instantiated, definitions);
}

// ---- libraries

/// Which library, and how what all have in common is called there.
struct BlasNames {
  std::string name;
  std::vector<std::string> libraries;    // the first one that can be opened
  std::vector<std::string> set_threads;  // the first one that it has
  std::string batch = {};                // a function for many products, as in oneMKL
  std::string no_further = {};           // why there are not more libraries
};

std::string quoted(const std::vector<std::string>& texts) {
  return '"' + join(texts, "\", \"") + '"';
}

std::optional<PeerCode> blas(const Workload& workload, const Instantiated& at,
                             const BlasNames& names) {
  const std::set<std::string> programs = {"matmul", "matmul_t", "bmatmul",     "matvec",
                                          "dot",    "mcc",      "mcc_strided", "ccsdt_gdab_efgc"};
  if (!is_one_of(workload, programs)) return std::nullopt;
  Definitions definitions = {{"NAME", quoted({names.name})},
                             {"LIBRARIES", quoted(names.libraries)},
                             {"SET_THREADS", quoted(names.set_threads)},
                             {"NO_FURTHER", quoted({names.no_further})}};
  if (!names.batch.empty()) definitions.emplace_back("BATCH", quoted({names.batch}));
  return PeerCode{.source = source_of("bench/peers/blas.c", workload, at, definitions),
                  .compiler = "gcc",
                  .pool = Pool::own};
}

std::optional<PeerCode> openblas(const Workload& workload, const Instantiated& at) {
  return blas(workload, at, {"OpenBLAS", {"libopenblas.so.0"}, {"openblas_set_num_threads"}});
}

std::optional<PeerCode> blis(const Workload& workload, const Instantiated& at) {
  return blas(workload, at, {"BLIS", {"libblis.so.4"}, {"bli_thread_set_num_threads"}});
}

/// PyTorch for x86-64 contains most of oneMKL, and exports it.
std::optional<PeerCode> onemkl(const Workload& workload, const Instantiated& at) {
  const TorchPackage& torch = torch_package();
  BlasNames names{.name = "oneMKL",
                  .libraries = {"libmkl_rt.so.2", "libmkl_rt.so"},
                  .set_threads = {"MKL_Set_Num_Threads", "mkl_serv_set_num_threads"},
                  .batch = "cblas_sgemm_batch"};
  if (torch.absence.empty()) {
    names.libraries.push_back(torch.folder + "/lib/libtorch_cpu.so");
    names.name += " in " + names.libraries.back();
  } else {
    names.no_further = "; nor PyTorch: " + torch.absence;
  }
  return blas(workload, at, names);
}

std::optional<PeerCode> eigen(const Workload& workload, const Instantiated& at) {
  if (!is_one_of(workload, {"matmul", "matmul_t", "bmatmul", "matvec", "dot"})) return std::nullopt;
  return PeerCode{.source = source_of("bench/peers/eigen.cpp", workload, at),
                  .compiler = "g++",
                  .flags = {"-std=gnu++17", "-I/usr/include/eigen3", "-ffast-math"},
                  .headers = "Eigen/Core"};
}

std::optional<PeerCode> onednn(const Workload& workload, const Instantiated& at) {
  if (!is_one_of(workload, {"matmul", "bmatmul", "mcc", "mcc_strided"})) return std::nullopt;
  return PeerCode{.source = source_of("bench/peers/onednn.cpp", workload, at),
                  .compiler = "g++",
                  .flags = {"-std=gnu++17", "-Wl,--no-as-needed", "-ldnnl"},
                  .headers = "dnnl.hpp"};
}

/// "gdab" -> "NG, ND, NA, NB"
std::string sizes_of(const std::string& indices) {
  std::vector<std::string> sizes;
  for (const char index : indices) sizes.push_back(upper_case({'N', index}));
  return join(sizes, ", ");
}

Definitions einsum_of(const Workload& workload) {
  if (!is_contraction(workload)) return {};
  const std::vector<std::string> words = split(workload.program, '_');
  return {{"EINSUM", fmt::format("\"{},{}->abcdef\"", words[1], words[2])},
          {"LEFT_SIZES", sizes_of(words[1])},
          {"RIGHT_SIZES", sizes_of(words[2])}};
}

std::optional<PeerCode> torch(const Workload& workload, const Instantiated& at) {
  const std::set<std::string> programs = {"matmul", "matmul_t", "bmatmul",     "matvec",
                                          "dot",    "mcc",      "mcc_strided", "conv2d"};
  if (!is_one_of(workload, programs) && !is_contraction(workload)) return std::nullopt;
  const TorchPackage& package = torch_package();
  if (!package.absence.empty()) return PeerCode{.absence = "not installed: " + package.absence};
  const std::string libraries = package.folder + "/lib";
  // A call of ATen is a call: optimising its headers would only take long.
  return PeerCode{
      .source = source_of("bench/peers/torch.cpp", workload, at, einsum_of(workload)),
      .compiler = "g++",
      .flags = {"-std=c++17", "-O1", "-I" + package.folder + "/include", "-Wl,--no-as-needed",
                "-L" + libraries, "-Wl,-rpath," + libraries, "-ltorch_cpu", "-lc10"},
      .headers = "ATen/"};
}

// ---- plain loops

std::optional<PeerCode> plain(const Workload& workload, const Instantiated& at,
                              const std::string& compiler) {
  const bool is_mcc = workload.program == "mcc_strided";
  const std::string file = is_contraction(workload) ? "ccsdt" : is_mcc ? "mcc" : workload.program;
  const std::string path = "bench/plain/" + file + ".c";
  if (texts().count(path) == 0) return std::nullopt;
  const bool exact = is_one_of(workload, {"mandelbrot", "prl"});  // rounding decides
  return PeerCode{.source = source_of(path, workload, at, offsets_of(workload)),
                  .compiler = compiler,
                  .flags = exact ? std::vector<std::string>() : fast_math,
                  .contract = !exact};
}

std::optional<PeerCode> plain_gcc(const Workload& workload, const Instantiated& at) {
  return plain(workload, at, "gcc");
}

std::optional<PeerCode> plain_clang(const Workload& workload, const Instantiated& at) {
  return plain(workload, at, "clang");
}

// ---- prototypes

/// The parameters that win on a NEON machine with two cores; those that are not named are the
/// defaults of the file.
struct Prototype {
  std::string file;
  Definitions parameters = {};
};

const std::map<std::string, Prototype>& prototypes() {
  static const std::map<std::string, Prototype> table = {
      {"matmul_1024", {"gemm_packed"}},
      {"matmul_16x1000x2048",
       {"gemm_packed",
        {{"TILE_I", "16"},
         {"TILE_J", "1024"},
         {"TILE_K", "128"},
         {"PACK_B", "0"},
         {"PREFETCH_ROWS", "16"}}}},
      {"matmul_16x4096x25088",
       {"gemm_packed", {{"TILE_I", "16"}, {"TILE_J", "2048"}, {"TILE_K", "128"}}}},
      {"matmul_10x500x64", {"gemm_small"}},
      {"bmatmul", {"gemm_small", {{"MR", "10"}, {"NV", "2"}}}},
      {"matmul_t", {"gemm_small"}},
      {"matmul_1x1000x2048", {"vecmat"}},
      {"dot", {"dot"}},
      {"matvec_4096", {"matvec"}},
      {"matvec_8192", {"matvec"}},
      {"jacobi3d_256", {"jacobi3d"}},
      {"jacobi3d_512", {"jacobi3d"}},
      {"conv2d_224", {"conv2d"}},
      {"conv2d_4096", {"conv2d"}},
      {"mcc_resnet", {"mcc"}},
      {"mcc_512", {"mcc_staged"}},
      {"ccsdt_gdab_efgc", {"ccsdt"}},
      // suite tiny
      {"tiny_matmul", {"gemm_packed", {{"TILE_I", "8"}, {"TILE_J", "16"}, {"TILE_K", "24"}}}},
      {"tiny_vecmat", {"vecmat"}},
      {"tiny_matvec", {"matvec"}},
      {"tiny_jacobi3d", {"jacobi3d"}},
      {"tiny_conv2d", {"conv2d"}},
      {"tiny_mcc", {"mcc"}},
      {"tiny_mcc_staged", {"mcc_staged"}},
      {"tiny_ccsdt", {"ccsdt"}},
      {"tiny_bmatmul", {"gemm_small", {{"MR", "10"}, {"NV", "2"}}}},
      {"tiny_matmul_t", {"gemm_small"}},
      {"tiny_dot", {"dot"}},
  };
  return table;
}

std::optional<PeerCode> prototype(const Workload& workload, const Instantiated& at) {
  const auto row = prototypes().find(workload.name);
  if (row == prototypes().end()) return std::nullopt;
  const std::string path = "bench/prototypes/" + row->second.file + ".c";
  return PeerCode{.source = source_of(path, workload, at, row->second.parameters),
                  .compiler = "gcc",
                  .flags = {"-fno-schedule-insns"}};
}

}  // namespace

std::string with_sizes(const std::string& source, const Workload& workload,
                       const Instantiated& instantiated, const Definitions& definitions) {
  std::vector<std::string> lines = split(source, '\n');
  for (std::string& line : lines) {
    if (!line.starts_with("#include \"")) continue;
    const std::string name = line.substr(10, line.size() - 11);
    line = name == "sizes.h" ? definitions_of(workload, instantiated, definitions) : text_of(name);
  }
  return join(lines, "\n");
}

const std::vector<Peer>& peers() {
  static const std::vector<Peer> all = {
      {"openblas", "OpenBLAS", PeerKind::library, openblas},
      {"blis", "BLIS", PeerKind::library, blis},
      {"onemkl", "oneMKL, also the one inside of PyTorch", PeerKind::library, onemkl},
      {"eigen", "Eigen", PeerKind::library, eigen},
      {"onednn", "oneDNN", PeerKind::library, onednn},
      {"torch", "PyTorch by ATen: oneMKL or another BLAS, oneDNN", PeerKind::library, torch},
      {"gcc", "plain loops, gcc -O3 -ffast-math, OpenMP", PeerKind::plain, plain_gcc},
      {"clang", "plain loops, clang -O3 -ffast-math, OpenMP", PeerKind::plain, plain_clang},
      {"prototype", "hand-written C in the form that mdh prints", PeerKind::prototype, prototype},
  };
  return all;
}

std::vector<Peer> select_peers(const std::vector<std::string>& names) {
  if (names.empty()) return peers();
  std::vector<std::string> known;
  for (const Peer& peer : peers()) known.push_back(peer.name);
  std::vector<Peer> chosen;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      user_error("E842", {}, fmt::format("unknown peer '{}'", name), suggestion(name, known));
    }
    chosen.push_back(peers()[static_cast<size_t>(found - known.begin())]);
  }
  return chosen;
}

}  // namespace mdh::bench
