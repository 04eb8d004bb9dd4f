// Decisions that a search tries have an effect on the target; those without one are not tried.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "examples/catalogue.h"
#include "mdh/driver/stages.h"
#include "mdh/search/search_space.h"

namespace mdh::spaces_test::decisions_test {
namespace {

/// The configuration after a change.
template <class Change>
ll::Config changed(const ll::Config& config, const Change& change) {
  ll::Config other = config;
  change(other);
  return other;
}

/// What a configuration decides about copies.
void without_each_copy(const ll::Config& config, std::map<std::string, ll::Config>& all) {
  for (const auto& [buffer, codes] : config.code.stage) {
    for (size_t n = 0; n < codes.size(); ++n) {
      const ll::StageCode& code = codes[n];
      const ll::StageCode usual;
      const auto add = [&, name = buffer, number = n](const std::string& what, auto member) {
        if (code.*member == usual.*member) return;
        all.insert_or_assign(what, changed(config, [&](ll::Config& other) {
                               other.code.stage[name][number].*member = usual.*member;
                             }));
      };
      add("transport " + name_of(code.transport), &ll::StageCode::transport);
      add("width", &ll::StageCode::width);
      add("depth", &ll::StageCode::depth);
      add("pad", &ll::StageCode::pad);
      add("line", &ll::StageCode::line);
      add("swizzle of lines", &ll::StageCode::swizzle);
      add("prefetch", &ll::StageCode::prefetch);
      add("opaque", &ll::StageCode::opaque);
      add("roll", &ll::StageCode::roll);
      add("across", &ll::StageCode::across);
      add("copy order", &ll::StageCode::copy_order);
    }
  }
}

/// ... about where results are kept.
void without_each_place(const ll::Config& config, std::map<std::string, ll::Config>& all) {
  for (const auto& [buffer, places] : config.acc) {
    for (size_t n = 0; n < places.size(); ++n) {
      all.insert_or_assign(
          "results in " + places[n].region, changed(config, [&, name = buffer](ll::Config& other) {
            other.acc[name].erase(other.acc[name].begin() + static_cast<std::ptrdiff_t>(n));
          }));
    }
  }
}

/// What a configuration decides, "edge clamp", and the configuration without that decision.
std::map<std::string, ll::Config> without_each(const ll::Config& config) {
  std::map<std::string, ll::Config> all;
  for (const auto& [dimension, edge] : config.code.edge) {
    ll::Config other = config;
    other.code.edge.erase(dimension);
    all.insert_or_assign("edge " + name_of(edge), other);
  }
  for (const auto& [level, how] : config.code.combine) {
    ll::Config other = config;
    other.code.combine.erase(level);
    all.insert_or_assign("combine " + name_of(how), other);
  }
  if (!config.tags.empty()) {
    ll::Config other = config;
    other.tags.clear();
    all.insert_or_assign("tags", other);
  }
  for (const auto& [layer, cores] : config.code.cores) {
    if (cores.swizzle == 1) continue;
    ll::Config other = config;
    other.code.cores[layer].swizzle = 1;
    all.insert_or_assign("swizzle", other);
  }
  if (!config.phases.empty()) {
    all.insert_or_assign("phases",
                         changed(config, [](ll::Config& other) { other.phases.clear(); }));
  }
  const auto in_kernel = [&](const std::string& what, auto member) {
    if (config.code.kernel.*member == ll::KernelCode().*member) return;
    all.insert_or_assign(what, changed(config, [&](ll::Config& other) {
                           other.code.kernel.*member = ll::KernelCode().*member;
                         }));
  };
  in_kernel("unroll", &ll::KernelCode::unroll);
  in_kernel("launch bounds", &ll::KernelCode::launch_bounds);
  without_each_copy(config, all);
  without_each_place(config, all);
  return all;
}

/// Source and launches.
std::string printed(const hl::Program& program, const machine::Machine& machine,
                    const ll::Config& config, const driver::Target& target) {
  const kernel::Module m = driver::lower_all(program, machine, config, target, "k").module;
  std::string text = m.source;
  kernel::for_each_written_launch(m.steps, [&](const kernel::Launch& launch, size_t) {
    text += fmt::format("{} {}\n", fmt::join(launch.groups, " "), fmt::join(launch.items, " "));
  });
  return text;
}

struct Seen {
  std::set<std::string> tried, effective;
};

Seen seen_on(const std::string& target_name, const std::string& machine_name, int samples) {
  const driver::Target& target = driver::find_target(target_name);
  const machine::Machine& machine = machine::find_machine(machine_name);
  const std::vector<std::pair<const char*, std::map<std::string, int64_t>>> programs = {
      {"matmul", {{"I", 23}, {"J", 45}, {"K", 37}}},
      {"matmul", {{"I", 64}, {"J", 128}, {"K", 64}}},  // no loop has parts without points
      {"matvec", {{"I", 19}, {"K", 101}}},
      {"dot", {{"K", 1003}}},
      {"conv2d", {{"P", 13}, {"Q", 17}, {"R", 3}, {"S", 3}}}};
  Seen seen;
  for (const auto& [name, sizes] : programs) {
    const hl::Program program =
        hl::instantiate(examples::find_entry(name)->generic(), {.sizes = sizes});
    const search::SearchSpace space(program, machine, {.cores = 4, .obeys = target.obeys});
    Random random(5);
    for (int n = 0; n < samples; ++n) {
      const ll::Config config = space.config(space.sample(random));
      std::optional<std::string> with;  // printed once
      for (const auto& [decision, other] : without_each(config)) {
        seen.tried.insert(decision);
        if (seen.effective.contains(decision)) continue;
        if (!with) with = printed(program, machine, config, target);
        const bool same = *with == printed(program, machine, other, target);
        if (!same) seen.effective.insert(decision);
      }
    }
  }
  return seen;
}

TEST(Decisions, all_that_is_tried_for_threads_changes_code) {
  const Seen seen = seen_on("openmp", "cpu", 40);
  EXPECT_EQ(seen.tried,
            (std::set<std::string>{"combine team_tree", "copy order", "edge clamp", "edge mask",
                                   "opaque", "prefetch", "results in REG", "roll"}));
  EXPECT_EQ(seen.effective, seen.tried);
}

TEST(Decisions, all_that_is_tried_for_grids_changes_code) {
  const Seen seen = seen_on("opencl", "gpu_nowarp", 100);
  EXPECT_EQ(seen.tried, (std::set<std::string>{"across", "combine team_tree", "copy order", "depth",
                                               "edge clamp", "edge mask", "line", "pad", "phases",
                                               "results in RM", "results in SM", "roll", "swizzle",
                                               "swizzle of lines", "tags", "transport async",
                                               "transport registers", "unroll", "width"}));
  EXPECT_EQ(seen.effective, seen.tried);
}

/// A target that carries out less is searched for less.
TEST(Decisions, what_a_target_does_not_obey_is_not_tried) {
  const hl::Program program = hl::instantiate(examples::find_entry("matmul")->generic(),
                                              {.sizes = {{"I", 23}, {"J", 45}, {"K", 37}}});
  const machine::Machine& machine = machine::find_machine("gpu_nowarp");
  const search::SearchSpace space(program, machine, {.cores = 4, .obeys = {}});
  Random random(6);
  const std::set<std::string> of_others = {
      "combine team_tree", "tags", "swizzle", "transport registers", "width", "prefetch", "opaque"};
  for (int n = 0; n < 40; ++n) {
    const ll::Config config = space.config(space.sample(random));
    for (const auto& [decision, other] : without_each(config)) {
      EXPECT_FALSE(of_others.contains(decision)) << decision;
    }
    ll::KernelCode kernel = config.code.kernel;
    kernel.unroll.clear();  // every printer of grids can
    EXPECT_EQ(kernel, ll::KernelCode{});
  }
}

}  // namespace
}  // namespace mdh::spaces_test::decisions_test
