#include "mdh/machine/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "mdh/support/testing.h"

namespace mdh::machine {
namespace {

using Names = std::vector<std::string>;

Names machine_names() {
  Names names;
  for (const Machine& m : machines()) names.push_back(m.name);
  return names;
}

/// Layers as the paper lists them: memory layers first, then those that compute.
struct Listed {
  Names memory, cores;
  friend bool operator==(const Listed&, const Listed&) = default;
};

Names names_between(const Machine& m, size_t first, size_t last) {
  Names names;
  for (size_t l = first; l < last; ++l) names.push_back(m.layers[l].name);
  return names;
}

Listed listed(const std::string& machine, size_t memory_layers) {
  const Machine& m = find_machine(machine);
  return {names_between(m, 0, memory_layers), names_between(m, memory_layers, m.layers.size())};
}

LayerKind kind_of(const std::string& machine, const std::string& layer) {
  const Layer* found = find_machine(machine).find_layer(layer);
  return found ? found->kind : throw std::out_of_range(machine + " lacks " + layer);
}

const Region* find_region(const Machine& m, const std::string& name) {
  const auto found = std::find_if(m.regions.begin(), m.regions.end(),
                                  [&](const Region& r) { return r.name == name; });
  return found == m.regions.end() ? nullptr : &*found;
}

Diagnostic refusal_of(const std::string& machine) {
  return diagnostic_of([&] { find_machine(machine); });
}

TEST(Machines, are_the_three_we_offer) {
  EXPECT_EQ(machine_names(), (Names{"artificial", "openmp", "cpu"}));
}

TEST(Machines, are_found_by_name) {
  for (const std::string& name : machine_names()) EXPECT_EQ(find_machine(name).name, name);
}

TEST(Machines, artificial_has_the_layers_of_the_paper) {
  EXPECT_EQ(listed("artificial", 2), (Listed{{"HM", "L1"}, {"COR"}}));
}

TEST(Machines, openmp_has_the_layers_of_the_paper) {
  EXPECT_EQ(listed("openmp", 3), (Listed{{"MM", "L2", "L1"}, {"COR"}}));
}

TEST(Machines, cpu_has_three_caches_registers_cores_and_lanes) {
  EXPECT_EQ(listed("cpu", 5), (Listed{{"MM", "L3", "L2", "L1", "REG"}, {"COR", "SIMD"}}));
}

TEST(Machines, cores_work_at_the_same_time_and_caches_one_part_after_the_other) {
  for (const std::string& name : machine_names()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(kind_of(name, "COR"), LayerKind::cores);
    EXPECT_EQ(kind_of(name, "L1"), LayerKind::loop);
  }
}

TEST(Machines, registers_and_lanes_of_the_cpu_lie_side_by_side_in_one_core) {
  EXPECT_EQ(kind_of("cpu", "REG"), LayerKind::replicated);
  EXPECT_EQ(kind_of("cpu", "SIMD"), LayerKind::replicated);
}

TEST(Machines, regions_of_openmp_are_hints_and_caches_of_the_cpu_are_copied_to) {
  for (const Region& r : find_machine("openmp").regions) EXPECT_FALSE(r.is_explicit) << r.name;
  for (const char* cache : {"L3", "L2", "L1", "REG"}) {
    ASSERT_NE(find_region(find_machine("cpu"), cache), nullptr) << cache;
    EXPECT_TRUE(find_region(find_machine("cpu"), cache)->is_explicit) << cache;
  }
}

TEST(Machines, every_layer_names_a_region_of_its_machine) {
  for (const Machine& m : machines()) {
    for (const Layer& layer : m.layers) {
      EXPECT_NE(find_region(m, layer.region), nullptr) << m.name << " " << layer.name;
    }
  }
}

TEST(Machines, every_owner_of_a_region_is_a_layer_of_cores) {
  for (const Machine& m : machines()) {
    for (const Region& region : m.regions) {
      if (region.owner.empty()) continue;
      const Layer* owner = m.find_layer(region.owner);
      ASSERT_NE(owner, nullptr) << m.name << " " << region.name;
      EXPECT_EQ(owner->kind, LayerKind::cores) << m.name << " " << region.name;
    }
  }
}

TEST(Machines, the_users_buffers_lie_in_a_region_that_all_cores_see) {
  for (const Machine& m : machines()) {
    EXPECT_EQ(m.regions.at(0).owner, "") << m.name;
    EXPECT_EQ(m.regions.at(0).name, m.layers.at(0).region) << m.name;
  }
}

TEST(Machines, names_of_layers_and_regions_are_used_once) {
  for (const Machine& m : machines()) {
    std::set<std::string> layers, regions;
    for (const Layer& l : m.layers) EXPECT_TRUE(layers.insert(l.name).second) << l.name;
    for (const Region& r : m.regions) EXPECT_TRUE(regions.insert(r.name).second) << r.name;
  }
}

TEST(Machines, summaries_list_every_layer) {
  for (const Machine& m : machines()) {
    for (const Layer& layer : m.layers) {
      EXPECT_NE(m.summary.find(layer.name), std::string::npos) << m.name << " " << layer.name;
    }
  }
}

TEST(Machines, a_layer_of_another_machine_is_not_found) {
  EXPECT_EQ(find_machine("artificial").find_layer("L2"), nullptr);
  ASSERT_NE(find_machine("openmp").find_layer("L2"), nullptr);
  EXPECT_EQ(find_machine("openmp").find_layer("L2")->name, "L2");
  EXPECT_EQ(find_machine("openmp").find_layer("l2"), nullptr);
  EXPECT_EQ(find_machine("openmp").find_layer(""), nullptr);
}

TEST(Machines, an_unknown_name_is_refused_with_the_nearest_one) {
  const Diagnostic d = refusal_of("opnmp");
  EXPECT_EQ(d.kind, DiagnosticKind::user);
  EXPECT_EQ(d.code, "E301");
  EXPECT_EQ(d.message, "unknown machine 'opnmp'");
  EXPECT_EQ(d.hint, "did you mean 'openmp'?");
}

TEST(Machines, a_name_near_to_none_is_refused_with_the_list) {
  EXPECT_EQ(refusal_of("quantum").hint, "known: artificial, openmp, cpu");
  EXPECT_EQ(refusal_of("").message, "unknown machine ''");
}

}  // namespace
}  // namespace mdh::machine
