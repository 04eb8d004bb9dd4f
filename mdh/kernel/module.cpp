#include "mdh/kernel/module.h"

#include <algorithm>

namespace mdh::kernel {

int64_t Argument::elements() const {
  int64_t product = 1;
  for (const int64_t n : extents) product *= n;
  return product;
}

int Module::threads() const { return std::clamp(parts_on_cores, 1, most_threads); }

bool operator==(const Repeat& a, const Repeat& b) { return a.count == b.count && a.body == b.body; }

namespace {

void visit(std::span<const Step> steps, std::vector<int64_t>& indices,
           const LaunchVisitor& launch) {
  for (const Step& step : steps) {
    if (const auto* one = std::get_if<Launch>(&step.is)) {
      launch(*one, indices);
      continue;
    }
    const auto& repeat = std::get<Repeat>(step.is);
    for (int64_t n = 0; n < repeat.count; ++n) {
      indices.push_back(n);
      visit(repeat.body, indices, launch);
      indices.pop_back();
    }
  }
}

void visit_written(std::span<const Step> steps, size_t loops, const WrittenLaunchVisitor& launch) {
  for (const Step& step : steps) {
    if (const auto* one = std::get_if<Launch>(&step.is)) {
      launch(*one, loops);
    } else {
      visit_written(std::get<Repeat>(step.is).body, loops + 1, launch);
    }
  }
}

}  // namespace

void for_each_written_launch(std::span<const Step> steps, const WrittenLaunchVisitor& launch) {
  visit_written(steps, 0, launch);
}

void for_each_launch(std::span<const Step> steps, const LaunchVisitor& launch) {
  std::vector<int64_t> indices;
  visit(steps, indices, launch);
}

}  // namespace mdh::kernel
