#include "mdh/driver/needs.h"

#include "mdh/driver/devices.h"
#include "mdh/driver/stages.h"
#include "mdh/support/diagnostic.h"

namespace mdh::driver {

std::string print_needs(const std::vector<runtime::Resources>& functions) {
  size_t width = std::string_view("function").size();
  for (const runtime::Resources& one : functions) width = std::max(width, one.function.size());
  const auto row = [&](const std::string& name, const auto& registers, const auto& spilled,
                       const auto& stack, const auto& shared, const auto& threads) {
    return fmt::format("{:<{}}  {:>9}  {:>13}  {:>11}  {:>12}  {:>7}\n", name, width, registers,
                       spilled, stack, shared, threads);
  };
  const auto number = [](const std::optional<int64_t>& n) {
    return n ? std::to_string(*n) : std::string("?");
  };
  std::string text =
      row("function", "registers", "spilled bytes", "stack bytes", "shared bytes", "threads");
  for (const runtime::Resources& one : functions) {
    text += row(one.function, number(one.registers), number(one.spilled_bytes),
                number(one.stack_bytes), number(one.local_bytes), number(one.items_per_group));
  }
  return text;
}

std::string print_needs(const hl::Program& program, const machine::Machine& machine,
                        const ll::Config& config, const Target& target, const std::string& device) {
  const auto on = target.runtime->open(device);
  const Stages stages =
      lower_all(program, machine, config, target_on(target, *on), kernel_name(program));
  const auto needs = on->needs_of({&stages.module, 1});
  if (needs.empty()) {
    unsupported("E649", {},
                fmt::format("what compiled functions need, with the target '{}'", target.name),
                "its compilers do not tell; --footprint counts what the configuration asks for");
  }
  return print_needs(needs.front());
}

}  // namespace mdh::driver
