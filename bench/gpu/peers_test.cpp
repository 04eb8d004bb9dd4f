#include "bench/gpu/peers.h"

#include <gtest/gtest.h>

#include "bench/configs.h"
#include "bench/peers.h"
#include "bench/precise.h"
#include "bench/texts.h"
#include "mdh/runtime/cuda/places.h"
#include "mdh/runtime/process.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/files.h"

namespace mdh::bench::gpu::peers_test {
namespace {

std::vector<std::string> names_for(const std::string& workload) {
  std::vector<std::string> names;
  for (const GpuPeer& peer : peers()) {
    if (computes(peer, find_workload(workload))) names.push_back(peer.name);
  }
  return names;
}

TEST(GpuPeers, compute_what_their_libraries_have) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_for("matmul_1024"), (Names{"cublas", "torch", "inductor", "jax"}));
  EXPECT_EQ(names_for("mcc_512"), (Names{"cudnn", "torch", "inductor", "jax"}));
  EXPECT_EQ(names_for("scan"), (Names{"cub", "torch", "inductor", "jax"}));
  EXPECT_EQ(names_for("ccsdt_gfac_degb"), (Names{"torch", "inductor", "jax"}));
  for (const char* workload : {"reduce_2_24", "reduce_max_2_24", "reduce2_2_24"}) {
    EXPECT_EQ(names_for(workload), (Names{"cub", "torch", "inductor", "jax"})) << workload;
  }
  EXPECT_EQ(names_for("prl_2048"), Names{"plain"});
  EXPECT_EQ(names_for("mandelbrot_4096"), Names{"plain"});
}

TEST(GpuPeers, every_workload_of_the_suite_has_peers) {
  for (const Workload& workload : find_suite("gpu").workloads) {
    // No library has these: they are compared with kernels written by hand.
    const bool is_alone = workload.program == "prl" || workload.program == "mandelbrot";
    EXPECT_GE(names_for(workload.name).size(), is_alone ? 1u : 3u) << workload.name;
  }
}

TEST(GpuPeers, plain_cuda_compiles_without_warnings) {
  const std::string nvcc = runtime::cuda::find_nvcc();
  if (nvcc.empty()) GTEST_SKIP() << "needs nvcc";
  for (const char* name : {"tiny_prl", "tiny_mandelbrot"}) {
    const Workload& workload = find_workload(name);
    const TemporaryDirectory folder;
    write_file(folder.path() / "plain.cu",
               with_sizes(texts().at("bench/peers/plain.cu"), workload, instantiate(workload)));
    const runtime::Exit exit =
        runtime::run_program({nvcc, "-std=c++17", "-arch=sm_90", "-fmad=false",
                              "-Werror=all-warnings", "-Xcompiler", "-Wall,-Wextra,-Werror", "-c",
                              "-o", folder.path() / "plain.o", folder.path() / "plain.cu"},
                             folder.path(), 300);
    EXPECT_EQ(exit.status, 0) << name << ": " << exit.output;
  }
}

TEST(GpuPeers, are_selected_by_name) {
  EXPECT_EQ(select_peers({}).size(), peers().size());
  EXPECT_EQ(select_peers({"jax", "cublas"})[1].name, "cublas");
  try {
    select_peers({"cublass"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.diagnostic().code, "E842");
    EXPECT_EQ(e.diagnostic().hint, "did you mean 'cublas'?");
  }
}

TEST(GpuPeers, of_the_user_are_sources) {
  EXPECT_EQ(peer_of_user("mine=a/b.cu").written, Written::cuda);
  EXPECT_EQ(peer_of_user("mine=b.cpp").kind, PeerKind::user);
  for (const std::string text : {"mine", "=b.cpp", "mine=b.py", "b.cpp"}) {
    EXPECT_THROW(peer_of_user(text), Error) << text;
  }
}

TEST(GpuConfigs, are_those_of_the_kind_of_gpu) {
  const auto known = known_config(find_workload("dot"), "", "sm_90");
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->detail, "bench/configs/sm_90/dot.json");
  EXPECT_FALSE(known_config(find_workload("dot"), "", "sm_10").has_value());
}

TEST(GpuConfigs, may_be_those_of_a_target) {
  const TemporaryDirectory folder;
  std::filesystem::create_directories(folder.path() / "opencl");
  const std::string config = R"({"mdh_config": 1, "split": {}, "order": []})";
  write_file(folder.path() / "dot.json", config);
  const auto found = [&](const std::string& target) {
    return known_config(find_workload("dot"), folder.path().string(), "sm_90", target)->detail;
  };
  EXPECT_EQ(found("opencl"), (folder.path() / "dot.json").string());
  write_file(folder.path() / "opencl/dot.json", config);
  EXPECT_EQ(found("opencl"), (folder.path() / "opencl/dot.json").string());
  EXPECT_EQ(found("cuda"), (folder.path() / "dot.json").string());
}

TEST(Precise, deviation_is_that_of_the_worst_element) {
  const Precise precise({{1, 2, -4}});
  const std::vector<float> values = {1, 2.5, -4};
  std::vector<char> bytes(values.size() * sizeof(float));
  std::copy_n(reinterpret_cast<const char*>(values.data()), bytes.size(), bytes.begin());
  EXPECT_EQ(precise.deviation({bytes}), 0.5);
  EXPECT_EQ(precise.largest(), 4);
}

TEST(Precise, is_computed_in_f64_from_the_same_inputs) {
  const Workload workload = find_workload("tiny_matmul");
  const Instantiated at = instantiate(workload);
  const driver::Memory memory(at.program, driver::Memory::Place::shared);
  const auto fill = [&](size_t buffer, float value) {
    auto* at_first = static_cast<float*>(memory.pointers()[buffer]);
    std::fill_n(at_first, memory.shared().bytes()[buffer] / 4, value);
  };
  fill(1, 0.1F);
  fill(2, 3.0F);
  const auto precise = Precise::of(workload, memory, 1);
  ASSERT_TRUE(precise.has_value());
  EXPECT_NEAR(precise->largest(), 64 * static_cast<double>(0.1F) * 3, 1e-12);
  const Workload histo = find_workload("tiny_histo");
  const driver::Memory whole(instantiate(histo).program, driver::Memory::Place::shared);
  EXPECT_FALSE(Precise::of(histo, whole, 1).has_value());
}

}  // namespace
}  // namespace mdh::bench::gpu::peers_test
