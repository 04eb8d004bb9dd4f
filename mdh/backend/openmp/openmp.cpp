#include "mdh/backend/openmp/openmp.h"

#include <algorithm>
#include <set>

#include "mdh/backend/c/arguments.h"
#include "mdh/backend/c/printer.h"
#include "mdh/backend/c/streaming.h"
#include "mdh/backend/openmp/caller.h"
#include "mdh/backend/openmp/storage.h"
#include "mdh/backend/rts/rts.h"
#include "mdh/support/text.h"

namespace mdh::backend {
namespace {

using loop::Block;
using loop::Buffer;
using loop::Role;
using loop::Stmt;

/// The largest number of shares that are dealt at once, of those that belong to cores and of all,
/// and of cores that are to have some.
struct TeamNeeds {
  int64_t owned = 1, all = 1, cores = 1;
  bool dynamic = false;

  void add(const loop::Deal& deal) {
    const int64_t shares = loop::volume_of(deal.shares);
    all = std::max(all, shares);
    dynamic = dynamic || (shares > 1 && deal.dealing == loop::Dealing::dynamic);
    if (deal.collective) return;
    owned = std::max(owned, shares);
    cores = std::max(cores, deal.on == 0 ? shares : std::min(deal.on, shares));
  }

  /// More threads than these have nothing to do.
  int64_t threads() const { return owned > 1 ? cores : all; }
};

void count_shares(const Block& block, TeamNeeds& shares) {
  for (const Stmt& s : block) {
    if (const auto* deal = s.as<loop::Deal>()) shares.add(*deal);
    loop::for_each_child(s, [&](const Block& child) { count_shares(child, shares); });
  }
}

class OpenMPPrinter : public CPrinter {
 public:
  OpenMPPrinter(const loop::Program& p, const Storage& storage, bool team)
      : CPrinter(p, Dialect::c), storage_(storage), team_(team) {}

  ExprPrinter& types() { return expressions(); }

 protected:
  /// By the number of threads that were really granted: equal shares, dealt alike, always meet
  /// equal threads.
  std::string deal(const loop::Deal& s) override {
    const int64_t shares = loop::volume_of(s.shares);
    const std::string body = unflattened(s.shares, "part") + pointers(s) + block(s.body);
    const std::string done =
        has_streaming_store(s.body) ? streaming_fence(expressions().definitions()) + "();\n" : "";
    if (shares == 1) {
      return fmt::format("{}{{\n{}}}\n", team_ ? "if (core == 0) " : "", indent(body + done, 2));
    }
    return fmt::format(
        "for ({}) {{{}\n{}}}\n{}{}", parts_of(s.dealing, shares),
        comment(levels_of(s), loop::How::cores), indent(body, 2), done,
        s.dealing == loop::Dealing::dynamic ? fmt::format("mdh_dealt += {};\n", shares) : "");
  }

  std::string barrier(const loop::Barrier&) override {
    return team_ ? "#pragma omp barrier\n" : "";
  }

  std::string alloc(const Buffer& b) override {
    const Kept& kept = storage_.of(b.symbol);
    const std::string type = expressions().storage_type(b.type);
    const std::string name = c_name(b.symbol.name);
    switch (kept.keeping) {
      case Keeping::automatic:
        return fmt::format("{} {}[{}] __attribute__((aligned(64)));  /* {} */\n", type, name,
                           scalar::volume(b.extents), b.region);
      case Keeping::per_core:
        return fmt::format("{0} *const {1} = ({0} *)(mine + {2});  /* {3} */\n", type, name,
                           kept.offset, b.region);
      case Keeping::shared:
        return "";  // every Deal that uses it says which instance
    }
    return "";
  }

 private:
  /// The loop over the shares of one core.
  static std::string parts_of(loop::Dealing dealing, int64_t shares) {
    switch (dealing) {
      case loop::Dealing::block:
        return fmt::format(
            "long part = {0} * core / cores; part < {0} * (core + 1) / cores; ++part", shares);
      case loop::Dealing::cyclic:
        return fmt::format("long part = core; part < {}; part += cores", shares);
      case loop::Dealing::dynamic:
        return fmt::format(
            "long part; (part = mdh_take(&mdh_taken, mdh_dealt + {0}) - mdh_dealt) < {0};", shares);
    }
    return "";
  }

  std::string levels_of(const loop::Deal& s) const {
    std::vector<std::string> levels;
    for (const loop::Counter& share : s.shares) {
      levels.push_back(is_digit(program(), share.var) ? find_digit(program(), share.var).level
                                                      : share.var.name);
    }
    return join(levels, ", ");
  }

  /// The instances of temporaries that outlive the share.
  std::string pointers(const loop::Deal& s) {
    std::string text;
    for (const Buffer& b : mentioned(program(), s.body)) {
      if (b.role != Role::temporary) continue;
      const Kept& kept = storage_.of(b.symbol);
      if (kept.keeping != Keeping::shared) continue;
      const std::string which = instance(b);
      const std::string at =
          which.empty() ? "" : fmt::format(" + {} * {}", which, scalar::volume(b.extents));
      text += fmt::format("{0} *const {1} = ({0} *)(workspace + {2}){3};  /* {4} */\n",
                          expressions().storage_type(b.type), c_name(b.symbol.name), kept.offset,
                          at, b.region);
    }
    return text;
  }

