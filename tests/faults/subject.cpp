#include "tests/faults/subject.h"

#include <algorithm>

#include "mdh/driver/data.h"
#include "mdh/hl/analysis.h"

namespace mdh::test {
namespace {

constexpr int64_t most_points = 400;

std::string usual_machine(const std::string& target) {
  return target == "opencl" ? "gpu_nowarp" : "cpu";
}

/// Kernels run once or twice: compiling them is what takes time.
ll::Config compiled_quickly(ll::Config config) {
  config.code.kernel.compiler.clear();
  config.code.kernel.flags = {"-O1"};
  return config;
}

bool has_lanes(const hl::Program& p) {
  for (const auto* views : {&p.outputs, &p.inputs}) {
    for (const hl::BufferView& view : *views) {
      if (!view.type.is_scalar()) return false;
    }
  }
  return !p.dimensions.empty();
}

/// The last dimension on lanes and in registers, the first one on cores.
ll::Config on_lanes(const hl::Program& p, Random& random) {
  ll::Config config{.program = p.name, .machine = "cpu", .layers = {"COR", "L1", "REG", "SIMD"}};
  const std::vector<int64_t> sizes = hl::sizes(p);
  const int64_t lanes = random.pick<int64_t>({2, 4, 8}), tiles = random.between(1, 2);
  const auto covered = [](int64_t size, int64_t parts) { return (size + parts - 1) / parts; };
  for (size_t d = 0; d < sizes.size(); ++d) {
    const std::string& name = p.dimensions[d].symbol.name;
    const bool last = d + 1 == sizes.size();
    const int64_t cores = d == 0 ? std::min<int64_t>(2, sizes[d]) : 1;
    const int64_t inside = last ? tiles * lanes : 1;
    std::vector<ll::Digit>& digits = config.split[name];
    if (cores > 1) digits.push_back({"COR", cores});
    digits.push_back({"L1", covered(sizes[d], cores * inside)});
    if (last) digits.insert(digits.end(), {{"REG", tiles}, {"SIMD", lanes}});
    for (const ll::Digit& digit : digits) config.order.push_back({digit.layer, name});
  }
  const auto depth = [](const ll::LevelName& level) {
    return level.layer == "COR" ? 0 : level.layer == "L1" ? 1 : level.layer == "REG" ? 2 : 3;
  };
  std::stable_sort(config.order.begin(), config.order.end(),
                   [&](const auto& a, const auto& b) { return depth(a) < depth(b); });
  return config;
}

bool is_valid(const Triple& t) {
  try {
    validate(t.config, t.program, t.machine);
    return true;
  } catch (const Error& e) {
    if (e.diagnostic().kind != DiagnosticKind::user) throw;
    return false;
  }
}

const FaultProgram* find_program(const std::string& name) {
  for (const FaultProgram& p : fault_programs()) {
    if (p.name == name) return &p;
  }
  return nullptr;
}

Subject subject_of(const FaultProgram& p, scalar::Scalar type, hl::Program program,
                   machine::Machine machine, ll::Config config, uint64_t seed) {
  Inputs inputs = own_inputs(p, type, program, seed);
  return {p.name,
          type,
          {std::move(program), std::move(machine), compiled_quickly(std::move(config))},
          std::move(inputs)};
}

/// Register tiles and packing: small instances of known fast configurations.
std::optional<Subject> draw_known(Random& random) {
  Mutated m = mutated_config(random);
  const bool is_scalar = m.program.outputs.front().type.is_scalar();
  if (hl::points(m.program) < 8 || !is_scalar) return std::nullopt;
  return Subject{
      m.program.name,
      scalar_of(m.program.outputs.front().type),
      {std::move(m.program), std::move(m.machine), compiled_quickly(std::move(m.config))},
      {}};
}

Subject draw_any(const std::string& target, Random& random) {
  const FaultProgram& p = random.pick(fault_programs());
  const scalar::Scalar type = random.pick(p.types);
  hl::Program program = instance_of(p, type, odd_sizes(p, most_points, random));
  const auto seed = random.next();
  const int64_t way = random.between(0, 9);
  if (way < 2 && target == "openmp" && has_lanes(program)) {
    Subject subject =
        subject_of(p, type, program, machine::find_machine("cpu"), on_lanes(program, random), seed);
    if (is_valid(subject.triple)) return subject;
  }
  machine::Machine machine =
      way < 7 ? machine::find_machine(usual_machine(target)) : any_machine(random);
  const Style style = random.chance(75) ? Style::staged : Style::arbitrary;
  ll::Config config = way == 2 ? ll::default_config(program, machine, 2)
                               : any_config(program, machine, style, random);
  return subject_of(p, type, std::move(program), std::move(machine), std::move(config), seed);
}

}  // namespace

Subject draw_subject(const std::string& target, Random& random) {
  for (;;) {
    if (target != "openmp" || !random.chance(20)) return draw_any(target, random);
    if (auto known = draw_known(random)) return std::move(*known);
  }
}

Large draw_large(const std::string& target, Random& random) {
  struct Sizes {
    std::string name;
    std::vector<int64_t> large, small;
  };
  static const std::vector<Sizes> choices = {{"dot", {1 << 20}, {64}},
                                             {"weighted_sum", {2, 1 << 19}, {2, 64}},
                                             {"matvec", {4, 1 << 18}, {4, 64}},
                                             {"matmul", {64, 128, 128}, {8, 8, 8}},
                                             {"shortest_paths", {64, 128, 128}, {8, 8, 8}},
                                             {"conv2d", {256, 256, 4, 4}, {8, 8, 4, 4}}};
  const Sizes& sizes = random.pick(choices);
  const FaultProgram& p = *find_program(sizes.name);
  const scalar::Scalar type = random.pick(p.types);
  const auto seed = random.next();
  const auto at = [&](const std::vector<int64_t>& values) {
    hl::Program program = instance_of(p, type, values);
    machine::Machine machine = machine::find_machine(usual_machine(target));
    ll::Config config = ll::default_config(program, machine, 2);
    return subject_of(p, type, std::move(program), std::move(machine), std::move(config), seed);
  };
  return {at(sizes.large), at(sizes.small)};
}

std::optional<driver::Stages> stages_of(const Subject& subject, const driver::Target& target) {
  try {
    const Triple& t = subject.triple;
    return driver::lower_all(t.program, t.machine, t.config, target,
                             driver::kernel_name(t.program));
  } catch (const Error& e) {
    if (e.diagnostic().kind == DiagnosticKind::unsupported) return std::nullopt;
    throw;
  }
}

std::vector<std::vector<scalar::Array>> data_of(const Subject& subject) {
  const hl::Program& p = subject.triple.program;
  if (subject.inputs) return {subject.inputs()};
  return {driver::random_inputs(p, 11), driver::random_inputs(p, 12), driver::whole_inputs(p, 13)};
}

Meaning meaning_of(const Subject& subject, const driver::Stages& stages) {
  return {subject.triple.program, stages.low, stages.concrete, data_of(subject)};
}

}  // namespace mdh::test
