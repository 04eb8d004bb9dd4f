#include "mdh/driver/needs.h"

#include <algorithm>

#include "mdh/driver/devices.h"
#include "mdh/driver/stages.h"
#include "mdh/ll/roles.h"
#include "mdh/support/diagnostic.h"
#include "mdh/support/text.h"

namespace mdh::driver {
namespace {

using backend::BankUse;
using backend::Direction;

std::string counted(int64_t n, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

/// What is known of all accesses of one kind: the worst of them, and whether some are unknown.
std::string worst_of(const std::vector<BankUse>& uses, const std::string& unit) {
  const BankUse* worst = nullptr;
  bool some_unknown = false;
  for (const BankUse& use : uses) {
    some_unknown = some_unknown || !use.passes;
    if (!use.passes) continue;
    if (worst == nullptr || backend::is_worse(*use.passes, *worst->passes)) worst = &use;
  }
  const std::string how = uses.front().direction == Direction::read ? "read" : "written";
  if (worst == nullptr) return how + ": passes unknown";
  return fmt::format("{} {} at once: {}{} (least {}){}", how,
                     counted(worst->at_once, "number", "numbers"),
                     counted(worst->passes->needed, "pass", "passes"), unit, worst->passes->least,
                     some_unknown ? ", others unknown" : "");
}

std::string bank_line(const Symbol& buffer, const std::vector<BankUse>& uses) {
  std::vector<std::string> parts;
  for (const Direction direction : {Direction::read, Direction::written}) {
    std::vector<BankUse> some;
    std::copy_if(uses.begin(), uses.end(), std::back_inserter(some),
                 [&](const BankUse& u) { return u.buffer == buffer && u.direction == direction; });
    if (!some.empty()) parts.push_back(worst_of(some, parts.empty() ? " per warp" : ""));
  }
  return fmt::format("shared memory: {} {}\n", buffer.name, join(parts, "; "));
}

}  // namespace

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
  return print_needs(needs.front()) + print_bank_uses(backend::bank_uses(stages.concrete));
}

void check_memory_of_groups(const kernel::Module& module, const machine::Machine& machine) {
  const std::string shared = ll::roles_of(machine).shared;
  const machine::Region* region = shared.empty() ? nullptr : machine.find_region(shared);
  if (region == nullptr || !region->capacity || region->soft) return;
  kernel::for_each_written_launch(module.steps, [&](const kernel::Launch& launch, size_t) {
    if (launch.local_bytes <= *region->capacity) return;
    user_error(
        "E349", {},
        fmt::format("machine '{}': region {} holds {} bytes; the groups of kernel '{}' need {}",
                    machine.name, shared, *region->capacity, launch.function, launch.local_bytes),
        "make tiles and results of a group smaller, or combine without memory of groups: "
        "partials_kernel");
  });
}

std::string print_bank_uses(const std::vector<BankUse>& uses) {
  std::string text;
  std::vector<Symbol> seen;
  for (const BankUse& use : uses) {
    if (std::find(seen.begin(), seen.end(), use.buffer) != seen.end()) continue;
    seen.push_back(use.buffer);
    text += bank_line(use.buffer, uses);
  }
  return text;
}

}  // namespace mdh::driver
