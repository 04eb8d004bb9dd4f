#include "bench/workloads.h"

#include <algorithm>

#include "bench/texts.h"
#include "mdh/hl/instantiate.h"
#include "mdh/hl/parse.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::bench {
namespace {

const examples::Settings stride2 = {{"SH", 2}, {"SW", 2}};

std::vector<Workload> cpu_workloads() {
  const Rate gbs = Rate::gbs;
  return {
      {"matmul_1024", "MatMul 1024,1024,1024", "matmul", {1024, 1024, 1024}},
      {"matmul_10x500x64", "MatMul 10,500,64", "matmul", {10, 500, 64}},
      {"matmul_16x1000x2048", "MatMul 16,1000,2048", "matmul", {16, 1000, 2048}},
      {"matmul_1x1000x2048", "MatMul 1,1000,2048", "matmul", {1, 1000, 2048}, gbs},
      {"matmul_16x4096x25088", "MatMul 16,4096,25088", "matmul", {16, 4096, 25088}},
      {"bmatmul", "bMatMul 16,10,500,64", "bmatmul", {16, 10, 500, 64}},
      {"matmul_t", "MatMul^T 10,500,64", "matmul_t", {10, 500, 64}},
      {"dot", "Dot 2^24", "dot", {1 << 24}, gbs},
      {"matvec_4096", "MatVec 4096,4096", "matvec", {4096, 4096}, gbs},
      {"matvec_8192", "MatVec 8192,8192", "matvec", {8192, 8192}, gbs},
      {"jacobi3d_256", "Jacobi3D 256,256,256", "jacobi3d", {256, 256, 256}},
      {"jacobi3d_512", "Jacobi3D 512,512,512", "jacobi3d", {512, 512, 512}},
      {"conv2d_224", "Conv2D 224,224 5x5", "conv2d", {224, 224, 5, 5}},
      {"conv2d_4096", "Conv2D 4096,4096 5x5", "conv2d", {4096, 4096, 5, 5}},
      {"mcc_resnet", "MCC ResNet 1", "mcc_strided", {1, 112, 112, 64, 7, 7, 3}, {}, stride2},
      {"mcc_512", "MCC 1,7,7,512,3,3,512", "mcc", {1, 7, 7, 512, 3, 3, 512}},
      {"ccsdt_gdab_efgc", "CCSD(T) gdab-efgc", "ccsdt_gdab_efgc", {24, 16, 16, 16, 24, 16, 24}},
  };
}

std::vector<Workload> contractions() {
  std::vector<Workload> all;
  for (const examples::Entry& entry : examples::catalogue()) {
    if (!entry.name.starts_with("ccsdt_") || entry.name == "ccsdt_gdab_efgc") continue;
    std::string instance = entry.name.substr(6);
    std::replace(instance.begin(), instance.end(), '_', '-');
    all.push_back({entry.name, "CCSD(T) " + instance, entry.name, entry.sizes.at("paper")});
  }
  return all;
}

std::vector<Workload> joined(std::vector<Workload> some, const std::vector<Workload>& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

/// Those that only GPUs are measured on.
std::vector<Workload> larger_workloads() {
  const Rate gbs = Rate::gbs;
  const auto strided = [](const std::string& name, const std::string& title,
                          const std::vector<int64_t>& sizes) {
    return Workload{name, title, "mcc_capsule", sizes, Rate::gflops, stride2};
  };
  return {
      {"capsule_vgg_16", "MCC_Capsule VGG 16", "mcc_capsule", {16, 224, 224, 64, 3, 3, 3, 4, 4, 4}},
      strided("capsule_resnet_16", "MCC_Capsule ResNet 16", {16, 112, 112, 64, 7, 7, 3, 4, 4, 4}),
      strided("capsule_mobilenet_16", "MCC_Capsule MobileNet 16",
              {16, 112, 112, 32, 3, 3, 3, 4, 4, 4}),
      {"scan_2_26", "scan(+) 2^26", "scan", {1 << 26}, gbs},
      {"reduce_2_24", "reduce(+) 2^24", "reduce", {1 << 24}, gbs},
      {"reduce_max_2_24", "reduce(max) 2^24", "reduce_max", {1 << 24}, gbs},
      {"reduce2_2_24", "reduce(+, *) 2^24", "reduce2", {1 << 24}, gbs},
      {"histo_2_24", "Histo 2^24, 256 bins", "histo", {1 << 24, 256}, gbs},
      {"matmul_37x1009x509", "MatMul 37,1009,509", "matmul", {37, 1009, 509}},
      {"matmul_40x1024x512", "MatMul 40,1024,512", "matmul", {40, 1024, 512}},
      {"jacobi3d_509", "Jacobi3D 509,509,509", "jacobi3d", {509, 509, 509}},
      {"prl_32768", "PRL 2^15", "prl", {1 << 15, 1 << 15}},
      {"mandelbrot_4096", "Mandelbrot 4096,4096", "mandelbrot", {4096, 4096}},
  };
}

std::vector<Workload> more_workloads() {
  const Rate gbs = Rate::gbs;
  std::vector<Workload> all = {
      {"matmul_1000", "MatMul 1000,1000,1000", "matmul", {1000, 1000, 1000}},
      {"matmul_1021", "MatMul 1021,1021,1021", "matmul", {1021, 1021, 1021}},
      {"matmul_1025", "MatMul 1025,1025,1025", "matmul", {1025, 1025, 1025}},
      {"matmul_1x4096x25088", "MatMul 1,4096,25088", "matmul", {1, 4096, 25088}, gbs},
      {"dot_10m", "Dot 10^7", "dot", {10000000}, gbs},
      {"matvec_4093", "MatVec 4093,4093", "matvec", {4093, 4093}, gbs},
      {"conv2d_4093", "Conv2D 4093,4093 5x5", "conv2d", {4093, 4093, 5, 5}},
      {"mcc_resnet_16", "MCC ResNet 16", "mcc_strided", {16, 112, 112, 64, 7, 7, 3}, {}, stride2},
      {"mcc_vgg", "MCC VGG 1", "mcc", {1, 224, 224, 64, 3, 3, 3}},
      {"mcc_vgg_16", "MCC VGG 16", "mcc", {16, 224, 224, 64, 3, 3, 3}},
      {"mcc_mobilenet", "MCC MobileNet 1", "mcc_strided", {1, 112, 112, 32, 3, 3, 3}, {}, stride2},
      {"mcc_mobilenet_16",
       "MCC MobileNet 16",
       "mcc_strided",
       {16, 112, 112, 32, 3, 3, 3},
       {},
       stride2},
      {"capsule_vgg", "MCC_Capsule VGG 1", "mcc_capsule", {1, 224, 224, 64, 3, 3, 3, 4, 4, 4}},
      {"capsule_resnet",
       "MCC_Capsule ResNet 1",
       "mcc_capsule",
       {1, 112, 112, 64, 7, 7, 3, 4, 4, 4},
       {},
       stride2},
      {"capsule_mobilenet",
       "MCC_Capsule MobileNet 1",
       "mcc_capsule",
       {1, 112, 112, 32, 3, 3, 3, 4, 4, 4},
       {},
       stride2},
      {"prl_2048", "PRL 2^11", "prl", {2048, 2048}},
      {"scan", "scan(+) 2^24", "scan", {1 << 24}, gbs},
      {"mbbs", "MBBS 4096,4096", "mbbs", {4096, 4096}, gbs},
      {"histo", "Histo 2^20, 256 bins", "histo", {1 << 20, 256}},
      {"mandelbrot", "Mandelbrot 1024,1024", "mandelbrot", {1024, 1024}},
  };
  return joined(std::move(all), contractions());
}

/// What the other suites have under the same names, and sizes of their own.
std::vector<Workload> gpu_workloads() {
  const std::vector<std::string> shared = {"matmul_1024",
                                           "matmul_1x1000x2048",
                                           "matmul_16x1000x2048",
                                           "matmul_16x4096x25088",
                                           "matmul_1x4096x25088",
                                           "matmul_10x500x64",
                                           "matmul_t",
                                           "bmatmul",
                                           "dot",
                                           "dot_10m",
                                           "matvec_4096",
                                           "matvec_8192",
                                           "conv2d_4096",
                                           "conv2d_224",
                                           "jacobi3d_256",
                                           "jacobi3d_512",
                                           "mcc_resnet",
                                           "mcc_resnet_16",
                                           "mcc_vgg",
                                           "mcc_vgg_16",
                                           "mcc_mobilenet",
                                           "mcc_mobilenet_16",
                                           "mcc_512",
                                           "capsule_resnet",
                                           "capsule_vgg",
                                           "capsule_mobilenet",
                                           "mbbs",
                                           "prl_2048",
                                           "scan",
                                           "mandelbrot",
                                           "matmul_1021",
                                           "conv2d_4093"};
  const std::vector<Workload> all = joined(cpu_workloads(), more_workloads());
  std::vector<Workload> chosen;
  for (const Workload& workload : all) {
    const bool is_shared = std::find(shared.begin(), shared.end(), workload.name) != shared.end();
    if (is_shared || workload.program.starts_with("ccsdt_")) chosen.push_back(workload);
  }
  return joined(std::move(chosen), larger_workloads());
}

std::vector<Workload> tiny_workloads() {
  return {
      {"tiny_matmul", "MatMul 16,32,64", "matmul", {16, 32, 64}},
      {"tiny_vecmat", "MatMul 1,40,64", "matmul", {1, 40, 64}},
      {"tiny_bmatmul", "bMatMul 3,10,24,16", "bmatmul", {3, 10, 24, 16}},
      {"tiny_matmul_t", "MatMul^T 10,20,16", "matmul_t", {10, 20, 16}},
      {"tiny_dot", "Dot 1000", "dot", {1000}, Rate::gbs},
      {"tiny_matvec", "MatVec 16,32", "matvec", {16, 32}, Rate::gbs},
      {"tiny_jacobi3d", "Jacobi3D 4,6,16", "jacobi3d", {4, 6, 16}},
      {"tiny_conv2d", "Conv2D 8,32 5x5", "conv2d", {8, 32, 5, 5}},
      {"tiny_mcc",
       "MCC 2,5,8,32,3,3,3 stride 2",
       "mcc_strided",
       {2, 5, 8, 32, 3, 3, 3},
       {},
       stride2},
      {"tiny_mcc_staged", "MCC 1,7,7,16,3,3,8", "mcc", {1, 7, 7, 16, 3, 3, 8}},
      {"tiny_ccsdt", "CCSD(T) gdab-efgc", "ccsdt_gdab_efgc", {2, 8, 2, 4, 3, 16, 5}},
      {"tiny_capsule", "MCC_Capsule", "mcc_capsule", {1, 3, 3, 4, 2, 2, 3, 4, 4, 4}, {}, stride2},
      {"tiny_contraction", "CCSD(T) gfbc-dega", "ccsdt_gfbc_dega", {3, 2, 4, 3, 2, 5, 7}},
      {"tiny_scan", "scan(+) 1000", "scan", {1000}, Rate::gbs},
      {"tiny_reduce_max", "reduce(max) 1000", "reduce_max", {1000}, Rate::gbs},
      {"tiny_reduce2", "reduce(+, *) 1000", "reduce2", {1000}, Rate::gbs},
      {"tiny_mbbs", "MBBS 30,40", "mbbs", {30, 40}, Rate::gbs},
      {"tiny_histo", "Histo 1000, 10 bins", "histo", {1000, 10}},
      {"tiny_mandelbrot", "Mandelbrot 16,16", "mandelbrot", {16, 16}},
      {"tiny_prl", "PRL 20", "prl", {20, 20}},
  };
}

}  // namespace

const std::vector<Suite>& suites() {
  static const std::vector<Suite> all = {
      {"cpu", "the computations whose fastest code on CPUs is known", cpu_workloads()},
      {"more", "the rest of the catalogue, layers of networks, odd sizes", more_workloads()},
      {"gpu", "what GPUs are compared on: 'mdh bench gpu'", gpu_workloads()},
      {"tiny", "everything in seconds; says nothing about speed", tiny_workloads()},
  };
  return all;
}

const Suite& find_suite(const std::string& name) {
  std::vector<std::string> known;
  for (const Suite& suite : suites()) {
    if (suite.name == name) return suite;
    known.push_back(suite.name);
  }
  user_error("E840", {}, fmt::format("unknown suite '{}'", name), suggestion(name, known));
}

std::vector<Workload> select(const Suite& suite, const std::vector<std::string>& names) {
  if (names.empty()) return suite.workloads;
  std::vector<std::string> known;
  for (const Workload& workload : suite.workloads) known.push_back(workload.name);
  std::vector<Workload> chosen;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      user_error("E841", {}, fmt::format("suite '{}' has no workload '{}'", suite.name, name),
                 suggestion(name, known));
    }
    chosen.push_back(suite.workloads[static_cast<size_t>(found - known.begin())]);
  }
  return chosen;
}

