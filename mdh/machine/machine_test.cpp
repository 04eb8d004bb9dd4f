#include "mdh/machine/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "mdh/support/testing.h"

namespace mdh::machine::machine_test {
namespace {

using Names = std::vector<std::string>;

Names machine_names() {
  Names names;
  for (const Machine& m : machines()) names.push_back(m.name);
  return names;
}

template <class Named>
Names names_of(const std::vector<Named>& all) {
  Names names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

LayerKind kind_of(const std::string& machine, const std::string& layer) {
  const Layer* found = find_machine(machine).find_layer(layer);
  return found ? found->kind : throw std::out_of_range(machine + " lacks " + layer);
}

Diagnostic refusal_of(const std::string& machine) {
  return diagnostic_of([&] { find_machine(machine); });
}

// ---- the list

TEST(Machines, are_the_papers_nine_and_four_of_ours) {
  EXPECT_EQ(machine_names(), (Names{"artificial", "openmp", "openmp_l3", "openmp_l3_simd", "cuda",
                                    "cuda_wrp", "opencl", "multi_gpu", "multi_node_multi_gpu",
                                    "cpu", "gpu", "gpu_nowarp", "host"}));
}

TEST(Machines, are_found_by_name) {
  for (const std::string& name : machine_names()) EXPECT_EQ(find_machine(name).name, name);
}

/// The paper's table of instances: how it spells the name, memory layers, core layers.
struct Instance {
  std::string spelling, name;
  Names memory, cores;
};

const std::vector<Instance>& instances_of_the_paper() {
  static const std::vector<Instance> table = {
      {"artificial", "artificial", {"HM", "L1"}, {"COR"}},
      {"OpenMP", "openmp", {"MM", "L2", "L1"}, {"COR"}},
      {"OpenMP+L3", "openmp_l3", {"MM", "L3", "L2", "L1"}, {"COR"}},
      {"OpenMP+L3+SIMD", "openmp_l3_simd", {"MM", "L3", "L2", "L1"}, {"COR", "SIMD"}},
      {"CUDA", "cuda", {"DM", "SM", "RM"}, {"SMX", "CC"}},
      {"CUDA+WRP", "cuda_wrp", {"DM", "SM", "RM"}, {"SMX", "WRP", "CC"}},
      {"OpenCL", "opencl", {"GM", "LM", "PM"}, {"CU", "PE"}},
      {"Multi-GPU", "multi_gpu", {"HM", "DM", "SM", "RM"}, {"GPU", "SMX", "CC"}},
      {"Multi-Node-Multi-GPU",
       "multi_node_multi_gpu",
       {"NM", "HM", "DM", "SM", "RM"},
       {"NOD", "GPU", "SMX", "CC"}},
  };
  return table;
}

TEST(Machines, have_the_layers_of_the_paper_in_any_spelling) {
  for (const Instance& instance : instances_of_the_paper()) {
    const Machine& m = find_machine(instance.spelling);
    EXPECT_EQ(m.name, instance.name);
    Names all = instance.memory;
    all.insert(all.end(), instance.cores.begin(), instance.cores.end());
    EXPECT_EQ(names_of(m.layers), all) << m.name;
    EXPECT_EQ(names_of(m.regions), instance.memory) << "one region per memory layer, " << m.name;
    for (const std::string& layer : instance.memory) {
      EXPECT_EQ(kind_of(m.name, layer), LayerKind::loop) << m.name << " " << layer;
      EXPECT_EQ(m.find_layer(layer)->region, layer) << m.name;
    }
    for (const std::string& layer : instance.cores) {
      const LayerKind expected = layer == "SIMD" ? LayerKind::replicated : LayerKind::cores;
      EXPECT_EQ(kind_of(m.name, layer), expected) << m.name << " " << layer;
    }
  }
}

TEST(Machines, gpus_of_the_paper_have_its_two_names_for_each_layer) {
  const std::vector<std::pair<std::string, std::string>> aliases = {
      {"DEV", "DM"}, {"SHR", "SM"}, {"REG", "RM"}, {"BLK", "SMX"}, {"THR", "CC"}};
  for (const char* name : {"cuda", "cuda_wrp", "multi_gpu", "multi_node_multi_gpu"}) {
    for (const auto& [alias, layer] : aliases) {
      const Layer* found = find_machine(name).find_layer(alias);
      ASSERT_NE(found, nullptr) << name << " " << alias;
      EXPECT_EQ(found->name, layer) << name << " " << alias;
    }
  }
  EXPECT_EQ(find_machine("opencl").find_layer("WG")->name, "CU");
  EXPECT_EQ(find_machine("opencl").find_layer("WI")->name, "PE");
}

TEST(Machines, of_ours_have_registers_and_lanes_as_layers) {
  for (const char* name : {"cpu", "host"}) {
    EXPECT_EQ(names_of(find_machine(name).layers),
              (Names{"MM", "L3", "L2", "L1", "REG", "COR", "SIMD"}));
    EXPECT_EQ(kind_of(name, "REG"), LayerKind::replicated);
    EXPECT_EQ(kind_of(name, "SIMD"), LayerKind::replicated);
  }
  EXPECT_EQ(names_of(find_machine("gpu").layers),
            (Names{"DEV", "SHR", "REG", "VEC", "BLK", "WRP", "THR"}));
  EXPECT_EQ(names_of(find_machine("gpu").regions), (Names{"DM", "SM", "RM"}));
  EXPECT_EQ(find_machine("gpu").find_layer("REG")->region, "RM");
  EXPECT_EQ(find_machine("gpu").find_layer("VEC")->region, "RM");
}

TEST(Machines, lanes_are_those_of_simd_and_vec) {
  Names with_lanes;
  for (const Machine& m : machines()) {
    for (const Layer& layer : m.layers) {
      if (layer.lanes) with_lanes.push_back(m.name + " " + layer.name);
    }
  }
  EXPECT_EQ(with_lanes,
            (Names{"openmp_l3_simd SIMD", "cpu SIMD", "gpu VEC", "gpu_nowarp VEC", "host SIMD"}));
}

TEST(Machines, cores_that_cannot_wait_for_one_another_are_blocks_and_whole_devices) {
  Names without_barrier;
  for (const Machine& m : machines()) {
    for (const Layer& layer : m.layers) {
      if (layer.kind != LayerKind::cores || layer.barrier) continue;
      if (std::count(without_barrier.begin(), without_barrier.end(), layer.name) == 0) {
        without_barrier.push_back(layer.name);
      }
    }
  }
  EXPECT_EQ(without_barrier, (Names{"SMX", "CU", "GPU", "NOD", "BLK"}));
}

TEST(Machines, caches_are_hints_and_memories_that_code_names_are_explicit) {
  const auto hints = [](const std::string& name) {
    Names regions;
    for (const Region& r : find_machine(name).regions) {
      if (!r.is_explicit) regions.push_back(r.name);
    }
    return regions;
  };
  EXPECT_EQ(hints("artificial"), (Names{"HM"}));
  EXPECT_EQ(hints("openmp"), (Names{"MM", "L2", "L1"}));
  EXPECT_EQ(hints("openmp_l3_simd"), (Names{"MM", "L3", "L2", "L1"}));
  EXPECT_EQ(hints("cpu"), (Names{"MM", "L3", "L2", "L1"}));
  EXPECT_EQ(hints("host"), (Names{"MM", "L3", "L2", "L1"}));
  for (const char* name : {"cuda", "opencl", "multi_node_multi_gpu", "gpu"}) {
    EXPECT_EQ(hints(name), Names{}) << name;
  }
}

TEST(Machines, keep_the_rules_of_machines) {
  for (const Machine& m : machines()) EXPECT_NO_THROW(verify(m)) << m.name;
}

TEST(Machines, summaries_list_every_layer) {
  for (const Machine& m : machines()) {
    for (const Layer& layer : m.layers) {
      EXPECT_NE(m.summary.find(layer.name), std::string::npos) << m.name << " " << layer.name;
    }
  }
}

TEST(Machines, host_is_the_cpu_with_what_the_system_reports) {
  const Machine& host = find_machine("host");
  EXPECT_GE(host.find_layer("COR")->count.value_or(0), 1);
  EXPECT_EQ(find_machine("cpu").find_layer("COR")->count, std::nullopt);
  for (const Region& region : host.regions) {
    EXPECT_EQ(region.soft, region.name != "MM") << region.name;
    EXPECT_EQ(region.is_explicit, find_machine("cpu").find_region(region.name)->is_explicit);
  }
}

// ---- looking things up

TEST(Machines, a_layer_of_another_machine_is_not_found) {
  EXPECT_EQ(find_machine("artificial").find_layer("L2"), nullptr);
  ASSERT_NE(find_machine("openmp").find_layer("L2"), nullptr);
  EXPECT_EQ(find_machine("openmp").find_layer("L2")->name, "L2");
  EXPECT_EQ(find_machine("openmp").find_layer("l2"), nullptr);
  EXPECT_EQ(find_machine("openmp").find_layer(""), nullptr);
}

TEST(Machines, regions_are_numbered_from_the_largest) {
  const Machine& m = find_machine("multi_node_multi_gpu");
  EXPECT_EQ(m.region_number("NM"), 0);
  EXPECT_EQ(m.region_number("RM"), 4);
  EXPECT_EQ(m.region_number("L1"), -1);
  EXPECT_EQ(m.find_region("SM"), &m.regions[3]);
  EXPECT_EQ(m.find_region("L1"), nullptr);
}

TEST(Machines, a_name_goes_before_an_alias) {
  const Machine m{.layers = {{.name = "A", .aliases = {"B"}}, {.name = "B"}}};
  EXPECT_EQ(m.find_layer("B"), &m.layers[1]);
}

TEST(Machines, an_unknown_name_is_refused_with_the_nearest_one) {
  const Diagnostic d = refusal_of("opnmp");
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E301");
  EXPECT_EQ(d.message, "unknown machine 'opnmp'");
  EXPECT_EQ(d.hint, "did you mean 'openmp'?");
}

TEST(Machines, a_name_near_to_none_is_refused_with_the_list) {
  EXPECT_EQ(refusal_of("quantum").hint,
            "known: artificial, openmp, openmp_l3, openmp_l3_simd, cuda, cuda_wrp, opencl, "
            "multi_gpu, multi_node_multi_gpu, cpu, gpu, gpu_nowarp, host");
  EXPECT_EQ(refusal_of("").message, "unknown machine ''");
}

}  // namespace
}  // namespace mdh::machine::machine_test
