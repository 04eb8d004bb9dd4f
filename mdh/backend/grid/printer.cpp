#include "mdh/backend/grid/printer.h"

#include <algorithm>

#include "mdh/backend/c/arguments.h"
#include "mdh/backend/c/printer.h"
#include "mdh/backend/grid/global_talk.h"
#include "mdh/backend/grid/kernel_text.h"
#include "mdh/backend/grid/neighbours.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using kernel::Launch;
using kernel::Repeat;
using kernel::Step;
using loop::Block;
using loop::Buffer;
using loop::Role;
using loop::Stmt;
using loop::Team;

/// Work-groups of kernels in which every work-item takes element after element.
constexpr int64_t most_groups = 4096;

class ModulePrinter {
 public:
  ModulePrinter(const loop::Program& p, const std::string& name, const GridWords& words)
      : program_(p),
        name_(name),
        words_(words),
        storage_(grid_storage_of(p)),
        printer_(kernel_text(p, storage_, words)) {}

  kernel::Module run() {
    kernel::Module module{.language = words_.language, .name = name_};
    module.steps = steps(program_.body);
    module.source =
        fmt::format("/* {}: printed by mdh */\n{}{}", name_, printer_->helpers(), text_);
    module.arguments = arguments_of(program_);
    align_arguments(program_, module.arguments);
    module.workspace_bytes = storage_.workspace_bytes;
    module.zeroed_bytes = storage_.zeroed_bytes;
    module.contract_allowed = may_contract(program_.f, program_.combine);
    module.combines_in_any_order = std::any_of(program_.buffers.begin(), program_.buffers.end(),
                                               [](const Buffer& b) { return b.atomic; });
    module.arrays = printer_->arrays();
    return module;
  }

 private:
  std::vector<Step> steps(const Block& block) {
    std::vector<Step> result;
    for (const Stmt& s : block) {
      if (const auto* deal = s.as<loop::Deal>()) {
        result.push_back({launch(*deal)});
      } else if (const auto* loop = s.as<loop::For>()) {
        host_.push_back(loop->var);
        result.push_back({Repeat{rounds_of(*loop), steps(loop->body)}});
        host_.pop_back();
      } else {
        // Every launch waits for the one before it.
        internal_check(s.as<loop::Alloc>() || s.as<loop::Barrier>() || s.as<loop::Commit>() ||
                           s.as<loop::Wait>(),
                       "a statement outside of all kernels");
      }
    }
    return result;
  }

  /// Parts that are empty do nothing when they are launched.
  int64_t rounds_of(const loop::For& loop) const {
    if (const auto trip = constant(loop.trip)) return *trip;
    internal_check(is_digit(program_, loop.var), "a loop of the host without a number of rounds");
    return find_digit(program_, loop.var).parts;
  }

  Launch launch(const loop::Deal& s) {
    const std::string function = fmt::format("{}_{}", name_, ++kernels_);
    const int64_t shares = loop::volume_of(s.shares);
    Launch launch{function};
    std::string body;
    if (s.team == Team::grid) {
      const Items items = items_of(program_, s.body, words_.many_items);
      launch.items = items.extents;
      const bool is_persistent = s.on > 0 && s.on < shares;
      launch.in_order = storage_.followers.contains(&s);
      if (is_persistent) {
        launch.groups[0] = s.on;
      } else if (!launch.in_order && has_axes(program_, s.shares)) {
        launch.groups = extents_of(on_axes(program_, s.shares));
      } else {
        launch.groups[0] = shares;
      }
      if (const auto over = loop::meets_over(s)) {
        const loop::Digit& digit = find_digit(program_, *over);
        launch.cluster[axis_of(digit)] = digit.parts;
      }
      body = is_persistent ? printer_->persistent(s, items) : printer_->grid(s, items);
    } else {
      launch.items[0] = items_of_elements(shares, words_);
      launch.groups[0] = std::min((shares + launch.items[0] - 1) / launch.items[0], most_groups);
      body = printer_->elements(s);
    }
    launch.local_bytes = printer_->local_bytes();
    text_ += fmt::format("{} {{\n{}{}}}\n", signature(launch, alone_in(s.body)),
                         indent(printer_->entry(), 2), indent(body, 2));
    return launch;
  }

  /// Whose pointers may say that nothing else points to their memory. What a kernel reads from before
  /// it has waited for others may be old, and compilers may read early what nobody else writes. Inputs
  /// are worth it all the same; tests/cuda sees that no compiler reads them before the wait.
  struct Alone {
    bool inputs = true, outputs = true;
  };

  Alone alone_in(const Block& kernel) const {
    const bool all = words_.alone_at_barriers || !has_barriers(kernel) ||
                     !talks_through_global(program_, storage_, kernel);
    return {all, all && (words_.waits.empty() || !reads_results_of_others(program_, kernel))};
  }

  std::string signature(const Launch& launch, const Alone& alone) {
    std::vector<std::string> parameters;
    for (const Buffer& b : program_.buffers) {
      if (b.role == Role::temporary) continue;
      const bool is_input = b.role == Role::input;
      const bool is_alone = is_input ? alone.inputs : alone.outputs;
      parameters.push_back(fmt::format(
          "{}{}{} {}{}", words_.to_global, is_input ? "const " : "", printer_->type(b.type),
          is_alone ? fmt::format("*{} ", words_.alone) : "*", c_name(b.symbol.name)));
    }
    parameters.push_back(words_.to_global + "char *workspace");
    for (const Symbol& var : host_) parameters.push_back("long " + c_name(var.name));
    return fmt::format("{} {}({})", words_.kernel(launch.items, program_.bounds, launch.cluster),
                       launch.function, join(parameters, ", "));
  }

  const loop::Program& program_;
  std::string name_;
  const GridWords& words_;
  GridStorage storage_;
  std::unique_ptr<KernelText> printer_;
  std::string text_;
  std::vector<Symbol> host_;
  int kernels_ = 0;
};

}  // namespace

kernel::Module print_grid(const loop::Program& program, const std::string& name,
                          const GridWords& words) {
  internal_check(loop::is_concrete(program), "only concrete loops can be printed");
  return ModulePrinter(program, name, words).run();
}

}  // namespace mdh::backend