  const Storage& storage_;
  bool team_;
};

/// Arguments that may be the same memory as another one: `restrict` would be a lie.
std::set<int> shared_arguments(const std::vector<kernel::Argument>& arguments) {
  std::set<int> shared;
  for (size_t n = 0; n < arguments.size(); ++n) {
    if (!arguments[n].in_place.empty()) shared.insert(static_cast<int>(n));
    shared.insert(arguments[n].in_place.begin(), arguments[n].in_place.end());
  }
  return shared;
}

std::string signature(const loop::Program& p, const std::vector<kernel::Argument>& arguments,
                      const std::string& name, ExprPrinter& types) {
  const std::set<int> shared = shared_arguments(arguments);
  std::vector<std::string> parameters;
  for (const Buffer& b : p.buffers) {
    if (b.role == Role::temporary) continue;
    const bool alone = !shared.contains(static_cast<int>(parameters.size()));
    parameters.push_back(fmt::format("{}{} *{}{}", b.role == Role::input ? "const " : "",
                                     types.storage_type(b.type), alone ? "restrict " : "",
                                     c_name(b.symbol.name)));
  }
  parameters.emplace_back("char *restrict workspace");
  parameters.emplace_back("long threads");
  return fmt::format("static void {}({})", name, join(parameters, ", "));
}

std::string entry(size_t count, const std::string& name) {
  std::string arguments;
  for (size_t n = 0; n < count; ++n) arguments += fmt::format("buffers[{}], ", n);
  return fmt::format(
      "void {0}_entry(void **buffers, char *workspace, long threads) {{\n  {0}({1}workspace, "
      "threads);\n}}\n",
      name, arguments);
}

std::string in_parallel(const std::string& body, const Storage& storage, bool dynamic) {
  std::string mine = dynamic ? "  long mdh_dealt = 0;\n" : "";
  if (storage.bytes_per_core > 0) {
    mine += fmt::format("  char *const mine = workspace + {} + core * {};\n", storage.shared_bytes,
                        storage.bytes_per_core);
  }
  return fmt::format(
      "{}#pragma omp parallel num_threads(threads)\n{{\n"
      "  const long core = omp_get_thread_num(), cores = omp_get_num_threads();\n{}{}}}\n",
      dynamic ? "long mdh_taken = 0;\n" : "", mine, indent(body, 2));
}

std::string alone(const std::string& body, const Storage& storage) {
  const std::string mine =
      storage.bytes_per_core == 0
          ? ""
          : fmt::format("char *const mine = workspace + {};\n", storage.shared_bytes);
  return "(void)threads;\n" + mine + body;
}

}  // namespace

kernel::Module print_openmp(const loop::Program& program, const std::string& name) {
  internal_check(loop::is_concrete(program), "only concrete loops can be printed");
  TeamNeeds shares;
  count_shares(program.body, shares);
  const bool team = shares.all > 1;
  const Storage storage = storage_of(program);
  OpenMPPrinter printer(program, storage, team);
  const std::string code = printer.block(program.body);
  const std::string body = team ? in_parallel(code, storage, shares.dynamic) : alone(code, storage);
  ExprPrinter& types = printer.types();
  const std::vector<kernel::Argument> arguments = arguments_of(program);
  const std::string head = signature(program, arguments, name, types);
  const std::string prologue =
      storage.shared_bytes + storage.bytes_per_core == 0 ? "(void)workspace;\n" : "";
  const std::string declarations =
      team ? fmt::format("int omp_get_thread_num(void);\nint omp_get_num_threads(void);\n{}",
                         shares.dynamic ? guarded("mdh_take", rts_text("take")) : "")
           : "";
  kernel::Module module{.language = "c", .name = name};
  module.source = fmt::format("/* {}: printed by mdh */\n{}{}{} {{\n{}}}\n{}", name, declarations,
                              printer.helpers(), head, indent(prologue + body, 2),
                              entry(arguments.size(), name));
  module.steps = {{kernel::Launch{name + "_entry"}}};
  module.arguments = arguments;
  module.workspace_bytes = storage.shared_bytes;
  module.workspace_bytes_per_core = storage.bytes_per_core;
  module.parts_on_cores = static_cast<int>(std::min<int64_t>(shares.threads(), 1 << 20));
  module.contract_allowed = may_contract(program.f, program.combine);
  module.arrays = printer.arrays();
  return module;
}

Backend openmp() {
  return {.name = "openmp",
          .summary = "C with OpenMP, by the system's compiler",
          .machine = "cpu",
          .obeys = {.prefetch = true,
                    .opaque = true,
                    .emit = true,
                    .store = true,
                    .compiler = true,
                    .team_tree = true},
          .print = print_openmp,
          .with_caller = with_openmp_caller};
}

}  // namespace mdh::backend