const Workload& find_workload(const std::string& name) {
  std::vector<std::string> known;
  for (const Suite& suite : suites()) {
    for (const Workload& workload : suite.workloads) {
      if (workload.name == name) return workload;
      known.push_back(workload.name);
    }
  }
  user_error("E841", {}, fmt::format("no suite has a workload '{}'", name),
             suggestion(name, known));
}

namespace {

/// Programs that the catalogue does not have.
const std::vector<examples::Entry>& own_programs() {
  using scalar::Scalar;
  static const std::vector<examples::Entry> all = {
      {.name = "reduce_max",
       .summary = "the largest of all elements",
       .types = {Scalar::f32, Scalar::f64, Scalar::i32, Scalar::i64}}};
  return all;
}

hl::Program generic_of(const examples::Entry& entry) {
  const std::string file = fmt::format("bench/programs/{}.mdh", entry.name);
  const auto own = texts().find(file);
  return own == texts().end() ? entry.generic() : hl::parse(own->second, file);
}

Instantiated instantiated(const Workload& workload, const examples::Entry& entry,
                          scalar::Scalar type) {
  Instantiated result{.entry = &entry};
  const hl::Program generic = generic_of(entry);
  result.instance = {type, workload.sizes, workload.settings};
  hl::Bindings bindings;
  if (type != entry.types.front()) bindings.types["T"] = type;
  bindings.sizes = hl::sizes_by_dimension(generic, workload.sizes);
  bindings.values = result.entry->constants(result.instance.type);
  for (const auto& [name, value] : workload.settings) {
    bindings.values.insert_or_assign(name, scalar::integer(value));
  }
  result.program = hl::instantiate(generic, bindings);
  result.sizes.assign(bindings.sizes.begin(), bindings.sizes.end());
  result.sizes.insert(result.sizes.end(), workload.settings.begin(), workload.settings.end());
  return result;
}

const examples::Entry& entry_of(const Workload& workload) {
  for (const examples::Entry& entry : own_programs()) {
    if (entry.name == workload.program) return entry;
  }
  const examples::Entry* entry = examples::find_entry(workload.program);
  internal_check(entry != nullptr, "no program '{}'", workload.program);
  return *entry;
}

}  // namespace

Instantiated instantiate(const Workload& workload) {
  const examples::Entry& entry = entry_of(workload);
  return instantiated(workload, entry, entry.types.front());
}

std::optional<Instantiated> instantiate_with(const Workload& workload, scalar::Scalar type) {
  const examples::Entry& entry = entry_of(workload);
  const bool has_type =
      std::find(entry.types.begin(), entry.types.end(), type) != entry.types.end();
  return has_type ? std::optional(instantiated(workload, entry, type)) : std::nullopt;
}

}  // namespace mdh::bench
